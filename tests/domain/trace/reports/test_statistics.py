"""The ledger in numbers."""

from pathlib import Path

from penwright.domain.trace.layout import LEDGER
from penwright.domain.trace.reports.disclosure import Words
from penwright.domain.trace.reports.statistics import NO_INTENT, Statistics, statistics
from tests.support.ledgers.scribes import BOOK, Scribes, paragraphs, scribes_in


def counted(scribes: Scribes) -> Statistics:
    with scribes.source() as source:
        return statistics(source)


def test_records_are_counted_by_intent_contributor_and_class(tmp_path: Path) -> None:
    scribes = scribes_in(tmp_path)
    scribes.by_hand("notes.md", "One unknown line.\n")
    scribes.person({BOOK: paragraphs("A line of mine.")})
    scribes.model({BOOK: paragraphs("A line of mine.", "Four words by machine.")}, intent="INT-002")
    scribes.model({BOOK: paragraphs("A line of mine.")}, intent="INT-002")

    found = counted(scribes)

    assert found.records == 3
    assert found.intents == {"INT-002": 2, NO_INTENT: 1}
    assert found.contributors == {"AI": 2, "HUMAN": 1}
    assert found.models == {"demo/quill": 2}
    assert found.classes.total() == 3
    assert found.blocks == {"added": 2, "removed": 2}
    assert found.words == Words(human=4, unknown=3 + 2)
    assert found.segments == {LEDGER: 3}
    assert len(found.heads) == 1
    assert found.first is not None
    assert found.last is not None
    assert found.first <= found.last


def test_a_book_without_a_ledger_counts_nothing_but_its_unknown_words(tmp_path: Path) -> None:
    found = counted(scribes_in(tmp_path))
    assert (found.records, found.heads, found.segments) == (0, (), {})
    assert found.words.unknown == found.words.total > 0


def test_damaged_lines_are_counted_and_not_believed(tmp_path: Path) -> None:
    scribes = scribes_in(tmp_path)
    scribes.model({BOOK: paragraphs("One by a machine.")})
    with scribes.source() as source:
        text = (source.at(source.tip, LEDGER) or b"").decode()
    scribes.by_hand(LEDGER, text.replace("INT-001", "INT-009") + "{\n")

    found = counted(scribes)

    assert (found.records, found.left_out) == (0, 2)
    assert found.words.ai == 0
