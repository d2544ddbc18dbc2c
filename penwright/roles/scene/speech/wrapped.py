"""Speech that a model wrapped in JSON, tags or a fence: taken out where it is plain, else refused."""

import json
import re
from collections.abc import Mapping
from typing import Any, Final

from penwright.domain.models.lenient_json import tidied
from penwright.domain.models.structured_output import closing
from penwright.domain.prose.task_talk import is_all_talk
from penwright.domain.text.words import count_words
from penwright.errors import ModelMistake
from penwright.roles.scene.speech.broken import mended, words_of
from penwright.roles.scene.speech.parts import (
    BROKEN,
    FAILED,
    REFUSED,
    Speech,
    is_error,
    is_text,
    parts_of,
    state_alone,
)
from penwright.roles.scene.speech.tags import tagged

_FENCED = re.compile(
    r"\A\s*(?P<fence>`{3,}|~{3,})[ \t]*[\w-]*[ \t]*\n(?P<inside>.*?)\n?[ \t]*(?P=fence)[ \t]*"
    r"(?P<after>\n.*)?\Z",
    re.DOTALL,
)
_OBJECT = re.compile(r"\A\s*(?:json\s*)?(?=(?:\[\s*)?\{\s*(?:[\"'“}]|\Z))")
"""Beginning of a whole reply in JSON, also one that is cut off; prose in braces does not match."""
_WITHIN = re.compile(r"(?P<line>^[ \t]*)?(?P<object>\{\s*\")", re.MULTILINE)
"""Beginning of an object inside a reply."""
_OPENED = re.compile(r"(?:\A|\n)[ \t]*(?:`{3,}|~{3,})[ \t]*(?:json)?\s*\Z", re.IGNORECASE)
_CLOSED = re.compile(r"\s*(?:`{3,}|~{3,})[ \t]*(?=\n|\Z)")
_ANNOUNCED = re.compile(
    r"\A(?P<before>[^\n{]{1,300}:)\s*\n\s*(?P<rest>(?:`{3,}|~{3,}|<\w|(?:\[\s*)?\{\s*\").*)\Z", re.DOTALL
)
_LINE_TAG = re.compile(r"\n\s*(?=<\w)")
_SPOKEN = re.compile(r"[\"“”„«»]")
_SHORT: Final = 20
"""Words after an object that are talk about it, if nobody speaks in them."""
_MOST: Final = 40
"""Objects inside a reply that are looked at."""


def speech_in(prose: str) -> Speech:
    """The words of a reply, without the JSON, tags or fence around them, and without an object after them.

    JSON inside a reply, such as a screen that someone reads, is part of it.

    Raises:
        ModelMistake: ``invalid-output``, where no words can be told from the JSON.
    """
    text, announced = unannounced(prose)
    whole = _FENCED.match(text)
    if whole and _is_aside(whole["after"] or "", announced):
        text = whole["inside"].strip()
    if (begun := _OBJECT.match(text)) is not None:
        return _object_first(text[begun.end() :])
    if (tags := tagged(text)) is not None:
        return parts_of(tags)
    return _tags_last(text) or _object_last(text)


def unannounced(prose: str) -> tuple[str, bool]:
    """A reply without the line "Here is the reply:" before JSON, tags or a fence; whether it had one."""
    found = _ANNOUNCED.match(prose)
    if found is None or not is_all_talk(found["before"]):
        return prose, False
    return found["rest"], True


def _is_aside(after: str, is_wrapped: bool) -> bool:
    """Whether words after a reply are about it."""
    if not after.strip() or is_all_talk(after):
        return True
    return is_wrapped and not _SPOKEN.search(after) and count_words(after) <= _SHORT


def _object_first(text: str) -> Speech:
    end = closing(text, 0)
    given = _read(text[:end]) if end else None
    if given is None:
        found = mended(text)
        return parts_of(found)._replace(note=BROKEN)
    after = _CLOSED.sub("", text[end:], count=1).strip()
    if after and state_alone(given) is not None:
        return Speech(after, state_alone(given))
    if not _is_aside(after, is_wrapped=True):
        raise ModelMistake("invalid-output", REFUSED)
    return parts_of(given)


def _tags_last(text: str) -> Speech | None:
    """A reply with the tags of a state at its end; None if it has none."""
    for found, _ in zip(_LINE_TAG.finditer(text), range(_MOST), strict=False):
        if (state := state_alone(tagged(text[found.end() :]))) is not None:
            return Speech(text[: found.start()].strip(), state)
    return None


def _object_last(text: str) -> Speech:
    """A reply that may have an object at its end: a state, a second form of the reply, or something read."""
    for found, _ in zip(_WITHIN.finditer(text), range(_MOST), strict=False):
        start = found.start("object")
        end = closing(text, start)
        if end is not None and _CLOSED.sub("", text[end:], count=1).strip():
            continue
        given = _read(text[start:end]) if end else _cut_state(text[start:])
        before = _OPENED.sub("", text[: found.start()]).strip()
        if isinstance(given, dict) and before:
            return _after(text, before, given, stands_alone=found["line"] is not None)
    return Speech(text)


# Any, here and below: the model may have written anything.
def _read(text: str) -> Any:
    try:
        return json.loads(tidied(text))
    except (ValueError, RecursionError):
        return None


def _cut_state(text: str) -> Any:
    """A state at the end of a reply that was cut off in it."""
    try:
        given = mended(text)
    except ModelMistake:
        return None
    return given if state_alone(given) is not None else None


def _after(text: str, before: str, given: Mapping[str, Any], *, stands_alone: bool) -> Speech:
    if (state := state_alone(given)) is not None:
        return Speech(before, state)
    if not stands_alone or not any(is_error(key) or is_text(key) for key in given):
        return Speech(text)
    if any(map(is_error, given)):
        raise ModelMistake("invalid-output", FAILED)
    found = parts_of(given)
    if words_of(found.text) != words_of(before):
        raise ModelMistake("invalid-output", REFUSED)
    return Speech(before, found.reported)
