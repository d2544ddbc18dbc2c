"""Putting a damaged ledger back."""

from pathlib import Path
from typing import Any

import pytest

from penwright.domain.book.profile import BOOK_PROFILE
from penwright.domain.trace.layout import LEDGER, segment_path
from penwright.domain.trace.recorder.recording import LedgerRecorder
from penwright.domain.trace.repairing import Repair, Witnesses, repaired
from penwright.domain.trace.verifying.report import VerifyOptions
from penwright.domain.trace.verifying.verifier import verify
from schemas.workspace import Contributor, Create, Delete, Modify, Operation
from tests.adapters.workspace.test_ledger import blob, publish, records, text
from tests.support.books.desks import Desk
from tests.support.books.repos import git, plan_of


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    made = Desk(tmp_path, recorder=LedgerRecorder("test", BOOK_PROFILE))
    for name in "abc":
        publish(
            made, Create(path=f"{name}.md", content=f"The tale of {name}.\n"), by=Contributor.HUMAN, pin=None
        )
    return made


def look(desk: Desk) -> Repair:
    with desk.port.trace(desk.workspace) as source:
        return repaired(source)


def put_back(desk: Desk) -> None:
    """Apply a repair as the command does."""
    operations: list[Operation] = []
    for path, content in look(desk).contents.items():
        there = path in desk.port.snapshot(desk.workspace, [path]).files
        if content is None:
            operations.append(Delete(path=path, base=blob(desk, path)))
        elif there:
            operations.append(Modify(path=path, content=content.decode(), base=blob(desk, path)))
        else:
            operations.append(Create(path=path, content=content.decode()))
    plan = plan_of(desk.workspace, *operations).model_copy(update={"tool": "trace.repair"})
    assert desk.port.publish(plan, desk.effect()).outcome == "published"


def errors(desk: Desk) -> list[str]:
    with desk.port.trace(desk.workspace) as source:
        return [each.code for each in verify(source, VerifyOptions()).findings if each.severity == "error"]


def test_a_sound_ledger_needs_nothing(desk: Desk) -> None:
    assert look(desk).contents == {}


@pytest.mark.parametrize(
    "damage",
    [
        lambda t: t[:-40],
        lambda t: t.replace("HUMAN", "AI"),
        lambda t: "".join(t.splitlines(keepends=True)[:-1]),
        lambda t: "".join(t.splitlines(keepends=True)[1:]),
        lambda t: "",
        lambda t: t + t.splitlines(keepends=True)[0],
    ],
    ids=["cut", "edited", "shortened", "beheaded", "emptied", "doubled"],
)
def test_repair_restores_a_damaged_ledger(desk: Desk, damage: Any) -> None:
    whole = text(desk, LEDGER)
    desk.commit(LEDGER, damage(whole))
    assert errors(desk) or damage(whole) == whole + whole.splitlines(keepends=True)[0]

    put_back(desk)

    assert text(desk, LEDGER) == whole
    assert errors(desk) == []
    assert publish(desk, Create(path="d.md", content="On it goes.\n")).outcome == "published"
    assert len(records(desk)) == 4


