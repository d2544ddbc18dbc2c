"""Two places that other fields decide on: the content below its decorators, and keys as patterns."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from penwright.domain.cards.fields.decorators import head
from penwright.domain.cards.fields.kinds import KEYS, TEXT, Reading
from penwright.domain.cards.fields.places import Raw, inner

_PATTERN = re.compile(r"/(?P<pattern>(?:\\.|[^/\\])+)/[dgimsuvy]*", re.DOTALL)
"""Form of a key that is a regular expression here."""
_SIGN = re.compile(r"\\.|/", re.DOTALL)
"""An escaped sign, or a slash that is not."""


@dataclass(frozen=True, slots=True)
class _Content:
    """The content of an entry without its decorators."""

    home: bool = True
    derived: bool = False
    label: str = "content"

    def stands(self, raw: Raw) -> bool:
        return raw.get("content") is not None

    def read(self, raw: Raw) -> Reading | None:
        content = raw["content"]
        found = TEXT.read(content)
        return found and Reading(found.value[len(head(content)) :], found.exact)

    def write(self, raw: Raw, value: Any) -> None:
        raw["content"] = head(raw.get("content")) + value


@dataclass(frozen=True, slots=True)
class _Patterns:
    """Keys of an entry with ``use_regex``: patterns without slashes around them.

    SillyTavern sets ``use_regex`` in every entry and writes keys in its own way; its extensions tell it.
    """

    home: bool = False
    derived: bool = False
    label: str = "keys"

    def stands(self, raw: Raw) -> bool:
        return raw.get("use_regex") is True and inner(raw, ("extensions", "selectiveLogic")) is None

    def read(self, raw: Raw) -> Reading | None:
        flags = "" if raw.get("case_sensitive") else "i"
        found = KEYS.read(raw.get("keys"))
        return found and Reading(tuple(_slashed(key, flags) for key in found.value), exact=False)

    def write(self, raw: Raw, value: Sequence[str]) -> None:
        found = KEYS.read(raw.get("keys"))
        flags = "" if raw.get("case_sensitive") else "i"
        before = {_slashed(key, flags): key for key in found.value} if found else {}
        raw["keys"] = [before.get(key) or _bare(key) for key in value]


def _slashed(key: str, flags: str) -> str:
    if _PATTERN.fullmatch(key):
        return key
    escaped = _SIGN.sub(lambda found: "\\/" if found[0] == "/" else found[0], key)
    return f"/{escaped}/{flags}"


def _bare(key: str) -> str:
    match = _PATTERN.fullmatch(key)
    return match["pattern"].replace("\\/", "/") if match else re.escape(key)


CONTENT: Final = _Content()
PATTERNS: Final = _Patterns()
