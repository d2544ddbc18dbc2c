"""Broken JSON that is mended only where no word of it is lost or added."""

import json
import re
from typing import Any, Final

from json_repair import repair_json

from penwright.domain.models.structured_output import is_repairable
from penwright.errors import ModelMistake
from penwright.roles.scene.speech.parts import REFUSED

_ESCAPE = re.compile(r"\\[nrt\"/\\]")
_MOST_CUT: Final = 2
"""Words of a key or value at the end that a mended object may lack."""


# Any: the model may have written anything.
def mended(text: str) -> Any:
    """The value of a broken or cut object.

    Raises:
        ModelMistake: ``invalid-output``, where a word of it would be lost.
    """
    given: Any = None
    if is_repairable(text, whole=False):
        try:
            given = repair_json(text, return_objects=True)
        except (ValueError, RecursionError):
            given = None
    wanted, has = words_of(text), words_of(json.dumps(given, ensure_ascii=False))
    if not isinstance(given, dict | list) or not 0 <= len(wanted) - len(has) <= _MOST_CUT:
        raise ModelMistake("invalid-output", REFUSED)
    if wanted[: len(has)] != has:
        raise ModelMistake("invalid-output", REFUSED)
    return given


def words_of(text: str) -> list[str]:
    """The words of a text or of JSON, without its escapes."""
    return re.findall(r"\w+", _ESCAPE.sub(" ", text))
