"""What the ledgers of the books say, ready to be asked."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from typing import Any

from sqlalchemy import Connection, text

from penwright.adapters.store.database import Database
from penwright.domain.trace.mentions import came, instant, went
from schemas.trace import Anchor, TraceRecord

_AT_ONCE = 2000
"""Records that travel in one statement."""
_LONGEST_KEY = 200

# One writer for a book at a time: two that add the same records would otherwise wait for each other's rows.
_TAKE_TURNS = text("select pg_advisory_xact_lock(7308, hashtext(:subject))")

_EXTEND = text(
    """
    with fresh as (
        insert into trace_records (subject, hash, intent, at, newest, record)
        select :subject, given.hash, given.intent, given.at,
               given.hash <> all(cast(:named as text[])), given.record::json
        from unnest(
            cast(:hashes as text[]), cast(:intents as text[]), cast(:ats as timestamptz[]),
            cast(:records as text[])
        ) as given (hash, intent, at, record)
        on conflict (subject, hash) do nothing
        returning hash, at
    ), blocks as (
        insert into trace_blocks (subject, block_hash, record, at, came)
        select :subject, given.block_hash, fresh.hash, fresh.at, given.came
        from unnest(
            cast(:block_hashes as text[]), cast(:named_by as text[]), cast(:cames as boolean[])
        ) as given (block_hash, named_by, came)
        join fresh on fresh.hash = given.named_by
    )
    update trace_records set newest = false
    where subject = :subject and newest and hash = any(:named)
    """
)

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
# A block that never came in by a record went out all the same.
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
_ANCHORS = text("select cast(anchor as text) from trace_anchors where subject = :subject order by at, number")


class PostgresTraceIndex:
    """Records, the blocks they name, and anchors; implements ``TraceIndex``."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def covered(self, subject: str) -> tuple[str, ...]:
        with self._database.statement() as connection:
            return tuple(connection.execute(_COVERED, {"subject": subject}).scalars())

    def extend(self, subject: str, records: Sequence[TraceRecord]) -> None:
        each_once = list({record.integrity.hash: record for record in records}.values())
        for start in range(0, len(each_once), _AT_ONCE):
            columns = _columns(each_once[start : start + _AT_ONCE])
            with self._writing(subject) as connection:
                connection.execute(_EXTEND, {"subject": subject, **columns})

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
            "anchor": anchor.model_dump_json(),
        }
        with self._database.statement() as connection:
            connection.execute(_ANCHOR, row)

    def anchors(self, subject: str) -> tuple[Anchor, ...]:
        with self._database.statement() as connection:
            rows = connection.execute(_ANCHORS, {"subject": subject}).scalars()
            return tuple(map(Anchor.model_validate_json, rows))

    @contextmanager
    def _writing(self, subject: str) -> Iterator[Connection]:
        with self._database.transaction() as connection:
            connection.execute(_TAKE_TURNS, {"subject": subject})
            yield connection


# Lists of texts, instants and flags, as the driver's arrays take them.
def _columns(records: Sequence[TraceRecord]) -> dict[str, list[Any]]:
    blocks = [
        (_key(block), record.integrity.hash, is_in)
        for record in records
        for is_in, named in ((True, came(record)), (False, went(record)))
        for block in sorted(named)
    ]
    return {
        "hashes": [record.integrity.hash for record in records],
        "intents": [_key(record.intent.id) if record.intent else None for record in records],
        "ats": [instant(record) for record in records],
        "records": [record.model_dump_json(by_alias=True, exclude_none=True) for record in records],
        "named": sorted({named for record in records for named in record.integrity.prev}),
        "block_hashes": [block for block, _, _ in blocks],
        "named_by": [record for _, record, _ in blocks],
        "cames": [is_in for _, _, is_in in blocks],
    }


def _key(value: str) -> str:
    """What a ledger may hold is anything; what an index of the database takes is short and without NUL."""
    if len(value) <= _LONGEST_KEY and value.isascii() and value.isprintable():
        return value
    return f"\x01{sha256(value.encode('utf-8', 'surrogatepass')).hexdigest()}"


def _read(rows: Iterable[str]) -> tuple[TraceRecord, ...]:
    return tuple(map(TraceRecord.model_validate_json, rows))