@pytest.mark.parametrize("damage", [lambda t: t[:-40], lambda t: t.replace("HUMAN", "AI"), lambda t: ""])
def test_repair_restores_a_damaged_closed_segment(
    desk: Desk, damage: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("penwright.domain.trace.segments.SEGMENT_BYTES", 1)
    publish(desk, Create(path="d.md", content="On it goes.\n"), by=Contributor.HUMAN, pin=None)
    closed = segment_path(1)
    whole = text(desk, closed)
    desk.commit(closed, damage(whole))
    assert "SEGMENT_CHANGED" in errors(desk)

    put_back(desk)

    assert text(desk, closed) == whole
    assert errors(desk) == []


def test_records_made_after_a_line_was_taken_out_are_kept(desk: Desk) -> None:
    whole = text(desk, LEDGER)
    desk.commit(LEDGER, "".join(whole.splitlines(keepends=True)[:-1]))
    publish(desk, Create(path="d.md", content="On it goes.\n"), by=Contributor.HUMAN, pin=None)
    assert "RECORD_MISSING" in errors(desk)

    put_back(desk)

    assert len(records(desk)) == 4
    assert errors(desk) == []


def test_a_forged_line_is_dropped(desk: Desk) -> None:
    from penwright.domain.trace.chain import line_of, sealed

    last = records(desk)[-1]
    forged = {key: value for key, value in last.items() if key != "integrity"}
    forged["id"] = "00000000-0000-4000-8000-000000000000"
    desk.commit(LEDGER, text(desk, LEDGER) + line_of(sealed(forged, [last["integrity"]["hash"]])).decode())
    assert errors(desk) == ["RECORD_UNNAMED"]
    assert look(desk).dropped == 1

    put_back(desk)

    assert errors(desk) == []


def squashed(desk: Desk, commits: int, message: str = "All of it at once") -> None:
    git(desk.book.folder, "reset", "-q", "--soft", f"HEAD~{commits}")
    git(desk.book.folder, "commit", "-q", "-m", message)


@pytest.fixture
def real(tmp_path: Path) -> Desk:
    made = Desk(tmp_path, recorder=LedgerRecorder("test", BOOK_PROFILE))
    for name in "abc":
        publish(
            made, Create(path=f"{name}.md", content=f"The tale of {name}.\n"), by=Contributor.HUMAN, pin=None
        )
    return made


@pytest.mark.parametrize("commits", [1, 2, 3])
def test_true_lines_stay_after_a_squash_or_amend(real: Desk, commits: int) -> None:
    squashed(real, commits)
    found = look(real)
    assert (found.contents, found.dropped, found.unvouched) == ({}, 0, 0)
    assert errors(real) == []


def test_a_ledger_that_was_damaged_after_a_squash_gets_its_true_lines_back(real: Desk) -> None:
    squashed(real, 2)
    whole = text(real, LEDGER)
    real.commit(LEDGER, whole[:-40])

    put_back(real)

    assert text(real, LEDGER) == whole
    assert errors(real) == []


def test_without_a_log_no_sound_line_is_dropped_unless_it_is_wanted(real: Desk) -> None:
    squashed(real, 2)
    whole = text(real, LEDGER)
    (log,) = git(real.book.folder, "for-each-ref", "--format=%(refname)", "refs/penwright/trace").split()
    git(real.book.folder, "update-ref", "-d", log)
    real.commit(LEDGER, whole + "{}\n")

    found = look(real)
    assert (found.contents, found.dropped, found.unvouched) == ({LEDGER: whole.encode()}, 1, 2)
    with real.port.trace(real.workspace) as source:
        dropping = repaired(source, Witnesses(frozenset(), complete=True))
    assert (dropping.dropped, dropping.unvouched) == (3, 0)


def test_a_line_of_a_rolled_back_record_is_not_kept(real: Desk) -> None:
    publish(real, Create(path="d.md", content="On.\n"), by=Contributor.HUMAN, pin=None)
    line = text(real, LEDGER).splitlines(keepends=True)[-1]
    before = git(real.book.folder, "rev-parse", "HEAD~1")
    real.port.restore(real.workspace, real.effect(), target=before, undo=False)
    real.commit(LEDGER, text(real, LEDGER) + line)
    assert errors(real) == ["RECORD_UNNAMED"]
    assert look(real).dropped == 1


def test_a_closed_segment_that_a_later_session_built_on_is_restored(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("penwright.domain.trace.segments.SEGMENT_BYTES", 1)
    publish(desk, Create(path="d.md", content="On it goes.\n"), by=Contributor.HUMAN, pin=None)
    whole = text(desk, segment_path(1))
    desk.commit(segment_path(1), whole.replace("HUMAN", "AI"))
    publish(desk, Create(path="e.md", content="And on.\n"), by=Contributor.HUMAN, pin=None)
    assert "SEGMENT_CHANGED" in errors(desk)

    put_back(desk)

    assert text(desk, segment_path(1)) == whole
    assert errors(desk) == []
