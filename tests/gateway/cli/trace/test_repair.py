"""``penwright trace repair``: a session that a damaged ledger stopped can write again."""

import json
from pathlib import Path

from penwright.domain.trace.layout import LEDGER
from tests.support.books.repos import add_remote, clone, git, identify
from tests.support.gateway.advised_states import steps_in
from tests.support.gateway.services import Run, StageServices


def test_a_session_runs_again_after_the_ledger_is_repaired(
    run: Run, book: Path, services: StageServices
) -> None:
    identify(book)
    assert run("book", "session", str(book))[0] == 0
    whole = (book / LEDGER).read_bytes()
    (book / LEDGER).write_bytes(whole[:-100] + b"\xff\n")
    git(book, "commit", "-qam", "Damage")
    services.clock.later(hours=1)

    code, out, said = run("book", "session", str(book))
    assert code == 3, (out, said)
    assert "ledger-damaged" in out + said
    assert "trace repair" in out + said
    assert not (book / ".ink-running").exists()

    code, out, said = run("trace", "repair", str(book), "--dry-run")
    assert (code, (book / LEDGER).read_bytes() != whole) == (0, True)
    assert "rewrite" in said
    assert run("trace", "repair", str(book))[0] == 2
    code, out, _ = run("trace", "repair", str(book), "--yes", "--json")
    assert code == 0
    assert json.loads(out)["files"] == [LEDGER]
    assert json.loads(out)["dropped"] == 1
    assert (book / LEDGER).read_bytes() == whole
    assert run("trace", "verify", str(book))[0] == 0
    assert run("book", "session", str(book))[0] == 0


def test_a_session_runs_once_a_ledger_that_was_damaged_elsewhere_was_pulled_and_repaired(
    run: Run, book: Path, services: StageServices
) -> None:
    identify(book)
    bare = add_remote(book, book.with_name("remote.git"))
    other = clone(bare, book.with_name("other"))
    assert run("book", "session", str(other))[0] == 0
    (other / LEDGER).write_bytes((other / LEDGER).read_bytes()[:-100] + b"\xff\n")
    git(other, "commit", "-qam", "Damage")
    git(other, "push", "-q")
    services.clock.later(hours=1)

    code, _, said = run("book", "session", str(book))
    git(book, "pull", "-q", "--ff-only", "origin", "main")
    verify, repair = steps_in(said, [])
    wrong, _, _ = run(*verify)
    repaired, _, _ = run(*repair, "--yes")

    assert (code, "error[ledger-damaged]" in said, "pull if the remote has more" in said) == (3, True, True)
    assert (wrong, repaired, run("book", "session", str(book))[0]) == (1, 0, 0)


def test_a_sound_ledger_is_left_alone(run: Run, book: Path) -> None:
    assert run("book", "session", str(book))[0] == 0
    tip = git(book, "rev-parse", "HEAD")
    code, out, _ = run("trace", "repair", str(book), "--yes")
    assert (code, "nothing to put back" in out) == (0, True)
    assert git(book, "rev-parse", "HEAD") == tip


def test_a_ledger_that_is_a_folder_is_put_back(run: Run, book: Path, services: StageServices) -> None:
    identify(book)
    assert run("book", "session", str(book))[0] == 0
    whole = (book / LEDGER).read_bytes()
    (book / LEDGER).unlink()
    (book / LEDGER).mkdir()
    for name in ("one.md", "two.md"):
        (book / LEDGER / name).write_text("In the way.\n")
    git(book, "add", "-A")
    git(book, "commit", "-qm", "A folder")
    services.clock.later(hours=1)
    assert run("book", "session", str(book))[0] == 3

    code, out, said = run("trace", "repair", str(book), "--yes", "--json")

    assert code == 0, (out, said)
    assert json.loads(out)["files"] == [LEDGER, f"{LEDGER}/one.md", f"{LEDGER}/two.md"]
    assert (book / LEDGER).read_bytes() == whole
    assert run("trace", "verify", str(book))[0] == 0
    services.clock.later(hours=1)
    assert run("book", "session", str(book))[0] == 0


def test_after_a_squash_nothing_is_dropped_and_the_book_verifies(
    run: Run, book: Path, services: StageServices
) -> None:
    identify(book)
    for _ in range(2):
        assert run("book", "session", str(book))[0] == 0
        services.clock.later(hours=1)
    whole = (book / LEDGER).read_bytes()
    git(book, "reset", "-q", "--soft", "HEAD~3")
    git(book, "commit", "-qm", "All of it at once")

    code, out, _ = run("trace", "repair", str(book), "--yes", "--json")

    told = json.loads(out)
    assert (code, told["commit"], told["dropped"], told["left"]) == (0, None, 0, [])
    assert (book / LEDGER).read_bytes() == whole
    assert run("trace", "verify", str(book))[0] == 0
    assert run("book", "session", str(book))[0] == 0


def test_a_squash_in_a_clone_that_cannot_fetch_the_log_keeps_its_lines_and_says_how_to_go_on(
    run: Run, book: Path, tmp_path: Path, services: StageServices
) -> None:
    assert run("book", "session", str(book))[0] == 0
    copy = clone(book, tmp_path / "copy")
    git(copy, "remote", "set-url", "origin", "/nowhere/book.git")
    whole = (copy / LEDGER).read_bytes()
    git(copy, "commit", "-q", "--amend", "-m", "Better words")

    code, out, said = run("trace", "repair", str(copy), "--yes")

    assert code == 0
    assert (copy / LEDGER).read_bytes() == whole
    assert "1 sound line(s) that no commit names are kept" in said
    assert "could not be asked" in said
    assert "1 RECORD_UNNAMED" in out
    assert "git fetch origin" in out

    code, out, _ = run("trace", "repair", str(copy), "--yes", "--drop-unvouched", "--json")
    assert (code, json.loads(out)["dropped"]) == (0, 1)


def test_what_no_repair_can_mend_is_listed_with_a_next_step(
    run: Run, book: Path, services: StageServices
) -> None:
    identify(book)
    for _ in range(2):
        assert run("book", "session", str(book))[0] == 0
        services.clock.later(hours=1)
    git(book, "reset", "-q", "--hard", "HEAD~1")

    code, out, _ = run("trace", "repair", str(book), "--yes")

    assert code == 0
    assert "BRANCH_REWOUND" in out
    assert "git merge lost" in out
