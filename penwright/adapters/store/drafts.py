"""Drafts: one row for each, and one for each change, in the order in which they were made."""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, insert, select, update
from sqlalchemy.dialects.postgresql import insert as upsert

from penwright.adapters.store.database import Database
from penwright.adapters.store.tables import draft_changes, drafts
from penwright.domain.drafts import (
    appended,
    check_complete,
    check_open,
    closed,
    opened,
    saved,
    settled,
    unknown,
)
from penwright.ports.clock import Clock
from schemas.base import BlobRef
from schemas.drafts import AppendChange, Appended, Draft, DraftChange, Missed, NewDraft, Rebased

_DRAFT = drafts.c
_CHANGE = draft_changes.c


class PostgresDrafts:
    """Implements ``Drafts``."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    def open(self, new: NewDraft) -> Draft:
        given = opened(new, self._clock.now())
        with self._database.transaction() as connection:
            # Of two that open one file at a time, the index of open drafts lets one in.
            connection.execute(upsert(drafts).values(_row(given)).on_conflict_do_nothing())
            wanted = select(drafts).where(_DRAFT.work == new.work, _DRAFT.path == new.path)
            return _draft(connection.execute(wanted.where(_DRAFT.state == "open")).mappings().one())

    def read(self, draft_id: str) -> Draft:
        with self._database.statement() as connection:
            return _read(connection, draft_id)

    def of(self, work: str) -> tuple[Draft, ...]:
        wanted = select(drafts).where(_DRAFT.work == work, _DRAFT.state == "open").order_by(_DRAFT.path)
        with self._database.statement() as connection:
            return tuple(map(_draft, connection.execute(wanted).mappings()))

    def unsaved_since(self, before: datetime, *, limit: int = 100) -> tuple[Draft, ...]:
        wanted = (
            select(drafts)
            .where(_DRAFT.state == "open", _DRAFT.version > _DRAFT.saved_version, _DRAFT.changed_at <= before)
            .order_by(_DRAFT.changed_at, _DRAFT.draft_id)
            .limit(limit)
        )
        with self._database.statement() as connection:
            return tuple(map(_draft, connection.execute(wanted).mappings()))

    def append(self, request: AppendChange) -> Appended | Missed:
        with self._database.transaction() as connection:
            draft = _read(connection, request.draft_id, lock=True)
            wanted = select(_CHANGE.version).where(
                _CHANGE.draft_id == request.draft_id, _CHANGE.op_id == request.op_id
            )
            known = connection.execute(wanted).scalar()
            if known is not None:
                return Appended(version=known + 1, replayed=True)
            check_open(draft)
            if request.version != draft.version:
                return Missed(version=draft.version, changes=_since(connection, draft, request.version))
            after = appended(draft, request, self._clock.now())
            connection.execute(insert(draft_changes).values(_change_row(request, after.changed_at)))
            _keep(connection, after)
        return Appended(version=after.version)

    def changes(self, draft_id: str, since: int) -> tuple[DraftChange, ...]:
        with self._database.statement() as connection:
            return _since(connection, _read(connection, draft_id), since)

    def changes_from(self, draft_id: str, at: datetime) -> tuple[DraftChange, ...]:
        wanted = select(draft_changes).where(_CHANGE.draft_id == draft_id, _CHANGE.at >= at)
        with self._database.statement() as connection:
            _read(connection, draft_id)
            rows = connection.execute(wanted.order_by(_CHANGE.version)).mappings()
            return tuple(DraftChange.model_validate(dict(row)) for row in rows)

    def mark_saved(self, draft_id: str, version: int, rebased: Rebased) -> Draft:
        return self._changed(draft_id, lambda draft: saved(draft, version, rebased))

    def drop_dispute(self, draft_id: str, number: int) -> Draft:
        return self._changed(draft_id, lambda draft: settled(draft, number))

    def close(self, draft_id: str) -> Draft:
        now = self._clock.now()
        return self._changed(draft_id, lambda draft: closed(draft, now))

    def _changed(self, draft_id: str, change: Callable[[Draft], Draft]) -> Draft:
        with self._database.transaction() as connection:
            draft = change(_read(connection, draft_id, lock=True))
            _keep(connection, draft)
        return draft


def _read(connection: Connection, draft_id: str, *, lock: bool = False) -> Draft:
    wanted = select(drafts).where(_DRAFT.draft_id == draft_id)
    row = connection.execute(wanted.with_for_update() if lock else wanted).mappings().first()
    if row is None:
        raise unknown(draft_id)
    return _draft(row)


def _since(connection: Connection, draft: Draft, since: int) -> tuple[DraftChange, ...]:
    wanted = select(draft_changes).where(_CHANGE.draft_id == draft.draft_id, _CHANGE.version >= since)
    rows = connection.execute(wanted.order_by(_CHANGE.version)).mappings()
    found = tuple(DraftChange.model_validate(dict(row)) for row in rows)
    check_complete(draft, since, found)
    return found


def _keep(connection: Connection, draft: Draft) -> None:
    row = _row(draft)
    connection.execute(update(drafts).where(_DRAFT.draft_id == draft.draft_id).values(row))


# Any: column values of several types.
def _row(draft: Draft) -> dict[str, Any]:
    row = draft.model_dump(exclude={"text", "base_text", "disputes"})
    return row | {
        "text": draft.text.sha256,
        "text_size": draft.text.size,
        "base_text": draft.base_text.sha256,
        "base_text_size": draft.base_text.size,
        "disputes": [each.model_dump(mode="json") for each in draft.disputes],
    }


def _draft(row: Mapping[Any, Any]) -> Draft:
    refs = {name: BlobRef(sha256=row[name], size=row[f"{name}_size"]) for name in ("text", "base_text")}
    return Draft.model_validate({**row, **refs})


def _change_row(request: AppendChange, at: datetime) -> dict[str, Any]:
    row = request.model_dump(exclude={"rebased", "text", "saved", "changes"})
    return row | {"changes": list(request.changes), "at": at}
