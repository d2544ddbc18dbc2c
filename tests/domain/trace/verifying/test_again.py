"""Verifying once more: nothing is taken on trust, and what the log held is remembered."""

from pathlib import Path

import pytest

from penwright.domain.book.profile import BOOK_PROFILE
from penwright.domain.trace.layout import LEDGER, segment_path
from penwright.domain.trace.recorder.recording import LedgerRecorder
from penwright.domain.trace.verifying.report import VerifyOptions
from penwright.domain.trace.verifying.verifier import verify
from tests.support.books.desks import Desk
from tests.support.ledgers.traces import PARAGRAPHS, Tampered, codes, publish_text, verified, write_book


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    monkeypatch.setattr("penwright.domain.trace.segments.SEGMENT_BYTES", 4000)
    made = Desk(tmp_path, recorder=LedgerRecorder("test", BOOK_PROFILE))
    write_book(made)
    return made


@pytest.mark.parametrize("what", ["open line", "closed segment", "closed lines", "added line", "log"])
def test_verify_detects_tampering_with_already_verified_records(desk: Desk, what: str) -> None:
    first = verified(desk)
    publish_text(desk, PARAGRAPHS[7])
    with desk.port.trace(desk.workspace) as source:
        ledger = source.at(source.tip, LEDGER) or b""
        closed = source.at(source.tip, segment_path(1)) or b""
        tampered = {
            "open line": Tampered(source, {LEDGER: b"".join(ledger.splitlines(keepends=True)[1:])}),
            "closed segment": Tampered(source, {}, dropped=[segment_path(1)]),
            "closed lines": Tampered(
                source, {segment_path(1): b"".join(closed.splitlines(keepends=True)[1:])}
            ),
            "added line": Tampered(source, {LEDGER: ledger + ledger.splitlines(keepends=True)[-1][:-9]}),
            "log": Tampered(source, {}, log=source.anchors()[:2]),
        }[what]
        report = verify(tampered, VerifyOptions(), first.newest)
    assert codes(report, "error")
    assert report.newest is None
    assert ("LOG_SHORTENED" in codes(report)) == (what == "log")


@pytest.mark.parametrize("which", [0, -1])
def test_a_line_doubled_after_a_clean_look_is_noticed_every_time(desk: Desk, which: int) -> None:
    publish_text(desk, PARAGRAPHS[7])
    known = verified(desk).newest
    with desk.port.trace(desk.workspace) as source:
        ledger = source.at(source.tip, LEDGER) or b""
        doubled = Tampered(source, {LEDGER: ledger + ledger.splitlines(keepends=True)[which]})
        for _ in range(2):
            report = verify(doubled, VerifyOptions(), known)
            assert codes(report) == {"RECORD_DOUBLED"}
            assert [each.code for each in report.findings].count("RECORD_DOUBLED") == 1
            known = report.newest


def test_a_closed_line_doubled_after_a_clean_look_is_noticed(desk: Desk) -> None:
    known = verified(desk).newest
    with desk.port.trace(desk.workspace) as source:
        ledger = source.at(source.tip, LEDGER) or b""
        closed = source.at(source.tip, segment_path(1)) or b""
        doubled = Tampered(source, {LEDGER: ledger + closed.splitlines(keepends=True)[0]})
        assert codes(verify(doubled, VerifyOptions(), known)) == {"RECORD_DOUBLED"}


def test_a_rollback_after_a_clean_look_is_no_fault(desk: Desk) -> None:
    publish_text(desk, PARAGRAPHS[7], tag="ink-2026-03-01-08-00")
    first = verified(desk)
    desk.port.restore(desk.workspace, desk.effect(), target=None, undo=False)
    report = verified(desk, first.newest)
    assert codes(report) == set()
    assert report.records == 4


def test_since_checks_only_later_commits_and_remembers_nothing(desk: Desk) -> None:
    with desk.port.trace(desk.workspace) as source:
        since = list(source.commits())[-2].sha
    report = verified(desk, since=since)
    assert report.commits == 1
    assert report.newest is None
    assert codes(report) == set()


def test_findings_can_be_asked_for_by_intent_and_path(desk: Desk) -> None:
    desk.commit("notes.md", "By hand.\n")
    desk.commit("Book.md", "By hand.\n")
    told = verified(desk, path="notes.md").findings
    assert {each.path for each in told} == {"notes.md"}
    assert {each.code for each in told} == {"HUMAN_UNTRACED"}
    assert verified(desk, intent="INT-001").findings == ()


def test_after_findings_outside_the_filter_nothing_is_remembered(desk: Desk) -> None:
    first = verified(desk)
    publish_text(desk, PARAGRAPHS[7])
    with desk.port.trace(desk.workspace) as source:
        ledger = source.at(source.tip, LEDGER) or b""
        report = verify(Tampered(source, {LEDGER: ledger[:-9]}), VerifyOptions(path="notes.md"), first.newest)
    assert report.newest is None


def test_equal_findings_beyond_the_limit_are_counted(desk: Desk) -> None:
    with desk.port.trace(desk.workspace) as source:
        ledger = source.at(source.tip, LEDGER) or b""
        report = verify(Tampered(source, {LEDGER: ledger + b"{}\n" * 5000}), VerifyOptions())
    legacy = [each for each in report.findings if each.code == "LEGACY_RECORD"]
    assert len(legacy) == 201
    assert legacy[-1].message == "and 4,800 more"


def test_verify_reports_progress(desk: Desk) -> None:
    told: list[tuple[str, int]] = []
    with desk.port.trace(desk.workspace) as source:
        verify(source, VerifyOptions(), None, lambda what, count: told.append((what, count)))
    assert told[-1] == ("commits", 6)
    assert ("records", 4) in told


def test_log_entries_lost_by_git_are_found_in_the_database(desk: Desk) -> None:
    with desk.port.trace(desk.workspace) as source:
        log = source.anchors()
        shortened = Tampered(source, {}, log=log[:-1])
        assert "LOG_SHORTENED" in codes(verify(shortened, VerifyOptions(), stored=lambda: log))
        ledger = source.at(source.tip, LEDGER) or b""
        cut = Tampered(source, {LEDGER: ledger[: ledger.rindex(b"\n", 0, -1) + 1]}, log=())
        assert "LEDGER_TRUNCATED" in codes(verify(cut, VerifyOptions(), stored=lambda: log))


def test_the_log_may_not_be_shorter_than_at_the_last_clean_look(desk: Desk) -> None:
    first = verified(desk)
    publish_text(desk, PARAGRAPHS[7])
    with desk.port.trace(desk.workspace) as source:
        log = source.anchors()
        assert codes(verify(source, VerifyOptions(), first.newest, stored=lambda: log)) == set()
        for lost, found in ((1, set()), (2, {"LOG_SHORTENED"})):
            shortened = Tampered(source, {}, log=log[:-lost])
            report = verify(shortened, VerifyOptions(), first.newest)
            assert codes(report, "error") & {"LOG_SHORTENED"} == found


def test_a_database_that_cannot_be_asked_is_said_and_nothing_else(desk: Desk) -> None:
    with desk.port.trace(desk.workspace) as source:
        report = verify(source, VerifyOptions(), stored=lambda: None)
    assert [each.code for each in report.findings if each.severity != "info"] == []
    assert [each.code for each in report.findings].count("LOG_NOT_COMPARED") == 1
    assert report.newest is not None
