"""`book rewrite`: a passage of the book is rewritten and read by a person; then it counts, or it is gone."""

import json
from pathlib import Path

import pytest

from penwright.domain.book.files.layout import FULL_BOOK
from tests.support.gateway.services import REWRITTEN, Run, git_in

TEXT = """\
<!-- Penwright: the validated book. -->

<!-- PAGE 1 -->

# Chapter 1

She took the rope in her right hand. It was wet.

The boat lay still.
"""
OLD = "She took the rope in her right hand. It was wet."
ORDER = ("1", "-i", "make her left-handed", "--passage", "took the rope")


@pytest.fixture
def told(book: Path) -> Path:
    """A book with a chapter of its author's."""
    (book / FULL_BOOK).write_text(TEXT, encoding="utf-8")
    git_in(book, "commit", "-qam", "My first chapter")
    return book


@pytest.fixture
def asking(run: Run, told: Path) -> Path:
    """The same with a rewritten passage that waits."""
    assert run("book", "rewrite", str(told), *ORDER)[0] == 0
    return told


def tree(book: Path) -> str:
    return git_in(book, "ls-tree", "-r", "main")


def test_the_new_passage_waits_with_what_it_replaces_and_the_commands_that_decide(
    run: Run, told: Path
) -> None:
    code, out, _ = run("book", "rewrite", str(told), *ORDER)

    assert code == 0
    assert f"-{OLD}" in out
    assert f"+{REWRITTEN} {OLD}" in out
    assert f"penwright intent approve {told} AP-" in out
    assert (told / FULL_BOOK).read_text() == TEXT
    assert "REWRITE-001" in run("intent", "pending", str(told))[1]


def test_a_yes_puts_it_into_the_book_as_one_commit_under_its_own_intent(run: Run, asking: Path) -> None:
    before = git_in(asking, "rev-parse", "main").strip()

    assert run("intent", "approve", str(asking))[0] == 0

    assert (asking / FULL_BOOK).read_text() == TEXT.replace(OLD, f"{REWRITTEN} {OLD}")
    subjects = git_in(asking, "log", "--format=%s", f"{before}..main").splitlines()
    assert subjects == ["Rewrite a passage of chapter 1: make her left-handed"]
    assert "Penwright-Intent: REWRITE-001" in git_in(asking, "log", "-1", "--format=%B", "main")


def test_a_no_leaves_nothing(run: Run, told: Path) -> None:
    before = tree(told)
    run("book", "rewrite", str(told), *ORDER)

    _, out, _ = run("intent", "deny", str(told), "--reason", "too plain")

    assert "nothing of it is kept" in out
    assert tree(told) == before
    (entry,) = json.loads(run("book", "log", str(told), "--json")[1])["sessions"]
    assert (entry["outcome"], "too plain" in entry["message"]) == ("stopped", True)


def test_a_paragraph_that_a_rewrite_keeps_stays_its_authors(run: Run, told: Path, tmp_path: Path) -> None:
    mine = tmp_path / "mine.md"
    mine.write_text(TEXT.replace("The boat lay still.", "I wrote that myself, long ago."), encoding="utf-8")
    assert run("book", "save", FULL_BOOK, "--from", str(mine), "--book", str(told))[0] == 0
    run("book", "rewrite", str(told), "1", "-i", "make her left-handed")

    run("intent", "approve", str(told))

    blamed = json.loads(run("trace", "blame", FULL_BOOK, str(told), "--json")[1])["blocks"]
    who = {each["text"]: each["who"] for each in blamed}
    assert who["I wrote that myself, long ago."] == "human"
    assert who[f"{REWRITTEN} {OLD}"] == "edited"


def test_a_rollback_takes_it_out_and_its_undo_brings_it_back(run: Run, asking: Path) -> None:
    run("intent", "approve", str(asking))

    assert run("book", "rollback", str(asking), "--yes")[0] == 0
    assert (asking / FULL_BOOK).read_text() == TEXT
    assert run("book", "rollback", str(asking), "--undo")[0] == 0
    assert REWRITTEN in (asking / FULL_BOOK).read_text()


def test_a_dry_run_shows_the_passage_and_starts_nothing(run: Run, told: Path) -> None:
    before = git_in(told, "rev-parse", "HEAD")

    code, out, _ = run("book", "rewrite", str(told), *ORDER, "--dry-run", "--json")

    assert code == 0
    assert json.loads(out)["passage"] == OLD
    assert git_in(told, "rev-parse", "HEAD") == before


def test_a_passage_that_is_not_there_is_refused_and_the_book_stays_closed(run: Run, told: Path) -> None:
    before = tree(told)

    code, _, err = run("book", "rewrite", str(told), "1", "-i", "x", "--passage", "the whale")

    assert (code, "error[no-such-passage]" in err) == (3, True)
    assert tree(told) == before


def test_a_note_in_the_book_is_answered_without_a_chapter(run: Run, told: Path) -> None:
    text = TEXT.replace("It was wet.", "It was wet. <!-- INK: left-handed -->")
    (told / FULL_BOOK).write_text(text, encoding="utf-8")

    assert run("book", "rewrite", str(told))[0] == 0
    assert run("intent", "approve", str(told))[0] == 0

    assert "INK" not in (told / FULL_BOOK).read_text()


def test_a_passage_that_its_author_changed_meanwhile_stays_and_the_new_one_lies_aside(
    run: Run, asking: Path
) -> None:
    mine = TEXT.replace("It was wet.", "It was dry.")
    (asking / FULL_BOOK).write_text(mine, encoding="utf-8")

    run("intent", "approve", str(asking))

    assert (asking / FULL_BOOK).read_text() == mine
    (aside,) = (asking / "Review").glob("recovered-*")
    assert REWRITTEN in aside.read_text()
    (entry,) = json.loads(run("book", "log", str(asking), "--json")[1])["sessions"]
    assert entry["code"] == "passage-changed"


def test_a_change_elsewhere_meanwhile_is_kept_and_the_new_book_is_asked_about_again(
    run: Run, asking: Path
) -> None:
    (asking / FULL_BOOK).write_text(TEXT.replace("lay still", "lay there"), encoding="utf-8")

    run("intent", "approve", str(asking))
    (again,) = json.loads(run("intent", "pending", str(asking), "--json")[1])["pending"]
    run("intent", "approve", str(asking), again["id"])

    text = (asking / FULL_BOOK).read_text()
    assert "The boat lay there." in text
    assert f"{REWRITTEN} {OLD}" in text


def test_an_order_that_is_not_whole_is_refused_before_anything_starts(run: Run, told: Path) -> None:
    for arguments, code in (
        (("1",), "instruction-empty"),
        (("-i", "left-handed"), "chapter-missing"),
        (("1", "-i", "x", "--lines", "9-3"), "lines-unclear"),
        (("1", "-i", "x", "--passage", ""), "empty-passage"),
    ):
        _, _, err = run("book", "rewrite", str(told), *arguments)
        assert f"error[{code}]" in err
        assert "next: " in err
