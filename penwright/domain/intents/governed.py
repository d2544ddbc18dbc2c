"""Which files the ledger answers for."""

from typing import Final

from penwright.domain.intents.ignoring import IGNORE_FILES
from penwright.domain.intents.registry import REGISTRY
from penwright.domain.text.globs import Globs
from schemas.pipeline import PipelineProfile

RULES: Final = (REGISTRY, *IGNORE_FILES)
"""What says which text may be changed."""
_NOWHERE = (".orchestration/**", ".intentignore")
"""Not text in any workspace."""


class GovernedPaths:
    """Text that an author wrote, as in ``path in governed``: no bookkeeping, nothing that governs text."""

    def __init__(self, profile: PipelineProfile) -> None:
        self._others = Globs.of((*profile.bookkeeping, *profile.unrecorded, *_NOWHERE))

    def __contains__(self, path: str) -> bool:
        return path not in self._others
