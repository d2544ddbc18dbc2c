"""Find the wanted value in a model's answer: the last candidate that validates, repaired if necessary."""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final, Generic, Literal, TypeVar

from json_repair import repair_json
from pydantic import BaseModel, ValidationError

Shape = TypeVar("Shape", bound=BaseModel)

LONGEST_TEXT = 1_000_000
"""Characters read, counted from the end of the answer."""
MOST_CANDIDATES = 40
MOST_UNCLOSED = 8
"""Unclosed brackets that are followed; each costs a scan to the end of the text."""
DEEPEST = 900
"""Nesting of brackets; JSON parsers go no deeper."""
MOST_REPAIRED = 2
LONGEST_REPAIRED = 20_000
MOST_MARKS = 200
"""Brackets and quotes in a candidate that is still repaired."""
DEEPEST_REPAIRED = 64
"""Unclosed brackets in a candidate that is still repaired."""
LONGEST_NAME = 200
LONGEST_COMPLAINT = 500
MOST_PROBLEMS = 20
"""Problems of one answer that are reported; the next answer shows the others."""
_FENCE = re.compile(r"```[A-Za-z0-9_-]*[ \t]*\n(.*?)(?:\n[ \t]*```|\Z)", re.DOTALL)
_KEY = re.compile(r'"\s*:')
_BEGINNING = re.compile(r'\{\s*"')
_PARTNER = {"{": "}", "[": "]"}
_OPENING = re.compile(r"[\[{]")
_STRUCTURE = re.compile(r'[\[\]{}]|"(?:[^"\\]++|\\(?:.|\Z))*+(?:"|\Z)', re.DOTALL)
"""Brackets, and whole strings, so that brackets inside strings do not count."""

Problem = Literal["empty-reply", "no-json", "invalid-output"]

