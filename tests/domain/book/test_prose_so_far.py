"""The end of a book's prose that a session's roles are shown."""

from penwright.domain.book.files.layout import CONFIG, FULL_BOOK, STATE, chapter_path
from penwright.domain.book.prose_so_far import EARLIER_TOKENS, earlier_prose, last_prose
from penwright.domain.models.token_estimate import estimate_tokens
from penwright.domain.text.paragraphs import paragraphs
from schemas.book import ConfigPayload, CurrentReview, SessionPayload
from tests.support.books.memory_book import PaperBook

PARAGRAPH = "The boats came in one by one, and Mara counted them from the wall as she always did."
CONFIG_TEXT = "target_length: 90000\nchapter_count: 9\nchapter_structure: linear\nwords_per_session: 400\n"


def paper(text: str, chapter: int) -> PaperBook:
    book = PaperBook().put(CONFIG, CONFIG_TEXT).put(FULL_BOOK, text)
    book.put(chapter_path(chapter), "# The Lamp\n")
    return book.put(STATE, f"current_chapter: {chapter}\n")


def told(chapter: int, count: int) -> str:
    return f"# Chapter {chapter}\n\n" + "\n\n".join(f"{PARAGRAPH} {chapter}.{at}" for at in range(count))


def earlier(text: str, chapter: int) -> str:
    return earlier_prose(text, paper(text, chapter).view())


def test_this_chapter_and_the_one_before_are_shown() -> None:
    text = "\n\n".join(told(chapter, 5) for chapter in range(1, 5)) + "\n"

    shown = earlier(text, 4)

    assert shown == f"{told(3, 5)}\n\n{told(4, 5)}"


def test_of_a_long_chapter_its_last_paragraphs_are_shown() -> None:
    text = told(1, 4_000) + "\n"

    shown = earlier(text, 1)

    assert EARLIER_TOKENS * 0.95 < estimate_tokens(shown) <= EARLIER_TOKENS
    assert paragraphs(shown) == paragraphs(text)[-len(paragraphs(shown)) :]


def test_comments_and_page_marks_are_left_out() -> None:
    assert earlier(f"{PARAGRAPH}\n\n<!-- PAGE 2 -->\n\n{PARAGRAPH}\n", 1) == f"{PARAGRAPH}\n\n{PARAGRAPH}"


def test_a_book_without_prose_shows_nothing() -> None:
    assert earlier("", 1) == ""


def test_a_text_of_ideographs_keeps_to_the_same_room() -> None:
    shown = earlier("\n\n".join(["她数着归来的船。" * 12] * 900), 1)

    assert EARLIER_TOKENS * 0.95 < estimate_tokens(shown) <= EARLIER_TOKENS


def test_the_last_prose_reaches_back_into_the_book_where_little_waits() -> None:
    payload = SessionPayload(
        config=ConfigPayload(
            target_length=1, chapter_count=1, chapter_structure="linear", words_per_session=1
        ),
        current_review=CurrentReview(content="Then the lamp went out.\n"),
        earlier_prose=told(1, 200),
    )

    shown = paragraphs(last_prose(payload))

    assert shown[-1] == "Then the lamp went out."
    assert 30 < len(shown) < 60
