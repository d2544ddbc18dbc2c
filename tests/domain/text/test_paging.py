"""Page markers and paragraphs."""

from hypothesis import given
from hypothesis import strategies as st

from penwright.domain.text.paging import BookCount, count_book, paginate, paging_faults
from penwright.domain.text.paragraphs import paragraphs
from tests.support.books.memory_book import numbered_words


def test_the_first_marker_of_a_book_is_page_1() -> None:
    paged = paginate("one two\n\nthree", BookCount(), words_per_page=2)

    assert paged.text == "<!-- PAGE 1 -->\n\none two\n\n<!-- PAGE 2 -->\n\nthree"
    assert paged.count == BookCount(words=3, page=2, since_page=1)


def test_a_paragraph_longer_than_a_page_makes_one_long_page() -> None:
    paged = paginate(f"{numbered_words(0, 90)}\n\nnext", BookCount(), words_per_page=10)

    assert paged.text.count("<!-- PAGE") == 2
    assert paging_faults(paged.text) == ()


def test_paging_can_be_switched_off_and_on_again() -> None:
    off = paginate("a b c", BookCount(), words_per_page=0)
    on = paginate("d", off.count, words_per_page=2)

    assert off.text == "a b c"
    assert on.text == "<!-- PAGE 1 -->\n\nd"


def test_a_page_marker_that_a_writer_made_up_does_not_enter_the_book() -> None:
    paged = paginate("a b\n\n<!-- PAGE 9 -->\n\nc", BookCount(), words_per_page=5)

    assert paged.text == "<!-- PAGE 1 -->\n\na b\n\nc"


def test_a_comment_alone_begins_no_page() -> None:
    assert paginate("<!-- a note -->", BookCount(), words_per_page=5).text == "<!-- a note -->"


def test_a_fence_or_comment_with_blank_lines_stays_in_one_piece() -> None:
    text = "p\n\n```\na\n\n\nb\n```\n\n<!-- x\n\ny -->\n\nq"

    assert paragraphs(text) == ("p", "```\na\n\n\nb\n```", "<!-- x\n\ny -->", "q")


def test_paragraphs_keep_their_indent_and_may_have_windows_line_ends() -> None:
    assert paragraphs("\r\n\r\n  a\r\nb\r\n \t\r\n\r\nc  \r\n") == ("  a\r\nb", "c")


def test_a_gap_in_the_page_numbers_is_named_with_its_line() -> None:
    assert paging_faults("<!-- PAGE 1 -->\na\n<!-- PAGE 3 -->") == ("line 3: found PAGE 3, expected PAGE 2",)
    assert paging_faults("<!-- PAGE 2 -->") != ()
    assert paging_faults("no pages") == ()


WORD_PARAGRAPHS = st.lists(
    st.integers(1, 40).map(lambda count: numbered_words(0, count)), min_size=1, max_size=8
).map("\n\n".join)


@given(st.lists(WORD_PARAGRAPHS, min_size=1, max_size=6), st.integers(0, 60))
def test_a_book_paged_session_by_session_counts_as_if_it_were_read(parts: list[str], page: int) -> None:
    book, count = "", BookCount()
    for part in parts:
        paged = paginate(part, count, words_per_page=page)
        book, count = f"{book}{paged.text}\n\n", paged.count

    assert count == count_book(book)
    assert paging_faults(book) == ()
    assert (count.page == 0) == (page == 0)


@given(st.text(alphabet="ab \n\t`~<!->\r"))
def test_paragraphs_hold_every_word_in_order(text: str) -> None:
    assert " ".join(paragraphs(text)).split() == text.split()