_LEAST: Final = 1_000
"""Characters of repetition; a list of equal values, such as a score for each of many, is shorter."""
_BLANK: Final = 200
"""White space, which a grammar lets a model write without end."""
_LONGEST_UNIT: Final = 400
_AGAIN = re.compile(rf"(.{{1,{_LONGEST_UNIT}}}?)\1{{3,}}", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Parsed(Generic[Shape]):
    """A validated value, and whether its JSON had to be repaired."""

    value: Shape
    repaired: bool = False
    source: str = ""
    """The candidate as it stands in the answer."""


@dataclass(frozen=True, slots=True)
class FieldProblem:
    """Fault in one field of an answer."""

    field: str
    """Dotted path; empty for the whole."""
    message: str


_MALFORMED = (FieldProblem("", "it is not well-formed JSON"),)


@dataclass(frozen=True, slots=True)
class Misfit:
    """Reason why no candidate fits: the problems of the nearest one; the last among equals."""

    code: Problem
    problems: tuple[FieldProblem, ...] = ()

    @property
    def message(self) -> str:
        """Advice to the model, with at most three problems."""
        if self.code == "empty-reply":
            return "The reply was empty. Answer with one JSON object."
        if self.code == "no-json":
            return "The reply held no JSON. Answer with one JSON object and nothing else."
        problems = "; ".join(f"{each.field or 'the whole'}: {each.message}" for each in self.problems[:3])
        return f"The JSON does not fit: {problems}. Answer again with one valid object."


def find_structured(
    text: str,
    kind: type[Shape],
    *,
    context: Mapping[str, object] | None = None,
    whole: bool = False,
    prepare: Callable[[str], str] = str,
    repairs: int = MOST_REPAIRED,
) -> Parsed[Shape] | Misfit:
    """The last candidate in ``text`` that is a valid ``kind``, or why there is none.

    Models think aloud before they answer, so a later candidate wins over an earlier one. Unknown
    fields are refused and nothing is coerced that ``kind`` does not coerce itself.

    Args:
        context: the validation context for ``kind``.
        whole: whether an object without its end is refused, instead of closed by repair.
        prepare: what becomes of a candidate's JSON before it is parsed.
        repairs: how many broken candidates may be repaired by guessing; 0: a fault counts as one.
    """
    if not text.strip():
        return Misfit("empty-reply")
    nearest: tuple[FieldProblem, ...] = ()
    repairs_left = repairs
    for source in reversed(_candidates(text[-LONGEST_TEXT:])):
        candidate = prepare(source)
        read = _read(candidate, kind, context)
        if read == _MALFORMED and repairs_left and is_repairable(candidate, whole):
            repairs_left -= 1
            read = _repaired(candidate, kind, context)
        if isinstance(read, Parsed):
            return replace(read, source=source)
        nearest = max(nearest, read, key=_nearness)
    return Misfit("invalid-output", nearest) if nearest else Misfit("no-json")


def stands_alone(text: str, source: str) -> bool:
    """Whether a candidate is all the JSON there is, up to whole objects before it: a fault in a larger
    object can leave a part of it that looks whole."""
    head, _, tail = text.rpartition(source)
    if _KEY.search(tail):
        return False
    opened = (start for start, _ in _spans(head) if _BEGINNING.match(head, start))
    return all(closing(head, start) is not None for start in opened)


def _read(
    candidate: str, kind: type[Shape], context: Mapping[str, object] | None
) -> Parsed[Shape] | tuple[FieldProblem, ...]:
    try:
        # pydantic accepts NaN and lone surrogates, which JSON forbids.
        json.loads(candidate)
        return Parsed(kind.model_validate_json(candidate, strict=True, extra="forbid", context=context))
    except ValidationError as error:
        return _problems(error)
    except (ValueError, RecursionError):
        return _MALFORMED


def _repaired(
    candidate: str, kind: type[Shape], context: Mapping[str, object] | None
) -> Parsed[Shape] | tuple[FieldProblem, ...]:
    try:
        repaired = repair_json(candidate, ensure_ascii=False)
    except (ValueError, RecursionError):
        return _MALFORMED
    if not isinstance(repaired, str) or repaired in {"", '""'}:
        return _MALFORMED
    read = _read(repaired, kind, context)
    return Parsed(read.value, repaired=True) if isinstance(read, Parsed) else read


def is_repairable(candidate: str, whole: bool) -> bool:
    """Whether the candidate is small enough: the time of a repair grows with the square of its faults."""
    if whole and closing(candidate, 0) is None:
        return False
    marks = sum(map(candidate.count, "{}[]\"'“”"))
    left_open = sum(map(candidate.count, "{[")) - sum(map(candidate.count, "}]"))
    return len(candidate) <= LONGEST_REPAIRED and marks <= MOST_MARKS and left_open <= DEEPEST_REPAIRED


def _candidates(text: str) -> list[str]:
    """Return fenced blocks, outermost objects and arrays, and unclosed ones, ordered by their ends."""
    found = [(fence.end(1), -fence.start(1), fence.group(1)) for fence in _FENCE.finditer(text)]
    found += [(end, -start, text[start:end]) for start, end in _spans(text)]
    found.sort(key=lambda item: item[:2])
    stripped = (candidate.strip() for _, _, candidate in found[-MOST_CANDIDATES:])
    return [candidate for candidate in stripped if candidate[:1] in _PARTNER]


def _spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield outermost spans in brackets; an unclosed one runs to the end, and its content is searched too."""
    position = unclosed = 0
    while unclosed < MOST_UNCLOSED and (start := _OPENING.search(text, position)) is not None:
        end = closing(text, start.start())
        unclosed += end is None
        yield start.start(), end or len(text)
        position = end or start.end()


def closing(text: str, start: int) -> int | None:
    """Return the position after the bracket that closes the one at ``start``; None if it is unclosed."""
    open_brackets: list[str] = []
    for token in _STRUCTURE.finditer(text, start):
        character = token[0]
        if character in _PARTNER:
            open_brackets.append(_PARTNER[character])
            if len(open_brackets) > DEEPEST:
                return None
        elif character in "}]":
            if open_brackets.pop() != character:
                return None
            if not open_brackets:
                return token.end()
    return None


def _problems(error: ValidationError) -> tuple[FieldProblem, ...]:
    # Names of unknown fields, and what validators quote, come from the model and may have any length.
    found = error.errors(include_url=False, include_input=False)[:MOST_PROBLEMS]
    return tuple(
        FieldProblem(".".join(map(str, each["loc"]))[:LONGEST_NAME], each["msg"][:LONGEST_COMPLAINT])
        for each in found
    )


def _nearness(problems: tuple[FieldProblem, ...]) -> int:
    """Rank: no problems < not JSON < not an object < an object with wrong fields."""
    if not problems or problems == _MALFORMED:
        return len(problems)
    return 3 if any(each.field for each in problems) else 2


def runs_on(text: str) -> bool:
    """Whether the end of an unfinished answer in JSON is white space, or one text four times or more."""
    if len(text) - len(text.rstrip()) >= _BLANK:
        return True
    tail = text[-4 * _LONGEST_UNIT :][::-1]
    again = _AGAIN.match(tail)
    return again is not None and len(again[0]) >= _LEAST
