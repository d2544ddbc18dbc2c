"""The paragraphs of a book by chapter, and its unread passages."""

from penwright.domain.book.files.layout import FULL_BOOK, REVIEW
from penwright.domain.continuity.passages import PASSAGE_WORDS, told_blocks, unread_passages
from penwright.domain.continuity.quotes import PassageSearch
from schemas.continuity import QUOTE_LENGTH, PassageText
from tests.support.books.memory_book import PaperBook
from tests.support.each import for_each

BOOK = "# The Pier\n\nHe waits.\n\n***\n\nShe is late.\n\n<!-- PAGE 2 -->\n\n# The Boat\n\nShe comes.\n"


def test_paragraphs_of_the_book_and_of_the_prose_that_waits_have_their_chapters() -> None:
    book = PaperBook().put(FULL_BOOK, BOOK).put(REVIEW, "They row.\n\n<!-- INK: colder -->\n")

    told = told_blocks(BOOK, book.view())

    assert [(each.text, each.chapter) for each in told] == [
        ("He waits.", 1),
        ("She is late.", 1),
        ("She comes.", 2),
        ("They row.", 1),
    ]


def test_only_what_has_no_reading_is_read_and_a_refrain_once() -> None:
    text = "One.\n\nTwo.\n\nOne.\n\nThree.\n"
    told = told_blocks(text, PaperBook().put(FULL_BOOK, text).view())

    passages = unread_passages(told, {told[1].hash})

    assert [[each.text for each in passage.blocks] for passage in passages] == [["One."], ["Three."]]


def test_a_passage_ends_with_its_chapter_and_at_its_length() -> None:
    paragraph = "word " * 900
    text = "\n\n".join(f"{paragraph} {at}" for at in range(4)) + "\n\n# The Boat\n\nShe comes.\n"
    told = told_blocks(text, PaperBook().put(FULL_BOOK, text).view())

    passages = unread_passages(told, ())

    assert [len(each.blocks) for each in passages] == [2, 2, 1], "of like length"
    assert all(each.words <= PASSAGE_WORDS for each in passages)
    assert [each.chapter for each in passages] == [1, 1, 2]


PASSAGE = PassageSearch.of(
    PassageText(
        chapter=1,
        blocks=("a", "b"),
        texts=("“No,” said Mara — and left…", "It’s the café’s ﬁnest  lamp, and " + "it burns " * 40),
    )
)


@for_each(
    "quote, block",
    [
        ("“No,” said Mara", "a"),
        ('"No," said Mara - and left...', "a"),
        ("…said Mara…", "a"),
        ("'It's the café's", "b"),
        ("said Maria", ""),
        ("", ""),
        ("“”", ""),
    ],
)
def test_a_quote_is_found_whatever_its_dashes_and_quotation_marks(quote: str, block: str) -> None:
    found = PASSAGE.find(quote)

    assert (found.block if found else "") == block


def test_a_quote_is_kept_as_it_stands_in_the_text_and_no_longer_than_allowed() -> None:
    found = PASSAGE.find("lamp, and " + "it burns " * 40)

    assert found is not None
    assert len(found.quote) == QUOTE_LENGTH
    assert found.quote in PASSAGE.texts[1]
