"""Values in the JSON of scene roles: coerced where the meaning is plain, else errors."""

import math
import re
from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from penwright.roles.reply import as_tuple, line, optional_text, quoted

LONGEST_GUIDANCE = 4_000
LONGEST_VALUE = 600
LONGEST_NAME = 200
MOST_PEOPLE = 200
_LARGEST_RANK = 1_000_000
_NUMBER = re.compile(r"[+-]?(?:\d{1,9}(?:\.\d{0,9})?|\.\d{1,9})", re.ASCII)


# Any, here and below: the model may have written anything.
def _rank(value: Any) -> Any:
    """A number, also one that is written as text."""
    if isinstance(value, str) and _NUMBER.fullmatch(value.strip()):
        value = float(value)
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError(f"write a plain number such as 2, not {quoted(value)}")
    if abs(value) > _LARGEST_RANK:
        raise ValueError(f"write a number from -{_LARGEST_RANK} to {_LARGEST_RANK}, not {quoted(value)}")
    return float(value)


def _priority(value: Any) -> Any:
    return 0.0 if _is_nothing(value) else _rank(value)


def _order(value: Any) -> Any:
    return None if _is_nothing(value) else _rank(value)


def _is_nothing(value: Any) -> bool:
    return value is None or (isinstance(value, str) and value.strip().lower() in {"", "null", "none"})


def _name(value: Any) -> Any:
    """A name or id; null is none."""
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    return "" if value is None else line(value)


def short_value(value: Any) -> Any:
    """A value of a state, fact or tracker as one line; lists and flat objects become one line too.

    Raises:
        ValueError: for anything deeper.
    """
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError("write a value that JSON has")
    if isinstance(value, int | float):
        return format(value, "g") if isinstance(value, float) else str(value)
    if isinstance(value, list | tuple):
        return "; ".join(filter(None, (_inner(each) for each in value)))
    if isinstance(value, Mapping):
        return "; ".join(f"{line(key)}: {_inner(each)}" for key, each in value.items())
    return "" if value is None else line(value)


def _inner(value: Any) -> str:
    if isinstance(value, list | tuple | Mapping):
        raise ValueError("write each value as text, not as lists inside lists")
    return str(short_value(value))


def _change(value: Any) -> Any:
    """A new value of a state's field; empty, null and the word ``default`` change nothing."""
    text = short_value(value)
    return None if not text or text.lower() in {"default", "null"} else text


def objects(value: Any) -> Any:
    """A list; one object or text counts as a list of one, null as an empty one."""
    if value is None or value == "":
        return ()
    return (value,) if isinstance(value, str | dict) else as_tuple(value)


# Constraints stand before the coercion: so the schema shows them, and they apply after it.
Priority = Annotated[float, BeforeValidator(_priority)]
Order = Annotated[float | None, BeforeValidator(_order)]
Name = Annotated[str, Field(max_length=LONGEST_NAME), BeforeValidator(_name)]
Guidance = Annotated[str, Field(max_length=LONGEST_GUIDANCE), BeforeValidator(optional_text)]
Change = Annotated[str | None, Field(max_length=LONGEST_VALUE), BeforeValidator(_change)]
People = (Field(max_length=MOST_PEOPLE), BeforeValidator(objects))
"""For ``Annotated[tuple[Some, ...], *People]``."""
