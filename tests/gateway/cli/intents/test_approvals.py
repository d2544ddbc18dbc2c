"""``penwright intent pending|approve|deny`` on a real repository."""

import json
import os
import pwd
from collections.abc import Callable
from pathlib import Path

import pytest

from gateway.desk.installed_services import InstalledServices
from penwright.domain.approvals import WAIT
from penwright.domain.intents.registry import REGISTRY
from penwright.domain.trace.layout import LEDGER
from tests.support.books.repos import git, identify
from tests.support.books.running_books import NARROW
from tests.support.gateway.services import Run, StageServices


@pytest.fixture
def asking(run: Run, book: Path) -> Path:
    """A book whose second session would write where its intent may not."""
    identify(book)
    (book / REGISTRY).write_text(NARROW, encoding="utf-8")
    git(book, "commit", "-qam", "Only the review")
    for _ in range(2):
        assert run("book", "session", str(book), "--detach")[0] == 0
    return book


def approval_of(run: Run, book: Path) -> str:
    (request,) = json.loads(run("intent", "pending", str(book), "--json")[1])["pending"]
    return str(request["id"])


def test_no_approvals_are_pending_without_a_denial(run: Run, book: Path) -> None:
    code, out, _ = run("intent", "pending", str(book))

    assert code == 0
    assert "Nothing of" in out
    assert json.loads(run("intent", "pending", str(book), "--json")[1])["pending"] == []


def test_a_pending_change_is_shown_with_its_denials_and_commands(run: Run, asking: Path) -> None:
    code, out, _ = run("intent", "pending", str(asking))

    assert code == 0
    approval = approval_of(run, asking)
    assert out.startswith(f"{approval}  waits until 2026-02-22 15:00 UTC  under INT-001")
    assert "SCOPE_VIOLATION: 'INT-001' does not own 'Current version/Full_Book.md'" in out
    assert f"penwright intent approve {asking} {approval}" in out


def test_what_is_denied_is_shown_first_line_by_line(run: Run, asking: Path) -> None:
    _, out, _ = run("intent", "pending", str(asking))
    (request,) = json.loads(run("intent", "pending", str(asking), "--json")[1])["pending"]

    diff = out.partition("    --- ")[2].partition("  it would write")[0]
    assert diff.startswith("Current version/Full_Book.md\n    +++ Current version/Full_Book.md\n")
    assert "    +The tide went out." in diff
    assert "Review/current.md" not in diff
    assert "it would write Global Material/Summary.md as its intent allows, and 3 bookkeeping files" in out
    assert ".ink-state.yml" not in out
    assert request["need"]["denied"] == ["Current version/Full_Book.md"]
    assert len(request["need"]["bookkeeping"]) == 3
    assert "+The tide went out." in request["diff"]
    assert request["need"]["diff"] == ""


def test_pending_text_shows_the_prose_to_be_approved(run: Run, asking: Path) -> None:
    _, out, _ = run("intent", "pending", str(asking), "--text")
    (request,) = json.loads(run("intent", "pending", str(asking), "--text", "--json")[1])["pending"]

    assert "The tide went out. The tide went out." in out
    assert request["text"].startswith("The tide went out.")


def test_the_status_of_a_waiting_session_names_the_next_command(run: Run, asking: Path) -> None:
    code, out, _ = run("book", "status", str(asking))

    assert code == 0
    assert "Waiting for approval until 15:00 UTC" in out
    assert "`penwright intent approve low-tide" in out


def test_an_approval_names_the_operating_system_user(run: Run, asking: Path) -> None:
    approval = approval_of(run, asking)

    code, out, _ = run("intent", "approve", str(asking), "--reason", "it may", "--json")

    told = json.loads(out)
    assert code == 0
    assert (told["status"], told["approval"], told["by"], told["reason"]) == (
        "approved",
        approval,
        "ada",
        "it may",
    )
    assert f"Approved-By: ada {approval}" in git(asking, "log", "-1", "--format=%B", "--grep=Close session")
    assert "Nothing of" in run("intent", "pending", str(asking))[1]


