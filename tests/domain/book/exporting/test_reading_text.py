"""What a reader gets of a book: the words, and none of the engine's marks."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penwright.domain.book.exporting.forms import as_markdown, as_plain_text
from penwright.domain.book.exporting.reading_text import (
    contents_depth,
    headings,
    listed,
    reading_text,
    top_level,
    with_verse,
)
from penwright.domain.book.files.cover import Cover
from penwright.domain.book.files.fresh_files import EMPTY_FULL_BOOK, EMPTY_REVIEW
from penwright.domain.book.importing.laying import lay_out
from penwright.domain.book.importing.reading import read_source
from penwright.domain.book.review.markers import chapter_marker, new_block, rework_block
from tests.support.books.novels import long_novel

COVER = Cover("Low Tide", "M. Orr")
BOOK = (
    f"{EMPTY_FULL_BOOK}\n<!-- PAGE 1 -->\n\n## The Pier\n\nHe waits.\n\n<!-- PAGE 2 -->\n\nIt is late.\n"
    "<!-- a note of the author -->\n"
)


def test_comments_markers_notes_and_old_versions_stay_out() -> None:
    review = "\n\n".join(
        [
            EMPTY_REVIEW,
            rework_block("drier", "She comes.", "She came, at last."),
            "<!-- INK: make this shorter -->",
            chapter_marker(2),
            new_block("## The Boat\n\nIt sails <!-- INK: really? -->away."),
        ]
    )

    text = reading_text(BOOK, review)

    lines = [line for line in text.split("\n") if line.strip()]
    assert lines == ["## The Pier", "He waits.", "It is late.", "She comes.", "## The Boat", "It sails away."]
    assert reading_text(BOOK, "") == "## The Pier\n\nHe waits.\n\nIt is late.\n"
    assert reading_text(EMPTY_FULL_BOOK, EMPTY_REVIEW) == ""


def test_a_comment_in_code_is_text() -> None:
    text = "He types:\n\n```\n<!-- PAGE 7 -->\n```\n\nand `<!-- x -->` too.\n"

    assert reading_text(text, "") == text


def test_an_imported_novel_comes_out_line_by_line() -> None:
    novel = long_novel()
    laid = lay_out(read_source(novel.text), words_per_page=250)

    text = reading_text(f"{EMPTY_FULL_BOOK}\n{laid.book}", f"{EMPTY_REVIEW}\n{laid.waiting}")
    plain = as_plain_text(text, Cover("Low Tide", contents=False))

    wanted = [line.rstrip() for line in novel.text.split("\n")]
    assert [line.rstrip() for line in plain.split("\n")] == [
        "Low Tide",
        "",
        *"\n".join(wanted).strip("\n").split("\n"),
        "",
    ]


def test_headings_outside_of_code_make_the_list_of_contents() -> None:
    text = "## One\n\nHe.\n\n```\n# no\n```\n\n### Night\n\nShe.\n\n## One\n\nIt.\n"

    found = headings(text)

    assert [(heading.level, heading.anchor) for heading in found] == [(2, "one"), (3, "night"), (2, "one-1")]
    assert top_level(found) == 2
    assert [heading.level for heading in listed(found, contents_depth(text))] == [1, 1]


def test_chapters_inside_of_parts_are_listed_below_them() -> None:
    text = "# Part\n\n## One\n\nHe.\n\n## Two\n\nShe.\n"

    assert contents_depth(text) == 2
    assert [heading.level for heading in listed(headings(text), 2)] == [1, 2, 2]


def test_markdown_begins_with_title_author_language_and_contents() -> None:
    text = as_markdown("## The [old] Pier\n\nHe waits.\n", Cover('The "Tide"', "M. Orr"), "en-GB")

    assert text == (
        '---\ntitle: "The \\"Tide\\""\nauthor: "M. Orr"\nlang: "en-GB"\n---\n\n'
        "- [The \\[old\\] Pier](#the-old-pier)\n\n## The [old] Pier\n\nHe waits.\n"
    )
    assert "](#" not in as_markdown("## Pier\n", Cover("T", contents=False), "")


def test_plain_text_has_no_marks_of_headings_and_no_escapes() -> None:
    text = as_plain_text("# Part\n\n## The Pier\n\n1\\. He \\*waits\\*,\\\nand *waits*.  \nOn.\n", COVER)

    assert text == (
        "Low Tide\nM. Orr\n\n\nPart\n  The Pier\n\nPart\n\nThe Pier\n\n1. He *waits*,\nand *waits*.\nOn.\n"
    )


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (
            "He sang:\n\n    Low water,\n      low.\n\nOn.\n",
            "He sang:\n\n____Low water,\\\n______low.\n\nOn.\n",
        ),
        ("\tLow water.\n", "____Low water.\n"),
        ("- one\n\n    two\n\n    three\n", "- one\n\n    two\n\n    three\n"),
        ("He waits,\n    and waits.\n", "He waits,\n    and waits.\n"),
        ("```\n\n    code\n```\n", "```\n\n    code\n```\n"),
    ],
)
def test_indented_paragraphs_are_verse(text: str, wanted: str) -> None:
    assert with_verse(text).replace("\u00a0", "_") == wanted


_PIECES = st.sampled_from(
    [
        "He waits.",
        "<!-- PAGE 1 -->",
        "<!-- INK: more -->",
        "## One",
        "    verse",
        "- item",
        "```",
        "<!-- x",
        "",
        "",
    ]
)


@given(st.lists(_PIECES, max_size=20), st.lists(_PIECES, max_size=10))
def test_every_word_outside_of_comments_is_there_once(book: list[str], review: list[str]) -> None:
    text = reading_text("\n".join(book), "\n".join(review))

    both = [*book, *review]
    if "<!-- x" not in both and "```" not in both:
        assert text.count("He waits.") == both.count("He waits.")
        assert with_verse(text).count("verse") == both.count("    verse")
        assert "<!--" not in text


def test_a_lone_mark_of_a_heading_is_a_scene_break() -> None:
    text = "# One\n\nHe waits.\n\n#\n\nIt is late.\n\n    #\n\n## Two\n\n#not one\n"

    assert reading_text(text, "") == text.replace("\n#\n", "\n***\n")
