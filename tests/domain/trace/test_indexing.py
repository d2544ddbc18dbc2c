"""Keeping the index: the lines it reads, its reports, and what makes it start again."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penwright.adapters.memory_store import MemoryTraceIndex
from penwright.domain.trace.indexing import catch_up, heads_of
from penwright.domain.trace.layout import LEDGER, MANIFEST, segment_path
from penwright.domain.trace.reading import record_in
from schemas.trace import TraceRecord
from tests.support.ledgers.plain_source import PlainSource
from tests.support.ledgers.small_records import a_chain, a_range, a_record, hash_of, lines_of

BOOK = "lamp"


class Interrupted(Exception):
    """The index went away in the middle."""


@dataclass
class NotedIndex(MemoryTraceIndex):
    """An index that takes a few records at a time and notes in which order; it may fail once."""

    told: list[str] = field(default_factory=list)
    fails_after: int = 10_000

    def __post_init__(self) -> None:
        MemoryTraceIndex.__init__(self)

    def extend(self, subject: str, records: Sequence[TraceRecord]) -> None:
        for record in records:
            if self.fails_after == len(self.told):
                self.fails_after = 10_000
                raise Interrupted
            self.told.append(hash_of(record))
            MemoryTraceIndex.extend(self, subject, [record])


def everything(index: MemoryTraceIndex) -> tuple[TraceRecord, ...]:
    return index.history(BOOK, "INT-001", limit=1000)


def test_a_record_is_indexed_once() -> None:
    records = a_chain(7)
    source, index = PlainSource().put(records[:4], records[4:]), MemoryTraceIndex()

    assert (catch_up(source, index, BOOK), catch_up(source, index, BOOK)) == (7, 0)
    assert everything(index) == tuple(reversed(records))
    assert index.covered(BOOK) == heads_of(source) == (hash_of(records[-1]),)


def test_a_book_without_a_ledger_has_no_records() -> None:
    assert catch_up(PlainSource(), MemoryTraceIndex(), BOOK) == 0


def test_only_segments_with_something_new_are_read() -> None:
    records = a_chain(9)
    source, index = PlainSource().put(records[:3], records[3:6], records[6:8]), MemoryTraceIndex()
    catch_up(source, index, BOOK)
    source.put(records[:3], records[3:6], records[6:])
    source.reads.clear()

    assert catch_up(source, index, BOOK) == 1
    assert set(source.reads) == {LEDGER}


def test_indexed_records_may_have_moved_to_a_closed_segment() -> None:
    records = a_chain(9)
    source, index = PlainSource().put(records[:3], records[3:5]), MemoryTraceIndex()
    catch_up(source, index, BOOK)
    source.put(records[:3], records[3:7], records[7:])
    source.reads.clear()

    assert catch_up(source, index, BOOK) == 4
    assert segment_path(1) not in source.reads
    assert everything(index) == tuple(reversed(records))


def test_the_index_is_rebuilt_after_a_rollback() -> None:
    records = a_chain(6)
    source, index = PlainSource().put(records[:3], records[3:]), MemoryTraceIndex()
    catch_up(source, index, BOOK)
    other = a_record("other", minute=99, prev=[hash_of(records[3])])

    assert catch_up(source.put(records[:3], [records[3], other]), index, BOOK) == 5
    assert everything(index) == (other, *reversed(records[:4]))


def test_a_book_that_was_reset_is_forgotten() -> None:
    source, index = PlainSource().put(a_chain(3)), MemoryTraceIndex()
    catch_up(source, index, BOOK)
    source.contents.clear()

    assert catch_up(source, index, BOOK) == 0
    assert everything(index) == ()


def test_a_merge_adds_records_from_older_segments() -> None:
    base = a_chain(3)
    mine = [a_record(f"m{number}", minute=10 + number, prev=[hash_of(base[-1])]) for number in range(1)]
    theirs = [a_record("t0", minute=20, prev=[hash_of(base[1])])]
    theirs.append(a_record("t1", minute=21, prev=[hash_of(theirs[0])]))
    source, index = PlainSource().put(base, mine), MemoryTraceIndex()
    catch_up(source, index, BOOK)

    told = catch_up(source.put(base, theirs, mine), index, BOOK)

    assert told == 2
    assert index.covered(BOOK) == heads_of(source)
    assert set(everything(index)) == {*base, *mine, *theirs}


def test_a_merge_record_leads_to_its_predecessors() -> None:
    base = a_chain(3)
    theirs = a_record("t", minute=20, prev=[hash_of(base[0])])
    mine = a_record("m", minute=21, prev=[hash_of(base[2])])
    join = a_record("j", minute=22, prev=[hash_of(theirs), hash_of(mine)])
    source, index = PlainSource().put(base, [mine]), MemoryTraceIndex()
    catch_up(source, index, BOOK)
    source.put([*base, theirs], [mine], [join])
    # Even where the list of closed segments is lost.
    del source.contents[MANIFEST]

    assert catch_up(source, index, BOOK) == 2
    assert index.covered(BOOK) == (hash_of(join),)


@given(st.permutations(range(8)), st.integers(1, 7), st.integers(0, 8))
def test_no_record_is_indexed_before_its_predecessors(order: list[int], cut: int, fails_after: int) -> None:
    records = a_chain(8)
    shuffled = [records[number] for number in order]
    source, index = PlainSource().put(shuffled[:cut], shuffled[cut:]), NotedIndex(fails_after=fails_after)

    try:
        catch_up(source, index, BOOK)
    except Interrupted:
        catch_up(source, index, BOOK)

    assert list(dict.fromkeys(index.told)) == [hash_of(record) for record in records]
    assert everything(index) == tuple(reversed(records))


def test_a_damaged_line_is_not_indexed_and_the_others_are() -> None:
    records = a_chain(5)
    source, index = PlainSource().put(records), MemoryTraceIndex()
    source.contents[LEDGER] = source.contents[LEDGER].replace(b'"key":"r2"', b'"key":"rX"')

    assert catch_up(source, index, BOOK) == 4
    assert everything(index) == tuple(reversed([*records[:2], *records[3:]]))


def test_records_without_their_predecessor_are_indexed() -> None:
    records = a_chain(5)
    source, index = PlainSource().put(records[:1], records[2:]), MemoryTraceIndex()

    assert (catch_up(source, index, BOOK), catch_up(source, index, BOOK)) == (4, 0)


@pytest.mark.parametrize(
    "manifest", [b"\xff\n{\n[1]\n7\n", b'{"heads":5,"roots":[]}\n', b'{"heads":["sha256:none"],"roots":[]}\n']
)
def test_a_damaged_list_of_segments_does_not_stop_it(manifest: bytes) -> None:
    records = a_chain(6)
    source, index = PlainSource().put(records[:3], records[3:5]), MemoryTraceIndex()
    catch_up(source, index, BOOK)
    source.put(records[:3], records[3:]).contents[MANIFEST] = manifest

    assert catch_up(source, index, BOOK) == 1


def test_every_changed_byte_makes_a_line_unbelievable() -> None:
    record = a_record("a", a_range("x", "Chapter 1"))
    row = lines_of([record])[:-1]

    assert record_in(row) == record
    for at in range(len(row)):
        for bit in (0x01, 0x20, 0x80):
            changed = row[:at] + bytes([row[at] ^ bit]) + row[at + 1 :]
            found = record_in(changed)
            assert found is None or found.integrity.hash != hash_of(record), (at, bit)
