"""Books, their entries on the board, runs and events."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import delete, select, text, tuple_
from sqlalchemy.dialects.postgresql import insert

from penwright.adapters.store.database import Database
from penwright.adapters.store.numbering import newest_cursor, number_events
from penwright.adapters.store.tables import board_entries, books, events, runs
from penwright.ports.clock import Clock
from penwright.ports.portions import Portion
from schemas.base import BookId
from schemas.records import BoardEntry, BoardRow, BookRow, Event, RunRow, RunTally, WorkspaceKind

# One statement, so one round trip. A repeat, even one that arrives after later notes (of an attempt that
# outlived its timeout), finds its events stored and leaves the run unchanged.
_NOTE = text(
    """
    with fresh as (
        insert into events (run, subject, kind, at, op_id, data)
        select given.run, given.subject, given.kind, given.at, given.op_id, given.data::json
        from unnest(
            cast(:runs as text[]), cast(:subjects as text[]), cast(:kinds as text[]),
            cast(:ats as timestamptz[]), cast(:op_ids as text[]), cast(:datas as text[])
        ) with ordinality as given (run, subject, kind, at, op_id, data, position)
        order by given.position
        on conflict (op_id, kind) do nothing
        returning 1
    )
    insert into runs (
        run, pipeline, subject, stage, outcome, words, cost_micros, started_at, ended_at, detail, noted_at
    )
    select :run, :pipeline, :subject, :stage, :outcome, :words, :cost_micros,
           cast(:started_at as timestamptz), cast(:ended_at as timestamptz), cast(:detail as json), :now
    where cardinality(cast(:kinds as text[])) = 0
       or exists (select from fresh)
       or not exists (select from runs where run = :run)
    on conflict (run) do update set
        pipeline = excluded.pipeline, subject = excluded.subject, stage = excluded.stage,
        outcome = coalesce(nullif(excluded.outcome, ''), runs.outcome),
        words = greatest(excluded.words, runs.words),
        cost_micros = greatest(excluded.cost_micros, runs.cost_micros),
        started_at = coalesce(runs.started_at, excluded.started_at),
        ended_at = coalesce(excluded.ended_at, runs.ended_at),
        detail = excluded.detail
    """
)

_TALLIES = text(
    """
    select subject, sum(cost_micros)::bigint as cost_micros,
           coalesce(sum((detail ->> 'unknown_prices')::bigint), 0)::bigint as unknown_prices,
           (array_agg(words order by noted_at desc, run desc))[1] as words
    from runs where pipeline = :pipeline and subject = any(cast(:subjects as text[])) group by subject
    """
)
_ENDED = text(
    """
    select distinct on (subject) * from runs
    where pipeline = :pipeline and subject = any(cast(:subjects as text[])) and ended_at is not null
    order by subject, noted_at desc, run desc
    """
)

# A late repeat, of an attempt that outlived its timeout, is older than what is stored and changes nothing.
_ENTER = text(
    """
    insert into board_entries (book_id, about, state, at, since, detail)
    values (:book_id, :about, :state, :at, :at, cast(:detail as json))
    on conflict (book_id, about) do update set
        state = excluded.state, at = excluded.at, detail = excluded.detail,
        since = case board_entries.state
            when excluded.state then board_entries.since else excluded.since end
    where excluded.at >= board_entries.at
    """
)

_BOARD = text(
    """
    select books.*, known.entries,
           exists (
               select from books as other
               where other.kind = 'book' and other.book_id <> books.book_id
                 and other.path = books.path and other.queue = books.queue
           ) as shares_folder,
           coalesce(spent.cost_micros, 0) as cost_micros, coalesce(spent.unknown_prices, 0) as unknown_prices
    from books
    left join lateral (
        select json_agg(entry order by entry.about) as entries from board_entries as entry
        where entry.book_id = books.book_id
    ) as known on true
    left join spending as spent on spent.period = 'subject' and spent.name = books.book_id
    where books.kind = 'book' and (cast(:book_id as text) is null or books.book_id = :book_id)
      and (cast(:among as text[]) is null or books.book_id = any(cast(:among as text[])))
      and (cast(:after as text) is null or books.book_id > :after)
    order by books.book_id
    limit cast(:most as bigint)
    """
)


class PostgresRecords:
    """Books, runs and events; implements ``Records``."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    def register(self, book: BookRow) -> None:
        row = book.model_dump() | {"created_at": book.created_at or self._clock.now()}
        changed = {name: row[name] for name in ("path", "title", "queue", "remote_url", "kind")}
        order = insert(books).values(row).on_conflict_do_update(index_elements=["book_id"], set_=changed)
        with self._database.statement() as connection:
            connection.execute(order)

    def book(self, book_id: BookId) -> BookRow | None:
        with self._database.statement() as connection:
            row = connection.execute(select(books).where(books.c.book_id == book_id)).mappings().first()
        return None if row is None else BookRow.model_validate(dict(row))

    def books(self, kind: WorkspaceKind = "book") -> tuple[BookRow, ...]:
        wanted = select(books).where(books.c.kind == kind).order_by(books.c.book_id)
        with self._database.statement() as connection:
            rows = connection.execute(wanted).mappings().all()
        return tuple(BookRow.model_validate(dict(row)) for row in rows)

    def enter(self, entries: Sequence[BoardEntry]) -> None:
        enter(self._database, entries)

    def board(self, book_id: BookId | None = None, *, portion: Portion | None = None) -> tuple[BoardRow, ...]:
        return board(self._database, book_id, portion)

    def forget(self, book_id: BookId) -> bool:
        return forget(self._database, book_id)

    def note(self, run: RunRow, events: Sequence[Event]) -> None:
        row = run.model_dump() | {"detail": json.dumps(run.detail), "now": self._clock.now()}
        with self._database.statement() as connection:
            connection.execute(_NOTE, row | _columns(events))
        if events:
            self._database.ring()

    def runs(
        self,
        *,
        subject: str | None = None,
        pipeline: str | None = None,
        limit: int = 50,
        before: str | None = None,
    ) -> tuple[RunRow, ...]:
        wanted = select(runs).order_by(runs.c.noted_at.desc(), runs.c.run.desc()).limit(limit)
        if subject is not None:
            wanted = wanted.where(runs.c.subject == subject)
        if pipeline is not None:
            wanted = wanted.where(runs.c.pipeline == pipeline)
        if before is not None:
            noted = select(runs.c.noted_at).where(runs.c.run == before).scalar_subquery()
            wanted = wanted.where(tuple_(runs.c.noted_at, runs.c.run) < tuple_(noted, before))
        with self._database.statement() as connection:
            rows = connection.execute(wanted).mappings().all()
        return tuple(RunRow.model_validate(dict(row)) for row in rows)

    def tallies(self, pipeline: str, subjects: Sequence[str]) -> Mapping[str, RunTally]:
        asked = {"pipeline": pipeline, "subjects": list(subjects)}
        with self._database.statement() as connection:
            sums = connection.execute(_TALLIES, asked).mappings().all()
            rows = connection.execute(_ENDED, asked).mappings().all()
        ended = {row["subject"]: RunRow.model_validate(dict(row)) for row in rows}
        return {
            row["subject"]: RunTally(
                words=row["words"],
                cost_micros=row["cost_micros"],
                unknown_prices=row["unknown_prices"],
                ended=ended.get(row["subject"]),
            )
            for row in sums
        }

    def run(self, run: str) -> RunRow | None:
        with self._database.statement() as connection:
            row = connection.execute(select(runs).where(runs.c.run == run)).mappings().first()
        return None if row is None else RunRow.model_validate(dict(row))

    def events_after(
        self, cursor: int, *, run: str | None = None, subject: str | None = None, limit: int = 500
    ) -> tuple[Event, ...]:
        wanted = select(events).where(events.c.cursor > cursor).order_by(events.c.cursor).limit(limit)
        if run is not None:
            wanted = wanted.where(events.c.run == run)
        if subject is not None:
            wanted = wanted.where(events.c.subject == subject)
        number_events(self._database)
        with self._database.statement() as connection:
            rows = connection.execute(wanted).mappings().all()
        return tuple(Event.model_validate(dict(row)) for row in rows)

    def newest_event(self) -> int:
        return newest_cursor(self._database)


