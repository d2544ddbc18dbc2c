"""Which files the ledger answers for."""

from functools import lru_cache
from typing import Final

from penwright.domain.book.layout import ENGINE_OWNED, REVIEW_FOLDER
from penwright.domain.intents.ignoring import IGNORE_FILES
from penwright.domain.intents.registry import REGISTRY
from penwright.domain.text.globs import matches

RULES: Final = (REGISTRY, *IGNORE_FILES)
"""What says which text may be changed."""
_UNGOVERNED = (*ENGINE_OWNED, ".orchestration/**", ".intentignore", f"{REVIEW_FOLDER}/recovered-*")


@lru_cache(maxsize=4096)
def is_governed(path: str) -> bool:
    """Whether a path holds text with an author, neither bookkeeping of the engine nor rules about text."""
    return not any(matches(pattern, path) for pattern in _UNGOVERNED)
