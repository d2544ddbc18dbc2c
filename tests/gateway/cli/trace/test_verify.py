"""``penwright trace verify`` on a book that sessions wrote."""

import json
from pathlib import Path
from typing import Any

from penwright.domain.intents.registry import REGISTRY
from penwright.domain.trace.layout import LEDGER
from tests.support.books.repos import git, identify
from tests.support.books.running_books import NARROW
from tests.support.gateway.services import Run, StageServices


def answer(run: Run, *arguments: str) -> tuple[int, dict[str, Any]]:
    """Exit code and the JSON document."""
    code, out, _ = run("trace", *arguments, "--json")
    return code, json.loads(out)


def test_a_books_own_sessions_verify_cleanly_and_the_next_time_faster(
    run: Run, book: Path, services: StageServices
) -> None:
    for _ in range(2):
        assert run("book", "session", str(book))[0] == 0
        services.clock.later(hours=1)

    code, told = answer(run, "verify", str(book), "--strict")
    assert (code, told["clean"], told["records"]) == (0, True, 2)
    assert (book / ".git/penwright/trace-verify.json").exists()

    run("book", "session", str(book))
    code, again = answer(run, "verify", str(book))
    assert (code, again["incremental"], again["judged"], again["records"]) == (0, True, 1, 3)
    assert answer(run, "verify", str(book), "--full")[1]["judged"] == 3
    assert git(book, "status", "--porcelain") == ""


def test_a_ledger_that_was_edited_is_found_out(run: Run, book: Path, services: StageServices) -> None:
    identify(book)
    assert run("book", "session", str(book))[0] == 0
    assert run("trace", "verify", str(book))[0] == 0
    ledger = (book / LEDGER).read_text()
    (book / LEDGER).write_text(ledger.replace("rehearsed", "nobody"))
    git(book, "commit", "-qam", "Edit")

    code, out, _ = run("trace", "verify", str(book))
    assert code == 1
    assert "CHAIN_HASH_MISMATCH" in out
    assert "next:" in out
    assert [each["code"] for each in answer(run, "verify", str(book))[1]["findings"]].count(
        "CHAIN_HASH_MISMATCH"
    )


def test_a_damaged_verify_state_forces_a_full_verification(
    run: Run, book: Path, services: StageServices
) -> None:
    assert run("book", "session", str(book))[0] == 0
    state = book / ".git/penwright/trace-verify.json"
    state.parent.mkdir(exist_ok=True)
    state.write_text("{")
    code, told = answer(run, "verify", str(book))
    assert (code, told["incremental"]) == (0, False)


def test_verify_finds_lost_log_entries_in_the_database(run: Run, book: Path, services: StageServices) -> None:
    assert run("book", "session", str(book))[0] == 0
    assert run("trace", "verify", str(book))[0] == 0
    services.clock.later(hours=1)
    assert run("book", "session", str(book))[0] == 0
    (log,) = git(book, "for-each-ref", "--format=%(refname)", "refs/penwright/trace").split()
    git(book, "update-ref", log, f"{log}~1")

    for more in ((), ("--full",)):
        code, told = answer(run, "verify", str(book), *more)
        errors = {each["code"] for each in told["findings"] if each["severity"] == "error"}
        assert (code, errors) == (1, {"LOG_SHORTENED"})


def test_a_copy_of_the_book_is_not_held_to_the_log_of_another(
    run: Run, book: Path, tmp_path: Path, services: StageServices
) -> None:
    assert run("book", "session", str(book))[0] == 0
    git(tmp_path, "clone", "-q", str(book), "copy")
    services.clock.later(hours=1)
    assert run("book", "session", str(book))[0] == 0

    code, told = answer(run, "verify", str(tmp_path / "copy"))

    assert (code, told["clean"], told["records"]) == (0, True, 1)
    assert "LOG_NOT_COMPARED" not in {each["code"] for each in told["findings"]}


def test_without_the_database_all_but_its_log_is_looked_at(
    run: Run, book: Path, services: StageServices
) -> None:
    assert run("book", "session", str(book))[0] == 0
    services.runs = False
    for incremental in (False, True):
        code, told = answer(run, "verify", str(book))
        assert (code, told["clean"], told["incremental"]) == (0, True, incremental)
        assert [each["code"] for each in told["findings"]].count("LOG_NOT_COMPARED") == 1
        assert "penwright up" in run("trace", "verify", str(book))[1]


def test_an_approved_commit_names_the_approver_and_the_denials(run: Run, book: Path) -> None:
    identify(book)
    (book / REGISTRY).write_text(NARROW, encoding="utf-8")
    git(book, "commit", "-qam", "Only the review")
    for _ in range(2):
        assert run("book", "session", str(book), "--detach")[0] == 0
    assert run("intent", "approve", str(book), "--reason", "It is my book.")[0] == 0

    code, told = answer(run, "why", "HEAD", str(book))
    _, out, _ = run("trace", "why", "HEAD", str(book))

    assert code == 0
    decision = next(each["decision"] for each in told["records"] if "decision" in each)
    assert told["approved_by"].startswith(decision["by"])
    assert f"  approved by {decision['by']} for SCOPE_VIOLATION" in out
    assert "allowed by" in out
    assert run("trace", "export", str(book))[0] == 0
    assert run("trace", "verify", str(book), "--strict")[0] == 0
