"""Read a role's reply: complete, and of the role's shape, with fields as models write them; else advice."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, ClassVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from penwright.agents.calls.results import LONGEST_TOLD
from penwright.agents.definition.output import FROM_MODEL
from penwright.agents.definition.reply_reading import RawReply
from penwright.domain.models.latex_escapes import restore_backslashes
from penwright.domain.models.structured_output import LONGEST_TEXT, Misfit, Parsed, Shape, find_structured
from penwright.errors import ModelMistake
from schemas.base import BlobRef

Finder = Callable[[str, type[Shape]], Parsed[Shape] | Misfit]
"""Finds the object of one type in a text."""
_NUMBER = re.compile(r"\d{1,9}(?:\.\d{0,9})?|\.\d{1,9}", re.ASCII)
UNFIT = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")
"""Signs that no text has: control characters and half characters."""
_BULLET = re.compile(r"^\s*(?:[-*•]|\d{1,3}[.)])\s+")
_LONGEST_LINE = 400
_LONGEST_TEXT = 4_000
_MOST_ITEMS = 60


def whole_text(arrival: RawReply) -> str:
    """The text of a complete reply.

    Raises:
        ModelMistake: ``cut-off``, ``oversize-reply`` or ``empty-reply``.
    """
    if arrival.cut_off:
        raise ModelMistake("cut-off", "The reply was cut off at its longest. Answer again, and shorter.")
    text = arrival.text.strip()
    if len(text) > LONGEST_TEXT:
        raise ModelMistake(
            "oversize-reply",
            f"The reply was {len(text)} characters long, and {LONGEST_TEXT} are read. Answer again, shorter.",
        )
    if not text:
        raise ModelMistake("empty-reply", "The reply was empty. Answer in the form described above.")
    return text


def json_reply(arrival: RawReply, kind: type[Shape], find: Finder[Shape] | None = None) -> Shape:
    """The last object in a reply that is a valid ``kind``; an object without its end counts for nothing.

    Args:
        find: in place of ``find_object``.

    Raises:
        ModelMistake: as ``whole_text``, also for an object that is too long for a history; ``no-json`` or
            ``invalid-output``, naming the fields.
    """
    found = (find or find_object)(whole_text(arrival), kind)
    if isinstance(found, Misfit):
        raise ModelMistake(found.code, found.message)
    if (size := len(found.value.model_dump_json().encode())) > LONGEST_TOLD:
        raise ModelMistake(
            "oversize-reply",
            f"The answer was {size} bytes long, and {LONGEST_TOLD} are taken. Answer again, and shorter.",
        )
    return found.value


def find_object(text: str, kind: type[Shape]) -> Parsed[Shape] | Misfit:
    """As ``find_structured``: whole objects only, with the backslashes of LaTeX that a model left single."""
    return find_structured(text, kind, context={FROM_MODEL: True}, whole=True, prepare=restore_backslashes)


def fit_text(text: str) -> str:
    """As ``plain_text``, of a reply that is text.

    Raises:
        ModelMistake: ``control-character``.
    """
    try:
        return str(plain_text(text))
    except ValueError as error:
        raise ModelMistake("control-character", f"The reply cannot be used: {error}.") from None


def kept(arrival: RawReply, text: str) -> BlobRef:
    """A text, stored."""
    return arrival.blobs.put(text.encode("utf-8", "surrogatepass"))


def stored(arrival: RawReply, kind: type[Shape], at: BlobRef) -> Shape:
    """A value that the task of the run refers to."""
    return kind.model_validate_json(arrival.blobs.get(at))


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
    if found := UNFIT.search(text) or re.search("\r", text):
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
