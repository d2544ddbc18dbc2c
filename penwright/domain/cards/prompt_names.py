"""Names in place of the macros that cards have for them; everything else of a text stays as it is."""

import re
from typing import Final

_MACRO: Final = re.compile(r"\{\{(char|user)\}\}|<(char|bot|user)>", re.IGNORECASE)


def with_names(text: str, char: str, user: str) -> str:
    """Return the text with ``{{char}}`` and ``{{user}}`` replaced, in one pass: names are not searched again.

    Args:
        char: the nickname of the character, else its name.
        user: the name of the persona.
    """
    return _MACRO.sub(lambda match: user if (match[1] or match[2]).lower() == "user" else char, text)
