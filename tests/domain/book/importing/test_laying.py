"""Laying a source text out: every line is in the book, in its order, as it is."""

import difflib
import re

from hypothesis import given
from hypothesis import strategies as st

from penwright.domain.book.importing.laying import first_missing_line, lay_out
from penwright.domain.book.importing.reading import read_source
from penwright.domain.text.paging import paging_faults
from penwright.domain.text.words import count_words
from tests.support.books.novels import long_novel


def _without_marks(book: str) -> list[str]:
    pages = re.compile(r"<!-- PAGE \d+ -->\n\n")
    return [re.sub(r"^#{1,2} ", "", line) for line in pages.sub("", book).split("\n")]


def test_a_long_novel_and_its_book_differ_in_no_line() -> None:
    novel = long_novel()

    laid = lay_out(read_source(novel.text), words_per_page=250)

    assert list(difflib.unified_diff(novel.text.split("\n"), _without_marks(laid.book + laid.waiting))) == []
    assert "<!-- PAGE 9 -->" in laid.book
    assert paging_faults(laid.book) == ()


def test_chapters_and_the_epilogue_are_headings_and_the_front_matter_stays_as_it_is() -> None:
    novel = long_novel(chapters=3)

    laid = lay_out(read_source(novel.text), words_per_page=0)

    headings = [line for line in (laid.book + laid.waiting).split("\n") if line.startswith("#")]
    assert headings == [*(f"## {title}" for title in novel.titles), "## Epilogue"]
    assert laid.book.startswith(novel.text[: novel.text.index("On day 1")].rpartition("CHAPTER 1")[0])


def test_a_long_title_keeps_its_lines_and_a_number_is_joined_with_its_title() -> None:
    title = "CHAPTER 1. Of the Less Truthful Pictures of Lighthouses,\nand of Piers."
    text = f"{title}\n\nHe waits.\n\nCHAPTER 2.\nThe Boat\n\nShe comes.\n"
    read = read_source(text)

    laid = lay_out(read, words_per_page=0)

    assert laid.book + laid.waiting == f"## {title}\n\nHe waits.\n\n## CHAPTER 2. The Boat\n\nShe comes.\n"
    assert [note.partition(":")[0] for note in read.notes] == ["line 1", "lines 6 to 7 become one heading"]
    assert first_missing_line(read, laid.book.replace("and of Piers.", ""), laid.waiting) == 2


def test_a_heading_waits_with_the_text_after_it() -> None:
    text = "Chapter 1\n\nHe waits.\n\nChapter 2\n\n" + "word " * 2000

    laid = lay_out(read_source(text), words_per_page=0)

    assert laid.waiting.startswith("## Chapter 2\n\nword")
    assert laid.chapter_words == 0


def test_about_a_session_of_the_last_chapter_waits() -> None:
    text = "Chapter 1\n\nHe waits.\n\nChapter 2\n\n" + "\n\n".join(["word " * 100] * 40)

    laid = lay_out(read_source(text), words_per_page=250)

    assert count_words(laid.waiting) == 1500
    assert laid.chapter_words == 2503


def test_page_markers_of_an_earlier_export_are_left_out_and_named() -> None:
    read = read_source("<!-- PAGE 7 -->\n\nChapter 1\n\nHe waits.\n\n<!-- PAGE 8 -->\n\nShe comes.\n")

    laid = lay_out(read, words_per_page=250)

    assert "PAGE 8" not in laid.book + laid.waiting
    assert "2 page markers are left out; the book gets its own" in read.notes


def test_a_line_that_is_missing_is_found() -> None:
    read = read_source("Chapter 1\n\nHe waits.\n\nShe comes.\n")

    assert first_missing_line(read, "## Chapter 1\n\nHe waits.\n", "She comes.\n") is None
    assert first_missing_line(read, "## Chapter 1\n\nShe comes.\n", "He waits.\n") == 5


_HEADINGS = "Chapter 1|CHAPTER 2. The Boat|chapter 3|CONTENTS|Epilogue|PART ONE|I|II.|# One|## Two|Preface"
_TEXTS = (
    "He waits.|She comes, and it is late|=====|-----|```|<!-- open|  indented|    code|<!-- INK: more -->"
)
_LINES = st.sampled_from(
    [*_HEADINGS.split("|"), *_TEXTS.split("|"), "", "", "", "<!-- PAGE 1 -->", "word " * 300]
)


@given(st.lists(_LINES, max_size=40))
def test_no_line_is_ever_lost(lines: list[str]) -> None:
    text = "\n".join([*lines, "The end."])
    read = read_source(text)

    laid = lay_out(read, words_per_page=250)

    assert first_missing_line(read, laid.book, laid.waiting) is None
    assert read.words == count_words(laid.book) + count_words(laid.waiting) or "<!--" in text
    assert [number for section in read.sections for number in [section.number] if number] == list(
        range(1, len(read.chapters) + 1)
    )


def test_a_text_with_a_paragraph_on_each_line_gets_blank_lines_between() -> None:
    read = read_source("第一章 渡口\n　　水涨了。\n第二章 灯塔\n　　磨停了。\n　　“走吧。”\n")

    laid = lay_out(read, words_per_page=0)

    assert laid.book + laid.waiting == (
        "## 第一章 渡口\n\n　　水涨了。\n\n## 第二章 灯塔\n\n　　磨停了。\n\n　　“走吧。”\n"
    )
    assert first_missing_line(read, laid.book, laid.waiting) is None
