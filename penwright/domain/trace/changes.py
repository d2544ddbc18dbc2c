"""Which blocks a change adds, replaces, moves and removes.

Only the part of a file between its unchanged ends is taken apart, so that a line added to a long book costs
what the line costs.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from typing import Literal

from rapidfuzz import fuzz

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
    """Every block that is not as it was; none for what is no UTF-8 text.

    Re-wrapping, comments and line ends change no block.
    """
    window = window_of(before, after)
    return tuple(_changes(window)) if window else ()


def across_files(changes: Mapping[str, Sequence[BlockChange]]) -> dict[str, tuple[BlockChange, ...]]:
    """The same changes, where a block that left one file and came into another has moved.

    A move outweighs likeness: what was taken for a block's successor is new if the block lives elsewhere.
    """
    gone: dict[str, list[tuple[str, Block]]] = {}
    for path, listed in changes.items():
        for block in _distinct(
            change.before for change in listed if change.change in ("removed", "replaced")
        ):
            gone.setdefault(block.hash, []).append((path, block))
    moves: dict[int, tuple[str, Block]] = {}
    for path, listed in changes.items():
        for change in listed:
            if change.after is None or change.change not in ("added", "replaced"):
                continue
            there = next((each for each in gone.get(change.after.hash, ()) if each[0] != path), None)
            if there:
                gone[change.after.hash].remove(there)
                moves[id(change.after)] = there
    left = {id(block) for _, block in moves.values()}
    return {path: tuple(_settled(listed, moves, left)) for path, listed in changes.items()}


def _settled(
    listed: Sequence[BlockChange], moves: Mapping[int, tuple[str, Block]], left: Collection[int]
) -> Iterator[BlockChange]:
    """The changes of one file once it is known which blocks came from and went to other files."""
    kept = {id(change.before) for change in listed if change.after and id(change.after) not in moves}
    for change in listed:
        if change.after is not None and id(change.after) in moves:
            path, block = moves[id(change.after)]
            yield replace(change, change="moved", before=block, similarity=None, from_path=path)
            if change.before is not None and id(change.before) not in kept | set(left):
                yield BlockChange("removed", change.before, None)
        elif id(change.before) not in left:
            yield change
        elif change.after is not None:
            yield replace(change, change="added", before=None, similarity=None)


def _distinct(blocks: Iterable[Block | None]) -> list[Block]:
    return list({id(block): block for block in blocks if block is not None}.values())


def _changes(window: Window) -> Iterator[BlockChange]:
    old, new = window.before, window.after
    matcher = SequenceMatcher(
        None, [block.hash for block in old], [block.hash for block in new], autojunk=False
    )
    regions = [code[1:] for code in matcher.get_opcodes() if code[0] != "equal"]
    come = Counter(new[at].hash for _, _, low, high in regions for at in range(low, high))
    moving: dict[str, list[Block]] = {}
    for start, end, _, _ in regions:
        for block in old[start:end]:
            if come[block.hash] > len(moving.get(block.hash, ())):
                moving.setdefault(block.hash, []).append(block)
    moved = {id(block) for blocks in moving.values() for block in blocks}
    for start, end, low, high in regions:
        news = []
        for at in range(low, high):
            if moving.get(new[at].hash):
                yield _made("moved", moving[new[at].hash].pop(0), at, window)
            else:
                news.append(at)
        yield from _paired([block for block in old[start:end] if id(block) not in moved], news, window)


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
    close = len(olds) <= _PAIRED and len(news) <= _PAIRED
    found: list[tuple[int, int, int]] = []
    for number, new in enumerate(news):
        for other, old in enumerate(olds):
            if close or abs(number - other) <= 2:
                likeness = likeness_of(old.text, new.text)
                if likeness >= _ALIKE:
                    found.append((-likeness, number, other))
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
    first, second = (" ".join(text[:_COMPARED].split()) for text in (old, new))
    return int(fuzz.ratio(first, second))


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
