"""Placeholders in a section's text: ``$name`` or ``${name}``, and ``$$`` for a dollar."""

import json
import re
from collections.abc import Collection, Iterator, Mapping

from pydantic import BaseModel, JsonValue

_TOKEN = re.compile(r"\$(?:(?P<dollar>\$)|(?P<name>[A-Za-z_]\w*)|\{(?P<braced>[A-Za-z_]\w*)\})?", re.ASCII)
_SHOWN = 12
"""Characters of a lone dollar's surroundings that an error quotes."""


def unknown_placeholders(text: str, names: Collection[str]) -> Iterator[str]:
    """Tokens of ``text`` whose name is not among ``names``."""
    for token in _TOKEN.finditer(text):
        name = token["name"] or token["braced"]
        if name is not None and name not in names:
            yield token[0]


def lone_dollars(text: str) -> Iterator[str]:
    """Dollars of ``text`` that do not begin a placeholder, each with what follows it."""
    for token in _TOKEN.finditer(text):
        if token[0] == "$":
            yield text[token.start() : token.start() + _SHOWN].splitlines()[0]


def placeholders(text: str) -> frozenset[str]:
    """The names of the placeholders in ``text``."""
    found = (token["name"] or token["braced"] for token in _TOKEN.finditer(text))
    return frozenset(name for name in found if name)


def fill(text: str, values: Mapping[str, str]) -> str:
    """``text`` with every placeholder replaced, once: a dollar inside a value stays a dollar.

    Raises:
        KeyError: for a name that is not among ``values``.
    """
    return _TOKEN.sub(lambda token: _filled(token, values), text)


def _filled(token: re.Match[str], values: Mapping[str, str]) -> str:
    name = token["name"] or token["braced"]
    return "$" if name is None else values[name]


def field_texts(params: BaseModel | None) -> Mapping[str, str]:
    """Each field as prompt text: text verbatim, None as empty, anything else as JSON."""
    if params is None:
        return {}
    return {name: _text(value) for name, value in params.model_dump(mode="json").items()}


def _text(value: JsonValue) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
