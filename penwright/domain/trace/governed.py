"""Which files the ledger answers for."""

from functools import lru_cache

from penwright.domain.book_layout import ENGINE_OWNED, REVIEW_FOLDER
from penwright.domain.intents.globs import matches
from penwright.domain.trace.layout import FOLDER

_UNGOVERNED = (*ENGINE_OWNED, f"{FOLDER}/**", ".intentignore", f"{REVIEW_FOLDER}/recovered-*")


@lru_cache(maxsize=4096)
def is_governed(path: str) -> bool:
    """Text that somebody wrote; not the engine's bookkeeping, and not what governs the text."""
    return not any(matches(pattern, path) for pattern in _UNGOVERNED)
