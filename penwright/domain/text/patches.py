"""The operations of one reply, applied to the text that the model saw."""

from collections.abc import Collection, Iterable, Sequence
from itertools import zip_longest

from penwright.domain.text.locating.citation_marks import citation_marks
from penwright.domain.text.patching.operation_edits import Edit, Proposed, proposed, refused
from penwright.domain.text.patching.patch_messages import feedback as feedback
from schemas.patching import Operation, Patched, Span


def apply(
    operations: Sequence[Operation],
    text: str,
    *,
    max_hunks: int | None = None,
    new_citations: Collection[str] | None = (),
    within: Sequence[Span | None] = (),
) -> Patched:
    """Locate all operations on ``text`` and apply those that can be, together.

    Args:
        text: the snapshot that the model saw.
        max_hunks: how many operations are considered; None for all.
        new_citations: inline citations that operations may add. One that would alter, drop or move any
            other is refused. None: they may change citations.
        within: where the passage of each operation is looked for first; None: anywhere.

    Returns:
        The new text and a result for each operation; a refused one changes nothing.
    """
    limit = len(operations) if max_hunks is None else max(0, max_hunks)
    plans = [
        proposed(index, each, text, place)
        for index, (each, place) in enumerate(zip_longest(operations[:limit], within[:limit]))
    ]
    marks = citation_marks(text) if new_citations is not None else ()
    if new_citations is not None:
        plans = [_keeping(each, operations, text, marks, new_citations) for each in plans]
    plans = _apart(plans, operations)
    made = edited(text, (edit for each in plans for edit in each.edits))
    if new_citations is not None and not _has_kept(marks, citation_marks(made), new_citations):
        # Each leaves the citations as they are, but two together make one of what stands between them.
        plans = [_touching(each, operations) for each in plans]
        made = text
    late = [
        refused(index, operations[index], "over_limit", limit=limit)
        for index in range(limit, len(operations))
    ]
    results = tuple(each.result for each in (*plans, *late))
    return Patched(text=made, results=results, changed=made != text)


def edited(text: str, edits: Iterable[Edit]) -> str:
    """The text after edits that do not overlap; those at one place follow each other as given."""
    pieces, at = [], 0
    for edit in sorted(edits, key=lambda each: each[:2]):
        pieces += [text[at : edit.start], edit.text]
        at = edit.end
    return "".join([*pieces, text[at:]])


def _keeping(
    plan: Proposed,
    operations: Sequence[Operation],
    text: str,
    marks: Sequence[str],
    new: Collection[str],
) -> Proposed:
    if not plan.edits or _has_kept(marks, citation_marks(edited(text, plan.edits)), new):
        return plan
    return _touching(plan, operations)


def _has_kept(before: Sequence[str], after: Sequence[str], new: Collection[str]) -> bool:
    """Whether all citations stand in their order, and between them none that is not ``new``."""
    left = 0
    for mark in after:
        if left < len(before) and mark == before[left]:
            left += 1
        elif mark not in new:
            return False
    return left == len(before)


def _touching(plan: Proposed, operations: Sequence[Operation]) -> Proposed:
    index = plan.result.index
    return refused(index, operations[index], "citation_touched") if plan.edits else plan


def _apart(plans: Sequence[Proposed], operations: Sequence[Operation]) -> list[Proposed]:
    """The same, without those that change what another one changes: neither is better than the other."""
    clashing = _overlapping(plans)
    return [
        refused(at, operations[at], "overlap", other=clashing[at] + 1) if at in clashing else plan
        for at, plan in enumerate(plans)
    ]


def _overlapping(plans: Sequence[Proposed]) -> dict[int, int]:
    """Numbers of operations that overlap, each with one that it overlaps."""
    edits = sorted((edit.start, edit.end, at) for at, plan in enumerate(plans) for edit in plan.edits)
    clashing: dict[int, int] = {}
    reach = owner = -1
    for start, end, at in edits:
        if start < reach:
            clashing |= {at: clashing.get(at, owner), owner: clashing.get(owner, at)}
        if end > reach:
            reach, owner = end, at
    return clashing
