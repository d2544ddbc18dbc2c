"""Parser of registries' answers that trusts nothing: a part of the wrong shape counts as missing."""

import re
from typing import Any

from penwright.domain.citations.titles import unmarked

LONGEST_TEXT = 20_000
_YEAR = re.compile(r"(?<!\d)(1[0-9]{3}|20[0-9]{2}|2100)(?!\d)")


def part(value: Any, *path: str | int) -> Any:
    """Return the part of JSON at ``path``; None where it ends early or has another shape."""
    for step in path:
        if isinstance(step, str) and isinstance(value, dict):
            value = value.get(step)
        elif isinstance(step, int) and isinstance(value, list) and step < len(value):
            value = value[step]
        else:
            return None
    return value


def items(value: Any, *path: str | int) -> list[Any]:
    """Return the list at ``path``; empty if there is none."""
    found = part(value, *path)
    return found if isinstance(found, list) else []


def words(value: Any, *path: str | int) -> str:
    """Return the text or number at ``path`` on one line and without markup; of a list, its first text."""
    found = part(value, *path)
    if isinstance(found, list):
        found = next((each for each in found if isinstance(each, str) and each.strip()), None)
    if isinstance(found, int) and not isinstance(found, bool):
        return str(found)
    if not isinstance(found, str):
        return ""
    return _printable(unmarked(found[:LONGEST_TEXT]))


def year(value: Any, *path: str | int) -> int | None:
    """Return the first year from 1000 to 2100 in the number or text at ``path``."""
    match = _YEAR.search(words(value, *path))
    return int(match[1]) if match else None


def pages(first: str, last: str) -> str:
    """Return a range of pages; one page if both are the same or one is missing."""
    return f"{first}-{last}" if first and last and first != last else first or last


def one_hyphen(text: str) -> str:
    """Return a range of pages with one hyphen, whatever dash it has."""
    return re.sub(r"\s*[-\u2010-\u2015\u2212]+\s*", "-", text)


def _printable(text: str) -> str:
    return "".join(each for each in text if each.isprintable()).strip()
