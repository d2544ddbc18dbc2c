"""Index of the books' ledgers, for queries."""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from hashlib import sha256
from typing import Any, LiteralString

from pydantic import TypeAdapter
from sqlalchemy import Connection, text

from penwright.adapters.store.database import Database
from penwright.domain.trace.mentions import instant, introduced_hashes, removed_hashes
from schemas.trace import Anchor, TraceRecord

_LONGEST_KEY = 200
_ANCHOR_READ, _BY_NAME = TypeAdapter(Anchor), TypeAdapter(dict[str, object])

# One writer per book at a time, so that records found missing stay missing until it commits.
_LOCK = text("select pg_advisory_xact_lock(7308, hashtext(:subject))")
_KNOWN = text("select hash from trace_records where subject = :subject and hash = any(:hashes)")
_FOLLOWED = text(
    """
    update trace_records set newest = false
    where subject = :subject and newest and hash = any(:named)
    """
)
# COPY, because rebuilding the index inserts a whole ledger at once.
_RECORDS_IN: LiteralString = "copy trace_records (subject, hash, intent, at, newest, record) from stdin"
_BLOCKS_IN: LiteralString = "copy trace_blocks (subject, block_hash, record, at, came) from stdin"

_COVERED = text("select hash from trace_records where subject = :subject and newest order by hash")
_FORGET_BLOCKS = text("delete from trace_blocks where subject = :subject")
_FORGET_RECORDS = text("delete from trace_records where subject = :subject")
_HISTORY = text(
    """
    select cast(record as text) from trace_records
    where subject = :subject and intent = :intent
    order by at desc, hash desc limit :limit
    """
)
_COUNT = text("select count(*) from trace_records where subject = :subject and intent = :intent")
_ORIGIN = text(
    """
    select cast(trace_records.record as text)
    from trace_blocks join trace_records
      on trace_records.subject = trace_blocks.subject and trace_records.hash = trace_blocks.record
    where trace_blocks.subject = :subject and trace_blocks.block_hash = :block_hash
    order by trace_blocks.at desc, trace_blocks.record desc limit 20
    """
)
# A block that no record introduced can still be removed by one.
_SUPERSEDED = text(
    """
    select block_hash from trace_blocks
    where subject = :subject and block_hash = any(:blocks)
    group by block_hash
    having max(at) filter (where not came) >= coalesce(max(at) filter (where came), '-infinity')
    """
)

_ANCHOR = text(
    """
    insert into trace_anchors (subject, entry, at, anchor)
    values (:subject, :entry, :at, cast(:anchor as json))
    on conflict (subject, entry) do nothing
    """
)
_ANCHORS = text(
    """
    select cast(anchor as text) from trace_anchors
    where subject = :subject
      and at >= coalesce(cast(cast(:since as json) ->> (anchor ->> 'clone') as timestamptz), '-infinity')
    order by at, number
    """
)


class PostgresTraceIndex:
    """Records, the blocks they name, and anchors; implements ``TraceIndex``."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def covered(self, subject: str) -> tuple[str, ...]:
        with self._database.statement() as connection:
            return tuple(connection.execute(_COVERED, {"subject": subject}).scalars())

    def extend(self, subject: str, records: Sequence[TraceRecord]) -> None:
        given = {record.integrity.hash: record for record in records}
        with self._writing(subject) as connection:
            asked = {"subject": subject, "hashes": list(given)}
            known = set(connection.execute(_KNOWN, asked).scalars())
            fresh = [record for hashed, record in given.items() if hashed not in known]
            named = {each for record in records for each in record.integrity.prev}
            _copy(connection, _RECORDS_IN, (_record_row(subject, each, named) for each in fresh))
            _copy(connection, _BLOCKS_IN, (row for each in fresh for row in _block_rows(subject, each)))
            connection.execute(_FOLLOWED, {"subject": subject, "named": list(named)})

    def forget(self, subject: str) -> None:
        with self._writing(subject) as connection:
            connection.execute(_FORGET_BLOCKS, {"subject": subject})
            connection.execute(_FORGET_RECORDS, {"subject": subject})

    def history(self, subject: str, intent: str, *, limit: int) -> tuple[TraceRecord, ...]:
        asked = {"subject": subject, "intent": _key(intent), "limit": limit}
        with self._database.statement() as connection:
            return _read(connection.execute(_HISTORY, asked).scalars())

    def count(self, subject: str, intent: str) -> int:
        with self._database.statement() as connection:
            asked = {"subject": subject, "intent": _key(intent)}
            return int(connection.execute(_COUNT, asked).scalar_one())

    def origin(self, subject: str, block_hash: str) -> tuple[TraceRecord, ...]:
        asked = {"subject": subject, "block_hash": _key(block_hash)}
        with self._database.statement() as connection:
            return _read(connection.execute(_ORIGIN, asked).scalars())

    def superseded(self, subject: str, blocks: Collection[str]) -> frozenset[str]:
        keys = {_key(block): block for block in blocks}
        with self._database.statement() as connection:
            found = connection.execute(_SUPERSEDED, {"subject": subject, "blocks": list(keys)}).scalars()
            return frozenset(keys[key] for key in found)

    def anchor(self, subject: str, anchor: Anchor) -> None:
        row = {
            "subject": subject,
            "entry": anchor.entry,
            "at": anchor.at,
            "anchor": _BY_NAME.dump_json(anchor._asdict()).decode(),
        }
        with self._database.statement() as connection:
            connection.execute(_ANCHOR, row)

    def anchors(self, subject: str, *, since: Mapping[str, datetime] | None = None) -> tuple[Anchor, ...]:
        times = {clone: at.isoformat() for clone, at in (since or {}).items()}
        with self._database.statement() as connection:
            rows = connection.execute(_ANCHORS, {"subject": subject, "since": json.dumps(times)}).scalars()
            return tuple(map(_ANCHOR_READ.validate_json, rows))

    @contextmanager
    def _writing(self, subject: str) -> Iterator[Connection]:
        with self._database.transaction() as connection:
            connection.execute(_LOCK, {"subject": subject})
            yield connection


# Any: texts, times and flags.
def _record_row(subject: str, record: TraceRecord, named: Collection[str]) -> tuple[Any, ...]:
    return (
        subject,
        record.integrity.hash,
        _key(record.intent.id) if record.intent else None,
        instant(record),
        record.integrity.hash not in named,
        record.model_dump_json(by_alias=True, exclude_none=True),
    )


def _block_rows(subject: str, record: TraceRecord) -> Iterator[tuple[Any, ...]]:
    hashed, at = record.integrity.hash, instant(record)
    for is_in, blocks in ((True, introduced_hashes(record)), (False, removed_hashes(record))):
        yield from ((subject, _key(block), hashed, at, is_in) for block in blocks)


def _copy(connection: Connection, order: LiteralString, rows: Iterable[tuple[Any, ...]]) -> None:
    cursor = connection.connection.cursor()
    with cursor.copy(order) as stream:
        for row in rows:
            stream.write_row(row)


def _key(value: str) -> str:
    """Return ``value``, or its hash if it is too long for a database index or not printable ASCII."""
    if len(value) <= _LONGEST_KEY and value.isascii() and value.isprintable():
        return value
    return f"\x01{sha256(value.encode('utf-8', 'surrogatepass')).hexdigest()}"


def _read(rows: Iterable[str]) -> tuple[TraceRecord, ...]:
    return tuple(map(TraceRecord.model_validate_json, rows))
