"""An author writes in a text from which a session moves passages into the book, and saves at any moment."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penwright.domain.book.review.markers import rework_block
from penwright.domain.text.merging.saving import brought_together, saved_text, with_carried
from penwright.domain.text.merging.units import split_units
from tests.support.books.two_sides import TwoSides
from tests.support.sweeps import LONG

PASSAGES = [
    "The keeper counted three lamps at dusk, and then he slept. <!-- INK: make this shorter -->",
    "A ship passed without a light and did not answer her signal.",
    "By midnight the wind had taken the shutters from the tower.",
]
NEW = "Far out a bell rang twice, though nobody on the quay looked up."
BASE = "\n\n".join(PASSAGES) + "\n"
TYPED = BASE.replace("without a light", "without a single light")


@pytest.mark.parametrize(
    ("session", "book", "saved", "in_book", "told"),
    [
        # She typed in the first passage that the session moved: her words go with it.
        ((2,), (0, 1), PASSAGES[2:], "without a single light", []),
        # The session deleted what she typed in: only that passage waits for her, without the answered note.
        ((2,), (), [TYPED.split("\n\n")[1], PASSAGES[2]], "", [""]),
        # What she did not touch follows the session.
        ((1, 2), (0,), [TYPED.split("\n\n")[1], PASSAGES[2]], "", []),
    ],
)
def test_only_what_both_changed_waits_for_the_author(
    session: tuple[int, ...], book: tuple[int, ...], saved: list[str], in_book: str, told: list[str]
) -> None:
    theirs = "\n\n".join([*(PASSAGES[at] for at in session), NEW]) + "\n"
    moved = "\n\n".join(PASSAGES[at].split(" <!--")[0] for at in book)

    together = brought_together(BASE, TYPED, theirs, moved)

    assert [unit.text for unit in split_units(together.text)] == [*saved, NEW]
    assert in_book in with_carried(moved, together.carried)
    assert [place.theirs for place in together.places] == told


def test_the_answered_note_of_a_passage_that_she_changed_does_not_come_back() -> None:
    mine = BASE.replace("three lamps", "thirty lamps")

    together = brought_together(BASE, mine, f"{NEW}\n")

    assert together.text == f"{mine.split(' <!--')[0]}\n\n{NEW}\n"


def test_words_typed_in_a_passage_that_was_reworked_are_in_its_old_text_and_told() -> None:
    mine = BASE.replace("three lamps", "thirty lamps")
    rework = rework_block("make this shorter", "He counted and slept.", PASSAGES[0].split(" <!--")[0])

    together = brought_together(BASE, mine, "\n\n".join([rework, *PASSAGES[1:]]))

    assert together.text.count("lamps") == together.text.count("thirty lamps") == 1
    assert "<!-- INK: make" not in together.text
    (place,) = together.places
    assert ("thirty" in place.mine, "counted and slept" in place.theirs) == (True, True)
    assert saved_text(BASE, mine, "\n\n".join([rework, *PASSAGES[1:]])).places


def test_words_typed_in_a_moved_passage_stay_out_of_a_new_one_that_is_like_it() -> None:
    first = (
        "By the time she woke the lamp had burned low. From behind the wall came a scrape, slow as a clock."
    )
    like = "From behind the wall came a scrape, slow as a clock. The lamp had a crack in it, and she saw it."
    mine = f"{first.replace('slow as', 'HERS, slow as')}\n\n{BASE}"

    together = brought_together(f"{first}\n\n{BASE}", mine, f"{BASE}\n{like}\n", first)

    assert together.text == f"{BASE}\n{like}\n"
    assert with_carried(first, together.carried) == mine.split("\n")[0]


ACTIONS = st.lists(st.sampled_from(["types", "types", "closes", "saves"]), max_size=8)


@settings(max_examples=5_000 if LONG else 100)
@given(st.integers(0, 12), ACTIONS, st.integers(0, 10**6))
def test_every_paragraph_stands_once_and_as_the_side_left_it_that_touched_it(
    count: int, actions: list[str], seed: int
) -> None:
    desk = TwoSides(Random(seed))
    desk.begin(count)
    for action in [*actions, "saves"]:
        {"types": desk.author_types, "closes": desk.session_closes, "saves": desk.author_saves}[action]()
