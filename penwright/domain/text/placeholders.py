"""Commands in what people read, with the names of the things that they are about."""

import re
from collections.abc import Mapping
from shlex import quote

_COMMAND = re.compile(r"`(?:penwright|ink-cli) [^`]*`")
_WORD = re.compile(r"(?<= )[A-Z]+(?=[ `])")


def with_names(text: str, names: Mapping[str, str]) -> str:
    """Put names in place of the words that stand for them in the commands of ``text``.

    ``names``: such as ``BOOK`` -> ``tide-2b3f``; a word without one stays.
    """
    return _COMMAND.sub(lambda found: _WORD.sub(lambda word: _named(word[0], names), found[0]), text)


def _named(word: str, names: Mapping[str, str]) -> str:
    return quote(names[word]) if names.get(word) else word
