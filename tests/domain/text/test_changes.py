"""Which blocks a change adds, replaces, moves and removes."""

from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from penwright.domain.text.blocks import blocks_of, short_hash
from penwright.domain.text.comparing import stretches
from penwright.domain.text.comparing.alignment import aligned
from penwright.domain.text.comparing.changes import BlockChange, changed_blocks, changes_between, changes_of
from penwright.domain.text.comparing.stretches import Stretch
from tests.support.each import for_each
from tests.support.sweeps import examples

HARBOUR = "The harbour lay grey under the morning, and nobody had yet rowed out to the nets."


def told(before: str, after: str) -> list[tuple[str, str]]:
    """Kind of change and text, in short."""
    changes = changed_blocks(before.encode(), after.encode())
    named = ((each.change, each.after or each.before) for each in changes)
    return [(change, block.text) for change, block in named if block is not None]


def test_a_new_paragraph_is_added_and_its_neighbours_are_named() -> None:
    (change,) = changed_blocks(b"One.\n\nThree.\n", b"One.\n\nTwo.\n\nThree.\n")
    one, _, three = blocks_of("One.\n\nTwo.\n\nThree.\n")
    assert (change.change, change.ctx) == ("added", (short_hash(one.hash), short_hash(three.hash)))


def test_an_edited_paragraph_is_replaced_and_one_with_other_words_is_new() -> None:
    assert told(HARBOUR, HARBOUR.replace("grey", "white")) == [("replaced", HARBOUR.replace("grey", "white"))]
    assert told(HARBOUR, "Rain.") == [("added", "Rain."), ("removed", HARBOUR)]


def test_a_paragraph_that_changes_its_place_has_moved() -> None:
    assert told("A one.\n\nB two.\n\nC three.", "B two.\n\nC three.\n\nA one.") == [("moved", "A one.")]


def test_both_halves_of_a_split_paragraph_come_from_it() -> None:
    first, second = HARBOUR.split(", and ")
    changes = changed_blocks(HARBOUR.encode(), f"{first}.\n\nAnd {second}".encode())
    assert [(each.change, each.before and each.before.text) for each in changes] == [
        ("replaced", HARBOUR)
    ] * 2
    assert all((each.similarity or 0) > 90 for each in changes)


def test_a_joined_block_is_removed_with_a_similarity() -> None:
    first, second = HARBOUR.split(", and ")
    kinds = {
        each.change: each.similarity
        for each in changed_blocks(f"{first}\n\n{second}".encode(), HARBOUR.encode())
    }
    assert kinds.keys() == {"replaced", "removed"}
    assert (kinds["removed"] or 0) > 90


@pytest.mark.parametrize(
    "after",
    ["One\ntwo three.\r\n\r\nFour.", "<!-- PAGE 1 -->\nOne two three.\n\n<!-- x\n\ny -->\n\nFour.\n\n\n"],
)
def test_a_change_without_words_changes_no_block(after: str) -> None:
    assert changed_blocks(b"One two three.\n\nFour.\n", after.encode()) == ()


def test_binary_content_has_no_blocks() -> None:
    assert changed_blocks(b"\xff\xfe", b"x") == ()
    assert changed_blocks(b"a", b"a\0b") == ()


def test_a_block_in_another_file_is_a_move() -> None:
    changes = changes_of(
        {
            "review.md": (b"The tide went out.\n", b"The tide came in.\n"),
            "book.md": (b"Once.\n", b"Once.\n\nThe tide\nwent out.\n"),
        }
    )
    (moved,) = changes["book.md"]
    assert (moved.change, moved.from_path) == ("moved", "review.md")
    assert [(each.change, each.before) for each in changes["review.md"]] == [("added", None)]


texts = st.lists(
    st.sampled_from(
        [
            "# One",
            "## Two",
            "Alpha beta gamma delta.",
            "Alpha beta gamma.",
            "***",
            "A quiet line.",
            "Rain fell.",
        ]
        + [f"Sentence number {number} of the book, as long as others." for number in range(8)]
    ),
    max_size=14,
)


def accounted(before: str, after: str, changes: tuple[BlockChange, ...]) -> None:
    """Every block of either side is unchanged or named, exactly once."""
    old, new = (Counter(block.hash for block in blocks_of(text)) for text in (before, after))
    come = Counter(each.after.hash for each in changes if each.after)
    gone = Counter({each.before.start_line: each.before.hash for each in changes if each.before}.values())
    assert old - gone == new - come
    assert not come - new
    assert not gone - old


