"""Operations that failed, as their role is told of them, once."""

from collections.abc import Sequence
from typing import Final

from schemas.patching import Operation, OperationOutcome, OperationResult

_STANDS: Final[tuple[OperationOutcome, ...]] = ("applied", "already_applied")
_LEFT: Final[tuple[OperationOutcome, ...]] = ("over_limit",)
"""Outcomes that its role was told beforehand and need not be told again."""
_MOST_REASONS: Final = 3
_SHORT: Final = 60
"""Characters of a passage in a line for people."""
_LONGEST: Final = 1_500
"""Characters of a passage that is quoted."""


def applied_count(results: Sequence[OperationResult]) -> int:
    """Count the operations that changed the text, or found their change in it."""
    return sum(each.outcome in _STANDS for each in results)


def over_limit_count(results: Sequence[OperationResult]) -> int:
    """Count the operations beyond the limit, which were not looked at."""
    return sum(each.outcome in _LEFT for each in results)


def failed_results(results: Sequence[OperationResult]) -> tuple[OperationResult, ...]:
    """Those that the role can mend."""
    return tuple(each for each in results if each.outcome not in (*_STANDS, *_LEFT))


def told_of_failures(operations: Sequence[Operation], results: Sequence[OperationResult]) -> tuple[str, ...]:
    """One paragraph for each failed operation: what was asked, why it failed, and the nearest text."""
    return tuple(_told(operations[each.index], each) for each in failed_results(results))


def _told(operation: Operation, result: OperationResult) -> str:
    lines = [
        f"operation {result.index + 1} ({operation.kind}) was not applied: {result.outcome}",
        result.message,
        f"find was: {_quoted(operation.find)}",
        f"the nearest text is: {_quoted(result.nearest)}" if result.nearest else "",
    ]
    return "\n".join(line for line in lines if line)


def reasons_of(operations: Sequence[Operation], results: Sequence[OperationResult]) -> tuple[str, ...]:
    """Tell people of each operation that was not made why, with the passages in question."""
    failed = failed_results(results)
    said = [_reason(operations[each.index], each) for each in failed[:_MOST_REASONS]]
    more = len(failed) - len(said)
    return (*said, *([f"{more} more were not made"] if more else []))


def _reason(operation: Operation, result: OperationResult) -> str:
    near = " and ".join(_short(each) for each in result.nearest.split("\n\n") if each.strip())
    outcome = result.outcome.replace("_", " ")
    match result.outcome:
        case "conflict":
            why = f"you wrote {near or 'nothing'} there meanwhile; it wanted {_short(operation.replace)}"
        case "ambiguous":
            why = f"it stands at several places, such as {near}"
        case _ if near:
            why = f"{result.message}; the nearest is {near}"
        case _:
            why = result.message
    return f"edit {result.index + 1} of {_short(operation.find)}: {outcome}, {why}"


def _short(text: str) -> str:
    line = " ".join(text.split())
    return f"“{line if len(line) <= _SHORT else f'{line[:_SHORT]}…'}”"


def _quoted(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
