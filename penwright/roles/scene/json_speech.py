"""Speech that a model wrapped in JSON or a fence: taken out where it is plain, else refused."""

import json
import re
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from penwright.domain.models.lenient_json import tidied
from penwright.errors import ModelMistake
from penwright.roles.scene.reply_json import REMARKS, folded
from penwright.roles.scene.state_block import is_state, state_in
from schemas.director import StatePatch

_FENCED = re.compile(r"\A\s*(`{3,}|~{3,})[ \t]*[\w-]*[ \t]*\n(?P<inside>.*?)\n?[ \t]*\1\s*\Z", re.DOTALL)
_OBJECT = re.compile(r"\A\s*(?:\[\s*)?\{\s*(?:[\"'“}]|\Z)")
"""Beginning of a whole reply in JSON, also one that is cut off; prose in braces does not match."""
_LAST_OBJECT = re.compile(
    r"^[ \t]*(?:(?:`{3,}|~{3,})[ \t]*(?:json)?\s*)?(?=\{\s*\")", re.MULTILINE | re.IGNORECASE
)
_FENCE_END = re.compile(r"\s*(?:`{3,}|~{3,})\s*\Z")
_TEXT: Final = frozenset(
    {
        *("text", "reply", "response", "content", "message", "answer", "output", "prose", "narration"),
        *("speech", "dialogue", "dialog", "say", "says", "said", "line", "roleplay"),
    }
)
_ABOUT: Final = frozenset({"name", "character", "speaker", "who", "role", "id", "type", "round"})
"""Keys that say who speaks, which is known."""
_ERROR: Final = frozenset({"error", "errors", "errorcode", "statuscode", "exception"})
_REFUSED: Final = (
    "The reply was JSON and not prose. Answer again with nothing but what is said and done, as plain text."
)
_FAILED: Final = "The reply was an error of the model's own and not prose. Answer again with prose."


class Speech(NamedTuple):
    """The words, and the state that an object around or after them reports; None: it reports none."""

    text: str
    reported: StatePatch | None = None


def speech_in(prose: str) -> Speech:
    """The words of a reply, without a fence around all of it and without JSON around or after them.

    JSON inside a reply, such as a screen that someone reads, is part of it.

    Raises:
        ModelMistake: ``invalid-output``, where no words can be told from the JSON.
    """
    whole = _FENCED.match(prose)
    text = whole["inside"].strip() if whole else prose
    if _OBJECT.match(text):
        return _taken(_read(text))
    for found in _LAST_OBJECT.finditer(text):
        given = _maybe(_FENCE_END.sub("", text[found.end() :]))
        if given is not None and found.start():
            return _after(text, text[: found.start()].strip(), given)
    return Speech(text)


# Any, here and below: the model may have written anything.
def _read(text: str) -> Any:
    try:
        return json.loads(tidied(text))
    except (ValueError, RecursionError):
        raise ModelMistake("invalid-output", _REFUSED) from None


def _maybe(text: str) -> Mapping[str, Any] | None:
    try:
        given = json.loads(tidied(text))
    except (ValueError, RecursionError):
        return None
    return given if isinstance(given, dict) else None


def _after(text: str, before: str, given: Mapping[str, Any]) -> Speech:
    """A reply with an object at its end: a state, a second form of the reply, or something that is read."""
    keys = {folded(key) for key in given}
    if keys & _ERROR or keys & _TEXT:
        raise ModelMistake("invalid-output", _FAILED if keys & _ERROR else _REFUSED)
    if given and all(is_state(key) for key in given):
        return Speech(before, state_in(given))
    return Speech(text)


def _taken(given: Any) -> Speech:
    """The only text of an object whose other keys say nothing that is lost."""
    if isinstance(given, list) and len(given) == 1:
        (given,) = given
    if not isinstance(given, dict):
        raise ModelMistake("invalid-output", _REFUSED)
    named = {folded(key): value for key, value in given.items()}
    if set(named) & _ERROR:
        raise ModelMistake("invalid-output", _FAILED)
    texts = [value for key, value in named.items() if key in _TEXT]
    rest = set(named) - _TEXT - _ABOUT - REMARKS
    state = named["state"] if isinstance(named.get("state"), dict) else given
    is_plain = (
        len(texts) == 1
        and isinstance(texts[0], str)
        and all(each == "state" or is_state(each) for each in rest)
    )
    if not is_plain or _OBJECT.match(texts[0]):
        raise ModelMistake("invalid-output", _REFUSED)
    return Speech(texts[0].strip(), state_in(state) if rest else None)
