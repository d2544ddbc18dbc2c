"""Seats of scenes, each by the digest of its secret."""

from datetime import datetime

from sqlalchemy import select, update
from sqlalchemy.dialects.postgresql import insert

from penwright.adapters.store.database import Database
from penwright.adapters.store.scenes.tables.seats import scene_seats
from schemas.seats import Seat, SeatEnd

_SEATS = scene_seats.c
_FIELDS = [_SEATS[name] for name in Seat.model_fields]


class PostgresSeats:
    """Implements ``Seats``."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def give(self, seat: Seat, digest: str) -> bool:
        row = insert(scene_seats).values(**seat.model_dump(), digest=digest)
        with self._database.statement() as connection:
            return connection.execute(row.on_conflict_do_nothing().returning(_SEATS.id)).first() is not None

    def find(self, digest: str) -> Seat | None:
        with self._database.statement() as connection:
            row = connection.execute(select(*_FIELDS).where(_SEATS.digest == digest)).mappings().first()
        return Seat.model_validate(dict(row)) if row else None

    def of(self, scene: str) -> tuple[Seat, ...]:
        wanted = select(*_FIELDS).where(_SEATS.scene == scene).order_by(_SEATS.since, _SEATS.id)
        with self._database.statement() as connection:
            rows = connection.execute(wanted).mappings().all()
        return tuple(Seat.model_validate(dict(row)) for row in rows)

    def seen(self, id: str, at: datetime) -> None:
        with self._database.statement() as connection:
            connection.execute(update(scene_seats).where(_SEATS.id == id).values(seen_at=at))

    def keep_draft(self, id: str, text: str) -> None:
        kept = update(scene_seats).where(_SEATS.id == id, _SEATS.over.is_(None)).values(draft=text)
        with self._database.statement() as connection:
            connection.execute(kept)

    def end(self, id: str, how: SeatEnd, at: datetime) -> bool:
        ended = update(scene_seats).where(_SEATS.id == id, _SEATS.over.is_(None))
        with self._database.statement() as connection:
            return bool(connection.execute(ended.values(over=how, over_at=at, draft="")).rowcount)
