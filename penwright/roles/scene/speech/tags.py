"""Replies in tags, such as ``<reply><text>…</text></reply>``, as the objects that they stand for."""

import json
import re
from collections.abc import Iterator
from typing import Any, Final

from penwright.domain.models.lenient_json import tidied
from penwright.roles.scene.reply_json import folded
from penwright.roles.scene.speech.parts import is_text
from penwright.roles.scene.state_block import is_state

_AROUND: Final = frozenset(
    {"toolcall", "functioncall", "state", "characterstate", "thinking", "thought", "thoughts", "reasoning"}
)
_NAME = r"[A-Za-z][\w-]{0,30}"
_TAG = re.compile(rf"\s*<(?P<name>{_NAME})>(?P<inside>.*?)</(?P=name)>\s*", re.DOTALL)
_OPEN = re.compile(rf"\A\s*<(?P<name>{_NAME})>(?P<inside>[^<]*)(?:<[^>]*)?\Z")
_CLOSE = re.compile(rf"\A(?P<inside>[^<]*\S)\s*</(?P<name>{_NAME})>\s*\Z")
OPENING: Final = re.compile(rf"\A<(?P<name>{_NAME})(?:>|\Z)|\A<\Z")
"""Beginning of a reply that may come in tags."""


# Any: what stands in a tag may be JSON.
def tagged(text: str) -> Any:
    """The tags of a reply that is nothing but tags of known meaning, in their order; None for other text."""
    found = list(_pairs(text))
    if found and all(is_known(name) for name, _ in found):
        return [{name: _inside(inside)} for name, inside in found]
    cut = _OPEN.match(text) or _CLOSE.match(text)
    return [{cut["name"]: cut["inside"].strip()}] if cut and is_text(cut["name"]) else None


def is_known(name: str) -> bool:
    """Whether a tag means something here; others, such as ``<i>``, are part of prose."""
    return is_text(name) or is_state(name) or folded(name) in _AROUND


def _pairs(text: str) -> Iterator[tuple[str, str]]:
    """Tags with what they hold; none, unless they are all of the text."""
    found, end = [], 0
    while (tag := _TAG.match(text, end)) is not None:
        found.append((tag["name"], tag["inside"]))
        end = tag.end()
    if end == len(text):
        yield from found


def _inside(text: str) -> Any:
    if (tags := tagged(text)) is not None:
        return tags
    if not text.lstrip().startswith(("{", "[{")):
        return text.strip()
    try:
        return json.loads(tidied(text))
    except (ValueError, RecursionError):
        return text.strip()
