"""`book text` and `book save`: a text is read, and saved as the person's commit."""

import json
from pathlib import Path
from shlex import join, split

import pytest

from tests.support.each import for_each
from tests.support.gateway.services import Run, git_in

REVIEW = "Review/current.md"
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


@for_each("path", [REVIEW, SOUL, "Current version/Full_Book.md"])
def test_a_text_saved_without_a_word_is_warned_of_and_brought_back(
    run: Run, book: Path, soul: str, tmp_path: Path, path: str
) -> None:
    (book / path).write_text(full := f"Of {path.replace(' ', '')}.\n\nIn {path.replace(' ', '')}.\n")
    git_in(book, "commit", "-q", "-a", "-m", "By hand")
    (empty := tmp_path / "empty.md").write_text("<!-- INK: nothing -->\n")

    code, _, err = run("book", "save", path, "--from", str(empty), "--book", str(book))
    command = ["penwright", "book", "restore", str(book), "--text", path]
    held = run(*command[1:])
    again = run(*command[1:])

    warning = f"warning: {path} holds no words any more, 4 words went; `{join(command)}` brings them back"
    assert (code, " ".join(err.split())) == (0, warning)
    assert held[:2] == (0, held[1])
    assert held[1].startswith(f"{path} has its 4 words back, as in commit ")
    assert (book / path).read_text() == full
    assert (again[0], "error[nothing-emptied]" in again[2]) == (1, True)


def test_a_text_that_was_moved_to_another_file_is_not_warned_of(run: Run, book: Path, tmp_path: Path) -> None:
    (book / REVIEW).write_text("One.\n\nTwo three.\n")
    git_in(book, "commit", "-q", "-a", "-m", "By hand")
    (new := tmp_path / "new.md").write_text("One.\n\nTwo three.\n")
    (empty := tmp_path / "empty.md").write_text("")
    run("book", "save", "Current version/Full_Book.md", "--from", str(new), "--book", str(book))

    code, out, err = run("book", "save", REVIEW, "--from", str(empty), "--book", str(book), "--json")

    assert (code, err, json.loads(out)["warnings"]) == (0, "", [])


@for_each("how", ["emptied", "removed", "saved"])
def test_a_session_tells_what_was_emptied_since_the_last_one(
    run: Run, book: Path, tmp_path: Path, how: str
) -> None:
    run("book", "open", str(book))
    run("book", "close", str(book), stdin=f"These words will be {how}.".encode())
    (empty := tmp_path / "empty.md").write_text("")
    if how == "saved":
        run("book", "save", REVIEW, "--from", str(empty), "--book", str(book))
    elif how == "removed":
        (book / REVIEW).unlink()
    else:
        (book / REVIEW).write_text("\n")

    _, out, _ = run("book", "open", str(book), "--json")
    warnings = json.loads(out)["warnings"]
    run("book", "close", str(book), stdin=f"New words after {how}.".encode())

    (told,) = (each for each in warnings if each.startswith("emptied since the last session"))
    assert f"{REVIEW} holds no words any more, 5 words went" in told
    restored = run(*split(told.split("`")[1])[1:])
    assert (restored[0], (book / REVIEW).read_text().count(f"will be {how}.")) == (0, 1)
    assert (book / REVIEW).read_text().count(f"New words after {how}.") == 1


def test_a_text_made_before_a_session_changed_it_is_not_put_over_it(
    run: Run, book: Path, tmp_path: Path
) -> None:
    shore, gate, road = (
        f"The {name} was empty when she came back from the harbour." for name in ("shore", "gate", "road")
    )
    written = ("commit", "-q", "-a", "-m", "Close session s\n\nPenwright-Contributor: agent")
    (book / REVIEW).write_text(f"{shore}\n\n{gate}\n")
    git_in(book, "commit", "-q", "-a", "-m", "By hand")
    _, old, _ = run("book", "text", REVIEW, "--book", str(book))
    (book / REVIEW).write_text(f"{road}\n")
    git_in(book, *written)
    mine = tmp_path / "mine.md"
    mine.write_text(old.replace("harbour", "pier", 1))
    save = ("book", "save", REVIEW, "--from", str(mine), "--book", str(book))

    refused, _, err = run(*save)
    base, current = (each.partition("`")[0] for each in err.split("--based-on ")[1:])
    over, _, _ = run(*save, "--based-on", current)

    assert (refused != 0, "error[older-base]" in err) == (True, True)
    assert base == git_in(book, "rev-parse", f"HEAD~2:{REVIEW}").strip()
    assert (over, (book / REVIEW).read_text()) == (0, mine.read_text())


def test_taking_ones_own_change_back_is_saved(run: Run, book: Path, soul: str, tmp_path: Path) -> None:
    old = (book / SOUL).read_text()
    new = tmp_path / "new.md"
    new.write_text("# Soul\n\nOne.\n\nThree.\n")
    run("book", "save", SOUL, "--from", str(new), "--book", str(book))
    new.write_text(old)

    code, _, _ = run("book", "save", SOUL, "--from", str(new), "--book", str(book))

    assert (code, (book / SOUL).read_text()) == (0, old)
