"""Read a role's reply in JSON: whole or not at all; nothing in it is guessed."""

import re
from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any, ClassVar

from pydantic import BaseModel, model_validator

from penwright.agents.definition.reply_reading import RawReply
from penwright.domain.models.lenient_json import tidied
from penwright.domain.models.structured_output import (
    FieldProblem,
    Misfit,
    Parsed,
    Shape,
    find_structured,
    stands_alone,
)
from penwright.roles.reply import JsonReply, json_reply

REMARKS = frozenset(
    {"reason", "reasoning", "rationale", "thinking", "thought", "thoughts", "comment", "comments"}
)
"""Keys, folded, that models add to explain themselves; nothing is lost without them."""
_MOST_WRAPPERS = 2
_MORE_THAN_ONE = Misfit("invalid-output", (FieldProblem("", "it is broken, or more of it follows its end"),))


class SceneReply(JsonReply):
    """Base of the shapes. Keys may differ in case and signs; unknown ones are errors, remarks are not."""

    left_out: ClassVar[Collection[str]] = ()
    """Further keys, folded, that mean nothing here."""
    in_camel_case: ClassVar[bool] = False
    """Whether its fields are told of in the spelling ``actingCharacters``."""

    # Any: the model may have written anything.
    @model_validator(mode="before")
    @classmethod
    def _without_remarks(cls, given: Any) -> Any:
        if not isinstance(given, dict):
            return given
        dropped = {*REMARKS, *cls.left_out} - {folded(name) for name in cls.model_fields}
        return {key: value for key, value in given.items() if folded(str(key)) not in dropped}


def folded(key: str) -> str:
    """A key in small letters, without signs and spaces."""
    return "".join(sign for sign in key.lower() if sign.isalnum())


# Any: the model may have written anything.
def unwrapped(given: Any, known: Collection[str]) -> Any:
    """Unwrap an object with a single key that means nothing, such as ``{"plan": {…}}``."""
    for _ in range(_MOST_WRAPPERS):
        if not isinstance(given, Mapping) or len(given) != 1:
            return given
        (key, inner), *_ = given.items()
        if folded(str(key)) in known or not isinstance(inner, dict):
            return given
        given = inner
    return given


def whole_json(arrival: RawReply, kind: type[Shape]) -> Shape:
    """The last whole object in a reply that is a valid ``kind``.

    Raises:
        ModelMistake: ``empty-reply``, ``cut-off``, ``no-json``, ``oversize-reply``, or ``invalid-output``
            with the paths of what does not fit.
    """
    return json_reply(arrival, kind, _find)


def _find(text: str, kind: type[Shape]) -> Parsed[Shape] | Misfit:
    found = find_structured(text, kind, whole=True, prepare=tidied, repairs=0)
    if isinstance(found, Misfit):
        return _as_asked(found, kind)
    return found if stands_alone(text, found.source) else _MORE_THAN_ONE


def _as_asked(misfit: Misfit, kind: type[BaseModel]) -> Misfit:
    """The misfit with its paths in the spelling that the model was asked for."""
    if not (issubclass(kind, SceneReply) and kind.in_camel_case):
        return misfit
    return replace(
        misfit, problems=tuple(replace(each, field=_camel(each.field)) for each in misfit.problems)
    )


def _camel(path: str) -> str:
    return re.sub(r"_([a-z])", lambda found: found[1].upper(), path)
