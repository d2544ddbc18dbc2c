"""Which blocks a later record took away."""

from penwright.domain.trace.mentions import superseded_by
from tests.support.ledgers.small_records import a_hash, a_range, a_record, a_removal


def test_removed_blocks_are_superseded_until_added_again() -> None:
    records = [
        a_record("1", a_range("kept"), a_range("rewritten"), a_range("removed"), a_range("back"), minute=1),
        a_record("2", a_range("new", before="rewritten"), a_removal("removed"), minute=2),
        a_record("3", a_removal("back"), a_removal("never came"), minute=3),
        a_record("4", a_range("back"), minute=4),
    ]
    names = ["kept", "rewritten", "removed", "back", "never came", "unheard of"]

    found = superseded_by(records, [a_hash(name) for name in names])

    assert found == {a_hash(name) for name in ("rewritten", "removed", "never came")}


def test_a_block_removed_and_added_by_one_record_is_not_superseded() -> None:
    assert superseded_by([a_record("1", a_range("x"), a_removal("x"))], [a_hash("x")]) == frozenset()
