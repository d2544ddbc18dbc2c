"""``Config.yml``, ``.ink-state.yml`` and their like: parsed strictly; writing keeps what it does not know."""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from io import StringIO
from typing import TypeVar, get_args

from pydantic import ValidationError
from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap
from ruamel.yaml.constructor import DuplicateKeyError
from ruamel.yaml.error import MarkedYAMLError, YAMLError

from penwright.domain.book.files.layout import CONFIG, STATE
from penwright.domain.book.files.metadata import KEYS
from penwright.domain.text.nearest import nearest
from penwright.errors import BrokenBook
from schemas.base import Value
from schemas.book import BookConfig, BookState
from schemas.prose import BookRule

_Parsed = TypeVar("_Parsed", bound=Value)

LARGEST = 1_000_000_000
"""Largest absolute value of a number in these files."""
MOST_CHARACTERS = 256 * 1024
"""A file of single values is never as long; parsing a long one takes minutes."""

_ALIKE = 0.8
"""From which likeness on a key is a misspelt one: `subtitle` is none of `title`."""
_OF_THE_COVER = ("title", "author", "contents", *KEYS)
_ASKED = {
    "missing": "is missing; add it",
    "tuple_type": "must be a list",
    "int_type": "must be a whole number",
    "string_type": "must be text",
    "greater_than": "must be greater than {gt}",
    "greater_than_equal": "must be at least {ge}",
    "literal_error": "must be {expected}",
    "bool_type": "must be true or false",
    "extra_forbidden": "is no key of this file; correct or delete it",
    "string_too_long": "must have at most {max_length} characters",
    "string_pattern_mismatch": "must match {pattern}",
}


def read_config(text: str) -> BookConfig:
    """Parse ``Config.yml``.

    Raises:
        BrokenBook: ``config-broken-yaml``, ``config-duplicate-key``, ``config-missing-key`` or
            ``config-wrong-value``, with the line.
    """
    return parsed(BookConfig, text, path=CONFIG, prefix="config")


def misspelt_keys(text: str) -> tuple[str, ...]:
    """A warning for each key of ``Config.yml`` that is nearly one of ours; an author may have others.

    Raises:
        BrokenBook: as ``read_values``.
    """
    known = {*BookConfig.model_fields, *_OF_THE_COVER}
    others = (key for key in map(str, read_values(text)) if key not in known)
    found = ((key, nearest(key, known, likeness=_ALIKE)) for key in others)
    return tuple(
        f"{CONFIG!r}: the key {key!r} does nothing; did you mean {near[0]!r}?" for key, near in found if near
    )


def read_values(text: str) -> Mapping[str, object]:
    """Parse ``Config.yml`` without checking its values; raises ``BrokenBook`` as ``read_config`` does."""
    return loaded(text, path=CONFIG, prefix="config")


def read_state(text: str | None) -> BookState:
    """Parse ``.ink-state.yml``; without a file, or with an empty one, return the state of a new book."""
    if text is None or not text.strip():
        return BookState()
    return parsed(BookState, text, path=STATE, prefix="state")


def write_state(state: BookState, text: str | None) -> str:
    """Return ``text`` with the values of ``state``; comments and other keys stay, None removes a key."""
    kept = loaded(text or "", path=STATE, prefix="state")
    for key, value in state.model_dump().items():
        if value is None:
            kept.pop(key, None)
        elif kept.get(key) != value or key not in kept:
            kept[key] = value
    return dumped(kept)


def dumped(values: CommentedMap) -> str:
    """Return the text of a YAML file, with the comments that it was loaded with."""
    written = StringIO()
    _yaml().dump(values, written)
    return written.getvalue()


def parsed(kind: type[_Parsed], text: str, *, path: str, prefix: str) -> _Parsed:
    """Parse a YAML file of single values strictly.

    Args:
        path: for messages.
        prefix: first word of the codes.

    Raises:
        BrokenBook: ``<prefix>-broken-yaml``, ``<prefix>-duplicate-key``, ``<prefix>-missing-key`` or
            ``<prefix>-wrong-value``, with the line.
    """
    values = loaded(text, path=path, prefix=prefix)
    for key, value in values.items():
        if isinstance(value, int) and abs(value) > LARGEST:
            raise _wrong(path, prefix, values, str(key), f"must be at most {LARGEST} (absolute)", found=value)
    try:
        return kind.model_validate(dict(values), strict=True)
    except ValidationError as error:
        raise _named(error, values, path=path, prefix=prefix) from None


