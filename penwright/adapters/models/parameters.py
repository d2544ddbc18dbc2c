"""Parameters that a model rejects: read from its answer, then renamed or left out."""

import re
from collections.abc import Mapping
from typing import Any

from penwright.adapters.models.plain_thought import FIELD

TOOLS = "tools"
_RENAMED = {"max_tokens": "max_completion_tokens", "max_completion_tokens": "max_tokens"}
_OMITTED = (
    "temperature",
    "top_p",
    "top_k",
    "frequency_penalty",
    "presence_penalty",
    "seed",
    "stop",
    "response_format",
    "tool_choice",
    TOOLS,
    "reasoning_effort",
)
_GIVEN = {FIELD: FIELD}
"""A field of messages that the model wants, by which it is no parameter to be rejected."""
NAMES = (*_RENAMED, *_OMITTED, *_GIVEN)
"""Of all that a model can teach."""
_NAMES = re.compile(rf"(?<![\w-])(?!{TOOLS}(?:\[|\.\w))(?:{'|'.join(NAMES)})(?![\w-])")
"""A fault of one tool, such as ``tools[0].function``, does not mean that all are rejected."""
_REJECTIONS = (
    "unsupported",
    "not support",
    "unrecognized",
    "unknown",
    "unexpected",
    "not permitted",
    "not allowed",
    "deprecated",
)


# Any, here and below: arguments of litellm's call.
def rejected(message: str, arguments: Mapping[str, Any]) -> str:
    """The one of ``arguments`` that an error of status 400 or 422 rejects: the first named; else empty."""
    if not any(word in message.casefold() for word in _REJECTIONS):
        return ""
    return next((found for found in _NAMES.findall(message) if found in arguments), "")


def lesson_of(name: str, lessons: Mapping[str, str]) -> dict[str, str]:
    """``lessons`` with what to do about the rejected ``name``: its new name, or empty to leave it out."""
    new = {**_RENAMED, **_GIVEN}.get(name, "")
    # Both names were rejected: the model takes no limit.
    return {**lessons, name: "" if new in lessons else new}


def lesson_in_words(name: str, taken: str) -> str:
    """A lesson in words."""
    if name in _GIVEN:
        return f"{name} is sent back"
    return f"{name} is sent as {taken}" if taken else f"{name} is left out"


def as_learned(arguments: Mapping[str, Any], lessons: Mapping[str, str]) -> dict[str, Any]:
    """``arguments`` under the names that the model takes, without those that it rejects."""
    named = {lessons.get(name, name): value for name, value in arguments.items()}
    return {name: value for name, value in named.items() if name and lessons.get(name) != ""}
