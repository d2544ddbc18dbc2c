"""A model's operations, made on the text that it saw, brought onto the text as it is now."""

from collections.abc import Sequence
from dataclasses import dataclass

from penwright.domain.text import patches
from penwright.domain.text.merging.three_way import merge
from schemas.patching import Merged, Operation, OperationResult, Patched

_CONFLICT = "people changed this place while the model worked; read the text again before changing it"


@dataclass(frozen=True, slots=True)
class PatchedScene:
    """A scene's text after the operations of one reply."""

    text: str
    results: tuple[OperationResult, ...]
    """One for each operation, in their order."""

    @property
    def in_conflict(self) -> bool:
        """Whether no operation was applied, at least one of them because of what people changed."""
        outcomes = {result.outcome for result in self.results}
        return "conflict" in outcomes and "applied" not in outcomes


def patched_scene(
    operations: Sequence[Operation],
    snapshot: str,
    head: str,
    *,
    max_hunks: int | None = None,
    keep_citations: bool = True,
) -> PatchedScene:
    """Apply ``operations`` to ``snapshot`` and merge the result with ``head``, both with LF.

    Of several operations only those are left out, as conflicts, that meet a place which ``head`` changed.
    """
    first = patches.apply(operations, snapshot, max_hunks=max_hunks, keep_citations=keep_citations)
    if not first.changed:
        return PatchedScene(head, first.results)
    if snapshot == head:
        return PatchedScene(first.text, first.results)
    if isinstance(merged := merge(snapshot, first.text, head), Merged):
        return PatchedScene(merged.text, first.results)
    return _without_conflicts(operations, first, snapshot, head, keep_citations=keep_citations)


def _without_conflicts(
    operations: Sequence[Operation], first: Patched, snapshot: str, head: str, *, keep_citations: bool
) -> PatchedScene:
    """Leave out each operation that alone is in conflict, and all if the others still are."""
    applied = [result.index for result in first.results if result.outcome == "applied"]
    good = []
    for index in applied:
        alone = patches.apply([operations[index]], snapshot, keep_citations=keep_citations)
        if isinstance(merge(snapshot, alone.text, head), Merged):
            good.append(index)
    rest = patches.apply([operations[index] for index in good], snapshot, keep_citations=keep_citations)
    merged = merge(snapshot, rest.text, head)
    if not isinstance(merged, Merged):
        return PatchedScene(head, _marked(first.results, applied))
    return PatchedScene(merged.text, _marked(first.results, [each for each in applied if each not in good]))


def _marked(results: Sequence[OperationResult], conflicts: Sequence[int]) -> tuple[OperationResult, ...]:
    return tuple(
        result.model_copy(update={"outcome": "conflict", "message": _CONFLICT, "places": 0})
        if result.index in conflicts
        else result
        for result in results
    )
