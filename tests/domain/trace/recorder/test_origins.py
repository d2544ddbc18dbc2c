"""Origins of blocks, read from the newest segments of the ledger."""

from collections.abc import Iterator

from hypothesis import given
from hypothesis import strategies as st

from penwright.domain.text.blocks import Block, block_hash, blocks_of
from penwright.domain.trace.authors import UNKNOWN_ORIGIN
from penwright.domain.trace.recorder.origins import Origins, occurrences, recent_blocks
from schemas.trace import Removed
from tests.support.ledgers.small_records import a_range, a_record, lines_of

TEXTS = ("The tide went out.", "The lamp was lit at six.", "Nobody came.")
_ROWS = st.lists(st.tuples(st.sampled_from(TEXTS), st.sampled_from(("INT-001", "INT-002"))), max_size=6)


def segment(rows: list[tuple[str, str]], first: int) -> bytes:
    """A record about one block for each row."""
    return lines_of(
        [
            a_record(f"r{first + number}", a_range(text, block_hash=block_hash(text)), intent=intent)
            for number, (text, intent) in enumerate(rows)
        ]
    )


def block(text: str) -> Block:
    (one,) = blocks_of(text)
    return one


@given(_ROWS, _ROWS)
def test_the_newest_of_equal_blocks_says_the_intent(
    older: list[tuple[str, str]], newer: list[tuple[str, str]]
) -> None:
    segments = [segment(newer, 10), segment(older, 0)]
    blocks = recent_blocks(iter(segments), {block_hash(text) for text in TEXTS})
    origins = Origins(blocks, {})
    newest = {**dict(older), **dict(newer)}
    for text in TEXTS:
        found = origins.of("Book.md", block(text))
        assert found.intent == newest.get(text)
        assert (found is UNKNOWN_ORIGIN) == (text not in newest)


def test_segments_are_read_only_until_every_block_was_found() -> None:
    read: list[int] = []

    def segments() -> Iterator[bytes]:
        for number in (2, 1, 0):
            read.append(number)
            yield segment([(TEXTS[number], "INT-001")], number)

    recent_blocks(segments(), {block_hash(TEXTS[2]), block_hash(TEXTS[1])})

    assert read == [2, 1]


def test_a_damaged_line_is_passed_over() -> None:
    rows = segment([(TEXTS[0], "INT-001")], 0)
    blocks = recent_blocks(iter([rows + rows[:-40]]), {block_hash(TEXTS[0])})
    assert Origins(blocks, {}).of("Book.md", block(TEXTS[0])).intent == "INT-001"


def test_a_text_that_holds_more_equal_blocks_than_are_known_has_no_certain_author() -> None:
    blocks = recent_blocks(iter([segment([(TEXTS[0], "INT-001")], 0)]), {block_hash(TEXTS[0])})
    texts = {"Book.md": f"{TEXTS[0]}\n\nOnce.\n\n{TEXTS[0]}\n".encode()}
    found = Origins(blocks, texts).of("Book.md", block(TEXTS[0]))
    assert (found.author.entity_type, found.author.models) == ("UNKNOWN", ("demo/quill",))


def test_a_text_that_was_put_back_keeps_its_author_if_it_is_long_enough_for_a_copy() -> None:
    for text, author in ((TEXTS[1], "AI"), (TEXTS[2], "UNKNOWN")):
        come = a_range(text, block_hash=block_hash(text))
        gone = Removed(block_hash=come.block_hash, node=come.node)
        records = lines_of([a_record("r0", come), a_record("r1", gone)])
        blocks = recent_blocks(iter([records]), {come.block_hash})
        assert Origins(blocks, {}).of("Book.md", block(text)).author.entity_type == author


def test_equal_blocks_are_counted_and_longer_ones_are_not() -> None:
    text = b'No.\n\n"No." she said.\n\nNo.\n\n<!-- PAGE 1 -->\nNo.\n'
    assert occurrences(block("No."), text) == 3
