"""In-memory doubles of the workspace's credentials and kept answers."""

from datetime import datetime
from threading import RLock
from typing import Any

from penwright.adapters.store.web_access import ANSWERS_KEPT, RESERVED_FOR, reservation
from schemas.base import OpId
from schemas.web import Credential, CredentialKind, KeptAnswer, Reservation


class MemoryCredentials:
    """Implements ``Credentials``."""

    def __init__(self) -> None:
        self._kept: dict[str, Credential] = {}

    def add(self, credential: Credential, digest: str) -> None:
        now = credential.created_at
        self._kept = {key: one for key, one in self._kept.items() if one.expires_at > now}
        self._kept[digest] = credential

    def find(self, digest: str, now: datetime) -> Credential | None:
        found = self._kept.get(digest)
        return found if found and found.expires_at > now else None

    def take(self, digest: str, now: datetime) -> Credential | None:
        found = self._kept.pop(digest, None)
        return found if found and found.expires_at > now else None

    def used(self, id: str, now: datetime, expires_at: datetime) -> None:
        noted = {"last_used_at": now, "expires_at": expires_at}
        for digest, credential in self._kept.items():
            if credential.id == id:
                self._kept[digest] = credential.model_copy(update=noted)

    def listed(self, kind: CredentialKind, now: datetime) -> tuple[Credential, ...]:
        valid = [one for one in self._kept.values() if one.kind == kind and one.expires_at > now]
        return tuple(sorted(valid, key=lambda one: (one.created_at, one.id)))

    def remove(self, id: str, kind: CredentialKind) -> bool:
        before = len(self._kept)
        self._kept = {key: one for key, one in self._kept.items() if (one.id, one.kind) != (id, kind)}
        return len(self._kept) < before

    def withdraw(self, gone: str) -> None:
        """Take a subject from all credentials; one that may touch nothing else is removed."""
        kept: dict[str, Credential] = {}
        for digest, one in self._kept.items():
            left = one.subjects and tuple(each for each in one.subjects if each != gone)
            if left == one.subjects or left:
                kept[digest] = one.model_copy(update={"subjects": left})
        self._kept = kept


class MemoryKeptAnswers:
    """Implements ``KeptAnswers``."""

    def __init__(self) -> None:
        self._lock = RLock()
        # Any: an answer as JSON, as a database keeps it.
        self._kept: dict[OpId, tuple[str, Any, datetime]] = {}

    def reserve(self, op_id: OpId, request: str, now: datetime) -> Reservation:
        with self._lock:
            self._forget(now)
            if op_id in self._kept:
                known, answer, _ = self._kept[op_id]
                return reservation(request, known, answer)
            self._kept[op_id] = request, None, now
            return Reservation(state="fresh")

    def keep(self, op_id: OpId, answer: KeptAnswer) -> None:
        with self._lock:
            if op_id in self._kept:
                request, _, at = self._kept[op_id]
                self._kept[op_id] = request, answer.model_dump(mode="json"), at

    def release(self, op_id: OpId) -> None:
        with self._lock:
            if op_id in self._kept and self._kept[op_id][1] is None:
                del self._kept[op_id]

    def _forget(self, now: datetime) -> None:
        self._kept = {
            op_id: (request, answer, at)
            for op_id, (request, answer, at) in self._kept.items()
            if now - at < (RESERVED_FOR if answer is None else ANSWERS_KEPT)
        }
