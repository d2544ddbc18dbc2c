"""Read a role's reply: complete, not empty, and of the role's shape; else advice to the model."""

from collections.abc import Callable
from typing import TypeVar

from pydantic import BaseModel

from penwright.agents.calls.results import LONGEST_TOLD
from penwright.agents.definition.output import FROM_MODEL
from penwright.agents.definition.reply_reading import RawReply
from penwright.domain.models.latex_escapes import restore_backslashes
from penwright.domain.models.structured_output import LONGEST_TEXT, Misfit, Parsed, find_structured
from penwright.errors import ModelMistake

Shape = TypeVar("Shape", bound=BaseModel)
Finder = Callable[[str, type[Shape]], Parsed[Shape] | Misfit]
"""Finds the object of one type in a text."""


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
