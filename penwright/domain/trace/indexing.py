"""Keep the index of the ledger current: read what is new, or everything after a rollback."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from penwright.domain.trace.chain import Line, followed_from, linked, read_lines
from penwright.domain.trace.layout import LEDGER, MANIFEST
from penwright.domain.trace.manifest import closed_heads, listed_segments, newest_of
from penwright.domain.trace.reading import record_of
from penwright.domain.trace.source import TraceIndex, TraceSource
from schemas.trace import LedgerFile, TraceRecord

_AT_ONCE = 1000
"""Records added to the index in one batch."""
Links = dict[str, tuple[str, ...]]
"""Hash of a record -> hashes of those it follows."""


def catch_up(source: TraceSource, index: TraceIndex, subject: str) -> int:
    """Add the records of the ledger at the source's tip that the index lacks; return how many.

    After an interruption the next call continues: no record is added before its predecessors.
    """
    return _index_new(source, index, subject, index.covered(subject))


def covered_at(source: TraceSource, index: TraceIndex, subject: str) -> tuple[str, ...]:
    """Bring the index up to the source's tip; the newest records it holds then."""
    covered = index.covered(subject)
    return index.covered(subject) if _index_new(source, index, subject, covered) else covered


def _index_new(source: TraceSource, index: TraceIndex, subject: str, covered: Sequence[str]) -> int:
    new = _new_in(source, set(covered))
    if new is None:
        index.forget(subject)
        new = _new_in(source, set())
    count = 0
    for batch in _batches(new) if new and new.hashes else ():
        index.extend(subject, batch)
        count += len(batch)
    return count


def heads_of(source: TraceSource) -> tuple[str, ...]:
    """The newest records of the whole ledger, as an index that has caught up says it."""
    found = linked(read_lines(source.at(source.tip, LEDGER) or b""))
    return newest_of(found, listed_segments(source.at(source.tip, MANIFEST) or b""))


@dataclass(frozen=True, slots=True)
class _New:
    """Segments with new records, and which these are."""

    source: TraceSource
    segments: tuple[LedgerFile, ...]
    hashes: frozenset[str]


def _new_in(source: TraceSource, covered: set[str]) -> _New | None:
    """What the index does not know; None if it knows what the ledger does not have."""
    links: Links = {}
    closed = closed_heads(listed_segments(source.at(source.tip, MANIFEST) or b""))
    read: list[LedgerFile] = []
    for segment in reversed(source.ledger()):
        read.insert(0, segment)
        links |= {line.hash: line.prev for line in _lines(source, segment)}
        if covered and covered <= links.keys() and _suffices(links, covered, closed):
            break
    if not covered <= links.keys():
        return None
    new = links.keys() - followed_from(covered, links)
    return _New(source, tuple(read), frozenset(new))


def _lines(source: TraceSource, segment: LedgerFile) -> Iterator[Line]:
    """The lines that say which record they are; they may be damaged."""
    return (line for line in read_lines(source.blob(segment.blob) or b"") if line.hash)


def _suffices(links: Links, covered: set[str], closed: set[str]) -> bool:
    """Whether older segments hold nothing new: none of their heads is, and nothing that a new one follows."""
    known = followed_from(covered, links)
    listed = links.keys() | known
    return closed <= listed and all(named in listed for each in links.keys() - known for named in links[each])


def _batches(new: _New) -> Iterator[list[TraceRecord]]:
    batch: list[TraceRecord] = []
    for record in _in_order(new):
        batch.append(record)
        if len(batch) == _AT_ONCE:
            yield batch
            batch = []
    if batch:
        yield batch


def _in_order(new: _New) -> Iterator[TraceRecord]:
    """Sound records, each after its predecessors: merged ledgers have their lines in any order."""
    awaited = set(new.hashes)
    held: dict[str, list[Line]] = {}
    for line in (line for each in new.segments for line in _lines(new.source, each)):
        ready = [line] if line.hash in new.hashes else []
        while ready:
            each = ready.pop()
            # A damaged line may follow anything; none waits for it, and it waits for none.
            ahead = next((named for named in each.prev if named in awaited and not each.fault), None)
            if ahead is not None:
                held.setdefault(ahead, []).append(each)
                continue
            if (record := record_of(each)) is not None:
                yield record
            awaited.discard(each.hash)
            ready += held.pop(each.hash, ())