def _named(error: ValidationError, values: CommentedMap, *, path: str, prefix: str) -> BrokenBook:
    """Convert the first validation error, with its line."""
    first = error.errors()[0]
    key = str(first["loc"][0])
    if first["type"] == "missing":
        return BrokenBook(
            f"{prefix}-missing-key", f"{path!r}: the key {key!r} is missing; add it.", path=path, key=key
        )
    asked = _ASKED.get(first["type"], "has an invalid value").format(**first.get("ctx", {}))
    if first["type"] == "literal_error" and len(first["loc"]) > 1:
        found = first["input"]
        near = nearest(str(found), get_args(BookRule))
        such = f", such as {near[0]!r}" if near else ""
        return _wrong(path, prefix, values, key, f"lists rules (`penwright help craft`){such}", found=found)
    return _wrong(path, prefix, values, key, asked, found=values.get(key))


def _wrong(
    path: str, prefix: str, values: CommentedMap, key: str, asked: str, *, found: object
) -> BrokenBook:
    line = values.lc.data[key][0] + 1 if key in (values.lc.data or {}) else 0
    return BrokenBook(
        f"{prefix}-wrong-value",
        f"{path!r} line {line}: {key!r} {asked}, not {_shown(found)}; correct the line.",
        path=path,
        key=key,
        line=str(line),
    )


def _shown(value: object) -> str:
    return "nothing" if value is None else repr(str(value)[:80])


def loaded(text: str, *, path: str, prefix: str) -> CommentedMap:
    """Parse a YAML file of keys without checking its values.

    Raises:
        BrokenBook: ``<prefix>-too-long``, ``<prefix>-broken-yaml`` or ``<prefix>-duplicate-key``.
    """
    if len(text) > MOST_CHARACTERS:
        raise BrokenBook(
            f"{prefix}-too-long",
            f"{path!r} has {len(text):,} characters, and may have {MOST_CHARACTERS:,}; shorten it.",
            path=path,
        )
    with _yaml_errors(path, prefix, text):
        loaded = _yaml().load(text)
    if loaded is None:
        return CommentedMap()
    if not isinstance(loaded, CommentedMap) or not isinstance(loaded, Mapping):
        raise BrokenBook(
            f"{prefix}-broken-yaml",
            f"{path!r} line 1: expected lines of the form 'key: value'; rewrite the file that way.",
            path=path,
            line="1",
        )
    return loaded


@contextmanager
def _yaml_errors(path: str, prefix: str, text: str) -> Iterator[None]:
    try:
        yield
    except DuplicateKeyError as error:
        line = _line(error)
        raise BrokenBook(
            f"{prefix}-duplicate-key",
            f"{path!r} line {line}: {_twice(error, text)}; delete one of the two.",
            path=path,
            line=str(line),
        ) from None
    except (YAMLError, ValueError, RecursionError) as error:
        line = _line(error)
        problem = " ".join(str(getattr(error, "problem", None) or "it cannot be read").split())
        raise BrokenBook(
            f"{prefix}-broken-yaml",
            f"{path!r} line {line}: invalid YAML, {problem}; correct the line.",
            path=path,
            line=str(line),
        ) from None


def _twice(error: DuplicateKeyError, text: str) -> str:
    """Say which key stands twice, and where it stood first."""
    lines, at = text.splitlines(), _line(error) - 1
    begin = re.match(r"\s*[^\s:#]+\s*:", lines[at]) if at < len(lines) else None
    if begin is None:
        return "duplicate key"
    key = begin[0].rstrip(": \t")
    same = re.compile(rf"{re.escape(key)}\s*:")
    begins = error.context_mark.line if error.context_mark else 0
    first = next((number for number in range(begins, at) if same.match(lines[number])), None)
    return f"duplicate key {key.strip()!r}" + ("" if first is None else f", also in line {first + 1}")


def _line(error: BaseException) -> int:
    mark = getattr(error, "problem_mark", None) if isinstance(error, MarkedYAMLError) else None
    return mark.line + 1 if mark is not None else 1


def _yaml() -> YAML:
    yaml = YAML(typ="rt", pure=True)
    yaml.preserve_quotes = True
    yaml.width = 10_000
    return yaml
