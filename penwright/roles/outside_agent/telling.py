"""Error messages for outside agents, and the agent's name in commits."""

from collections.abc import Mapping
from types import MappingProxyType

from penwright import errors
from penwright.domain.text.escaping import printable
from schemas.workspace import Denial

UNNAMED_AGENT = "an unnamed agent"
_LONGEST_NAME = 80

_KINDS: tuple[tuple[type[errors.PenwrightError], str], ...] = (
    (errors.UsageMistake, "INVALID_CALL"),
    (errors.NotFound, "NOT_FOUND"),
    (errors.Refused, "REFUSED"),
    (errors.PassingError, "UNAVAILABLE"),
)
_OPEN = "call `open_session` and go on with the session it gives you"
_TELL = "stop here, and tell the person you work for"
_HINTS: Mapping[str, str] = MappingProxyType(
    {
        "already-complete": f"the book is finished; {_TELL}",
        "already-delivered": "keep the other prose, and deliver it in a session of its own",
        "already-running": "wait and ask `session_status`; a person can end the other session",
        "approval-mismatch": f"the change is not the one that was allowed; {_TELL}",
        "book-already-complete": f"the book is finished; {_TELL}",
        "book-sealed": f"the book is finished; {_TELL}",
        "chapter-not-ready": "write on in this chapter",
        "empty-prose": "write the session's prose, and deliver that",
        "engine-no-answer": "repeat the call in a minute; if it stays so, tell the person you work for",
        "engine-not-running": "ask a person to start the engine with `penwright up`, then repeat the call",
        "intent-changed": "call `select_active_intent` again, see what it asks now, and repeat the call",
        "intent-ignored": "select another intent, or ask a person",
        "intent-not-selected": "call `select_active_intent` with an intent in progress, then repeat the call",
        "intent-not-writable": "select an intent in progress, or ask a person to start this one",
        "intent-owns-other-files": "select another intent, or ask a person to widen its scope",
        "intent-unknown": "`read_material` shows `.orchestration/active_intents.yaml`; name an intent of it",
        "invalid-arguments": "fix the fields that are named, and call again",
        "killed": f"a person ended the session; {_TELL}",
        "no-active-session": _OPEN,
        "no-writable-intent": f"no intent in progress owns the review file; {_TELL}",
        "other-session": _OPEN,
        "prose-too-long": "deliver this session's prose only",
        "sealed": f"the book is finished; {_TELL}",
        "session-over": _OPEN,
        "session-timeout": _OPEN,
        "unknown-tool": "call one of the tools that are listed",
    }
)
"""Advice to the agent, in its own calls."""
_BY_KIND: Mapping[str, str] = MappingProxyType(
    {
        "INVALID_CALL": "fix what is named, and call again",
        "NOT_FOUND": "check the name; `search_book` finds texts, `open_session` tells what there is",
        "REFUSED": f"nothing was changed; see to what the message names, or {_TELL}",
        "UNAVAILABLE": "nothing was lost; repeat the call in a moment",
        "FAILED": f"nothing more can be done from here; {_TELL}",
    }
)
_PERSONS = frozenset({"killed", "book-sealed", "sealed", "already-complete", "book-already-complete"})
"""Refusals about which an agent can do nothing."""
_OURS = ("error_type", "action_hint", "hint")


def denial_of(error: errors.PenwrightError, hints: Mapping[str, str] = MappingProxyType({})) -> Denial:
    """An error in the form of a denial, for an outside agent.

    Args:
        hints: what the agent does next, by code, where its tools are not those of a book.
    """
    kind = next((name for cls, name in _KINDS if isinstance(error, cls)), "FAILED")
    details = error.details
    said = hints.get(error.code) or details.get("action_hint") or _HINTS.get(error.code)
    known = said or details.get("hint") or _BY_KIND[kind]
    return Denial(
        error_type=details.get("error_type", kind),
        error_code=error.code.upper().replace("-", "_"),
        message=error.message,
        recoverable=kind != "FAILED" and error.code not in _PERSONS,
        action_hint=known,
        details={name: value for name, value in details.items() if name not in _OURS},
    )


def known_as(name: str, version: str = "") -> str:
    """The name of a client program, on one line, for a commit message."""
    said = " ".join(printable(f"{name} {version}").split())[:_LONGEST_NAME].strip()
    return said or UNNAMED_AGENT
