"""Origins of blocks, read from segments that grow and shrink again."""

import json
from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from penwright.domain.trace.recorder.origins import UNKNOWN_ORIGIN, Origins

BLOCKS = tuple(f"prose1:{number:032x}" for number in range(3))
_ROWS = st.lists(
    st.tuples(st.sampled_from(BLOCKS), st.sampled_from(("INT-001", "INT-002", "INT-003"))), max_size=6
)


def line(block: str, intent: str) -> bytes:
    """The part of a record about one block."""
    author = {"entity_type": "HUMAN"}
    talk = {"contributor": author, "ranges": [{"block_hash": block, "change": "added"}]}
    record = {"files": [{"conversations": [talk]}], "intent": {"id": intent}}
    return json.dumps(record, separators=(",", ":")).encode() + b"\n"


def assert_newest(rows: Sequence[tuple[str, str]], *, cut: bool) -> None:
    """Assert that every block has the intent of its newest line, after any earlier reads."""
    content = b"".join(line(*row) for row in rows)
    origins = Origins(iter([content[:-1] if cut else content]))
    newest = dict(rows)
    for block in BLOCKS:
        found = origins.of(block)
        assert found.intent == newest.get(block)
        assert (found is UNKNOWN_ORIGIN) == (block not in newest)


@given(_ROWS, st.lists(st.tuples(st.integers(0, 6), _ROWS, st.booleans()), max_size=4))
def test_the_newest_line_counts_however_a_segment_grew_and_shrank(
    rows: list[tuple[str, str]], steps: list[tuple[int, list[tuple[str, str]], bool]]
) -> None:
    assert_newest(rows, cut=False)
    for kept, more, cut in steps:
        rows = rows[:kept] + more
        assert_newest(rows, cut=cut and bool(rows))
