"""Three-way merge by blocks.

A block is a Markdown paragraph; a fenced passage and a comment that spans blank lines stay whole.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from penwright.domain.text.blocks import whole_spans
from penwright.domain.text.comparing.alignment import common_ends
from penwright.domain.text.conflict_notes import START, conflict_note
from penwright.domain.text.paragraphs import spans_between

_WORD = re.compile(r"\w")


@dataclass(frozen=True, slots=True)
class Clash:
    """A conflict: both sides changed the same blocks, differently."""

    base: str
    ours: str
    theirs: str


@dataclass(frozen=True, slots=True)
class Reconciled:
    """The merged text; at a clash it holds both versions, theirs first."""

    text: str
    clashes: tuple[Clash, ...] = ()


@dataclass(frozen=True, slots=True)
class MergeBlock:
    """One paragraph and the line ends that follow it."""

    text: str
    gap: str


@dataclass(frozen=True, slots=True)
class _Edit:
    """Replaces the base's blocks ``[start, end)`` by ``blocks``; an insertion has ``start == end``."""

    start: int
    end: int
    blocks: tuple[MergeBlock, ...]


def reconcile(base: str, ours: str, theirs: str, *, noted: bool = False) -> Reconciled:
    """Merge two descendants of ``base``; line ends follow ``theirs``.

    ``noted``: between the two versions of a clash goes the note of ``conflicts``.

    Insertions at the same place are both kept, identical changes once. A block that one side moved or
    both sides added is never doubled, and a block that both sides still hold is never dropped.
    """
    if ours in (theirs, base):
        return Reconciled(theirs)
    if theirs == base:
        return Reconciled(ours)
    line_end = "\r\n" if uses_crlf(theirs) else "\n"
    sides = (split(text.replace("\r\n", "\n")) for text in (base, ours, theirs))
    merged = _merge(*sides, noted=noted)
    return Reconciled(merged.text.replace("\n", line_end), merged.clashes)


def uses_crlf(text: str) -> bool:
    """Whether most line ends at the start of ``text`` are CRLF."""
    head = text[:65536]
    return head.count("\r\n") * 2 > head.count("\n")


def split(text: str) -> tuple[MergeBlock, ...]:
    """Split ``text`` into blocks; their texts and gaps, concatenated, are ``text`` exactly."""
    spans = spans_between(text, whole_spans(text))
    starts = [*(start for start, _ in spans), len(text)]
    lead = [MergeBlock("", text[: starts[0]])] if starts[0] else []
    blocks = (
        MergeBlock(text[at:end], text[end:after]) for (at, end), after in zip(spans, starts[1:], strict=True)
    )
    return (*lead, *blocks)


def _merge(
    base: Sequence[MergeBlock], ours: Sequence[MergeBlock], theirs: Sequence[MergeBlock], *, noted: bool
) -> Reconciled:
    our_edits, our_gaps = _edits(base, ours)
    their_edits, their_gaps = _edits(base, theirs)
    kept = [
        MergeBlock(block.text, _gap(block, our_gaps.get(at), their_gaps.get(at)))
        for at, block in enumerate(base)
    ]
    woven, clashes = _weave(kept, our_edits, their_edits, noted=noted)
    woven = _without_doubles(woven, ours, theirs)
    if _lost(woven, ours, theirs):
        woven = _both(base, ours, theirs, noted=noted)
        clashes = [Clash(join(base), join(ours), join(theirs))]
    return Reconciled(join(woven), tuple(clashes))


def _gap(block: MergeBlock, ours: str | None, theirs: str | None) -> str:
    changed = [gap for gap in (ours, theirs) if gap is not None and gap != block.gap]
    return changed[0] if changed else block.gap


def _edits(base: Sequence[MergeBlock], side: Sequence[MergeBlock]) -> tuple[list[_Edit], dict[int, str]]:
    """Return what ``side`` changed, in order, and by base index the gap after each block it kept."""
    old, new = _texts(base), _texts(side)
    head, tail = common_ends(old, new)
    gaps = {at: side[at].gap for at in range(head)}
    gaps |= {len(base) - at: side[len(side) - at].gap for at in range(1, tail + 1)}
    edits: list[_Edit] = []
    matcher = SequenceMatcher(None, old[head : len(old) - tail], new[head : len(new) - tail], autojunk=False)
    for kind, start, end, low, high in matcher.get_opcodes():
        start, end, low, high = start + head, end + head, low + head, high + head
        if kind == "equal":
            gaps |= {start + at: side[low + at].gap for at in range(end - start)}
        elif end - start == high - low:
            edits += [_Edit(start + at, start + at + 1, (side[low + at],)) for at in range(end - start)]
        else:
            edits.append(_Edit(start, end, tuple(side[low:high])))
    return edits, gaps


