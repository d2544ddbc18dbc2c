"""The blocks a record introduces and removes, and the order of records by age."""

from collections.abc import Collection, Iterable, Iterator
from datetime import UTC, datetime

from schemas.trace import Conversation, TraceRecord


def introduced_hashes(record: TraceRecord) -> frozenset[str]:
    """Hashes of the blocks that this record put into the text: new, rewritten or moved."""
    return frozenset(each.block_hash for talk in _conversations(record) for each in talk.ranges)


def removed_hashes(record: TraceRecord) -> frozenset[str]:
    """Hashes of the blocks that it replaced or removed, without those it also introduced."""
    gone = {
        hashed
        for talk in _conversations(record)
        for hashed in (
            *(each.before_block_hash for each in talk.ranges if each.before_block_hash),
            *(each.block_hash for each in talk.removed),
        )
    }
    return frozenset(gone - introduced_hashes(record))


def instant(record: TraceRecord) -> datetime:
    """When it was made, in UTC."""
    try:
        return record.timestamp.astimezone(UTC)
    except OverflowError:
        # The ledger holds a time beyond the calendar.
        return record.timestamp.replace(tzinfo=UTC)


def age(record: TraceRecord) -> tuple[datetime, str]:
    """Sort key of the records of one ledger."""
    return instant(record), record.integrity.hash


def newest_first(records: Iterable[TraceRecord]) -> tuple[TraceRecord, ...]:
    """By time, then by hash."""
    return tuple(sorted(records, key=age, reverse=True))


def superseded_by(records: Iterable[TraceRecord], blocks: Collection[str]) -> frozenset[str]:
    """Those of ``blocks`` that a record removed and no later record brought back."""
    latest: dict[str, tuple[datetime, bool]] = {}
    for record in records:
        for gone, named in ((False, introduced_hashes(record)), (True, removed_hashes(record))):
            for block in named.intersection(blocks):
                event = (instant(record), gone)
                latest[block] = max(latest.get(block, event), event)
    return frozenset(block for block, (_, gone) in latest.items() if gone)


def _conversations(record: TraceRecord) -> Iterator[Conversation]:
    return (talk for file in record.files for talk in file.conversations)
