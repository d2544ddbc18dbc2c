"""In-memory double of the store's drafts."""

from collections.abc import Callable
from datetime import datetime
from threading import RLock

from penwright.domain.drafts import appended, check_open, closed, opened, saved, settled, unknown
from penwright.ports.clock import Clock
from schemas.drafts import AppendChange, Appended, Draft, DraftChange, Missed, NewDraft, Rebased


class MemoryDrafts:
    """Implements ``Drafts``."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._drafts: dict[str, Draft] = {}
        self._changes: dict[str, list[DraftChange]] = {}
        self._made: dict[tuple[str, int], datetime] = {}
        self._lock = RLock()

    def open(self, new: NewDraft) -> Draft:
        with self._lock:
            found = next((each for each in self.of(new.work) if each.path == new.path), None)
            if found is None:
                found = self._drafts[new.draft_id] = opened(new, self._clock.now())
                self._changes[new.draft_id] = []
            return found

    def read(self, draft_id: str) -> Draft:
        if draft_id not in self._drafts:
            raise unknown(draft_id)
        return self._drafts[draft_id]

    def of(self, work: str) -> tuple[Draft, ...]:
        found = [each for each in self._drafts.values() if each.work == work and each.state == "open"]
        return tuple(sorted(found, key=lambda draft: draft.path))

    def unsaved_since(self, before: datetime, *, limit: int = 100) -> tuple[Draft, ...]:
        found = [
            each
            for each in self._drafts.values()
            if each.state == "open" and each.unsaved and each.changed_at <= before
        ]
        return tuple(sorted(found, key=lambda draft: (draft.changed_at, draft.draft_id))[:limit])

    def append(self, request: AppendChange) -> Appended | Missed:
        with self._lock:
            draft, kept = self.read(request.draft_id), self._changes.get(request.draft_id, [])
            known = next((each for each in kept if each.op_id == request.op_id), None)
            if known is not None:
                return Appended(version=known.version + 1, replayed=True)
            check_open(draft)
            if request.version != draft.version:
                return Missed(version=draft.version, changes=self.changes(draft.draft_id, request.version))
            kept.append(DraftChange.model_validate(request.model_dump()))
            after = self._drafts[draft.draft_id] = appended(draft, request, self._clock.now())
            self._made[draft.draft_id, request.version] = after.changed_at
            return Appended(version=after.version)

    def changes(self, draft_id: str, since: int) -> tuple[DraftChange, ...]:
        self.read(draft_id)
        return tuple(each for each in self._changes[draft_id] if each.version >= since)

    def changes_from(self, draft_id: str, at: datetime) -> tuple[DraftChange, ...]:
        self.read(draft_id)
        return tuple(each for each in self._changes[draft_id] if self._made[draft_id, each.version] >= at)

    def mark_saved(self, draft_id: str, version: int, rebased: Rebased) -> Draft:
        return self._changed(draft_id, lambda draft: saved(draft, version, rebased))

    def drop_dispute(self, draft_id: str, number: int) -> Draft:
        return self._changed(draft_id, lambda draft: settled(draft, number))

    def close(self, draft_id: str) -> Draft:
        return self._changed(draft_id, lambda draft: closed(draft, self._clock.now()))

    def _changed(self, draft_id: str, change: Callable[[Draft], Draft]) -> Draft:
        with self._lock:
            self._drafts[draft_id] = change(self.read(draft_id))
            return self._drafts[draft_id]
