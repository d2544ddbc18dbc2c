"""Texts that begin with others: remembered or compared, the answer is the same."""

import pytest

from penwright.domain.beginnings import begins_with, lengthened, start_of

LONG = b"A line of a long book.\n" * 20_000


def test_what_was_lengthened_begins_with_what_it_was() -> None:
    book = lengthened(LONG, b"The end.\n")

    assert book == LONG + b"The end.\n"
    assert start_of(book) is LONG
    assert begins_with(book, LONG)


def test_a_long_text_is_made_once() -> None:
    book = lengthened(LONG, b"The end.\n")

    assert lengthened(LONG, b"The end.\n") is book
    assert lengthened(LONG, b"The pen.\n") == LONG + b"The pen.\n"
    assert lengthened(bytes(bytearray(LONG)), b"The end.\n") == book
    assert lengthened(LONG, b"") == LONG


def test_only_the_very_text_is_taken_for_it() -> None:
    book = lengthened(LONG, b"The end.\n")
    other = LONG.replace(b"long", b"lung", 1)

    assert not begins_with(book, other)
    assert not begins_with(bytes(bytearray(book[:-1])), book)
    assert begins_with(bytes(bytearray(book)), bytes(bytearray(LONG)))


def test_what_was_compared_once_is_known() -> None:
    book, start = LONG + b"More.\n", bytes(bytearray(LONG))

    assert start_of(book) is None
    assert begins_with(book, start)
    assert start_of(book) is start


@pytest.mark.parametrize(("start", "text"), [(b"", b""), (b"", b"a"), (b"a", b"ab"), (LONG, LONG)])
def test_short_and_equal_texts_are_only_compared(start: bytes, text: bytes) -> None:
    assert begins_with(text, start)
    assert start_of(text) is None


def test_the_pairs_of_many_books_are_forgotten_again() -> None:
    first = lengthened(LONG, b"0")
    for number in range(10):
        lengthened(LONG, b"%d" % number)

    assert start_of(first) is None
    assert begins_with(first, LONG)
