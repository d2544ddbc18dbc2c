"""JSON of foreign files: bounded before it is parsed, and nothing in it that we could not store."""

import json
from collections.abc import Mapping
from typing import Any

from penwright.domain.cards.refusals import (
    MOST_BRACKETS,
    MOST_DEPTH,
    MOST_JSON_BYTES,
    card_too_large,
    refused,
)
from penwright.domain.text.strict_json import read_json
from penwright.errors import UsageMistake

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


# Any: JSON of other programs, here and in all modules of this folder.
def parsed(content: bytes) -> Any:
    """Return the value of JSON.

    Raises:
        UsageMistake: ``json-too-large``, ``json-too-deep``, ``not-utf8``, or ``broken-json``: not JSON, a
            duplicate key, a number that is too large, half of a surrogate pair, the character NUL.
    """
    _check_bounds(content)
    try:
        value = read_json(content.removeprefix(_BYTE_ORDER_MARK))
    except ValueError as error:
        raise _broken(str(error)) from None
    _check_values(value)
    return value


def written(value: Any, *, indent: int | None = None) -> bytes:
    """Return JSON in UTF-8; the same value always gives the same bytes."""
    separators = (",", ":") if indent is None else None
    return json.dumps(value, ensure_ascii=False, indent=indent, separators=separators).encode()


def in_order_of(value: Any, earlier: Any) -> Any:
    """Return the value with the keys of its objects in the order that they have in ``earlier``."""
    if isinstance(value, Mapping) and isinstance(earlier, Mapping):
        names = [name for name in earlier if name in value] + [name for name in value if name not in earlier]
        return {name: in_order_of(value[name], earlier.get(name)) for name in names}
    if isinstance(value, list) and isinstance(earlier, list):
        pairs = zip(value, [*earlier, *[None] * len(value)], strict=False)
        return [in_order_of(each, before) for each, before in pairs]
    return value


def _check_bounds(content: bytes) -> None:
    if len(content) > MOST_JSON_BYTES:
        raise card_too_large()
    if content.count(b"{") + content.count(b"[") > MOST_BRACKETS:
        raise refused(
            "json-too-large",
            f"it has more than {MOST_BRACKETS:,} objects and lists",
            hint="divide it into several files",
        )


def _check_values(value: Any) -> None:
    """Walk without recursion, level by level."""
    level = [value]
    for _ in range(MOST_DEPTH + 1):
        if not level:
            return
        level = [inner for each in level for inner in _inside(each)]
    raise refused("json-too-deep", f"it has more than {MOST_DEPTH} objects and lists within each other")


def _inside(value: Any) -> list[Any]:
    if isinstance(value, str):
        _check_text(value)
    elif isinstance(value, dict):
        for name in value:
            _check_text(name)
        return list(value.values())
    elif isinstance(value, list):
        return value
    return []


def _check_text(text: str) -> None:
    if "\0" in text:
        raise _broken("it holds the character NUL, which no database stores")


def _broken(why: str) -> UsageMistake:
    if why == "it is not UTF-8":
        return refused("not-utf8", "its text is not UTF-8", hint="save it as UTF-8, and import it again")
    return refused("broken-json", f"its text is no usable JSON: {why[:300]}")
