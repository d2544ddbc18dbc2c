"""YAML that a person wrote, read strictly: every mistake is named with its line."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap, CommentedSeq
from ruamel.yaml.constructor import DuplicateKeyError
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.events import AliasEvent, CollectionEndEvent, CollectionStartEvent

from penwright.errors import UsageMistake

LARGEST = 4 * 1024 * 1024
"""Bytes of a form."""
_DEEPEST = 20
"""Levels of values within values."""
_HINT = "text with a colon, a # or a quote goes between quotes, or below a | and two blanks in"


@dataclass(frozen=True, slots=True)
class Read:
    """The values of a form, and where they are in it."""

    values: Mapping[str, Any]  # Any: JSON
    lines: Mapping[str, int]
    """Line of each field, from 1."""


def read_yaml(text: str) -> Read:
    """Parse a form: a mapping of plain values.

    Raises:
        UsageMistake: ``form-too-large``, ``form-broken`` or ``form-duplicate-key``, with the line.
    """
    if len(text.encode("utf-8", "surrogatepass")) > LARGEST:
        raise UsageMistake("form-too-large", f"the form is larger than {LARGEST // 2**20} MiB; shorten it")
    try:
        _scan(text)
        loaded = _yaml().load(text)
    except DuplicateKeyError as error:
        raise UsageMistake(
            "form-duplicate-key",
            f"line {_line(error)}: this field is there twice; delete one of the two",
            hint="a field may be in a form once",
        ) from None
    except (YAMLError, ValueError, RecursionError) as error:
        problem = " ".join(str(getattr(error, "problem", None) or "it cannot be read").split())
        raise _broken(_line(error), problem) from None
    if loaded is None:
        return Read({}, {})
    if not isinstance(loaded, CommentedMap):
        raise _broken(1, "expected lines of the form 'field: value'")
    lines = {str(key): place[0] + 1 for key, place in (loaded.lc.data or {}).items()}
    return Read({str(key): plain(value) for key, value in loaded.items()}, lines)


def plain(value: Any) -> Any:
    """Return a value of YAML as JSON has it; what JSON does not have, such as a date, stays as it is."""
    if isinstance(value, CommentedMap):
        return {str(key): plain(each) for key, each in value.items()}
    if isinstance(value, CommentedSeq):
        return [plain(each) for each in value]
    for kind in (str, bool, int, float):
        if isinstance(value, kind):
            return kind(value)
    return value


def read_value(text: str) -> Any:  # Any: JSON
    """Return what ``text`` means as a value of YAML, or the text itself if it is none."""
    try:
        _scan(text)
        return plain(_yaml().load(text))
    except (YAMLError, ValueError, RecursionError, UsageMistake):
        return text


def _scan(text: str) -> None:
    """Refuse references, which let a few lines stand for gigabytes, and nesting, which loads ever slower."""
    depth = 0
    for event in _yaml().parse(text):
        depth += isinstance(event, CollectionStartEvent) - isinstance(event, CollectionEndEvent)
        line = event.start_mark.line + 1 if event.start_mark else 1
        if isinstance(event, AliasEvent):
            raise _broken(line, "references (*name) are not supported; write the value out")
        if depth > _DEEPEST:
            raise _broken(line, f"values are nested more than {_DEEPEST} deep")


def _broken(line: int, problem: str) -> UsageMistake:
    return UsageMistake("form-broken", f"line {line}: invalid YAML: {problem}", hint=_HINT, line=str(line))


def _line(error: BaseException) -> int:
    mark = getattr(error, "problem_mark", None) if isinstance(error, MarkedYAMLError) else None
    return mark.line + 1 if mark is not None else 1


def _yaml() -> YAML:
    return YAML(typ="rt", pure=True)


def strings(value: Any) -> Sequence[str]:
    """Return every text within a value of JSON."""
    if isinstance(value, str):
        return (value,)
    inner = value.values() if isinstance(value, Mapping) else value if isinstance(value, list | tuple) else ()
    return [text for each in inner for text in strings(each)]