def test_a_yes_to_the_close_is_none_to_sealing_the_book(
    run: Run,
    book: Path,
    services: StageServices,
    write_config: Callable[..., None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The last prose would follow into a file that the intent does not own."""
    identify(book)
    write_config(target_length=3000, words_per_session=1500, chapter_count=1)
    (book / REGISTRY).write_text(NARROW, encoding="utf-8")
    git(book, "commit", "-qam", "Only the review")
    written = services.pipelines._write
    monkeypatch.setattr(
        services.pipelines, "_write", lambda state: written(state).model_copy(update={"arcs_closed": True})
    )
    for _ in range(2):
        assert run("book", "session", str(book), "--detach")[0] == 0
    first = approval_of(run, book)

    assert run("intent", "approve", str(book))[0] == 0

    second = approval_of(run, book)
    (request,) = json.loads(run("intent", "pending", str(book), "--json")[1])["pending"]
    assert second != first
    assert request["need"]["denied"] == ["Current version/Full_Book.md"]
    assert "`penwright intent deny low-tide" in run("book", "status", str(book))[1]
    assert not (book / "COMPLETE").exists()
    assert run("intent", "approve", str(book))[0] == 0
    assert (book / "COMPLETE").exists()
    assert f"Approved-By: ada {second}" in git(book, "log", "-1", "--format=%B", "--grep=Complete the book")
    code, out, _ = run("trace", "verify", str(book))
    assert code == 0, out


def test_an_approved_change_records_the_approver_and_verifies(run: Run, asking: Path) -> None:
    approval = approval_of(run, asking)
    assert run("intent", "approve", str(asking))[0] == 0

    code, out, _ = run("trace", "verify", str(asking))

    assert code == 0, out
    lines = (asking / LEDGER).read_text(encoding="utf-8").splitlines()
    (decision,) = [record["decision"] for line in lines if "decision" in (record := json.loads(line))]
    assert (decision["approval"], decision["by"], decision["codes"]) == (approval, "ada", ["SCOPE_VIOLATION"])


def test_a_denied_change_keeps_its_prose(run: Run, asking: Path) -> None:
    before = (asking / "Current version/Full_Book.md").read_bytes()

    code, out, _ = run("intent", "deny", str(asking), approval_of(run, asking), "--reason", "not yet")

    assert code == 0
    assert "denied by ada; the session keeps the prose and ends" in out
    assert (asking / "Current version/Full_Book.md").read_bytes() == before
    assert list((asking / "Review").glob("recovered-*"))


@pytest.mark.parametrize("verb", ["approve", "deny"])
def test_an_id_that_does_not_wait_is_refused_and_named(run: Run, asking: Path, verb: str) -> None:
    code, _, err = run("intent", verb, str(asking), "AP-00000000")

    assert code == 3
    assert "unknown-approval" in err
    assert approval_of(run, asking) in err


@pytest.mark.parametrize("verb", ["approve", "deny"])
def test_a_decision_about_nothing_is_refused(run: Run, book: Path, verb: str) -> None:
    code, out, _ = run("intent", verb, str(book), "--json")

    assert (code, json.loads(out)["code"]) == (3, "nothing-to-approve")


def test_a_decision_after_expiry_is_refused(run: Run, asking: Path, services: StageServices) -> None:
    services.clock.later(seconds=WAIT.total_seconds())

    code, _, err = run("intent", "approve", str(asking))

    assert code == 3
    assert "approval-expired" in err


def test_environment_variables_and_options_cannot_set_the_approver(
    run: Run, asking: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("LOGNAME", "USER", "USERNAME"):
        monkeypatch.setenv(name, "somebody-else")

    assert InstalledServices().person() == pwd.getpwuid(os.getuid()).pw_name
    assert run("intent", "approve", str(asking), "--by", "bo")[0] == 2


def test_without_an_engine_nothing_is_decided(run: Run, asking: Path, services: StageServices) -> None:
    services.runs = False

    code, _, err = run("intent", "approve", str(asking))

    assert code == 1
    assert "engine-not-running" in err
