"""`book text` and `book save`: a text is read, and saved as the person's commit."""

import json
from pathlib import Path

import pytest

from tests.support.gateway.services import Run, git_in

SOUL = "Global Material/Soul.md"


@pytest.fixture
def soul(run: Run, book: Path) -> str:
    (book / SOUL).write_text("# Soul\n\nOne.\n\nTwo.\n")
    git_in(book, "add", ".")
    git_in(book, "commit", "-q", "-m", "By hand")
    _, out, _ = run("book", "text", SOUL, "--book", str(book), "--json")
    return str(json.loads(out)["revision"])


def test_what_was_read_can_be_changed_and_saved(run: Run, book: Path, soul: str, tmp_path: Path) -> None:
    new = tmp_path / "new.md"
    new.write_text("# Soul\n\nOne.\n\nThree.\n")

    code, out, _ = run("book", "save", SOUL, "--from", str(new), "--book", str(book))
    _, shown, _ = run("book", "text", SOUL, "--book", str(book))

    assert code == 0
    assert out.startswith("Saved Global Material/Soul.md: 4 words, commit ")
    assert "Three." in shown


def test_two_changes_of_other_words_are_merged(run: Run, book: Path, soul: str, tmp_path: Path) -> None:
    new = tmp_path / "new.md"
    new.write_text("# Soul\n\nOne more.\n\nTwo.\n")
    (book / SOUL).write_text("# Soul\n\nOne.\n\nTwo more.\n")

    code, out, _ = run(
        "book", "save", SOUL, "--from", str(new), "--based-on", soul, "--book", str(book), "--json"
    )

    assert (code, json.loads(out)["outcome"]) == (0, "merged")
    assert (book / SOUL).read_text() == "# Soul\n\nOne more.\n\nTwo more.\n"


def test_words_that_both_changed_are_shown_and_nothing_is_saved(
    run: Run, book: Path, soul: str, tmp_path: Path
) -> None:
    new = tmp_path / "new.md"
    new.write_text("# Soul\n\nMine.\n\nTwo.\n")
    (book / SOUL).write_text("# Soul\n\nYours.\n\nTwo.\n")

    code, _, err = run("book", "save", SOUL, "--from", str(new), "--based-on", soul, "--book", str(book))

    assert code != 0
    assert "error[edited-meanwhile]" in err
    assert "yours: 'Mine'" in err
    assert (book / SOUL).read_text() == "# Soul\n\nYours.\n\nTwo.\n"


@pytest.mark.parametrize("path", [".ink-state.yml", "../out.md"])
def test_what_is_no_text_of_the_book_is_refused(run: Run, book: Path, path: str) -> None:
    code, _, err = run("book", "text", path, "--book", str(book))

    assert code != 0
    assert "error[not-editable]" in err


def test_a_file_that_is_not_there_is_named(run: Run, book: Path) -> None:
    code, _, err = run("book", "save", SOUL, "--from", "nowhere.md", "--book", str(book))

    assert code != 0
    assert "error[no-such-file]" in err