@given(texts, texts)
def test_every_block_is_unchanged_or_named(one: list[str], other: list[str]) -> None:
    before, after = "\n\n".join(one), "\n\n".join(other)
    accounted(before, after, changed_blocks(before.encode(), after.encode()))


ODD = [
    "# Part",
    "## Scene\nwith text",
    "text\n# Part\nmore",
    "***",
    "```\ncode\n\n# more\n```",
    "```",
    "~~~",
    "<!-- a\n\nb -->",
    "<!-- open",
    "-->",
    "<!-- INK: do\n\nthis -->",
    "<!-- INK:NEW:START -->",
    "<!-- INK:NEW:END",
    "<!-- x\n# Hidden\n-->",
    "<!-- page 3 -->",
    "<!-- page 4 --># Behind a comment",
    "  # Before a comment <!-- 5 --> ##",
    "<!-->",
    "<!---> # Sign",
    "<!-- a <!-- b -->",
    "line\n<!-- page 6 -->\nline",
    "# Title <!-- a\n\nb -->",
    "`<!--` sign",
    "`a\n# b\nc` d",
    "---\nkey: value\n---",
    "---",
    "#tag",
    "\ufeff# Mark",
    "  indented",
    "\u2003",
]
FILLER = [f"Paragraph {number} that nobody touches, whatever comes." for number in range(9)]
pieces = st.sampled_from(FILLER) | st.sampled_from(ODD)
gaps = st.sampled_from(["\n\n"] * 6 + ["\n", "\n\n\n", "\r\n\r\n", "\n \t\n", "\n\n  \n"])
rows = st.lists(st.tuples(pieces, gaps).map("".join), max_size=24)


@settings(max_examples=examples(120))
@given(rows, rows.filter(bool), st.lists(st.tuples(pieces, gaps).map("".join), max_size=3), st.data())
def test_a_stretch_has_the_changes_of_the_whole_text(
    ahead: list[str], old: list[str], new: list[str], data: st.DataObject
) -> None:
    gone = data.draw(st.integers(0, min(3, len(old))))
    before = "".join([*ahead, *old]).encode()
    after = "".join([*ahead, *new, *old[gone:]]).encode()
    middle, everything = stretches.part(before, after, short=0), stretches.whole(before, after)
    assume(before != after and middle is not None)
    assert everywhere(middle) == everywhere(everything)


@for_each("ahead", ["---\nkey: value\n---\n\n", "Text.\n\n\ufeff# Mark\n\n", "<!-- INK:NEW:END\n\n-->\n\n"])
@for_each("count", [1, 2, 3, 4])
def test_a_stretch_behind_odd_text_has_the_places_of_the_whole_text(ahead: str, count: int) -> None:
    before, after = ((ahead + f"{HARBOUR}\n\n" * each).encode() for each in (count, count + 1))
    middle = stretches.part(before, after, short=0)
    assert middle is None or everywhere(middle) == everywhere(stretches.whole(before, after))


def everywhere(stretch: Stretch | None) -> list[tuple[BlockChange, list[tuple[object, int]]]]:
    """The changes, with the places of their blocks, which do not count when blocks are compared."""
    return [
        (each, [(block.headings, block.ordinal) for block in (each.before, each.after) if block])
        for each in changes_between({"": stretch})[""]
    ]


def test_a_long_file_is_looked_at_where_it_changed_only() -> None:
    before = "\n\n".join(f"# Part {number}\n\n{HARBOUR}" for number in range(500)).encode()
    stretch = stretches.changed_stretch(before, before + b"\n\nThe end.")
    assert stretch is not None
    assert len(stretch.after) < 10
    assert (stretch.after[-1].heading, stretch.after[-1].start_line) == (("Part 499",), 2001)


def test_a_stretch_after_many_headings_has_the_headings_of_the_whole_text() -> None:
    long = "".join(f"# Day {number}\n\n{HARBOUR}\n\n" for number in range(300))
    renamed = long.replace("# Day 0", "# Arrival").replace("# Day 299", "# Day 5")
    for before in (long, long + "# Evening\n\nIt rains.\n\n", renamed, "\ufeff" + long, long):
        added = f"{before}The end.\n".encode()
        stretch, everything = stretches.part(before.encode(), added), stretches.whole(before.encode(), added)
        assert stretch is not None
        assert not stretch.from_start
        assert everywhere(stretch) == everywhere(everything)


