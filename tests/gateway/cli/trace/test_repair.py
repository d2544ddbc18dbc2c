"""``penwright trace repair``: a session that a damaged ledger stopped can write again."""

import json
from pathlib import Path

from penwright.domain.trace.layout import LEDGER
from tests.support.books.repos import git, identify
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


def test_a_sound_ledger_is_left_alone(run: Run, book: Path) -> None:
    assert run("book", "session", str(book))[0] == 0
    tip = git(book, "rev-parse", "HEAD")
    code, out, _ = run("trace", "repair", str(book), "--yes")
    assert (code, "nothing to put back" in out) == (0, True)
    assert git(book, "rev-parse", "HEAD") == tip
