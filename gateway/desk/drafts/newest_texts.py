"""The newest text of each draft, remembered so that one more change is applied to it alone."""

from dataclasses import dataclass, field
from threading import RLock

from cachetools import LRUCache

from gateway.desk.services import CommandStore
from penwright.domain.text.merging.changesets import apply
from schemas.drafts import Draft

_CACHED = 32_000_000
"""Characters that are remembered at most."""


def _cache() -> "LRUCache[str, tuple[int, str]]":
    return LRUCache(_CACHED, getsizeof=lambda kept: 1 + len(kept[1]))


@dataclass(frozen=True)
class NewestTexts:
    """Texts by draft, with the version of each; the ones used last are kept."""

    _kept: "LRUCache[str, tuple[int, str]]" = field(default_factory=_cache)
    _lock: RLock = field(default_factory=RLock)

    def newest(self, store: CommandStore, draft: Draft) -> str:
        """The text of ``draft`` at its version."""
        with self._lock:
            version, text = self._kept.get(draft.draft_id, (-1, ""))
        if not draft.text_version <= version <= draft.version:
            version, text = draft.text_version, store.blobs.get(draft.text).decode()
        if version < draft.version:
            for change in store.drafts.changes(draft.draft_id, version)[: draft.version - version]:
                text = apply(text, change.changes)
            self.remember(draft.draft_id, draft.version, text)
        return text

    def remember(self, draft_id: str, version: int, text: str) -> None:
        """Note the text of a version, unless it is too long to be kept."""
        if len(text) < _CACHED:
            with self._lock:
                self._kept[draft_id] = (version, text)
