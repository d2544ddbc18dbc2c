"""The short values that a scene role's instructions name."""

import re
from collections.abc import Mapping

from pydantic import JsonValue

from penwright.agents.tools.tool import Arguments
from schemas.base import BlobRef

_OTHER = re.compile(r"[^\w .,'’·-]+")
_LONGEST_NAME = 60


class RoleParams(Arguments):
    """Names in a role's instructions. A name comes from cards, so it is cut down to what names need."""

    name: str = "the character"
    """Whom the role plays or writes about."""
    persona: str = "the user's character"
    """Whom the user speaks as."""
    envelope: BlobRef | None = None
    """The content of the prompt, which a reply is compared with; None: it is not compared."""


def params_of(given: Mapping[str, str], envelope: BlobRef | None = None) -> dict[str, JsonValue]:
    """The parameters of a run; values that no instruction names are left out."""
    named: dict[str, JsonValue] = {key: cleaned(given.get(key, "")) for key in ("name", "persona")}
    shown = envelope.model_dump(mode="json") if envelope else None
    return {
        RoleParams.__name__: {key: value for key, value in (named | {"envelope": shown}).items() if value}
    }


def cleaned(name: str) -> str:
    """A name as it may stand among instructions: one line of letters, digits and the signs of names."""
    return " ".join(_OTHER.sub(" ", name).split())[:_LONGEST_NAME].strip()
