"""Finding the wanted value in what a model wrote: the last candidate that validates, mended if need be."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

from json_repair import repair_json
from pydantic import BaseModel, ValidationError

from penwright.errors import ModelMistake

Wanted = TypeVar("Wanted", bound=BaseModel)

LONGEST_TEXT = 1_000_000
"""Characters looked at, from the end; a longer answer is no structured output."""
MOST_CANDIDATES = 40
MOST_UNCLOSED = 8
"""Brackets without a partner that are followed; each costs a walk to the end of the text."""
DEEPEST_MENDED = 64
"""Brackets left open in what is still worth mending; more is noise."""
_FENCE = re.compile(r"```[A-Za-z0-9_-]*[ \t]*\n(.*?)(?:\n[ \t]*```|\Z)", re.DOTALL)
_PARTNER = {"{": "}", "[": "]"}


@dataclass(frozen=True, slots=True)
class Parsed(Generic[Wanted]):
    """A validated value, and whether its JSON had to be mended."""

    value: Wanted
    mended: bool = False


def parse_structured(text: str, kind: type[Wanted]) -> Parsed[Wanted]:
    """The last candidate in ``text`` that is a valid ``kind``.

    Models think aloud before they answer, so a later candidate wins over an earlier one. Unknown
    fields are refused and nothing is coerced.

    Raises:
        ModelMistake: ``empty-reply``, ``no-json`` or ``invalid-output``; the message quotes what was wrong.
    """
    if not text.strip():
        raise ModelMistake("empty-reply", "The reply was empty. Answer with one JSON object.")
    complaint = ""
    for candidate in reversed(_candidates(text[-LONGEST_TEXT:])):
        for mend in (False, True):
            try:
                return Parsed(_validated(candidate, kind, mend=mend), mend)
            except ValidationError as error:
                complaint = complaint or _complaint(error)
            except (ValueError, RecursionError):
                complaint = complaint or "it is not well-formed JSON"
    if not complaint:
        raise ModelMistake("no-json", "The reply held no JSON. Answer with one JSON object and nothing else.")
    raise ModelMistake(
        "invalid-output", f"The JSON does not fit: {complaint}. Answer again with one valid object."
    )


def _validated(candidate: str, kind: type[Wanted], *, mend: bool) -> Wanted:
    if not mend:
        # pydantic reads NaN and lone surrogates that JSON forbids; json.loads names the place as well.
        json.loads(candidate)
        return kind.model_validate_json(candidate, strict=True, extra="forbid")
    if sum(map(candidate.count, "{[")) - sum(map(candidate.count, "}]")) > DEEPEST_MENDED:
        raise ValueError("too many brackets left open to mend")
    mended = repair_json(candidate, ensure_ascii=False)
    if not isinstance(mended, str) or mended in {"", '""'}:
        raise ValueError("nothing to mend")
    return kind.model_validate_json(mended, strict=True, extra="forbid")


def _candidates(text: str) -> list[str]:
    """Fenced blocks, outermost objects and arrays, and an unfinished one, in order of their ends."""
    found = [(fence.end(1), -fence.start(1), fence.group(1)) for fence in _FENCE.finditer(text)]
    found += [(end, -start, text[start:end]) for start, end in _spans(text)]
    found.sort(key=lambda item: item[:2])
    stripped = (candidate.strip() for _, _, candidate in found[-MOST_CANDIDATES:])
    return [candidate for candidate in stripped if candidate[:1] in _PARTNER]


def _spans(text: str) -> Iterator[tuple[int, int]]:
    """Outermost JSON-looking spans; an unclosed one runs to the end and is looked into as well."""
    position = unclosed = 0
    while unclosed < MOST_UNCLOSED and (start := _next_bracket(text, position)) is not None:
        end = _closing(text, start)
        unclosed += end is None
        yield start, end or len(text)
        position = end or start + 1


def _next_bracket(text: str, position: int) -> int | None:
    found = [at for at in (text.find("{", position), text.find("[", position)) if at >= 0]
    return min(found) if found else None


def _closing(text: str, start: int) -> int | None:
    """The position behind the partner of the bracket at ``start``; None when it has none."""
    open_brackets: list[str] = []
    quoted = escaped = False
    for at in range(start, len(text)):
        character = text[at]
        if quoted:
            quoted = escaped or character != '"'
            escaped = not escaped and character == "\\"
        elif character == '"':
            quoted = True
        elif character in _PARTNER:
            open_brackets.append(_PARTNER[character])
        elif character in "}]":
            if open_brackets.pop() != character:
                return None
            if not open_brackets:
                return at + 1
    return None


def _complaint(error: ValidationError) -> str:
    """The first three problems, each with its place."""
    return "; ".join(
        f"{'.'.join(str(part) for part in problem['loc']) or 'the whole'}: {problem['msg']}"
        for problem in error.errors(include_url=False, include_input=False)[:3]
    )
