"""The report of an import: for each field whether it means the same here, was adapted, or has no effect."""

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Final

from penwright.domain.cards.fields.places import OURS, FieldReading, Raw
from schemas.cards import Fate, FieldReport

_SHOWN: Final = 60
_NOTHING: Final[tuple[Any, ...]] = (None, "", False, 0, [], {})
"""Values that ask for nothing, so that nothing is lost where they have no effect."""


def of_fields(at: str, found: Mapping[str, FieldReading]) -> Iterator[FieldReport]:
    """Yield a line for each field that the file says."""
    for name, reading in found.items():
        if reading.label:
            yield FieldReport(at=at, field=reading.label, fate=_fate(reading), why=_why(name, reading))


def _fate(reading: FieldReading) -> Fate:
    return "unsupported" if reading.unread else "kept" if reading.exact else "adapted"


def _why(name: str, reading: FieldReading) -> str:
    if reading.exact:
        return ""
    value = f"{name.replace('_', ' ')} = {shown(reading.value)}"
    return f"what it says has no effect here; {value}" if reading.unread else f"read as {value}"


def of_rest(
    at: str,
    raw: Raw,
    known: Collection[str],
    harmless: Mapping[str, Any],
    opened: Sequence[tuple[str, ...]],
) -> Iterator[FieldReport]:
    """Yield a line for each field that has no effect here.

    Args:
        known: labels of fields that have one.
        harmless: values by label that ask for nothing; so do empty ones.
        opened: paths of objects whose own keys are looked at.
    """
    for label, value in _leaves(raw, opened, ()):
        if label not in known and value not in _NOTHING and value != harmless.get(label, None):
            why = f"has no effect here; {shown(value)} is kept for export"
            yield FieldReport(at=at, field=label, fate="unsupported", why=why)


def of_entry(
    at: str, found: Mapping[str, FieldReading], rest: Sequence[FieldReport]
) -> tuple[FieldReport, ...]:
    """Return the lines of one entry, the kept fields as one, because books have thousands of entries."""
    other = {name: reading for name, reading in found.items() if not reading.exact}
    lines = (*of_fields(at, other), *rest)
    why = "the other fields" if lines else "everything"
    return (*lines, FieldReport(at=at, fate="kept", why=why))


# Any: JSON of other programs.
def shown(value: Any) -> str:
    """Return a value for people, in at most 60 signs."""
    text = json.dumps(list(value) if isinstance(value, tuple) else value, ensure_ascii=False)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"


def _leaves(
    raw: Raw, opened: Sequence[tuple[str, ...]], prefix: tuple[str, ...]
) -> Iterator[tuple[str, Any]]:
    for name, value in raw.items():
        path = (*prefix, name)
        if path in opened and isinstance(value, dict):
            yield from _leaves(value, opened, path)
        elif name != OURS:
            yield ".".join(path), value
