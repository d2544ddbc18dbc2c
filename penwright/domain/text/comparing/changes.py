"""Find the blocks that a change adds, replaces, moves and removes.

Only the part of a file between its unchanged ends is parsed, so that a line added to a long book costs what
the line costs.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from penwright.domain.text.blocks import Block, neighbours_of, plain_text
from penwright.domain.text.comparing.alignment import aligned
from penwright.domain.text.comparing.similarity import similarity_percent, succession
from penwright.domain.text.comparing.stretches import Stretch, changed_stretch
from penwright.domain.text.inline_citations import without_whole_citations


@dataclass(frozen=True, slots=True)
class BlockChange:
    """The change of one block."""

    change: Literal["added", "replaced", "moved", "removed"]
    before: Block | None
    after: Block | None
    similarity: int | None = None
    """Per cent. A removed block that has one was joined with another block."""
    ctx: tuple[str, str] = ("", "")
    """Short hashes of the blocks before and after it, after the change."""
    from_path: str = ""
    """The file a moved block was in, if that was another."""


def changed_blocks(before: bytes | None, after: bytes | None) -> tuple[BlockChange, ...]:
    """Every changed block of one file; none for a file that is not UTF-8 text.

    Re-wrapping, comments and line ends change no block.
    """
    return changes_of({"": (before, after)})[""]


def changes_of(
    texts: Mapping[str, tuple[bytes | None, bytes | None]],
) -> dict[str, tuple[BlockChange, ...]]:
    """Changed blocks of files that change together, by path.

    A block that leaves one file and comes into another has moved, however similar it is to other blocks. Each
    block after the change is unchanged or in one change. So is each block before it, except one that was
    split: that is in the changes of all its pieces.
    """
    return changes_between({path: changed_stretch(before, after) for path, (before, after) in texts.items()})


def changes_between(stretches: Mapping[str, Stretch | None]) -> dict[str, tuple[BlockChange, ...]]:
    """The same for files that are already parsed; None where nothing changed."""
    files = {path: _diff(stretch) for path, stretch in stretches.items()}
    moves = _moves(files)
    gone = set(moves.values())
    return {path: tuple(_changes(path, files, moves, gone)) for path in files}


def block_similarity(old: str, new: str) -> int:
    """Similarity of two blocks in per cent, without comments and line ends."""
    return similarity_percent(plain_text(old), plain_text(new))


@dataclass(frozen=True, slots=True)
class _ChangedRange:
    """Indexes of the blocks between two unchanged ones."""

    before: range
    after: range


@dataclass(frozen=True, slots=True)
class _FileDiff:
    """Places where two versions of a file differ."""

    stretch: Stretch
    ranges: tuple[_ChangedRange, ...]


_BlockIndex = tuple[str, int]
"""Path, and number of a block in its stretch."""


def _diff(stretch: Stretch | None) -> _FileDiff:
    if stretch is None:
        return _FileDiff(Stretch((), ()), ())
    old, new = ([block.hash for block in side] for side in (stretch.before, stretch.after))
    ranges: list[_ChangedRange] = []
    start = low = 0
    for one, other in (*aligned(old, new), (len(old), len(new))):
        if start < one or low < other:
            ranges.append(_ChangedRange(range(start, one), range(low, other)))
        start, low = one + 1, other + 1
    return _FileDiff(stretch, tuple(ranges))


def _moves(files: Mapping[str, _FileDiff]) -> dict[_BlockIndex, _BlockIndex]:
    """New blocks that are old ones elsewhere: in the same file if there is one."""
    gone: dict[str, list[_BlockIndex]] = {}
    for path, file in files.items():
        for at in (at for each in file.ranges for at in each.before):
            gone.setdefault(file.stretch.before[at].hash, []).append((path, at))
    moves: dict[_BlockIndex, _BlockIndex] = {}
    for here in (True, False):
        for path, file in files.items():
            for at in (at for each in file.ranges for at in each.after):
                there = gone.get(file.stretch.after[at].hash)
                if not there or (path, at) in moves:
                    continue
                found = next((n for n, each in enumerate(there) if not here or each[0] == path), None)
                if found is not None:
                    moves[path, at] = there.pop(found)
    return moves


def _changes(
    path: str,
    files: Mapping[str, _FileDiff],
    moves: Mapping[_BlockIndex, _BlockIndex],
    gone: Collection[_BlockIndex],
) -> Iterator[BlockChange]:
    stretch = files[path].stretch
    around = neighbours_of(stretch.after)
    for each_range in files[path].ranges:
        for at in each_range.after:
            if (path, at) in moves:
                source, number = moves[path, at]
                block = files[source].stretch.before[number]
                moved_from = "" if source == path else source
                yield BlockChange("moved", block, stretch.after[at], None, around[at], moved_from)
        olds = [at for at in each_range.before if (path, at) not in gone]
        news = [at for at in each_range.after if (path, at) not in moves]
        yield from _succeeded(stretch, olds, news, around)


def _succeeded(
    stretch: Stretch, olds: Sequence[int], news: Sequence[int], around: Sequence[tuple[str, str]]
) -> Iterator[BlockChange]:
    """Pair replaced blocks by similarity, each once; pieces of a split or joined block count too."""
    old, new = [stretch.before[at] for at in olds], [stretch.after[at] for at in news]
    made = succession(*([_own_text(block) for block in side] for side in (old, new)))
    for number, at in enumerate(news):
        origin, alike = made.successors.get(number, (None, 0))
        if origin is None:
            yield BlockChange("added", None, new[number], None, around[at])
        else:
            alike = _unless_cited(alike, old[origin], new[number])
            yield BlockChange("replaced", old[origin], new[number], alike, around[at])
    kept = {origin for origin, _ in made.successors.values()}
    for number, block in enumerate(old):
        if number not in kept:
            yield BlockChange("removed", block, None, made.joined.get(number))


def _unless_cited(alike: int, old: Block, new: Block) -> int:
    """100 is a change without words, and another citation is more than that."""
    return min(alike, 99) if "[[@" in old.text or "[[@" in new.text else alike


def _own_text(block: Block) -> str:
    """Text to compare: without citations, as one that comes or goes may be longer than its paragraph."""
    return plain_text(without_whole_citations(block.text)) or plain_text(block.text)
