"""Fields of the JSON that manuscript agents answer with: keys and numbers as models write them, or errors."""

import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

_NUMBER = re.compile(r"\d{1,9}(?:\.\d{0,9})?|\.\d{1,9}", re.ASCII)
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")
_BULLET = re.compile(r"^\s*(?:[-*•]|\d{1,3}[.)])\s+")
_LONGEST_LINE = 400
_LONGEST_TEXT = 4_000
_MOST_ITEMS = 60


class JsonReply(BaseModel):
    """Base of the shapes. Keys may differ in case, spaces and signs; unknown ones are errors."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    also_called: ClassVar[Mapping[str, str]] = {}
    """Other names of fields, folded by ``_folded``."""

    # Any: the model may have written anything.
    @model_validator(mode="before")
    @classmethod
    def _known_keys(cls, given: Any) -> Any:
        if not isinstance(given, dict):
            return given
        names = {_folded(name): name for name in cls.model_fields} | dict(cls.also_called)
        known: dict[str, Any] = {}
        for key, value in given.items():
            name = names.get(_folded(str(key)), str(key))
            if name in known:
                raise ValueError(f"{name!r} is given twice; give it once")
            known[name] = value
        return known


def _folded(key: str) -> str:
    return re.sub(r"[^a-z0-9]", "", key.lower())


# Any, here and below: the model may have written anything.
def _number(value: Any) -> Any:
    """A number that is written as text counts as one; a share, a fraction or a word does not."""
    if isinstance(value, str) and _NUMBER.fullmatch(value.strip()):
        value = float(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"write a plain number such as 0.5, not {quoted(value)}")
    return value


def whole_number(value: Any) -> Any:
    """A whole number, also as text or as 12.0."""
    number = _number(value)
    if number != number or abs(number) > 10**9 or number != int(number):
        raise ValueError(f"write a whole number, not {quoted(value)}")
    return int(number)


def _score(value: Any) -> Any:
    number = float(_number(value))
    if not 0 <= number <= 1:
        raise ValueError(f"write a number from 0 to 1 such as 0.72, not {quoted(value)}")
    return number


def plain_text(value: Any) -> Any:
    """Text without control characters and half characters; line ends are LF.

    Raises:
        ValueError: for anything else.
    """
    if not isinstance(value, str):
        raise ValueError(f"write text, not {quoted(value)}")
    text = value.replace("\r\n", "\n")
    if found := _CONTROL.search(text) or re.search("\r", text):
        raise ValueError(
            f"it holds the control character {found[0]!r}; double every backslash, as in \\\\textbf"
        )
    return text.strip()


def line(value: Any) -> Any:
    return " ".join(plain_text(value).split())


def _optional_line(value: Any) -> Any:
    return "" if value is None else line(value)


def optional_text(value: Any) -> Any:
    return "" if value is None else plain_text(value)


def _texts(value: Any) -> Any:
    """A list of texts; one text is its lines, and an object with one text is that text."""
    if isinstance(value, str):
        value = [_BULLET.sub("", line) for line in value.splitlines() if line.strip()]
    if not isinstance(value, Sequence):
        raise ValueError(f"write a list of texts, not {quoted(value)}")
    items = tuple(_item(each) for each in value)
    return tuple(item for item in items if item)


def _item(value: Any) -> str:
    if isinstance(value, Mapping):
        texts = [each for each in value.values() if isinstance(each, str) and each.strip()]
        if len(texts) != 1:
            raise ValueError("write each item of the list as text, not as an object")
        value = texts[0]
    text = str(plain_text(value))
    if len(text) > _LONGEST_TEXT:
        raise ValueError(f"an item has {len(text)} characters; write at most {_LONGEST_TEXT}")
    return text


def _list(value: Any) -> Any:
    """A list of objects; one object counts as a list of one."""
    value = [value] if isinstance(value, dict) else [] if value is None else value
    return as_tuple(value)


def as_tuple(value: Any) -> Any:
    """Strict models want tuples where JSON has lists."""
    return tuple(value) if isinstance(value, list) else value


def quoted(value: Any) -> str:
    return repr(value)[:60]


# Constraints stand before the coercion: so the schema shows them, and they apply after it.
Score = Annotated[float, Field(ge=0, le=1), BeforeValidator(_score)]
"""From 0 to 1, as a number or as one written in text."""
Count = Annotated[int, Field(ge=0, le=1_000_000), BeforeValidator(whole_number)]
Line = Annotated[str, Field(min_length=1, max_length=_LONGEST_LINE), BeforeValidator(line)]
"""One line of text."""
OptionalLine = Annotated[str, Field(max_length=_LONGEST_LINE), BeforeValidator(_optional_line)]
Text = Annotated[str, Field(min_length=1, max_length=_LONGEST_TEXT), BeforeValidator(plain_text)]
OptionalText = Annotated[str, Field(max_length=_LONGEST_TEXT), BeforeValidator(optional_text)]
Texts = Annotated[tuple[str, ...], Field(max_length=_MOST_ITEMS), BeforeValidator(_texts)]
Objects = (Field(max_length=_MOST_ITEMS), BeforeValidator(_list))
"""For ``Annotated[tuple[Some, ...], *Objects]``."""


def word(value: Any) -> Any:  # Any: the model may have written anything
    """A word of a closed list, whatever its case, spaces and hyphens."""
    return re.sub(r"[\s-]+", "_", value.strip().lower()) if isinstance(value, str) else value
