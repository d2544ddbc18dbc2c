"""The rules of craft of a new book: of its language and genre, and its author's from then on."""

import re

from penwright.adapters.scaffold.craft import default_craft
from penwright.adapters.scaffold.templates import fresh_book
from penwright.domain.book.craft import never_list
from penwright.domain.book.files.unfilled import filled_in
from penwright.domain.book.questions import GENRES
from schemas.base import BookId
from tests.support.each import for_each


def rules(text: str) -> list[str]:
    """Its items, without those of the section Never."""
    return [line for line in text.splitlines() if line.startswith("- ")][: -len(never_list(text))]


def test_a_new_book_has_english_rules_with_limits_and_a_list_of_what_must_not_stand_in_it() -> None:
    craft = fresh_book({}, BookId("b-0001"))["Global Material/Craft.md"]

    assert 20 <= len(rules(craft)) <= 30
    assert sum(bool(re.search(r"\d|at most|no more", rule, re.IGNORECASE)) for rule in rules(craft)) >= 12
    assert "a testament to" in never_list(craft)


@for_each("genre", GENRES[1:])
def test_each_genre_adds_rules_of_its_own_before_the_list(genre: str) -> None:
    craft, general = default_craft("English", genre), default_craft("English")

    assert len(rules(craft)) == len(rules(general)) + 3
    assert never_list(craft) == never_list(general)
    assert default_craft("English", "general") == general


@for_each("language", ["German", "Deutsch", "French", "español", "Chinese", "Swiss German"])
def test_a_language_with_rules_of_its_own_gets_them(language: str) -> None:
    craft = default_craft(language, "crime")

    assert len(rules(craft)) >= 10
    assert len(never_list(craft)) >= 5
    assert "At most" not in craft


@for_each("language", ["Basque", "Klingon", "", "--> x"])
def test_any_other_language_gets_the_english_rules_which_say_so(language: str) -> None:
    craft = default_craft(language)

    assert craft.startswith("<!-- There are no rules in ")
    assert craft.endswith(default_craft("English"))


def test_the_rules_have_no_open_places() -> None:
    for language in ("English", "German", "French", "Spanish", "Chinese"):
        assert filled_in(default_craft(language)) == default_craft(language)
