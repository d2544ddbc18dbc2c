"""`book craft`: rules of craft for a book that has none; printed, and saved only on order."""

import json
from pathlib import Path

import pytest

from penwright.adapters.scaffold.craft import default_craft
from tests.support.gateway.services import Run, git_in

CRAFT = "Global Material/Craft.md"


@pytest.fixture
def without(book: Path) -> Path:
    """A book from before books began with rules of craft."""
    git_in(book, "rm", "-q", CRAFT)
    git_in(book, "commit", "-q", "-m", "As before")
    return book


def test_the_rules_are_printed_and_nothing_is_changed(run: Run, without: Path) -> None:
    before = git_in(without, "for-each-ref")

    code, out, _ = run("book", "craft", str(without), "--genre", "crime")

    assert (code, out) == (0, default_craft("English", "crime"))
    assert not (without / CRAFT).exists()
    assert git_in(without, "for-each-ref") == before


def test_the_rules_are_saved_as_a_commit_of_the_person_and_can_be_taken_back(run: Run, without: Path) -> None:
    code, out, _ = run("book", "craft", str(without), "--save", "--json")

    assert (code, json.loads(out)["saved"]) == (0, True)
    assert (without / CRAFT).read_text("utf-8") == default_craft("English")
    assert "Contributor: human" in git_in(without, "log", "-1", "--format=%B").replace("Penwright-", "")
    git_in(without, "revert", "--no-edit", json.loads(out)["commit"])
    assert not (without / CRAFT).exists()


def test_rules_that_were_deleted_in_the_folder_are_made_again(run: Run, book: Path) -> None:
    (book / CRAFT).unlink()

    code, _, err = run("book", "craft", str(book), "--save")

    assert (code, err) == (0, "")
    assert (book / CRAFT).read_text("utf-8") == default_craft("English")
    assert git_in(book, "status", "--porcelain") == ""


def test_rules_that_the_author_has_are_not_replaced(run: Run, book: Path) -> None:
    code, _, err = run("book", "craft", str(book), "--save")

    assert code != 0
    assert "error[text-exists]" in err


def test_an_unknown_genre_is_refused_with_those_there_are(run: Run, book: Path) -> None:
    code, _, err = run("book", "craft", str(book), "--genre", "opera")

    assert code == 2
    assert "crime" in err
