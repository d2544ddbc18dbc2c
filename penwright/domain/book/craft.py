"""The author's own rules in ``Global Material``, as far as code holds prose against them."""

import re
from collections.abc import Sequence

from penwright.domain.book.files.layout import CHARACTERS, CRAFT
from penwright.domain.book.files.unfilled import filled_in
from penwright.domain.prose.known_names import known_names
from schemas.book import BookConfig, SessionPayload
from schemas.prose import BeatTold, Draft

_NEVER = re.compile(r"\W*(?:(?:never|nie|niemals|jamais|nunca)\b|绝不)", re.IGNORECASE)
_HEADING = re.compile(r"(#{1,6})\s+(.*?)[\s#:：.]*$")
_ITEM = re.compile(r"(?:[-*+]|\d+[.)])\s+(.*)")
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_QUOTES = "\"'“”„‟‘’‚«»「」『』`*_ "


def draft_of(prose: str, config: BookConfig, *, characters: str, craft: str) -> Draft:
    """Return prose to be checked, with the names in Characters.md and the section *Never* of Craft.md."""
    return Draft(
        prose=prose,
        language=config.language,
        names=known_names(characters),
        never=never_list(craft),
        off=config.craft_off,
    )


def session_draft(
    payload: SessionPayload, prose: str, *, words_wanted: int, told: Sequence[BeatTold]
) -> Draft:
    """Return a session's new prose to be checked, with what was asked of it."""
    materials = {each.filename: each.content for each in payload.global_material}
    draft = draft_of(
        prose,
        payload.config,
        characters=materials.get(_name(CHARACTERS), ""),
        craft=materials.get(_name(CRAFT), ""),
    )
    asked = {"words_wanted": words_wanted, "beats": tuple(told), "intended": payload.intended}
    return draft.model_copy(update=asked)


def _name(path: str) -> str:
    return path.rpartition("/")[2]


def never_list(text: str) -> tuple[str, ...]:
    """Return the words and phrases of the section whose heading begins with *Never*, each once.

    They are its list items. Comments, quotes around a phrase, items without a letter and what is not filled
    in do not count; empty without such a section.
    """
    found: dict[str, None] = {}
    level = 0
    """Of the section's heading, while in it."""
    for line in _COMMENT.sub("", filled_in(text.replace("\r\n", "\n"))).split("\n"):
        if heading := _HEADING.match(line):
            if not level or len(heading[1]) <= level:
                level = len(heading[1]) if _NEVER.match(heading[2]) else 0
        elif level and (item := _ITEM.match(line.strip())):
            phrase = item[1].strip(_QUOTES)
            if any(map(str.isalnum, phrase)):
                found[phrase] = None
    return tuple(found)
