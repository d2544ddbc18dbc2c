"""A passage of the validated book is found, and replaced; everything else in the book stays."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penwright.domain.book.files.layout import FULL_BOOK, LOCK
from penwright.domain.book.review.markers import rework_block
from penwright.domain.book.rewriting.closing import close_rewrite
from penwright.domain.book.rewriting.finding import MOST_WORDS, find_passage
from penwright.domain.book.rewriting.replacing import occurrences, replaced
from penwright.domain.text.paging import paging_faults
from penwright.errors import PenwrightError, Refused
from schemas.base import BlobRef
from schemas.book_session import Rewrite, RewriteOrder
from tests.support.books.memory_book import PaperBook
from tests.support.each import for_each

BOOK = """\
<!-- Penwright: the validated book. -->

<!-- PAGE 1 -->

# Chapter 1

She took the rope in her right hand.

<!-- PAGE 2 -->

“No,” she said. She did not look up.

# Chapter 2

The boat lay still. She waited.

She did not look up.
"""
WISH = "make her left-handed"


def order(chapter: int = 1, **changes: object) -> RewriteOrder:
    return RewriteOrder(chapter=chapter, instruction=WISH).model_copy(update=changes)


def found_in(book: str, wanted: RewriteOrder) -> tuple[int, str, str]:
    """The chapter, the prose of the passage, and all that is replaced."""
    found = find_passage(book, PaperBook().put(FULL_BOOK, book).view(), wanted)
    return found.chapter, found.text, book[slice(*found.span)]


@for_each(
    "wanted, text",
    [
        (order(passage="the rope in HER"), "She took the rope in her right hand."),
        (order(passage='"No," she'), "“No,” she said. She did not look up."),
        (order(2, passage="not look"), "She did not look up."),
        (order(lines=(7, 8)), "She took the rope in her right hand."),
        (order(2), "The boat lay still. She waited.\n\nShe did not look up."),
    ],
)
def test_a_passage_is_found_by_its_words_its_lines_or_as_a_chapter(wanted: RewriteOrder, text: str) -> None:
    assert found_in(BOOK, wanted)[1] == text


def test_a_chapter_is_read_without_the_page_markers_inside_of_it() -> None:
    _, text, raw = found_in(BOOK, order())

    assert text == "She took the rope in her right hand.\n\n“No,” she said. She did not look up."
    assert "<!-- PAGE 2 -->" in raw


def test_the_first_note_in_the_book_is_the_instruction_for_the_passage_before_it() -> None:
    book = BOOK.replace("right hand.", "right hand.\n\n<!-- INK: left hand -->")
    found = find_passage(book, PaperBook().put(FULL_BOOK, book).view(), RewriteOrder())

    assert (found.chapter, found.instruction) == (1, "left hand")
    assert replaced(book, found.span, "In her left.", found.note) == BOOK.replace(
        "She took the rope in her right hand.", "In her left."
    )


@for_each(
    "book, wanted, code",
    [
        (BOOK, order(passage="She"), "which-passage"),
        (BOOK, order(passage="the whale"), "no-such-passage"),
        (BOOK, order(lines=(90, 99)), "no-such-passage"),
        (BOOK, order(7), "no-such-chapter"),
        ("", order(), "no-such-chapter"),
        (BOOK, order(instruction=" "), "instruction-empty"),
        (BOOK, RewriteOrder(), "no-note-in-book"),
        (BOOK.replace("in her right", "in <!-- ? --> her right"), order(), "passage-holds-comment"),
        (BOOK.replace("the rope", "the rope " * MOST_WORDS), order(), "passage-too-long"),
    ],
)
def test_what_cannot_be_rewritten_is_refused_by_name(book: str, wanted: RewriteOrder, code: str) -> None:
    with pytest.raises(PenwrightError) as refused:
        found_in(book, wanted)

    assert refused.value.code == code


_TEXT = st.text(st.sampled_from("ab .\n\r#é–"), max_size=60)


@given(
    before=_TEXT, after=_TEXT, old=st.lists(st.sampled_from(["one", "two", "<!-- PAGE 3 -->"]), max_size=5)
)
def test_everything_outside_of_a_passage_stays_byte_for_byte(before: str, after: str, old: list[str]) -> None:
    passage = "\n\n".join(["first", *old, "last"])
    book = f"{before}{passage}{after}"

    after_it = replaced(book, (len(before), len(before) + len(passage)), "Another.\n\nThing.")

    assert after_it.startswith(before)
    assert after_it.endswith(after)
    assert after_it.count("<!-- PAGE 3 -->") == old.count("<!-- PAGE 3 -->")


def test_a_passage_of_repeated_lines_is_the_one_that_was_named() -> None:
    book = "# Chapter 1\n\nNo.\n\nNo.\n\nNo.\n"
    start, end = find_passage(book, PaperBook().put(FULL_BOOK, book).view(), order(lines=(5, 7))).span

    assert start in occurrences(book, book[start:end])
    assert replaced(book, (start, end), "Yes.") == "# Chapter 1\n\nNo.\n\nYes.\n"


def test_page_markers_stay_in_order_however_long_the_new_passage_is() -> None:
    for new in ("Short.", "Some.\n\nMore of it.", "Much. " * 90 + "\n\n" + "More. " * 90):
        view = PaperBook().put(FULL_BOOK, BOOK).view()
        found = find_passage(BOOK, view, order())
        assert paging_faults(replaced(BOOK, found.span, new)) == ()


def test_a_book_with_the_line_ends_of_windows_keeps_them() -> None:
    book = BOOK.replace("\n", "\r\n")
    found = find_passage(book, PaperBook().put(FULL_BOOK, book).view(), order())

    after = replaced(book, found.span, "One.\n\nTwo.")

    assert "One.\r\n\r\n" in after
    assert after.count("\n") == after.count("\r\n")


@pytest.fixture
def close() -> Callable[..., PaperBook]:
    """Close a rewrite of the sentence that stands in both chapters, the second time."""

    def closed(old: str = "She did not look up.", book: str = BOOK, prose: str = "") -> PaperBook:
        paper = PaperBook().put(FULL_BOOK, BOOK)
        paper.open()
        paper.put(FULL_BOOK, book)
        rewrite = Rewrite(
            chapter=2,
            instruction=WISH,
            passage=BlobRef(sha256="0" * 64, size=1),
            occurrence=1,
            occurrences=len(occurrences(BOOK, old)),
        )
        block = prose or rework_block(WISH, "She looked up.", old)
        closing = close_rewrite(
            paper.view(), book, rewrite, old, session="s1", prose=block, now=paper.now, snapshot_tag="ink-1"
        )
        paper.publish(closing.operations)
        return paper

    return closed


def test_the_close_of_a_rewrite_changes_the_passage_alone_and_releases_the_book(
    close: Callable[..., PaperBook],
) -> None:
    paper = close()

    head, _, tail = BOOK.rpartition("She did not look up.")
    assert paper.book == f"{head}She looked up.{tail}"
    assert LOCK not in paper.files
    assert not paper.view().needs_count
    (entry,) = (text for path, text in paper.files.items() if path.startswith("Changelog/"))
    assert "Rewrote a passage of chapter 2: make her left-handed" in entry


def test_a_passage_that_was_changed_meanwhile_is_left_alone(close: Callable[..., PaperBook]) -> None:
    with pytest.raises(Refused) as refused:
        close(book=BOOK.replace("look up.\n\n", "look.\n\n"))

    assert refused.value.code == "passage-changed"


def test_a_change_elsewhere_in_the_book_is_kept(close: Callable[..., PaperBook]) -> None:
    assert "He waited." in close(book=BOOK.replace("She waited.", "He waited.")).book
