"""``penwright trace verify`` on a book that sessions wrote."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from penwright.domain.intents.registry import REGISTRY
from penwright.domain.trace.layout import LEDGER
from tests.support.books.repos import clone, git, identify, make_repository
from tests.support.books.running_books import NARROW
from tests.support.gateway.services import Run, StageServices
from tests.support.ledgers.traces import rewritten


def answer(run: Run, *arguments: str) -> tuple[int, dict[str, Any]]:
    """Exit code and the JSON document."""
    code, out, _ = run("trace", *arguments, "--json")
    return code, json.loads(out)


def test_a_books_own_sessions_verify_cleanly_every_time(
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
    assert (code, again["records"]) == (0, 3)
    assert "3 records and 7 commits looked at" in run("trace", "verify", str(book))[1]
    assert git(book, "status", "--porcelain") == ""


def test_what_needs_no_next_step_is_a_note(run: Run, book: Path) -> None:
    identify(book)
    assert run("book", "session", str(book))[0] == 0
    file = book / "Current version/Full_Book.md"
    file.write_text(file.read_text() + "\nMine.\n")
    git(book, "commit", "-qam", "Edit")

    _, out, _ = run("trace", "verify", str(book))

    assert "HUMAN_UNTRACED" in out
    assert "note: committed by hand" in out
    assert "next:" not in out


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
    assert f"put the ledger back with `penwright trace repair {book}`" in out
    assert [each["code"] for each in answer(run, "verify", str(book))[1]["findings"]].count(
        "CHAIN_HASH_MISMATCH"
    )


def test_a_doubled_line_is_a_warning_which_is_not_clean_and_counts_with_strict(run: Run, book: Path) -> None:
    identify(book)
    assert run("book", "session", str(book))[0] == 0
    ledger = (book / LEDGER).read_text()
    (book / LEDGER).write_text(ledger + ledger.splitlines(keepends=True)[-1])
    git(book, "commit", "-qam", "Merge by hand")

    code, out, _ = run("trace", "verify", str(book))
    told, strict = answer(run, "verify", str(book)), answer(run, "verify", str(book), "--strict")

    assert "RECORD_DOUBLED" in out
    assert out.rstrip().endswith("No errors; 1 warning, which counts with --strict.")
    assert [(code, each["clean"]) for code, each in (told, strict)] == [(0, False), (1, False)]
    assert code == 0


def test_what_is_remembered_of_the_log_may_be_lost(run: Run, book: Path, services: StageServices) -> None:
    assert run("book", "session", str(book))[0] == 0
    state = book / ".git/penwright/trace-verify.json"
    state.parent.mkdir(exist_ok=True)
    state.write_text("{")
    code, told = answer(run, "verify", str(book))
    assert (code, told["clean"]) == (0, True)
    assert json.loads(state.read_text())


def test_verify_finds_lost_log_entries_in_the_database(run: Run, book: Path, services: StageServices) -> None:
    assert run("book", "session", str(book))[0] == 0
    assert run("trace", "verify", str(book))[0] == 0
    services.clock.later(hours=1)
    assert run("book", "session", str(book))[0] == 0
    (log,) = git(book, "for-each-ref", "--format=%(refname)", "refs/penwright/trace").split()
    git(book, "update-ref", log, f"{log}~1")

    code, told = answer(run, "verify", str(book))
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

    assert (code, told["clean"], told["records"], told["anchored"]) == (0, True, 1, True)
    seen = {each["code"] for each in told["findings"]}
    assert "LOG_NOT_COMPARED" not in seen
    # The log of the book was fetched; it speaks of the second session as well.
    assert "BRANCH_BEHIND" in seen


def test_two_folders_of_one_remote_that_write_in_turn_agree_on_the_log(
    run: Run, book: Path, tmp_path: Path, services: StageServices
) -> None:
    git(tmp_path, "init", "-q", "--bare", "two.git")
    git(book, "remote", "add", "origin", str(tmp_path / "two.git"))
    assert run("book", "session", str(book))[0] == 0
    copy = tmp_path / "copy"
    shutil.copytree(book, copy, symlinks=True)
    for folder in (copy, book, copy, book):
        services.clock.later(hours=1)
        assert run("book", "session", str(folder))[0] == 0

    told = [answer(run, "verify", str(folder)) for folder in (book, copy)]

    assert [(code, each["clean"]) for code, each in told] == [(0, True), (0, True)]
    log = ("log", "--format=%H", "--glob=refs/penwright/trace")
    kept, known = (set(git(each, *log).splitlines()) for each in (book, tmp_path / "two.git"))
    assert kept <= known
    assert len(known) == 5


def forged(book: Path) -> None:
    """Rewrite the history as if a person had written what the model wrote."""
    ledger = rewritten((book / LEDGER).read_bytes(), _by_hand)
    (book / LEDGER).write_bytes(ledger)
    message = git(book, "log", "-1", "--format=%B")
    old, new = (digest_at_end(each) for each in (git(book, "show", f"HEAD:{LEDGER}").encode(), ledger))
    git(book, "commit", "-qa", "--amend", "-m", message.replace(old, new))


def _by_hand(record: dict[str, Any]) -> dict[str, Any]:
    for file in record["files"]:
        for part in file["conversations"]:
            part["contributor"] = {"entity_type": "HUMAN"}
    return record


def digest_at_end(ledger: bytes) -> str:
    """The hash of the last record."""
    return str(json.loads(ledger.splitlines()[-1])["integrity"]["hash"])


def test_a_forged_history_is_found_out_in_a_fresh_clone_whose_remote_keeps_the_log(
    run: Run, book: Path, tmp_path: Path, services: StageServices
) -> None:
    assert run("book", "session", str(book))[0] == 0
    copy = clone(book, tmp_path / "copy")
    forged(copy)

    code, told = answer(run, "verify", str(copy))

    assert (code, told["anchored"]) == (1, True)
    assert {"RECORD_UNANCHORED", "BRANCH_REWOUND"} & {each["code"] for each in told["findings"]}
    assert git(copy, "for-each-ref", "refs/penwright/remotes/origin/trace")


@pytest.mark.long
@pytest.mark.parametrize("remote", ["", "/nowhere/book.git", "http://127.0.0.1:9/book.git"])
def test_where_no_log_can_be_had_the_history_is_not_anchored_and_strict_fails(
    run: Run, book: Path, tmp_path: Path, services: StageServices, remote: str
) -> None:
    assert run("book", "session", str(book))[0] == 0
    copy = clone(book, tmp_path / "copy")
    forged(copy)
    git(copy, "remote", *(("set-url", "origin", remote) if remote else ("remove", "origin")))

    code, out, _ = run("trace", "verify", str(copy))
    strict, told = answer(run, "verify", str(copy), "--strict")

    assert (code, strict, told["clean"], told["anchored"]) == (0, 1, False, False)
    assert "No findings. Not anchored" in out
    assert "Clean" not in out
    assert ("could not be fetched from the remote 'origin'" if remote else "there is no remote") in out
    assert "next:" in out


def test_a_repository_without_a_ledger_is_told_so(run: Run, tmp_path: Path) -> None:
    folder = make_repository(tmp_path / "elsewhere")
    code, out, _ = run("trace", "verify", str(folder))
    assert (code, "Clean" in out) == (0, False)
    assert "No ledger here" in out
    assert "penwright book list" in out
    assert answer(run, "verify", str(folder), "--strict")[0] == 1


def test_without_the_database_all_but_its_log_is_looked_at(
    run: Run, book: Path, services: StageServices
) -> None:
    assert run("book", "session", str(book))[0] == 0
    services.runs = False
    for _ in range(2):
        code, told = answer(run, "verify", str(book))
        assert (code, told["clean"]) == (0, True)
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
