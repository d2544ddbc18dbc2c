"""Incremental verification: only new records are checked, and no fault is missed."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

import pytest

from penwright.domain.book.profile import BOOK_PROFILE
from penwright.domain.trace.layout import LEDGER, segment_path
from penwright.domain.trace.recorder.recording import LedgerRecorder
from penwright.domain.trace.verifying.report import VerifyOptions
from penwright.domain.trace.verifying.verifier import verify
from penwright.ports import TraceSource
from schemas.base import CommitSha
from schemas.pipeline import PipelineProfile
from schemas.trace import Anchor, LedgerFile, TracedCommit
from tests.support.books.desks import MemoryDesk
from tests.support.ledgers.traces import PARAGRAPHS, Tampered, codes, publish_text, verified, write_book


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> MemoryDesk:
    monkeypatch.setattr("penwright.domain.trace.segments.SEGMENT_BYTES", 4000)
    made = MemoryDesk(tmp_path, recorder=LedgerRecorder("test", BOOK_PROFILE))
    write_book(made)
    return made


@dataclass
class Counted:
    """A source that notes which blobs are read and how many commits."""

    source: TraceSource
    read: list[str] = field(default_factory=list)
    told: int = 0

    @property
    def profile(self) -> PipelineProfile:
        return self.source.profile

    @property
    def tip(self) -> CommitSha:
        return self.source.tip

    def ledger(self) -> tuple[LedgerFile, ...]:
        return self.source.ledger()

    def files(self) -> Mapping[str, str]:
        return self.source.files()

    def blob(self, sha: str) -> bytes | None:
        self.read.append(sha)
        return self.source.blob(sha)

    def at(self, commit: str, path: str) -> bytes | None:
        return self.source.at(commit, path)

    def commits(self, *, since: str | None = None, bookkeeping: bool = True) -> Iterator[TracedCommit]:
        for commit in self.source.commits(since=since, bookkeeping=bookkeeping):
            self.told += 1
            yield commit

    def reaches(self, commit: str) -> bool:
        return self.source.reaches(commit)

    def anchors(self, *, since: Mapping[str, str] | None = None) -> tuple[Anchor, ...]:
        return self.source.anchors(since=since)


def test_a_second_verification_reads_only_new_records(desk: MemoryDesk) -> None:
    first = verified(desk)
    publish_text(desk, PARAGRAPHS[7])
    with desk.port.trace(desk.workspace) as source:
        counted = Counted(source)
        report = verify(counted, VerifyOptions(), first.state)
        closed = {each.blob for each in source.ledger() if each.path != LEDGER}
    assert report.incremental
    assert (report.records, report.judged, report.commits, counted.told) == (5, 1, 1, 1)
    assert first.state is not None
    assert not set(first.state.closed.values()) & set(counted.read)
    assert closed
    assert codes(report) == set()


def test_a_state_is_good_for_the_next_time_as_well(desk: MemoryDesk) -> None:
    state = verified(desk).state
    for number in range(8):
        publish_text(desk, f"{PARAGRAPHS[number % 8]} And {number} more.")
        report = verified(desk, state)
        assert report.incremental
        assert report.judged == 1
        state = report.state
    whole = verified(desk)
    assert whole.state == state
    assert report.records == whole.records == 12


def test_verifying_an_unchanged_ledger_checks_nothing(desk: MemoryDesk) -> None:
    first = verified(desk)
    again = verified(desk, first.state)
    assert (again.incremental, again.judged, again.commits, again.state) == (True, 0, 0, first.state)


@pytest.mark.parametrize("what", ["open line", "closed segment", "closed lines", "added line", "log"])
def test_verify_detects_tampering_with_already_verified_records(desk: MemoryDesk, what: str) -> None:
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
        report = verify(tampered, VerifyOptions(), first.state)
    assert not report.incremental
    assert codes(report, "error")
    assert report.state is None
    assert ("LOG_SHORTENED" in codes(report)) == (what == "log")


@pytest.mark.parametrize("which", [0, -1])
def test_a_line_doubled_after_a_clean_look_is_noticed_every_time(desk: MemoryDesk, which: int) -> None:
    publish_text(desk, PARAGRAPHS[7])
    state = verified(desk).state
    with desk.port.trace(desk.workspace) as source:
        ledger = source.at(source.tip, LEDGER) or b""
        doubled = Tampered(source, {LEDGER: ledger + ledger.splitlines(keepends=True)[which]})
        for _ in range(2):
            report = verify(doubled, VerifyOptions(), state)
            assert codes(report) == {"RECORD_DOUBLED"}
            assert [each.code for each in report.findings].count("RECORD_DOUBLED") == 1
            state = report.state


def test_a_closed_line_doubled_after_a_clean_look_is_noticed(desk: MemoryDesk) -> None:
    state = verified(desk).state
    with desk.port.trace(desk.workspace) as source:
        ledger = source.at(source.tip, LEDGER) or b""
        closed = source.at(source.tip, segment_path(1)) or b""
        doubled = Tampered(source, {LEDGER: ledger + closed.splitlines(keepends=True)[0]})
        assert codes(verify(doubled, VerifyOptions(), state)) == {"RECORD_DOUBLED"}


def test_a_branch_that_left_the_state_is_verified_whole(desk: MemoryDesk) -> None:
    publish_text(desk, PARAGRAPHS[7], tag="ink-2026-03-01-08-00")
    first = verified(desk)
    desk.port.restore(desk.workspace, desk.effect(), target=None, undo=False)
    report = verified(desk, first.state)
    assert not report.incremental
    assert codes(report) == set()
    assert report.records == 4


def test_since_checks_only_later_commits_and_leaves_no_state(desk: MemoryDesk) -> None:
    with desk.port.trace(desk.workspace) as source:
        since = list(source.commits())[-2].sha
    report = verified(desk, since=since)
    assert report.commits == 1
    assert report.state is None
    assert codes(report) == set()


def test_findings_can_be_asked_for_by_intent_and_path(desk: MemoryDesk) -> None:
    desk.commit("notes.md", "By hand.\n")
    desk.commit("Book.md", "By hand.\n")
    told = verified(desk, path="notes.md").findings
    assert {each.path for each in told} == {"notes.md"}
    assert {each.code for each in told} == {"HUMAN_UNTRACED"}
    assert verified(desk, intent="INT-001").findings == ()


def test_findings_outside_the_filter_leave_no_state(desk: MemoryDesk) -> None:
    first = verified(desk)
    publish_text(desk, PARAGRAPHS[7])
    with desk.port.trace(desk.workspace) as source:
        ledger = source.at(source.tip, LEDGER) or b""
        report = verify(Tampered(source, {LEDGER: ledger[:-9]}), VerifyOptions(path="notes.md"), first.state)
    assert report.state is None


def test_equal_findings_beyond_the_limit_are_counted(desk: MemoryDesk) -> None:
    with desk.port.trace(desk.workspace) as source:
        ledger = source.at(source.tip, LEDGER) or b""
        report = verify(Tampered(source, {LEDGER: ledger + b"{}\n" * 5000}), VerifyOptions())
    legacy = [each for each in report.findings if each.code == "LEGACY_RECORD"]
    assert len(legacy) == 201
    assert legacy[-1].message == "and 4,800 more"


def test_verify_reports_progress(desk: MemoryDesk) -> None:
    told: list[tuple[str, int]] = []
    with desk.port.trace(desk.workspace) as source:
        verify(source, VerifyOptions(), None, lambda what, count: told.append((what, count)))
    assert told[-1] == ("commits", 6)
    assert ("records", 4) in told


@dataclass
class Keeping:
    """A database that keeps a log, and notes from when on it was asked."""

    entries: Sequence[Anchor] | None
    asked: list[Mapping[str, datetime]] = field(default_factory=list)

    def __call__(self, since: Mapping[str, datetime], /) -> Sequence[Anchor] | None:
        self.asked.append(since)
        if self.entries is None:
            return None
        return [each for each in self.entries if each.at >= since.get(each.clone, each.at)]


def test_log_entries_lost_by_git_are_found_in_the_database(desk: MemoryDesk) -> None:
    with desk.port.trace(desk.workspace) as source:
        kept = Keeping(source.anchors())
        shortened = Tampered(source, {}, log=source.anchors()[:-1])
        assert "LOG_SHORTENED" in codes(verify(shortened, VerifyOptions(), stored=kept))
        ledger = source.at(source.tip, LEDGER) or b""
        cut = Tampered(source, {LEDGER: ledger[: ledger.rindex(b"\n", 0, -1) + 1]}, log=())
        assert "LEDGER_TRUNCATED" in codes(verify(cut, VerifyOptions(), stored=kept))


def test_the_database_reveals_log_entries_lost_since_verification(
    desk: MemoryDesk,
) -> None:
    first = verified(desk).state
    assert first is not None
    publish_text(desk, PARAGRAPHS[7])
    with desk.port.trace(desk.workspace) as source:
        log = source.anchors()
        kept = Keeping(log)
        assert verify(source, VerifyOptions(), first, stored=kept).incremental
        newest = next(each for each in log if each.entry == first.newest[each.clone])
        assert kept.asked == [{newest.clone: newest.at}]
        shortened = Tampered(source, {}, log=log[:-1])
        assert codes(verify(shortened, VerifyOptions(), first)) == set()
        report = verify(shortened, VerifyOptions(), first, stored=kept)
        assert ("LOG_SHORTENED" in codes(report), report.incremental) == (True, False)


def test_entries_as_old_as_the_newest_known_one_are_not_missed(desk: MemoryDesk) -> None:
    first = verified(desk).state
    assert first is not None
    with desk.port.trace(desk.workspace) as source:
        log = source.anchors()
        at_once = Keeping([each._replace(at=log[-1].at) for each in log])
        assert verify(source, VerifyOptions(), first, stored=at_once).incremental


def test_a_database_that_cannot_be_asked_is_said_and_nothing_else(desk: MemoryDesk) -> None:
    first = verified(desk).state
    assert first is not None
    with desk.port.trace(desk.workspace) as source:
        whole = verify(source, VerifyOptions(), stored=Keeping(None))
        again = verify(source, VerifyOptions(), first, stored=Keeping(None))
    assert [each.code for each in whole.findings if each.severity != "info"] == []
    assert [each.code for each in whole.findings].count("LOG_NOT_COMPARED") == 1
    assert ("LOG_NOT_COMPARED" in {each.code for each in again.findings}, again.incremental) == (True, True)
    assert whole.state is not None
