"""The author's own rules in ``Global Material``, as far as code holds prose against them."""

import re

from penwright.domain.book.files.unfilled import filled_in
from penwright.domain.prose.known_names import known_names
from schemas.prose import Draft

_NEVER = ("never", "nie", "niemals", "jamais", "nunca", "绝不")
_HEADING = re.compile(r"(#{1,6})\s+(.*?)[\s#:：.]*$")
_ITEM = re.compile(r"(?:[-*+]|\d+[.)])\s+(.*)")
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_QUOTES = "\"'“”„‟‘’‚«»「」『』`*_ "


def draft_of(prose: str, language: str, *, characters: str, craft: str) -> Draft:
    """Return prose to be checked, with the names in Characters.md and the section *Never* of Craft.md."""
    return Draft(prose=prose, language=language, names=known_names(characters), never=never_list(craft))


def never_list(text: str) -> tuple[str, ...]:
    """Return the words and phrases of the section *Never*, in its order and each once; its items only.

    Comments, quotes around a phrase and what is not filled in do not count; empty without such a section.
    """
    found: dict[str, None] = {}
    level = 0
    """Of the section's heading, while in it."""
    for line in _COMMENT.sub("", filled_in(text.replace("\r\n", "\n"))).split("\n"):
        if heading := _HEADING.match(line):
            if not level or len(heading[1]) <= level:
                level = len(heading[1]) if heading[2].casefold() in _NEVER else 0
        elif level and (item := _ITEM.match(line.strip())) and (phrase := item[1].strip(_QUOTES)):
            found[phrase] = None
    return tuple(found)
