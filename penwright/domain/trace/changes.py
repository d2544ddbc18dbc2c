"""Which blocks a change adds, replaces, moves and removes.

Only the part of a file between its unchanged ends is taken apart, so that a line added to a long book costs
what the line costs.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from typing import Literal

from rapidfuzz import fuzz, process

from penwright.domain.trace.blocks import Block, short_hash
from penwright.domain.trace.windows import Window, window_of

_ALIKE = 50
"""Likeness, per cent, from which a block counts as another one's successor."""
_COMPARED = 8_000
"""Signs of a block that are compared; more would make one paragraph cost a whole book."""
_PAIRED = 24
"""Blocks on either side up to which every pair is compared; beyond it, neighbours only."""


@dataclass(frozen=True, slots=True)
class BlockChange:
    """What became of one block."""

    change: Literal["added", "replaced", "moved", "removed"]
    before: Block | None
    after: Block | None
    similarity: int | None = None
    """Per cent. A removed block that has one lives on in a block it was joined with."""
    ctx: tuple[str, str] = ("", "")
    """Short hashes of the blocks in front and behind, after the change."""
    from_path: str = ""
    """The file a moved block was in, if that was another."""


def changed_blocks(before: bytes | None, after: bytes | None) -> tuple[BlockChange, ...]:
    """Every block of one file that is not as it was; none for what is no UTF-8 text.

    Re-wrapping, comments and line ends change no block.
    """
    return changes_of({"": (before, after)})[""]


def changes_of(
    texts: Mapping[str, tuple[bytes | None, bytes | None]],
) -> dict[str, tuple[BlockChange, ...]]:
    """Changed blocks of files that change together, by path.

    A block that leaves one file and comes into another has moved; that outweighs any likeness.
    """
    files = {path: _apart(window_of(before, after)) for path, (before, after) in texts.items()}
    moves = _moves(files)
    gone = {id(block) for _, block in moves.values()}
    return {path: tuple(_changes(path, file, moves, gone)) for path, file in files.items()}


@dataclass(frozen=True, slots=True)
class _Apart:
    """The stretches in which two versions of a file differ: old blocks, and numbers of new ones."""

    window: Window
    stretches: tuple[tuple[Sequence[Block], range], ...]


def _apart(window: Window | None) -> _Apart:
    if window is None:
        return _Apart(Window((), ()), ())
    old, new = window.before, window.after
    hashes = [block.hash for block in old], [block.hash for block in new]
    opcodes = SequenceMatcher(None, *hashes, autojunk=False).get_opcodes()
    differing = (code[1:] for code in opcodes if code[0] != "equal")
    return _Apart(window, tuple((old[start:end], range(low, high)) for start, end, low, high in differing))


def _moves(files: Mapping[str, _Apart]) -> dict[tuple[str, int], tuple[str, Block]]:
    """New blocks, by path and number, that are old ones in another place: the same file's if there is one."""
    gone: dict[str, list[tuple[str, Block]]] = {}
    for path, file in files.items():
        for olds, _ in file.stretches:
            for block in olds:
                gone.setdefault(block.hash, []).append((path, block))
    moves: dict[tuple[str, int], tuple[str, Block]] = {}
    for path, file in files.items():
        for at in (at for _, news in file.stretches for at in news):
            if there := gone.get(file.window.after[at].hash):
                moves[path, at] = there.pop(next((n for n, each in enumerate(there) if each[0] == path), 0))
    return moves


def _changes(
    path: str, file: _Apart, moves: Mapping[tuple[str, int], tuple[str, Block]], gone: Collection[int]
) -> Iterator[BlockChange]:
    for olds, news in file.stretches:
        left = []
        for at in news:
            if (path, at) not in moves:
                left.append(at)
                continue
            source, block = moves[path, at]
            moved = _made("moved", block, at, file.window)
            yield moved if source == path else replace(moved, from_path=source)
        yield from _paired([block for block in olds if id(block) not in gone], left, file.window)


def _paired(olds: Sequence[Block], news: Sequence[int], window: Window) -> Iterator[BlockChange]:
    """Successors by likeness, each block once; what a block was split into or joined from counts."""
    pairs = _best_pairs(olds, [window.after[at] for at in news])
    left = dict(enumerate(olds))
    for number, at in enumerate(news):
        old, likeness = pairs.get(number, (None, 0))
        if old is not None:
            left.pop(old, None)
            yield _made("replaced", olds[old], at, window, likeness)
        else:
            yield _made("added", None, at, window)
    for number, block in left.items():
        yield BlockChange("removed", block, None, _joined(number, block, olds, news, pairs, window))


def _best_pairs(olds: Sequence[Block], news: Sequence[Block]) -> dict[int, tuple[int, int]]:
    """Number of a new block -> number of the old one it came from, and how alike they are."""
    first, second = ([_plain(block.text) for block in blocks] for blocks in (olds, news))
    close = len(olds) <= _PAIRED and len(news) <= _PAIRED
    found: list[tuple[int, int, int]] = []
    for number, new in enumerate(second):
        low, high = (0, len(first)) if close else (max(0, number - 2), number + 3)
        alike = process.extract(new, first[low:high], scorer=fuzz.ratio, score_cutoff=_ALIKE, limit=None)
        found += [(-int(score), number, low + other) for _, score, other in alike]
    pairs: dict[int, tuple[int, int]] = {}
    used: set[int] = set()
    for less, number, other in sorted(found):
        if number not in pairs and other not in used:
            pairs[number] = (other, -less)
            used.add(other)
    _add_splits(pairs, olds, news)
    return pairs


def _add_splits(pairs: dict[int, tuple[int, int]], olds: Sequence[Block], news: Sequence[Block]) -> None:
    """A block that was cut in two has two successors."""
    for number, (other, likeness) in list(pairs.items()):
        for beside in (number - 1, number + 1):
            if beside in pairs or not 0 <= beside < len(news):
                continue
            first, second = sorted((number, beside))
            whole = likeness_of(olds[other].text, f"{news[first].text}\n{news[second].text}")
            if whole > likeness:
                pairs[number] = pairs[beside] = (other, whole)
                break


def _joined(
    number: int,
    block: Block,
    olds: Sequence[Block],
    news: Sequence[int],
    pairs: Mapping[int, tuple[int, int]],
    window: Window,
) -> int | None:
    """How alike the block it went into is to both that were joined; None if it is gone."""
    for new, (other, likeness) in pairs.items():
        if abs(other - number) == 1:
            first, second = sorted((number, other))
            both = f"{olds[first].text}\n{olds[second].text}"
            whole = likeness_of(both, window.after[news[new]].text)
            if whole > likeness:
                return whole
    return None


def likeness_of(old: str, new: str) -> int:
    """How alike two blocks are, per cent, line ends apart."""
    return int(fuzz.ratio(_plain(old), _plain(new)))


def _plain(text: str) -> str:
    return " ".join(text[:_COMPARED].split())


def _made(
    change: Literal["added", "replaced", "moved"],
    before: Block | None,
    at: int,
    window: Window,
    similarity: int | None = None,
) -> BlockChange:
    blocks = window.after
    ahead = short_hash(blocks[at - 1].hash) if at else ""
    behind = short_hash(blocks[at + 1].hash) if at + 1 < len(blocks) else ""
    return BlockChange(change, before, blocks[at], similarity, (ahead, behind))