def _weave(
    base: Sequence[MergeBlock], ours: Sequence[_Edit], theirs: Sequence[_Edit], *, noted: bool
) -> tuple[list[MergeBlock], list[Clash]]:
    woven: list[MergeBlock] = []
    clashes: list[Clash] = []
    at = 0
    for our_group, their_group in _regions(ours, theirs):
        group = our_group + their_group
        start, end = min(edit.start for edit in group), max(edit.end for edit in group)
        woven += base[at:start]
        version = _applied(base, start, end, our_group), _applied(base, start, end, their_group)
        above, below = _settled(base[start:end], *version)
        clash = our_group and their_group and start < end and _differ(base[start:end], *version)
        woven += [*above, *_note(above, below, noted=bool(clash) and noted), *below]
        if clash:
            clashes.append(Clash(join(base[start:end]), join(version[0]), join(version[1])))
        at = end
    return woven + list(base[at:]), clashes


def _regions(ours: Sequence[_Edit], theirs: Sequence[_Edit]) -> Iterable[tuple[list[_Edit], list[_Edit]]]:
    """Group edits that touch the same blocks or insert at the same place, in order."""
    marked = sorted(
        [(edit.start, edit.end, 0, edit) for edit in ours]
        + [(edit.start, edit.end, 1, edit) for edit in theirs],
        key=lambda entry: entry[:3],
    )
    region: tuple[list[_Edit], list[_Edit]] = ([], [])
    low = high = -1
    for start, end, side, edit in marked:
        joins = start < high or (start == end == low == high)
        if not joins and (region[0] or region[1]):
            yield region
            region = ([], [])
        low, high = (low, max(high, end)) if joins else (start, end)
        region[side].append(edit)
    if region[0] or region[1]:
        yield region


def _applied(base: Sequence[MergeBlock], start: int, end: int, edits: Sequence[_Edit]) -> list[MergeBlock]:
    blocks: list[MergeBlock] = []
    for edit in edits:
        blocks += [*base[start : edit.start], *edit.blocks]
        start = edit.end
    return blocks + list(base[start:end])


def _settled(
    base: Sequence[MergeBlock], ours: Sequence[MergeBlock], theirs: Sequence[MergeBlock]
) -> tuple[list[MergeBlock], list[MergeBlock]]:
    """Return theirs, and the new blocks of ours; a base block that either side removed stays removed."""
    original, our_texts, their_texts = _texts(base), _texts(ours), _texts(theirs)
    if our_texts == original:
        return list(theirs), []
    if their_texts == original:
        return [], list(ours)
    kept = [block for block in theirs if block.text not in original or block.text in our_texts]
    new = [block for block in ours if block.text not in original and block.text not in their_texts]
    return kept, new


def _differ(base: Sequence[MergeBlock], ours: Sequence[MergeBlock], theirs: Sequence[MergeBlock]) -> bool:
    """Whether the author must choose: not if one version holds all of the other, its new blocks included."""
    original, our_texts, their_texts = _texts(base), _texts(ours), _texts(theirs)
    shorter, longer = sorted((our_texts, their_texts), key=len)
    is_new = any(text not in original for text in shorter)
    return our_texts != their_texts and not (is_new and Counter(shorter) <= Counter(longer))


def _note(above: Sequence[MergeBlock], below: Sequence[MergeBlock], *, noted: bool) -> list[MergeBlock]:
    """Return the note between two versions; none where both sides have left nothing."""
    if not noted or not (above or below):
        return []
    return [MergeBlock(conflict_note(len(above), len(below)), "\n\n")]


def _both(
    base: Sequence[MergeBlock], ours: Sequence[MergeBlock], theirs: Sequence[MergeBlock], *, noted: bool
) -> list[MergeBlock]:
    known = {*_texts(base), *_texts(theirs)}
    new = [block for block in ours if block.text not in known]
    return [*theirs, *_note(theirs, new, noted=noted), *new]


def _without_doubles(
    woven: Sequence[MergeBlock], ours: Sequence[MergeBlock], theirs: Sequence[MergeBlock]
) -> list[MergeBlock]:
    """Drop repetitions that neither side has; a note or a block without words (a scene break) may repeat."""
    allowed = Counter(_texts(ours)) | Counter(_texts(theirs))
    seen: Counter[str] = Counter()
    result = []
    for block in woven:
        seen[block.text] += 1
        may_repeat = not _WORD.search(block.text) or START.match(block.text)
        if seen[block.text] <= allowed[block.text] or may_repeat:
            result.append(block)
    return result


def _lost(woven: Sequence[MergeBlock], ours: Sequence[MergeBlock], theirs: Sequence[MergeBlock]) -> bool:
    """Whether a block that both sides have is missing."""
    return not (Counter(_texts(ours)) & Counter(_texts(theirs))) <= Counter(_texts(woven))


def _texts(blocks: Iterable[MergeBlock]) -> list[str]:
    return [block.text for block in blocks]


def join(blocks: Sequence[MergeBlock]) -> str:
    """Join blocks to text, with at least one blank line between them."""
    parts: list[str] = []
    for at, block in enumerate(blocks):
        last = at == len(blocks) - 1
        gap = block.gap if last or not block.text else block.gap + "\n" * (2 - block.gap.count("\n"))
        parts += [block.text, gap]
    return "".join(parts)
