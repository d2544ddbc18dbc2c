"""What ``book export`` wrote comes back without the head that the export added."""

import pytest

from penwright.domain.book.exporting.forms import as_markdown, as_plain_text
from penwright.domain.book.files.cover import Cover
from penwright.domain.book.importing.laying import lay_out
from penwright.domain.book.importing.own_export import read_own_export

BOOK = "## Chapter 1. The Pier\n\nHe waits.\n\n## Chapter 2. The Boat\n\nShe comes.\n"
COVER = Cover('Low "Tide"', "Ada")


@pytest.mark.parametrize("book", [BOOK, f"# Low Tide\n\n{BOOK}"], ids=["chapters", "a part"])
def test_an_export_comes_back_with_its_title_and_without_its_list(book: str) -> None:
    for text in (as_markdown(book, COVER, "en"), as_plain_text(book, COVER)):
        own = read_own_export(text.replace("\n", "\r\n"))

        assert (own.title, own.author) == ('Low "Tide"', "Ada")
        assert own.text.lstrip("\n") in (book, book.replace("# ", "").replace("#", ""))
        assert own.text.count("\n") == text.count("\n")
        assert "list of contents" in own.left_out[0]
        read = own.source()
        assert [section.title for section in read.sections if section.kind == "chapter"] == [
            "Chapter 1. The Pier",
            "Chapter 2. The Boat",
        ]
        assert "Ada" not in "".join(section.text for section in read.sections)


def test_the_book_begins_with_its_text() -> None:
    read = read_own_export(as_markdown(BOOK, COVER, "en")).source()
    laid = lay_out(read, words_per_page=0)

    assert laid.book + laid.waiting == BOOK
    assert read.sections[0].line == 10


def test_an_edited_list_stays_and_the_title_is_read() -> None:
    text = as_markdown(BOOK, COVER, "en").replace("[Chapter 2. The Boat]", "[Chapter 2, at sea]")
    own = read_own_export(text)

    assert own.title == 'Low "Tide"'
    assert "at sea" in own.text
    assert "list of contents" not in own.left_out[0]


@pytest.mark.parametrize(
    "text",
    [
        BOOK,
        "---\nlayout: post\n---\n\nHe waits.\n",
        "LOW TIDE\n\nChapter 1\n\nHe waits.\n",
        "Rain\n\n\nFall on me\nAll day\n\nFall on me\n\nAll day\n",
        "Low Tide\n\n\nChapter 1\nChapter 9\n\nChapter 1\n\nHe waits.\n\nChapter 2\n\nShe comes.\n",
    ],
)
def test_any_other_text_stays_as_it_is(text: str) -> None:
    assert read_own_export(text).text == text
    assert read_own_export(text).left_out == ()
