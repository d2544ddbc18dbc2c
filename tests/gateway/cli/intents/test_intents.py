"""``penwright intent`` on a real repository."""

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from penwright.domain.intents.registry import REGISTRY
from tests.support.books.repos import git, identify
from tests.support.gateway.services import Run


@pytest.fixture(autouse=True)
def author(book: Path) -> None:
    """A user with a git identity."""
    identify(book)


def subjects(book: Path) -> list[str]:
    return git(book, "log", "--format=%s", "--", REGISTRY).splitlines()


def test_a_new_book_has_one_intent_that_lets_it_be_written(run: Run, book: Path) -> None:
    code, out, _ = run("intent", "list", str(book))

    assert code == 0
    assert out.split()[:2] == ["INT-001", "IN_PROGRESS"]


def test_an_intent_is_shown_whole(run: Run, book: Path) -> None:
    code, out, _ = run("intent", "show", "INT-001", str(book))

    assert code == 0
    assert "Review/current.md" in out
    assert json.loads(run("intent", "show", "INT-001", str(book), "--json")[1])["status"] == "IN_PROGRESS"


def test_each_change_of_an_intent_is_a_commit(run: Run, book: Path) -> None:
    run("intent", "add", str(book), "--name", "Tighten chapter 3", "--scope", "Chapters material/*.md")
    for verb in ("start", "block", "complete"):
        assert run("intent", verb, "INT-002", str(book))[0] == 0

    assert subjects(book)[:4] == [
        "Set intent INT-002 to COMPLETED",
        "Set intent INT-002 to BLOCKED",
        "Set intent INT-002 to IN_PROGRESS",
        "Add intent INT-002",
    ]
    assert "INT-002      COMPLETED    Tighten chapter 3" in run("intent", "list", str(book))[1]
    assert git(book, "status", "--porcelain") == ""


def test_saying_it_twice_is_saying_it_once(run: Run, book: Path) -> None:
    before = subjects(book)

    code, out, _ = run("intent", "start", "INT-001", str(book), "--json")

    assert (code, json.loads(out)["commit"]) == (0, None)
    assert subjects(book) == before


def test_a_persons_comments_in_the_registry_survive_a_command(run: Run, book: Path) -> None:
    text = (
        (book / REGISTRY).read_text().replace("name: Write the book", "name: Write the book  # my own words")
    )
    (book / REGISTRY).write_text(text)
    git(book, "commit", "-qam", "A word")

    run("intent", "block", "INT-001", str(book))

    assert (book / REGISTRY).read_text() == text.replace("IN_PROGRESS", "BLOCKED", 1)


@pytest.mark.parametrize("verb", ["show", "start", "complete", "block"])
def test_an_unknown_id_is_answered_with_those_there_are(run: Run, book: Path, verb: str) -> None:
    code, _, err = run("intent", verb, "int-001", str(book))

    assert code == 3
    assert "INT-001" in err


def test_an_id_that_is_taken_is_refused_and_nothing_changes(run: Run, book: Path) -> None:
    before = git(book, "rev-parse", "HEAD")

    code, out, _ = run("intent", "add", str(book), "--id", "INT-001", "--scope", "a.md", "--json")

    assert (code, json.loads(out)["code"]) == (3, "intent-exists")
    assert git(book, "rev-parse", "HEAD") == before


def test_a_broken_registry_is_named_and_left_alone(run: Run, book: Path) -> None:
    (book / REGISTRY).write_text("active_intents: 3\n")
    git(book, "commit", "-qam", "Break it")

    code, out, _ = run("intent", "add", str(book), "--scope", "a.md", "--json")

    assert (code, json.loads(out)["code"]) == (3, "registry-invalid")
    assert (book / REGISTRY).read_text() == "active_intents: 3\n"


def test_intent_add_creates_a_missing_registry(run: Run, book: Path) -> None:
    git(book, "rm", "-q", REGISTRY)
    git(book, "commit", "-qm", "Without")

    code, _, err = run("intent", "list", str(book))
    added, *_ = run("intent", "add", str(book), "--scope", "Review/current.md", "--start")

    assert code == 3
    assert "penwright intent add" in err
    assert added == 0
    assert "INT-001  IN_PROGRESS" in run("intent", "list", str(book))[1]


def test_a_session_writes_under_the_intent_option(run: Run, book: Path) -> None:
    assert run("intent", "add", str(book), "--name", "Second", "--scope", "Review/*", "--scope", "**")[0] == 0
    assert run("intent", "start", "INT-002", str(book))[0] == 0
    assert run("book", "session", str(book), "--intent", "INT-002")[0] == 0
    trailers = git(book, "log", "--format=%(trailers:key=Penwright-Intent,valueonly)").split()
    assert trailers == ["INT-002"]

    code, out, _ = run("intent", "show", "INT-002", str(book), "--context")
    assert code == 0
    context = ElementTree.fromstring(out)
    assert context.get("id") == "INT-002"
    assert [history.get("total") for history in context.iter("intent_history")] == ["1"]


def test_a_session_under_an_unusable_intent_is_refused(run: Run, book: Path) -> None:
    run("intent", "add", str(book), "--name", "Canon", "--scope", "Global Material/**", "--start")
    for named, code in (("INT-009", "intent-unknown"), ("INT-002", "intent-owns-other-files")):
        exit_code, out, said = run("book", "session", str(book), "--intent", named)
        assert (exit_code, code in out + said) == (3, True)
    assert not (book / ".ink-running").exists()


def test_a_rule_that_cannot_be_read_is_named_with_what_to_write(run: Run, book: Path) -> None:
    (book / ".intentignore").write_text("Soul.md # canon\nGlobal Material/\n")

    code, out, _ = run("intent", "check", str(book))
    told = json.loads(run("intent", "check", str(book), "--json")[1])

    assert code == 1
    assert "line 1 of .intentignore ('Soul.md # canon')" in out
    assert "write `Soul.md`" in out
    assert (told["status"], [fault["line"] for fault in told["faults"]]) == ("issues", [1])
    assert "line 1 of .intentignore" in run("intent", "list", str(book))[2]
    assert "line 1 of .intentignore" in run("book", "doctor", str(book))[1]


def test_a_rule_that_protects_nothing_is_reported_and_is_no_error(run: Run, book: Path) -> None:
    (book / ".intentignore").write_text("soul.md\nintent:INT-009\nLore.md\n")

    code, out, _ = run("intent", "check", str(book))
    told = json.loads(run("intent", "check", str(book), "--json")[1])

    assert code == 0
    assert "protects nothing: line 1 of .intentignore ('soul.md')" in out
    assert "'Global Material/Soul.md' differs in case" in out
    assert [idle["line"] for idle in told["idle"]] == [2, 1]
    assert "protects nothing" in run("intent", "list", str(book))[2]


def test_no_session_begins_under_a_rule_that_cannot_be_read(run: Run, book: Path) -> None:
    (book / ".intentignore").write_text("{Soul,Lore}.md\n")
    git(book, "add", ".intentignore")
    git(book, "commit", "-qm", "Protect the canon")

    code, _, err = run("book", "session", str(book))

    assert code == 3
    assert "line 1 of .intentignore" in err
    assert "one line for each name" in err
