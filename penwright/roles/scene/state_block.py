"""The last block of a reply, in which an actor reports its own state."""

import json
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from json_repair import repair_json

from penwright.domain.models.lenient_json import tidied
from penwright.roles.scene.reply_json import folded
from penwright.roles.scene.reply_values import LONGEST_VALUE, short_value
from schemas.director import FIELDS, StatePatch
from schemas.scene_roles import StateBlock

_OPENING = re.compile(
    r"^[ \t]*(?:`{3,}|~{3,})[ \t]*(?P<word>state|json)[ \t]*(?=$|\{)", re.MULTILINE | re.IGNORECASE
)
_CLOSING = re.compile(r"\s*(?:`{3,}|~{3,})\s*\Z")
_END = re.compile(r"(?:`{3,}|~{3,})[ \t]*(?:\n|\Z)")
_LONGEST_BLOCK = 8_000
_FIELDS = {folded(name): name for name in FIELDS} | {"intention": "intentions", "clothes": "clothing"}
_IS_NOTHING = {"", "default", "null", "none", "unchanged"}


class Parted(NamedTuple):
    """A reply in its two parts."""

    prose: str
    reported: StatePatch = StatePatch()
    block: StateBlock = "none"
    problem: str = ""


def parted(reply: str) -> Parted:
    """The prose of ``reply``, and what a state block at its very end reports.

    A block that cannot be read reports nothing, and is no prose either. A block called ``json`` counts only
    if it holds nothing but fields of a state.
    """
    start = last_block(reply)
    if start is None:
        return Parted(reply.strip())
    head = start.end()
    body = _CLOSING.sub("", reply[head:])
    prose = reply[: start.start()].strip()
    is_closed = body != reply[head:]
    read = _patch(body)
    is_json = start["word"].lower() == "json"
    if is_json and (isinstance(_patch(body, strict=True), str) or not is_closed):
        return Parted(reply.strip())
    if isinstance(read, str) or not is_closed:
        return Parted(prose, block="broken", problem=f"state block: {read if is_closed else 'it has no end'}")
    return Parted(prose, read, "read")


def last_block(reply: str) -> re.Match[str] | None:
    """The opening of a block after which only the block follows; None if there is none."""
    found = next(reversed(list(_OPENING.finditer(reply))), None)
    if found is None or len(reply) - found.end() > _LONGEST_BLOCK:
        return None
    inside = _END.split(reply[found.end() :], maxsplit=1)
    return found if len(inside) == 1 or not inside[1].strip() else None


def _patch(body: str, *, strict: bool = False) -> StatePatch | str:
    """The fields of a block, or what is wrong with it; if ``strict``, also where it has other fields."""
    try:
        given = json.loads(tidied(body))
    except (ValueError, RecursionError):
        given = _guessed(body)
    if isinstance(given, dict) and len(given) == 1 and isinstance(inner := next(iter(given.values())), dict):
        given = inner
    if not isinstance(given, dict):
        return "it holds no JSON object"
    if given and not (all if strict else any)(is_state(key) for key in given):
        return "it names no field of a state"
    return state_in(given)


# Any: the model may have written anything.
def state_in(given: Mapping[Any, Any]) -> StatePatch:
    """The fields of a state that an object has."""
    named = {_FIELDS[folded(str(key))]: value for key, value in given.items() if is_state(key)}
    return StatePatch(**{name: text for name, value in named.items() if (text := _value(value))})


def is_state(key: object) -> bool:
    """Whether a key names a field of a state."""
    return folded(str(key)) in _FIELDS


def _guessed(body: str) -> object:
    """A broken block as an object, as far as it can be told; a wrong guess does little harm."""
    try:
        return repair_json(body.strip(), return_objects=True)
    except (ValueError, RecursionError):
        return None


def _value(value: object) -> str:
    try:
        text = str(short_value(value))[:LONGEST_VALUE]
    except ValueError:
        return ""
    return "" if text.lower() in _IS_NOTHING else text
