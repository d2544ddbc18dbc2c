"""Events of a run, one line for each."""

import re
from collections.abc import Mapping, Sequence
from datetime import datetime

from gateway.ui.elements.html import attribute, box, jump, text
from gateway.ui.elements.moments import moment
from gateway.ui.elements.money import money
from schemas.records import Event

_LONGEST = 140
"""Characters of figures where an event stands on one line."""
_LONGEST_LISTED = 1_000
_DIGEST = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_LEFT_OUT = ("op_id", "source", "sequence", "definition", "prompt", "reply", "head", "kind", "told")
"""Names for programs; prompts and replies are listed below the steps."""
_MICROS = "_micros"
_NAMES = {
    "finish_reason": "the model",
    "input_tokens": "tokens in",
    "output_tokens": "tokens out",
    "cached_tokens": "tokens from a cache",
    "thought_tokens": "tokens thought",
    "cut": "cut to fit",
    "calls": "tools asked for",
    "characters": "characters said",
    "counts": "references",
    "max_passes": "at most so many passes",
    "pass_number": "pass",
    "unknown_prices": "calls of unknown price",
    "cost_micros": "cost",
}
"""Names of figures where the program's own are not words."""
_ORDINALS = frozenset({"round", "version", "pass", "pass_number", "turn", "number"})
FINISHED = {
    "stop": "had said all",
    "length": "reached its longest answer",
    "refusal": "refused",
    "tool": "asked for tools",
    "other": "ended for a reason of its own",
}
"""Displayed finish reasons of a model's answer."""
_FAILED = frozenset({"failed", "refused", "conflict", "timed-out"})
"""Outcomes, and ends of an event's name, that mean a failure."""


def steps(events: Sequence[Event], now: datetime) -> None:
    """A list of events, oldest first, with their figures in words."""
    if not events:
        text("p", "Nothing is written down yet.", classes="empty")
        return
    first = next(filter(failed, events), None)
    if first is not None:
        with box("p"):
            jump("First failure", _id(first))
    with box("ol", classes="steps"):
        for event in events:
            with box("li", classes="failed" if failed(event) else "") as line:
                attribute(line, "id", _id(event))
                attribute(line, "tabindex", "-1")
                moment(event.at, now)
                text("span", _kind(event), classes="kind")
                text("span", _facts(event, _LONGEST_LISTED), classes="soft")


def failed(event: Event) -> bool:
    """Whether a step failed: by its name, its outcome, or the code of what went wrong."""
    ends = {re.split(r"[.-]", event.kind)[-1], str(event.data.get("outcome", ""))}
    code = event.data.get("mistake") or (event.kind != "ended" and event.data.get("code"))
    return bool(ends & _FAILED or code)


def _id(event: Event) -> str:
    return f"step-{event.cursor}"


def sentence(event: Event) -> str:
    """Describe an event with its figures on one line."""
    facts = _facts(event, _LONGEST)
    return f"{_kind(event)}: {facts}" if facts else _kind(event)


def _kind(event: Event) -> str:
    called = event.kind.replace(".", " ").replace("-", " ")
    return f"{called} (failed)" if failed(event) and "fail" not in called else called


def _facts(event: Event, longest: int) -> str:
    line = _listed(event.data)
    return line if len(line) <= longest else f"{line[: longest - 1]}…"


def _listed(facts: Mapping[str, object]) -> str:
    """A cost of which nothing is known is left to the calls of unknown price."""
    costless = {"cost_micros"} if facts.get("unknown_prices") and not facts.get("cost_micros") else ()
    return ", ".join(
        _fact(name, value) for name, value in facts.items() if name not in costless and _is_told(name, value)
    )


def _is_told(name: str, value: object) -> bool:
    """Leave out a value that says nothing, such as an empty text, *no* or a dash."""
    if name == "unknown_prices" and not value:
        return False
    return name not in _LEFT_OUT and value is not False and value not in ("", "-", None, [], {})


def _fact(name: str, value: object) -> str:
    shown = _NAMES.get(name) or name.removesuffix(_MICROS).replace("_", " ")
    if name.endswith(_MICROS) and isinstance(value, int):
        return f"{shown} {money(value)}"
    if name == "finish_reason":
        return f"{shown} {FINISHED.get(str(value), str(value))}"
    if value is True:
        return shown
    return f"{shown} {value if name in _ORDINALS else _value(value)}"


def _value(value: object) -> str:
    if isinstance(value, str) and _DIGEST.fullmatch(value):
        return value[:8]
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, Mapping):
        return _listed(value)
    if isinstance(value, list | tuple):
        return ("; " if any(isinstance(each, Mapping) for each in value) else ", ").join(map(_value, value))
    return str(value)
