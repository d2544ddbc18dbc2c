"""A long text taken apart in stretches says the same as the text taken apart as a whole."""

import time

from hypothesis import example, given
from hypothesis import strategies as st

from penwright.domain.trace.blocks import blocks_of, short_hash
from penwright.domain.trace.stretches import Neighbours, places_in

PIECES = st.sampled_from(
    (
        "One.",
        "Two.",
        "Three\nlines.",
        "# Heading\nand text",
        "<!-- a note -->",
        "<!-- it\n\ngoes on -->",
        "```\ncode\n\nmore\n```",
        "```\nnever closed",
        "<!-- never closed",
        "`tick",
        "---\ntitle: x\n\n---",
        "  indented",
        "~~~",
        "-->",
    )
)
TEXTS = st.lists(st.tuples(PIECES, st.sampled_from(("\n\n", "\n \n", "\n\n\n", "\n"))), max_size=14).map(
    lambda parts: "".join(piece + gap for piece, gap in parts)
)


def around_each(text: str) -> dict[str, list[Neighbours]]:
    hashes = [block.hash for block in blocks_of(text)]
    around = ["", *map(short_hash, hashes), ""]
    found: dict[str, list[Neighbours]] = {}
    for at, block in enumerate(hashes):
        found.setdefault(block, []).append((around[at], around[at + 2]))
    return found


@given(TEXTS, st.integers(1, 40))
@example("---\ntitle: x\n\n---\n\n", 1)
def test_stretches_hold_every_block_where_the_whole_text_has_it(text: str, length: int) -> None:
    whole = around_each(text)

    places = places_in(text, length=length)

    assert {block: list(places.around(block)) for block in whole} == whole
    assert all(block in places for block in whole)
    assert sum(len(stretch.hashes) for stretch in places.stretches) == sum(map(len, whole.values()))


def test_what_was_left_open_at_an_end_is_no_stretch_once_the_text_goes_on() -> None:
    begun = "<!-- never closed\n\n"
    places_in(begun, length=1)

    assert places_in(f"{begun}-->\n\nOne.\n", length=1).stretches[0].hashes == tuple(around_each("One.\n"))


def test_a_text_that_grew_shares_all_stretches_but_its_last() -> None:
    text = "".join(f"Paragraph {number} of a growing book.\n\n" for number in range(20_000))

    before, after = places_in(text), places_in(text + "One more.\n")

    assert len(before.stretches) > 5
    assert all(
        old is new
        for old, new in zip(before.stretches[:-1], after.stretches[: len(before.stretches) - 1], strict=True)
    )


def test_a_comment_that_never_ends_costs_no_more_than_a_few_times_the_text() -> None:
    text = "<!-- open\n\n" + "A line.\n\n" * 20_000
    begun = time.process_time()
    blocks_of(text + "\n")
    whole = time.process_time() - begun

    begun = time.process_time()
    places_in(text, length=100)

    assert time.process_time() - begun < 20 * whole + 1
