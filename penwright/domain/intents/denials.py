"""Denials of the gate."""

from collections.abc import Iterable, Sequence

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


def escape(path: str, wrong: str) -> Denial:
    """The denial of a path that may lead out of the workspace, or looks like another."""
    hint = "name a file relative to the top of the workspace"
    return approvable_denial("SCOPE_VIOLATION", "PATH_ESCAPE", f"{path!r} {wrong}", hint, paths=repr(path))


def listed(names: Sequence[str]) -> str:
    """Some names, and how many more there are."""
    more = len(names) - _MOST_NAMED
    return "; ".join(names[:_MOST_NAMED]) + (f"; and {more} more" if more > 0 else "")


def one_of(found: Sequence[Denial]) -> Denial:
    """All that is wrong with a plan as one denial: its code is that of the first, its words those of all."""
    first = found[0]
    if len(found) == 1:
        return first
    details = {
        **first.details,
        "codes": ", ".join(_distinct(each.error_code for each in found)),
        "paths": ", ".join(_distinct(each.details["paths"] for each in found if "paths" in each.details)),
    }
    return first.model_copy(
        update={
            "message": listed([each.message for each in found]),
            "action_hint": "; ".join(_distinct(each.action_hint for each in found)),
            "details": details,
        }
    )


def _distinct(values: Iterable[str]) -> Iterable[str]:
    return dict.fromkeys(values)
