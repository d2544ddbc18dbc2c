"""Which blocks a change adds, replaces, moves and removes."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penwright.domain.trace import windows
from penwright.domain.trace.blocks import blocks_of, short_hash
from penwright.domain.trace.changes import BlockChange, changed_blocks, changes_of

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


def test_what_was_joined_into_another_is_gone_but_alike() -> None:
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
def test_what_changes_no_words_changes_no_block(after: str) -> None:
    assert changed_blocks(b"One two three.\n\nFour.\n", after.encode()) == ()


def test_what_is_no_text_has_no_blocks() -> None:
    assert changed_blocks(b"\xff\xfe", b"x") == ()
    assert changed_blocks(b"a", b"a\0b") == ()


def test_a_block_that_goes_to_another_file_has_moved() -> None:
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


FILLER = [f"Filler paragraph {number} that nobody touches at all." for number in range(30)]
EXOTIC = ["```\ncode\n\nmore\n```", "<!-- a\n\nb -->", "# Part", "## Scene\nwith text", "  indented", "---"]


@settings(max_examples=200)
@given(
    st.lists(st.sampled_from([*FILLER, *EXOTIC]), min_size=20, max_size=40),
    st.integers(0, 40),
    st.integers(0, 3),
    st.lists(st.sampled_from([*EXOTIC, "New words here.", FILLER[3], "```", "<!-- open"]), max_size=3),
)
def test_looking_at_the_middle_only_finds_what_the_whole_would(
    paragraphs: list[str], at: int, gone: int, come: list[str]
) -> None:
    changed = [*paragraphs[:at], *come, *paragraphs[at + gone :]]
    before, after = ("\n\n".join(each).encode() for each in (paragraphs, changed))
    middle, whole = windows._middle(before, after), windows._whole(before, after)
    if before == after or middle is None:
        return
    assert whole is not None
    for part, everything in ((middle.before, whole.before), (middle.after, whole.after)):
        known = {(block.start_line, block.hash, block.text, block.heading) for block in everything}
        assert {(block.start_line, block.hash, block.text, block.heading) for block in part} <= known
    apart = Counter(block.hash for block in whole.before), Counter(block.hash for block in whole.after)
    inner = Counter(block.hash for block in middle.before), Counter(block.hash for block in middle.after)
    assert apart[0] - apart[1] == inner[0] - inner[1]
    assert apart[1] - apart[0] == inner[1] - inner[0]
