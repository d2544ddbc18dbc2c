"""The short values that a scene role's instructions name."""

import re
from collections.abc import Mapping

from pydantic import JsonValue

from penwright.agents.tools.tool import Arguments

_OTHER = re.compile(r"[^\w .,'’·-]+")
_LONGEST_NAME = 60


class RoleParams(Arguments):
    """Names in a role's instructions. A name comes from cards, so it is cut down to what names need."""

    name: str = "the character"
    """Whom the role plays or writes about."""
    persona: str = "the user's character"
    """Whom the user speaks as."""


def params_of(given: Mapping[str, str]) -> dict[str, JsonValue]:
    """The parameters of a run; values that no instruction names are left out."""
    named = {key: cleaned(given.get(key, "")) for key in RoleParams.model_fields}
    return {RoleParams.__name__: {key: value for key, value in named.items() if value}}


def cleaned(name: str) -> str:
    """A name as it may stand among instructions: one line of letters, digits and the signs of names."""
    return " ".join(_OTHER.sub(" ", name).split())[:_LONGEST_NAME].strip()
