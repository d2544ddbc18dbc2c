"""Decorators: lines such as ``@@depth 4`` at the head of an entry's content.

A line with ``@@@`` is a fallback: it counts if the decorators before it, up to one with ``@@``, mean nothing
here.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from penwright.domain.cards.fields.kinds import (
    COUNT,
    KEYS,
    NAMES,
    Reading,
    Unwritable,
    ValueKind,
    choice,
)
from penwright.domain.cards.fields.places import Raw

_LINE = re.compile(r"(?P<signs>@@@?)(?P<name>[A-Za-z][A-Za-z0-9_]*)(?![^ \t\r])(?P<value>[^\n]*)")
_HEAD = re.compile(r"(?:[ \t\r]*\n)*(?:@@@?[A-Za-z][^\n]*(?:\n\s*|\Z)){1,30}")
_PARSED: Final = "\0decorators"
"""No key of a file: JSON with the character NUL is refused."""
FOR_EVER: Final = 1_000_000
"""Messages; no scene has more."""


def head(content: Any) -> str:
    """Return the decorators at the head of a content, with the line ends after them; mostly an empty text."""
    if not isinstance(content, str) or "@@" not in content[:4096]:
        return ""
    found = _HEAD.match(content)
    return found.group() if found else ""


def decorators(raw: Raw) -> dict[str, str]:
    """Return the decorators of an entry that mean something here, by name; the first of a name counts."""
    if _PARSED in raw:
        parsed: dict[str, str] = raw[_PARSED]
        return parsed
    found: dict[str, str] = {}
    open_to_fallbacks = False
    for line in head(raw.get("content")).split("\n"):
        match = _LINE.fullmatch(line)
        if match is None:
            continue
        if match["signs"] == "@@@" and not open_to_fallbacks:
            continue
        meant = is_meant(match["name"], match["value"].strip())
        open_to_fallbacks = not meant
        if meant:
            found.setdefault(match["name"], match["value"].strip())
    return found


def with_decorators(raw: Raw) -> Raw:
    """Return the entry with its decorators parsed once, for reading only."""
    return raw | {_PARSED: decorators(raw)} if head(raw.get("content")) else raw


def without_meaning(raw: Raw) -> tuple[str, ...]:
    """Return the lines of decorators that have no effect here."""
    lines = head(raw.get("content")).split("\n")
    matches = [match for match in map(_LINE.fullmatch, lines) if match]
    return tuple(each[0].strip() for each in matches if not is_meant(each["name"], each["value"].strip()))


def is_meant(name: str, value: str) -> bool:
    """Whether a decorator with this value means something here."""
    kind = _KINDS.get(name)
    return kind is not None and kind.read(value) is not None


def _present(raw: Any) -> Reading | None:
    return Reading(True)


def _gone(value: Any) -> Any:
    if value:
        return ""
    raise Unwritable


PRESENT: Final = ValueKind(_present, _gone)
"""Whether it is there at all."""


def _count(raw: Any) -> Reading | None:
    found = COUNT.read(raw)
    return found and Reading(found.value, exact=str(found.value) == raw)


_COUNT: Final = ValueKind(_count, lambda value: str(value))


def _replies(raw: Any) -> Reading | None:
    """Replies there, messages of everyone here: a chat begins with a reply, then both take turns."""
    found = _count(raw)
    return found and Reading(max(0, 2 * found.value - 1), exact=False)


def _as_replies(value: int) -> str:
    if value % 2 == 0:
        raise Unwritable
    return str((value + 1) // 2)


_REPLIES: Final = ValueKind(_replies, _as_replies)
_FOR_EVER: Final = ValueKind(
    lambda raw: Reading(FOR_EVER, exact=False), lambda value: _gone(value == FOR_EVER)
)
_ROLE: Final = choice({"system": "system", "user": "user", "assistant": "assistant"})
_POSITION: Final = choice({"before_desc": "before", "after_desc": "after"})
_AT_DEPTH: Final = ValueKind(
    lambda raw: Reading("depth") if _count(raw) else None, lambda value: _gone(value == "depth")
)
_NOT: Final = ValueKind(lambda raw: Reading(False), lambda value: _gone(not value))
_LOGIC: Final = ValueKind(lambda raw: Reading("not-any"), lambda value: _gone(value == "not-any"))
_SELECTIVE: Final = ValueKind(lambda raw: Reading(True), lambda value: _gone(value))


def _listed(raw: Any) -> Reading | None:
    found = NAMES.read(raw)
    return found and KEYS.read(list(found.value))


_LIST: Final = ValueKind(_listed, NAMES.write)
_KINDS: Final[Mapping[str, ValueKind]] = {
    "activate": PRESENT,
    "dont_activate": PRESENT,
    "activate_only_after": _REPLIES,
    "keep_activate_after_match": PRESENT,
    "dont_activate_after_match": PRESENT,
    "depth": _COUNT,
    "role": _ROLE,
    "scan_depth": _COUNT,
    "position": _POSITION,
    "additional_keys": _LIST,
    "exclude_keys": _LIST,
}
"""Decorators that mean something here, and the values that they may have."""


@dataclass(frozen=True, slots=True)
class Decorator:
    """A field that a decorator says."""

    name: str
    kind: ValueKind
    beside_keys: bool = True
    """Whether it counts although the entry has secondary keys of its own."""
    unless: str = ""
    """Another decorator that makes it void."""
    home: bool = False
    derived: bool = False

    @property
    def label(self) -> str:
        return f"@@{self.name}"

    def stands(self, raw: Raw) -> bool:
        found = decorators(raw)
        if self.name not in found or self.unless in found:
            return False
        return self.beside_keys or not (raw.get("selective") and raw.get("secondary_keys"))

    def read(self, raw: Raw) -> Reading | None:
        return self.kind.read(decorators(raw)[self.name])

    def write(self, raw: Raw, value: Any) -> None:
        """Change the line, or take it out if this decorator cannot say the value."""
        try:
            said = f"{self.name} {self.kind.write(value)}".rstrip()
        except Unwritable:
            said = ""
        raw["content"] = _with_line(raw["content"], self.name, said)


def _with_line(content: str, name: str, said: str) -> str:
    """Change what the first decorator of a name says; if nothing, it goes, and its fallbacks with it."""
    before = head(content)
    lines = before.split("\n")
    matches = [_LINE.fullmatch(line) for line in lines]
    place = next(index for index, match in enumerate(matches) if match and _counts(match, name))
    match = matches[place]
    kept = [match["signs"] + said] if match and said else []
    after = lines[place + 1 :]
    while not kept and after and after[0].startswith("@@@"):
        after.pop(0)
    changed = "\n".join((*lines[:place], *kept, *after))
    return (changed if head(changed + content[len(before) :]) else "") + content[len(before) :]


def _counts(match: re.Match[str], name: str) -> bool:
    return match["name"] == name and is_meant(name, match["value"].strip())


AT_DEPTH = Decorator("depth", _AT_DEPTH)
DEPTH = Decorator("depth", _COUNT)
POSITION = Decorator("position", _POSITION)
ROLE = Decorator("role", _ROLE)
SCAN_DEPTH = Decorator("scan_depth", _COUNT)
ACTIVE = Decorator("activate", PRESENT)
NOT_ACTIVE = Decorator("dont_activate", _NOT, unless="activate")
ONLY_AFTER = Decorator("activate_only_after", _REPLIES)
KEPT_AFTER_MATCH = Decorator("keep_activate_after_match", _FOR_EVER)
NEVER_AGAIN = Decorator("dont_activate_after_match", _FOR_EVER)
ADDED_KEYS = Decorator("additional_keys", _LIST, beside_keys=False)
EXCLUDED_KEYS = Decorator("exclude_keys", _LIST, beside_keys=False, unless="additional_keys")
ADDED_SELECT = Decorator("additional_keys", _SELECTIVE, beside_keys=False)
EXCLUDED_SELECT = Decorator("exclude_keys", _SELECTIVE, beside_keys=False, unless="additional_keys")
EXCLUDED_LOGIC = Decorator("exclude_keys", _LOGIC, beside_keys=False, unless="additional_keys")
