"""Denials of the gate."""

from collections.abc import Sequence

from schemas.workspace import Denial

ASK_A_PERSON = "ask a person to change the registry with `penwright intent`"
_MOST_NAMED = 10


class Denied(Exception):
    """A denial that no approval lifts."""

    def __init__(self, denial: Denial) -> None:
        super().__init__(denial.message)
        self.denial = denial


def hard_denial(error_type: str, code: str, message: str, hint: str, **details: str) -> Denied:
    """Return the error of a denial that no approval lifts, to be raised."""
    return Denied(approvable_denial(error_type, code, message, hint, **details))


def approvable_denial(error_type: str, code: str, message: str, hint: str, **details: str) -> Denial:
    """Return a denial; it can be approved if its code is one of ``approval.APPROVABLE``."""
    return Denial(
        error_type=error_type,
        error_code=code,
        message=message,
        recoverable=code != "GATE_FAILED",
        action_hint=hint,
        details=details,
    )


def listed(names: Sequence[str]) -> str:
    """Some names, and how many more there are."""
    more = len(names) - _MOST_NAMED
    return "; ".join(names[:_MOST_NAMED]) + (f"; and {more} more" if more > 0 else "")
