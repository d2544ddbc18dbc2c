"""Kinds of foreign values: how each is read, leniently, and written."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

MOST: Final = 1_000_000_000
"""Numbers beyond it are read as it; no field of ours means more."""
LONGEST_NAME: Final = 300
_HIDDEN = re.compile(r"[\x00-\x1f\x7f]")
_NUMBER = re.compile(r"\s*-?[0-9]{1,12}(\.[0-9]{1,12})?\s*")


# Any: values of other programs and of our fields; the rules of a field know which.
@dataclass(frozen=True, slots=True)
class Reading:
    """A value of ours, and whether it says just what stood there."""

    value: Any
    exact: bool = True


@dataclass(frozen=True, slots=True)
class ValueKind:
    """Reader and writer of a value: None for one that cannot be read, ``Unwritable`` for one that cannot be
    written.
    """

    read: Callable[[Any], Reading | None]
    write: Callable[[Any], Any]


class Unwritable(Exception):
    """This place cannot say the value; our own part of the file's extensions says it then."""


def _text(raw: Any) -> Reading | None:
    if isinstance(raw, str):
        return Reading(raw)
    if isinstance(raw, int | float) and not isinstance(raw, bool):
        return Reading(str(raw), exact=False)
    if isinstance(raw, list) and all(isinstance(each, str) for each in raw):
        return Reading("\n".join(raw), exact=False)
    return None


def _name(raw: Any) -> Reading | None:
    """A text that can stand in a list: one line, not endless."""
    found = _text(raw)
    if found is None:
        return None
    value = _HIDDEN.sub("", " ".join(found.value.split()))[:LONGEST_NAME].strip()
    return Reading(value, found.exact and value == found.value)


def _number(raw: Any) -> Reading | None:
    if isinstance(raw, bool):
        return None
    if isinstance(raw, str) and _NUMBER.fullmatch(raw):
        raw = float(raw)
        return Reading(_bounded(raw), exact=False)
    if not isinstance(raw, int | float):
        return None
    value = _bounded(raw)
    return Reading(value, exact=value == raw)


def _bounded(raw: int | float) -> int:
    return round(max(-MOST, min(raw, MOST)))


def _flag(raw: Any) -> Reading | None:
    if isinstance(raw, bool):
        return Reading(raw)
    known = {0: False, 1: True, "true": True, "false": False}
    return Reading(known[raw], exact=False) if isinstance(raw, int | str) and raw in known else None


def _texts(raw: Any) -> Reading | None:
    if isinstance(raw, str):
        return Reading(_divided(raw), exact=False)
    if not isinstance(raw, list):
        return None
    read = [_text(each) for each in raw if not isinstance(each, list)]
    values = tuple(each.value for each in read if each)
    return Reading(values, exact=list(values) == raw)


def _keys(raw: Any) -> Reading | None:
    """Blank keys would occur in every text, so they are left out."""
    found = _texts(raw)
    if found is None:
        return None
    values = tuple(key for key in found.value if key.strip())
    return Reading(values, found.exact and len(values) == len(found.value))


def _divided(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())


def _names(raw: Any) -> Reading | None:
    """Names in one text, divided by commas."""
    if not isinstance(raw, str):
        return _texts(raw)
    values = _divided(raw)
    return Reading(values, exact=",".join(values) == raw)


def _joined(values: Sequence[str]) -> str:
    if any("," in each or each != each.strip() for each in values):
        raise Unwritable
    return ",".join(values)


TEXT: Final = ValueKind(_text, lambda value: value)
NAME: Final = ValueKind(_name, lambda value: value)
NUMBER: Final = ValueKind(_number, lambda value: value)
FLAG: Final = ValueKind(_flag, lambda value: value)
TEXTS: Final = ValueKind(_texts, list)
KEYS: Final = ValueKind(_keys, list)
NAMES: Final = ValueKind(_names, _joined)


def inverted(kind: ValueKind) -> ValueKind:
    """The kind of a flag that says the opposite."""

    def read(raw: Any) -> Reading | None:
        found = kind.read(raw)
        return found and Reading(not found.value, found.exact)

    return ValueKind(read, lambda value: not value)


def between(lowest: int, highest: int) -> ValueKind:
    """The kind of a number within bounds; one outside is read as the nearest bound."""

    def read(raw: Any) -> Reading | None:
        found = _number(raw)
        if found is None:
            return None
        value = max(lowest, min(found.value, highest))
        return Reading(value, found.exact and value == found.value)

    return ValueKind(read, lambda value: value)


COUNT: Final = between(0, MOST)
PER_CENT: Final = between(0, 100)


def choice(known: Mapping[Any, Any], otherwise: Any = None) -> ValueKind:
    """The kind of a value from a list.

    Args:
        known: our value by the foreign one.
        otherwise: the foreign value that is written for what is not in the list; None: there is none.
    """
    back = {value: raw for raw, value in known.items()}

    def read(raw: Any) -> Reading | None:
        fits = isinstance(raw, str | int | float) and not isinstance(raw, bool) and raw in known
        return Reading(known[raw]) if fits else None

    def write(value: Any) -> Any:
        if value not in back and otherwise is None:
            raise Unwritable
        return back.get(value, otherwise)

    return ValueKind(read, write)


def _share(raw: Any) -> Reading | None:
    """A share of one, as a number or a text."""
    if isinstance(raw, bool) or not isinstance(raw, int | float | str):
        return None
    if isinstance(raw, str) and not _NUMBER.fullmatch(raw):
        return None
    share = max(0.0, min(float(raw), 1.0))
    return Reading(round(share * 100), exact=round(share * 100) == share * 100 == float(raw) * 100)


SHARE: Final = ValueKind(_share, lambda value: value / 100)
