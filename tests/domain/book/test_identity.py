"""Which book a folder holds."""

import pytest

from penwright.domain.book.identity import Place, checked_book_id, id_of_place, new_book_id
from schemas.base import BookId
from tests.support.each import for_each

TIDE = BookId("low-tide-1a2b")
HOME = "penwright-repo"


def place(path: str, remote: str = "", queue: str = HOME) -> Place:
    return Place(queue, path, remote)


def test_the_only_folder_of_an_id_holds_that_book() -> None:
    assert id_of_place(TIDE, place("/b"), None) == TIDE


@pytest.mark.parametrize(
    ("here", "there"),
    [
        ("/srv/tide.git", "/srv/tide.git"),
        ("/srv/tide.git", "file:///srv/tide/"),
        ("../tide.git", "/books/tide.git"),
        ("git@Example.org:ada/tide.git", "https://example.org/ada/tide"),
        ("ssh://git@example.org:2222/ada/tide.git", "https://ada:secret@example.org/ada/tide/"),
    ],
)
def test_two_folders_of_one_remote_are_one_book_however_its_address_is_written(here: str, there: str) -> None:
    assert id_of_place(TIDE, place("/books/b", here), place("/books/a", there)) == TIDE


@for_each(
    "here, there",
    [
        ("", ""),
        ("", "/srv/tide.git"),
        ("/srv/other.git", "/srv/tide.git"),
        ("https://example.org/ada/tide", "https://example.net/ada/tide"),
        ("git@example.org:ada/tide.git", "git@example.org:bob/tide.git"),
        ("/books/a", ""),
    ],
)
def test_a_copy_without_the_remote_or_with_another_is_a_book_of_its_own(here: str, there: str) -> None:
    copied = id_of_place(TIDE, place("/books/b", here), place("/books/a", there))

    assert copied.startswith(f"{TIDE}-")
    assert checked_book_id(copied) == copied
    assert copied == id_of_place(TIDE, place("/books/b", here), place("/books/a", there))
    assert copied != id_of_place(TIDE, place("/books/c", here), place("/books/a", there))


def test_the_id_of_a_copy_of_a_long_id_is_valid() -> None:
    long = BookId("a" * 56 + "-" + "b" * 7)

    copied = id_of_place(long, place("/b"), place("/a"))

    assert checked_book_id(copied) == copied != long


def test_an_id_keeps_the_letters_of_a_title_in_their_plain_form() -> None:
    assert new_book_id("Über den Fluß, São Tomé", "4f2a") == "uber-den-fluss-sao-tome-4f2a"
