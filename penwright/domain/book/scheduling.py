"""When a book's schedule pauses itself."""

from typing import Final

from schemas.book_session import BookSessionInput, BookSessionResult

BUSY: Final = "already-running"
"""Code of a scheduled run that met another session; that says nothing of the book."""


def refusals_in_row(before: int, ending: BookSessionResult) -> int:
    """Refused scheduled runs in a row, given how many there were ``before`` this one."""
    if ending.outcome != "refused":
        return 0
    return before if ending.code == BUSY else before + 1


def must_pause(given: BookSessionInput, refusals: int, ending: BookSessionResult) -> bool:
    """Whether this refusal is the last one that the schedule takes."""
    was_refused = ending.outcome == "refused" and ending.code != BUSY
    return was_refused and 0 < given.pause_after <= refusals


def pause_message(refusals: int, ending: BookSessionResult) -> str:
    """Explain why the schedule pauses."""
    times = "once" if refusals == 1 else f"{refusals} times in a row"
    return f"the book was refused {times}: {ending.message} ({ending.code})"