def test_no_stretch_is_taken_inside_a_comment_over_several_paragraphs() -> None:
    long = "".join(f"# Day {number}\n\n{HARBOUR}\n\n" for number in range(300)).encode()
    assert stretches.part(long, long + b"The end.\n") is not None
    hidden = long + b"<!-- not yet\n\n# Day 300\n\nIt rains.\n\nIt pours.\n\nIt snows.\n\n-->\n\n"
    assert stretches.part(hidden, hidden.replace(b"snows", b"hails")) is None


def test_headings_in_front_matter_are_not_headings() -> None:
    before = (
        f"---\ntitle: {'é' * 400}\n\n# note\n---\n\n{HARBOUR}\n\n{HARBOUR}\n\n{HARBOUR}\n\n{HARBOUR}".encode()
    )
    stretch = stretches.part(before, before + b"\n\nThe end.", short=0)
    assert stretch is not None
    assert not stretch.from_start
    assert {block.heading for block in stretch.after} == {()}


def test_a_renamed_hero_makes_no_paragraph_of_a_long_book_new() -> None:
    before = "\n\n".join(
        f"{number} times Ahab saw the whale, and {number * 7} times not." for number in range(800)
    )
    changes = changed_blocks(before.encode(), ("A preface.\n\n" + before.replace("Ahab", "Jonas")).encode())
    assert Counter(each.change for each in changes) == {"added": 1, "replaced": 800}
    assert min(each.similarity or 100 for each in changes) > 85


def test_a_new_paragraph_beside_a_split_one_is_not_a_part_of_it() -> None:
    first, second = HARBOUR.split(", and ")
    stranger = "Far inland the bells rang for a wedding that would never take place."
    changes = changed_blocks(HARBOUR.encode(), f"{first}.\n\nAnd {second}\n\n{stranger}".encode())
    assert [each.change for each in changes] == ["replaced", "replaced", "added"]


def test_a_paragraph_cut_into_many_is_replaced_by_all_of_them() -> None:
    sentences = [
        f"Sentence {number} speaks of {thing}."
        for number, thing in enumerate(["rain", "nets", "salt", "gulls"])
    ]
    cut = changed_blocks(" ".join(sentences).encode(), "\n\n".join(sentences).encode())
    assert [(each.change, each.similarity) for each in cut] == [("replaced", 100)] * 4
    joined = changed_blocks("\n\n".join(sentences).encode(), " ".join(sentences).encode())
    assert [(each.change, each.similarity) for each in joined] == [("replaced", 100)] + [("removed", 100)] * 3


def test_a_difference_far_inside_a_long_paragraph_is_found() -> None:
    long = "The sea went on and on. " * 2_000
    (change,) = changed_blocks(
        long.encode(), long[:-30].encode() + b"and was still at last, at the end of it."
    )
    assert 90 < (change.similarity or 0) < 100


def test_an_edit_elsewhere_does_not_move_duplicate_text() -> None:
    half = "\n\n".join(f"Verse {number} of the song." for number in range(600))
    before = f"Start.\n\n{half}\n\n{half}\n\nEnd."
    after = before.replace("Start.", "New start.").replace("End.", "Another close.")
    changes = changed_blocks(before.encode(), after.encode())
    assert {each.change for each in changes} == {"replaced", "added", "removed"}
    assert len(changes) == 3


numbers = st.lists(st.sampled_from("abcdefghijklmnop"), max_size=30)


@given(numbers, numbers)
def test_aligned_items_are_equal_and_rise_on_both_sides(old: list[str], new: list[str]) -> None:
    pairs = aligned(old, new)
    assert all(old[one] == new[other] for one, other in pairs)
    assert all(a < c and b < d for (a, b), (c, d) in pairwise(pairs))
    assert aligned(old, old) == [(at, at) for at in range(len(old))]


def test_a_paragraph_with_a_new_citation_is_replaced_and_not_the_same() -> None:
    cited = f"The boats lie in mud [[@article{{orr2020tide, title = {{{'Tide tables ' * 20}}}}}]]."

    (change,) = changed_blocks(b"The boats lie in mud.\n", cited.encode())

    assert (change.change, change.similarity) == ("replaced", 99)
