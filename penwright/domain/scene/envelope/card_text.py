"""Names in the texts of cards: ``{{char}}`` and ``{{user}}`` are written as placeholders."""

import re

_PLACEHOLDER = re.compile(r"\{\{(char|user)\}\}|<(bot|char|user)>", re.IGNORECASE)
_USER = "the user"
"""In a scene without a persona."""


def named(text: str, *, character: str, user: str) -> str:
    """Put names for the placeholders of a card's text, in one pass: a name that looks like one stays.

    ``<BOT>``, ``<CHAR>`` and ``<USER>`` are older forms. With an empty ``character`` its placeholders stay.
    """

    def name(found: re.Match[str]) -> str:
        is_user = (found[1] or found[2]).lower() == "user"
        return (user or _USER) if is_user else (character or found[0])

    return _PLACEHOLDER.sub(name, text)
