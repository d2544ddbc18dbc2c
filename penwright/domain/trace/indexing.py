"""Keep the index of the ledger current: read what is new, or everything after a rollback."""

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass

from penwright.domain.trace.chain import followed_from
from penwright.domain.trace.layout import MANIFEST
from penwright.domain.trace.reading import record_in
from penwright.domain.trace.source import TraceIndex, TraceSource
from schemas.trace import LedgerFile, TraceRecord

_AT_ONCE = 1000
"""Records added to the index in one batch."""
_LINK = re.compile(
    rb'"integrity":\{"alg":"[^"\n]{1,40}","hash":"(sha256:[0-9a-f]{64})","prev":\[([sha0-9a-f:",]*)\]'
)
"""Where a line says which record it is and which it follows: ten times faster than parsing it."""

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
    links: Links = {}
    for segment in source.ledger():
        links |= _links(source.blob(segment.blob) or b"")
    return tuple(sorted(links.keys() - {named for prev in links.values() for named in prev}))


@dataclass(frozen=True, slots=True)
class _New:
    """Segments with new records, and which these are."""

    source: TraceSource
    segments: tuple[LedgerFile, ...]
    hashes: frozenset[str]


def _new_in(source: TraceSource, covered: set[str]) -> _New | None:
    """What the index does not know; None if it knows what the ledger does not have."""
    links: Links = {}
    closed = _closed_heads(source.at(source.tip, MANIFEST) or b"")
    read: list[LedgerFile] = []
    for segment in reversed(source.ledger()):
        read.insert(0, segment)
        links |= _links(source.blob(segment.blob) or b"")
        if covered and covered <= links.keys() and _suffices(links, covered, closed):
            break
    if not covered <= links.keys():
        return None
    new = links.keys() - followed_from(covered, links)
    return _New(source, tuple(read), frozenset(new))


def _links(content: bytes) -> Links:
    """The records of a segment and those they follow."""
    return {
        own: tuple(prev.split(",")) if prev else ()
        for own, prev in (
            (own.decode(), prev.decode().replace('"', "")) for own, prev in _LINK.findall(content)
        )
    }


def _suffices(links: Links, covered: set[str], closed: frozenset[str]) -> bool:
    """Whether older segments hold nothing new: none of their heads is, and nothing that a new one follows."""
    known = followed_from(covered, links)
    listed = links.keys() | known
    return closed <= listed and all(named in listed for each in links.keys() - known for named in links[each])


def _closed_heads(manifest: bytes) -> frozenset[str]:
    """Newest records of the closed segments, by the manifest; what is unreadable there names none.

    A merge may bring some that no record of the open segment follows yet.
    """
    heads, roots = set[str](), set[str]()
    for row in manifest.splitlines():
        with suppress(ValueError, TypeError, KeyError):
            entry = json.loads(row)
            heads.update(map(str, entry["heads"]))
            roots.update(map(str, entry["roots"]))
    return frozenset(heads - roots)


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
    held: dict[str, list[TraceRecord]] = {}
    for row, record in _records(new):
        ready = [record] if record else []
        if record is None:
            # Records that follow a damaged one do not wait for it.
            gone = [own.decode() for own, _ in _LINK.findall(row)]
            awaited.difference_update(gone)
            ready = [each for own in gone for each in held.pop(own, ())]
        while ready:
            each = ready.pop()
            ahead = next((named for named in each.integrity.prev if named in awaited), None)
            if ahead is not None:
                held.setdefault(ahead, []).append(each)
                continue
            yield each
            awaited.discard(each.integrity.hash)
            ready += held.pop(each.integrity.hash, ())


def _records(new: _New) -> Iterator[tuple[bytes, TraceRecord | None]]:
    """The lines of new records, with None for those that cannot be believed."""
    for segment in new.segments:
        for row in (new.source.blob(segment.blob) or b"").split(b"\n"):
            if any(own.decode() in new.hashes for own, _ in _LINK.findall(row)):
                yield row, record_in(row)
