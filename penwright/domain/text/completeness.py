"""Whether a text has every word of its source."""

import re
from collections import Counter

_WORD = re.compile(r"\w+")
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")


def words_missing(source: str, text: str) -> tuple[str, ...]:
    """The words of ``source`` that are not in ``text``, as often as they are missing.

    A word that marks of emphasis or hyphens divide, or join, in only one of the two is not missing.

    Args:
        source: plain text.
        text: Markdown.
    """
    plain = _ESCAPED.sub(r"\1", text)
    there = _counted(plain)
    lost = _counted(source) - there
    joined = "".join(_WORD.findall(plain.casefold().replace("_", ""))) if lost else ""
    return tuple(word for word in lost.elements() if there[word] or word not in joined)


def _counted(text: str) -> Counter[str]:
    return Counter(_WORD.findall(text.casefold().replace("_", " ")))