# Any: lists of texts and of times.
def _columns(events: Sequence[Event]) -> dict[str, list[Any]]:
    return {
        "runs": [event.run for event in events],
        "subjects": [event.subject for event in events],
        "kinds": [event.kind for event in events],
        "ats": [event.at for event in events],
        "op_ids": [event.op_id for event in events],
        "datas": [json.dumps(event.data) for event in events],
    }


def enter(database: Database, entries: Sequence[BoardEntry]) -> None:
    """Store entries; see ``Records.enter``."""
    rows = [entry.model_dump(exclude={"since"}) | {"detail": json.dumps(entry.detail)} for entry in entries]
    if rows:
        with database.statement() as connection:
            connection.execute(_ENTER, rows)


def board(database: Database, book_id: BookId | None, portion: Portion | None = None) -> tuple[BoardRow, ...]:
    """Return books with their entries and cost; see ``Records.board``."""
    asked = {
        "book_id": book_id,
        "most": portion.limit if portion else None,
        "after": portion.after if portion else None,
        "among": None if portion is None or portion.among is None else list(portion.among),
    }
    with database.statement() as connection:
        rows = connection.execute(_BOARD, asked).mappings().all()
    return tuple(
        BoardRow(
            book=BookRow.model_validate(dict(row)),
            entries=tuple(BoardEntry.model_validate(entry) for entry in row["entries"] or ()),
            cost_micros=row["cost_micros"],
            unknown_prices=row["unknown_prices"],
            shares_folder=row["shares_folder"],
        )
        for row in rows
    )


def forget(database: Database, book_id: BookId) -> bool:
    """Remove a book and its entries; see ``Records.forget``."""
    with database.transaction() as connection:
        connection.execute(delete(board_entries).where(board_entries.c.book_id == book_id))
        return bool(connection.execute(delete(books).where(books.c.book_id == book_id)).rowcount)
