"""Blocks: their bounds, their location, and what their hash ignores."""

import textwrap

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penwright.domain.text.blocks import block_hash, blocks_of, content_hash
from tests.support.each import for_each

BOOK = """\
---
title: Low Tide

author: Orr
---

Before any heading.

# Chapter 1
The first line, right below.

## The Harbour

<!-- PAGE 3 -->

- a list

> a quote

```
code

# no heading
```

***

| a | b |

[^1]: A note.
"""


def test_every_kind_of_block_is_recognized() -> None:
    assert [(block.kind, block.start_line, block.end_line) for block in blocks_of(BOOK)] == [
        ("front-matter", 1, 5),
        ("paragraph", 7, 7),
        ("heading", 9, 9),
        ("paragraph", 10, 10),
        ("heading", 12, 12),
        ("list", 16, 16),
        ("quote", 18, 18),
        ("code", 20, 24),
        ("break", 26, 26),
        ("table", 28, 28),
        ("footnote", 30, 30),
    ]


def test_a_block_knows_the_headings_above_it() -> None:
    places = {block.text: (block.heading, block.ordinal) for block in blocks_of(BOOK)}
    assert places["Before any heading."] == ((), 2)
    assert places["The first line, right below."] == (("Chapter 1",), 1)
    assert places["- a list"] == (("Chapter 1", "The Harbour"), 1)


def test_lines_of_nothing_but_comments_belong_to_no_block() -> None:
    (block,) = blocks_of("<!-- INK:NEW:START -->\nThe tide went out.\n<!-- INK:NEW:END -->\n")
    assert (block.text, block.start_line, block.end_line) == ("The tide went out.", 2, 2)


@for_each(
    "text, blocks",
    [
        ("<!-- INK: darker,\n\nand shorter -->\n\nThe tide.", ["The tide."]),
        ("<!-- my notes\n\n# Not a heading\n\n-->\nThe tide.", ["The tide."]),
        (
            "As follows:\n```\n# a comment in code\n\nmore\n```",
            ["As follows:\n```\n# a comment in code\n\nmore\n```"],
        ),
        ("The tide. <!-- open\n\nRain.", ["The tide. <!-- open", "Rain."]),
        ("# One <!-- first\n\ndraft -->\nThe tide.", ["# One <!-- first\n\ndraft -->", "The tide."]),
        ("The `<!--` sign.\n\nRain. -->", ["The `<!--` sign.", "Rain. -->"]),
        ("---\ntitle: Low Tide\n---\nThe tide.", ["---\ntitle: Low Tide\n---", "The tide."]),
        ("\ufeff# One\n", ["# One"]),
    ],
)
def test_code_and_comments_stay_whole_and_hide_no_text(text: str, blocks: list[str]) -> None:
    assert [block.text for block in blocks_of(text)] == blocks
    assert [block.text for block in blocks_of(text.replace("\n", "\r\n"))] == [
        block.replace("\n", "\r\n") for block in blocks
    ]


def test_a_second_heading_of_the_same_name_has_a_number() -> None:
    text = "# Sea\n\n## Night\n\nA.\n\n## Night\n\nB.\n\n# Sea\n\n## Night\n\nC.\n"
    assert [block.heading for block in blocks_of(text) if block.kind == "paragraph"] == [
        ("Sea", "Night"),
        ("Sea", "Night (2)"),
        ("Sea (2)", "Night"),
    ]


def test_blocks_of_a_part_equal_those_of_the_whole_text() -> None:
    behind = BOOK.partition("- a list\n")[2]
    part = blocks_of(behind, first_line=17, heading=((1, "Chapter 1"), (2, "The Harbour")), ordinal=1)
    whole = blocks_of(BOOK)[-len(part) :]
    assert part == whole
    assert [block.ordinal for block in part] == [block.ordinal for block in whole] == [2, 3, 4, 5, 6]


words = st.lists(st.from_regex(r"[A-Za-z0-9,.’é]{1,8}", fullmatch=True), min_size=1, max_size=30)


@given(words, st.integers(10, 60))
def test_wrapping_comments_and_line_ends_keep_the_block_hash(said: list[str], width: int) -> None:
    plain = " ".join(said)
    wrapped = "\n".join(textwrap.wrap(plain, width, break_long_words=False, break_on_hyphens=False))
    expected = block_hash(plain)
    assert expected == block_hash(wrapped)
    assert expected == block_hash(wrapped.replace("\n", "\r\n"))
    assert expected == block_hash(f"<!-- INK:NEW:START -->\n{wrapped}\n<!-- PAGE 7 -->")


@pytest.mark.parametrize(
    ("one", "other"),
    [("He did.", "he did."), ("He did.", "He did"), ("Page 1", "Page 2"), ("“Yes”", '"Yes"')],
)
def test_case_punctuation_digits_and_quotes_do_change_it(one: str, other: str) -> None:
    assert block_hash(one) != block_hash(other)


def test_two_unicode_forms_of_one_text_are_one_block() -> None:
    assert block_hash("caf\u00e9") == block_hash("cafe\u0301")
    assert content_hash("caf\u00e9") != content_hash("cafe\u0301")


def test_comments_alone_have_no_hash() -> None:
    assert block_hash("<!-- one --> \n <!-- two -->") == ""
    assert block_hash("<!-- never closed") != ""


@given(st.lists(st.sampled_from(["A b.", "# H", "## I", "```", "~~~", "<!-- x", "-->", "***", "- l", "---"])))
def test_blocks_are_in_line_order_and_hold_their_lines(lines: list[str]) -> None:
    for gap in ("\n", "\n\n"):
        text = gap.join(lines)
        rows = text.split("\n")
        last = 0
        for block in blocks_of(text):
            assert block.start_line > last
            last = block.end_line
            assert block.text.strip() in "\n".join(rows[block.start_line - 1 : block.end_line])
