"""A scene of a novel as commands name it."""

import re
from typing import Final

from schemas.agent_state import WHOLE_NOVEL

_PLAIN: Final = re.compile(r"[\w.,+-]+", re.ASCII)
"""Names that a shell takes as they are."""


def words_of(novel: str, scene: str) -> str:
    """The novel's id or folder, and the scene unless it is the whole novel."""
    return novel if scene == WHOLE_NOVEL else f"{novel} {_quoted(scene)}"


def options_of(novel: str, scene: str) -> str:
    """The same where the scene is an option, as for ``cite``."""
    return novel if scene == WHOLE_NOVEL else f"{novel} --scene {_quoted(scene)}"


def _quoted(scene: str) -> str:
    inside = scene.replace("'", "'\"'\"'")
    return scene if _PLAIN.fullmatch(scene) else f"'{inside}'"
