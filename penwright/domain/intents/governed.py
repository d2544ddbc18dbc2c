"""Which files the ledger answers for."""

from typing import Final

from penwright.domain.intents.ignoring import IGNORE_FILES
from penwright.domain.intents.registry import REGISTRY
from penwright.domain.text.globs import Globs
from schemas.pipeline import PipelineProfile

RULES: Final = (REGISTRY, *IGNORE_FILES)
"""Files that say which text may be changed."""
_NOWHERE = (".orchestration/**", ".intentignore")
"""Not text in any workspace."""


class GovernedPaths:
    """Paths of text with an author: neither the engine's bookkeeping nor rules about text."""

    def __init__(self, profile: PipelineProfile) -> None:
        self._others = Globs.of((*profile.bookkeeping, *profile.unrecorded, *_NOWHERE))

    def __contains__(self, path: str) -> bool:
        return path not in self._others
