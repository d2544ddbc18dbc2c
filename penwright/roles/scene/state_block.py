"""The last block of a reply, in which an actor reports its own state; and what of a reply may be shown."""

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
_UNSURE = re.compile(r"\n?[ \t]*(?:`{1,2}|~{1,2}|(?:`{3,}|~{3,})[ \t]*\w{0,5}[ \t]*)\Z|\s+\Z")
"""Text that may become the beginning of a block."""
_FIELDS = {folded(name): name for name in FIELDS} | {"intention": "intentions", "clothes": "clothing"}
_WRAPPED = re.compile(r"\A(?:(?:`{3,}|~{3,}).*|\[|(?:\[\s*)?\{\s*(?:[\"'“}].*)?)\Z", re.DOTALL)
"""A reply that is a fence or JSON so far, or may become it."""
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
    start = _last_block(reply)
    if start is None:
        return Parted(reply.strip())
    head = start.end()
    body = _CLOSING.sub("", reply[head:])
    prose = reply[: start.start()].strip()
    is_closed = body != reply[head:]
    read = _patch(body)
    if start["word"].lower() == "json" and (isinstance(read, str) or not is_closed):
        return Parted(reply.strip())
    if isinstance(read, str) or not is_closed:
        return Parted(prose, block="broken", problem=f"state block: {read if is_closed else 'it has no end'}")
    return Parted(prose, read, "read")


def _last_block(reply: str) -> re.Match[str] | None:
    """The opening of a block after which only the block follows."""
    found = next(reversed(list(_OPENING.finditer(reply))), None)
    if found is None or len(reply) - found.end() > _LONGEST_BLOCK:
        return None
    inside = _END.split(reply[found.end() :], maxsplit=1)
    return found if len(inside) == 1 or not inside[1].strip() else None


def _patch(body: str) -> StatePatch | str:
    """The fields of a block, or what is wrong with it."""
    try:
        given = json.loads(tidied(body))
    except (ValueError, RecursionError):
        given = _guessed(body)
    if isinstance(given, dict) and len(given) == 1 and isinstance(inner := next(iter(given.values())), dict):
        given = inner
    if not isinstance(given, dict):
        return "it holds no JSON object"
    if given and not any(is_state(key) for key in given):
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


def shown(reply_so_far: str) -> str:
    """The part of an unfinished reply that may be shown: neither JSON nor a block that may be the last one.

    What is shown is always a beginning of the same text; it may fall back when a block turns out to be one.
    """
    text = reply_so_far.lstrip()
    if _WRAPPED.match(text):
        return ""
    block = _last_block(text)
    return _UNSURE.sub("", text if block is None else text[: block.start()]).rstrip()
