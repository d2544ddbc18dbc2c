"""Verbs that write: the built-in writer's, and those of an outside agent."""

import asyncio
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

import pytest

from gateway.cli.book import reports
from penwright.domain.book.files.layout import REVIEW
from schemas.base import BookId
from schemas.book import ClosedReport, CompleteReport
from schemas.book_session import BookSessionResult
from schemas.control import KillRequest
from tests.support.each import for_each
from tests.support.gateway.services import IDENTITY, RehearsedPipelines, Run, StageServices, git_in

PROSE = ("Mara walked along the pier. " * 300).encode()


def test_a_session_writes_and_reports_its_prose(run: Run, book: Path) -> None:
    code, out, err = run("book", "session", str(book))

    assert (code, err) == (0, "")
    assert out.startswith("1,500 words written of 1,500 wanted")
    assert "The tide went out." in (book / "Review/current.md").read_text()
    assert git_in(book, "status", "--porcelain") == ""


def test_new_texts_at_the_top_are_saved_and_other_new_files_named(run: Run, book: Path) -> None:
    (book / "Notes to self.md").write_text("The lamp goes out in chapter 9.\n")
    (book / "ideas.txt").write_text("A gull.\n")
    (book / "cover.psd").write_bytes(b"8BPS")
    (book / "drafts").mkdir()
    (book / "drafts/one.md").write_text("Once.\n")

    payload = json.loads(run("book", "open", str(book))[1])

    assert git_in(book, "status", "--porcelain", "-uall") == "?? cover.psd\n?? drafts/one.md"
    assert {"Notes to self.md", "ideas.txt"} <= set(payload["human_edits"])
    assert [said for said in payload["warnings"] if "left alone" in said] == [
        "left alone, not part of the book: cover.psd",
        "left alone, not part of the book: drafts/one.md",
    ]


def test_a_file_left_alone_is_named_with_the_reason(run: Run, book: Path) -> None:
    (book / "NOTES.MD").write_text("Shout.\n")
    (book / "far.md").symlink_to("/nowhere")
    (book / "huge.txt").write_bytes(b"a" * (20 * 1024 * 1024 + 1))
    (book / "latin.txt").write_bytes(b"caf\xe9")
    (book / "nul.txt").write_bytes(b"a\0b")

    warnings = json.loads(run("book", "open", str(book))[1])["warnings"]

    left = "left alone, not part of the book: "
    assert [said for said in warnings if said.startswith((left, "your edit"))] == [
        "your edit of latin.txt is not saved: it is not UTF-8; save the file as UTF-8",
        f"{left}NOTES.MD (its ending is in capitals; write it in small letters)",
        f"{left}far.md (a link; put the file itself there)",
        f"{left}huge.txt (larger than 20 MB)",
        f"{left}nul.txt (not text: it holds a NUL byte)",
    ]


def test_a_review_with_a_nul_byte_is_refused_and_the_byte_named(run: Run, book: Path) -> None:
    (book / REVIEW).write_bytes(b"One.\0\n")
    git_in(book, *IDENTITY, "commit", "-qam", "Break it")

    _, _, err = run("book", "session", str(book))

    assert "error[review-not-text]" in err
    assert "holds a NUL byte" in err


def test_the_result_of_a_session_is_one_document(run: Run, book: Path) -> None:
    _, out, _ = run("book", "session", str(book), "--json")

    told = json.loads(out)
    assert told["status"] == told["outcome"] == "closed"
    assert told["report"]["session_word_count"] == 1500
    assert told["snapshot_tag"] == "ink-2026-02-22-14-30"


def test_a_detached_session_is_named_at_once(run: Run, book: Path, services: StageServices) -> None:
    _, out, _ = run("book", "session", str(book), "--detach", "--json")

    told = json.loads(out)
    assert told["status"] == "started"
    assert told["book_id"] in services.pipelines.ended


def test_a_second_session_is_refused_without_a_trace(run: Run, book: Path) -> None:
    run("book", "open", str(book))
    before = git_in(book, "for-each-ref")

    code, out, _ = run("book", "session", str(book), "--json")

    assert (code, json.loads(out)["code"]) == (3, "already-running")
    assert git_in(book, "for-each-ref") == before


def test_a_broken_config_refuses_by_name_and_commits_nothing(run: Run, book: Path) -> None:
    (book / "Global Material/Config.yml").write_text("target_length: [")
    git_in(book, "add", "-A")
    git_in(book, *IDENTITY, "commit", "-qm", "Break")
    before = git_in(book, "rev-parse", "HEAD")

    code, _, err = run("book", "session", str(book))

    assert code == 3
    assert err.startswith("error[config-broken-yaml]")
    assert git_in(book, "rev-parse", "HEAD") == before


@pytest.mark.parametrize(("locked", "intent"), [(True, ""), (False, "INT-404")])
def test_a_refused_opening_leaves_no_commit(run: Run, book: Path, locked: bool, intent: str) -> None:
    (book / ".orchestration/active_intents.yaml").unlink()
    if locked:
        (book / ".ink-running").write_text("2026-02-22T14:29:00Z\nsession: s9\nowner: elsewhere\n")
    git_in(book, "add", "-A")
    git_in(book, *IDENTITY, "commit", "-qm", "From before there were intents")
    before = git_in(book, "for-each-ref")

    code, _, _ = run("book", "open", str(book), "--intent", intent)

    assert code == 3
    assert git_in(book, "for-each-ref") == before
    assert not (book / ".orchestration/active_intents.yaml").exists()


@pytest.mark.parametrize(("day", "today"), [("2026-02-22T00:30:00Z", True), ("2026-02-21T23:30:00Z", False)])
def test_an_outline_is_modified_today_if_a_person_changed_it_today(
    run: Run, book: Path, monkeypatch: pytest.MonkeyPatch, day: str, today: bool
) -> None:
    outline = book / "Chapters material/Chapter_01.md"
    outline.write_text(f"{outline.read_text()}\nMara waits.\n")
    monkeypatch.setenv("GIT_COMMITTER_DATE", day)
    git_in(book, *IDENTITY, "commit", "-qam", "Outline")
    run("book", "open", str(book), "--opener", "one")
    run("book", "close", str(book), stdin=PROSE)

    payload = json.loads(run("book", "open", str(book), "--opener", "two")[1])

    assert payload["chapters"]["current"]["modified_today"] is today
    assert payload["human_edits"] == []


def test_open_prints_the_payload_and_close_takes_the_prose(run: Run, book: Path) -> None:
    code, out, _ = run("book", "open", str(book))
    payload = json.loads(out)

    closed, report, _ = run("book", "close", str(book), "--summary", "Mara walks.", "--json", stdin=PROSE)

    assert (code, closed) == (0, 0)
    assert list(payload)[:4] == ["config", "kill_requested", "session_already_run", "stale_lock_recovered"]
    assert json.loads(report)["session_word_count"] == 1500
    assert "Mara walks." in (book / "Global Material/Summary.md").read_text()


@pytest.mark.parametrize("given", [("--summary=-x and more",), ("--summary", "- x and more")])
def test_a_summary_may_begin_with_a_dash(run: Run, book: Path, given: tuple[str, ...]) -> None:
    run("book", "open", str(book))

    code, _, err = run("book", "close", str(book), *given, stdin=PROSE)

    assert code == 0, err
    assert "x and more" in (book / "Global Material/Summary.md").read_text()


@pytest.mark.parametrize(
    ("stdin", "code"),
    [
        (b"", "empty-prose"),
        (b" \n\t ", "empty-prose"),
        (b"One\0two", "prose-has-nul"),
        (b"One \xff two", "prose-not-utf8"),
        (b"word " * 1_000_001, "prose-too-long"),
        (None, "no-prose"),
    ],
)
def test_invalid_prose_is_refused_and_the_session_stays_open(
    run: Run, book: Path, stdin: bytes | None, code: str
) -> None:
    run("book", "open", str(book))
    before = git_in(book, "rev-parse", "HEAD")

    status, out, _ = run("book", "close", str(book), "--json", stdin=stdin)

    assert status in (2, 3)
    assert json.loads(out)["code"] == code
    assert git_in(book, "rev-parse", "HEAD") == before
    assert run("book", "close", str(book), stdin=PROSE)[0] == 0


def test_close_without_a_session_is_an_error_in_the_seeds_words(run: Run, book: Path) -> None:
    code, out, _ = run("book", "close", str(book), "--json", stdin=PROSE)

    told = json.loads(out)
    assert code == 3
    assert (told["error"], told["status"]) == ("no active session", "error")


def test_another_caller_sees_the_running_session_without_book_details(run: Run, book: Path) -> None:
    run("book", "open", str(book), "--opener", "one")

    code, out, _ = run("book", "open", str(book), "--opener", "two")

    payload = json.loads(out)
    assert code == 3
    assert payload["session_already_run"] is True
    assert payload["config"]["words_per_session"] == 1500
    assert (payload["global_material"], payload["snapshot_tag"]) == ([], "")


def test_the_same_caller_may_open_twice(run: Run, book: Path) -> None:
    _, first, _ = run("book", "open", str(book), "--opener", "one")

    code, second, _ = run("book", "open", str(book), "--opener", "one")

    assert (code, second) == (0, first)


def test_a_kill_file_is_reported_in_the_open_payload(run: Run, book: Path) -> None:
    (book / ".ink-kill").write_text("enough")

    code, out, _ = run("book", "open", str(book))

    assert code == 3
    assert json.loads(out)["kill_requested"] is True
    assert not (book / ".ink-kill").exists()


def test_advance_says_how_far_the_chapter_is(run: Run, book: Path) -> None:
    code, _, err = run("book", "advance", str(book))
    _, told, _ = run("book", "advance", str(book), "--json")

    assert code == 3
    assert err.startswith("error[chapter-not-ready]")
    assert "2700" in err
    assert "next: `penwright book session" in err
    assert json.loads(told).items() >= {"status": "chapter_not_ready", "code": "chapter-not-ready"}.items()
    assert json.loads(told)["next"]


def test_advance_says_that_it_waits_for_a_paused_session(run: Run, book: Path) -> None:
    run("book", "open", str(book))
    run("book", "pause", str(book))

    _, _, err = run("book", "advance", str(book))

    assert err.startswith("The session is paused")
    assert "`penwright book resume" in err


def test_advance_inside_an_open_session_moves_to_the_next_outline(
    run: Run, book: Path, write_config: Callable[..., None]
) -> None:
    write_config(words_per_chapter=1000)
    (book / "Chapters material/Chapter_02.md").write_text("# The Boat\n\nShe comes.\n")
    run("book", "session", str(book))

    run("book", "open", str(book))
    code, out, _ = run("book", "advance", str(book), "--json")

    assert code == 0
    assert json.loads(out)["new_chapter"] == 2


def test_a_short_book_is_sealed_only_on_an_explicit_wish(run: Run, book: Path) -> None:
    run("book", "session", str(book))

    refused = run("book", "complete", str(book))
    sealed = run("book", "complete", str(book), "--early", "--json")

    assert refused[0] == 3
    assert refused[2].startswith("error[not-ready]")
    assert "`--early` seals it" in refused[2]
    assert sealed[0] == 0
    assert json.loads(sealed[1])["status"] == "complete"
    assert (book / "COMPLETE").exists()
    assert git_in(book, "show", "-s", "--format=%(trailers:key=Mutation-Class)").endswith("AST_REFACTOR")
    assert run("book", "session", str(book))[0] == 3


def test_a_seal_names_the_unreviewed_prose(run: Run, book: Path) -> None:
    run("book", "session", str(book))

    _, out, _ = run("book", "complete", str(book), "--early")

    assert "The last 1,500 words (“The tide went out." in out
    assert "delete the file COMPLETE in the book and raise target_length" in out


def test_a_seal_that_waits_for_review_is_made_by_the_next_session(
    run: Run, book: Path, write_config: Callable[..., None]
) -> None:
    write_config(review_before_completion="true", target_length=1500, chapter_count=1)
    run("book", "session", str(book))

    waiting = run("book", "complete", str(book))
    sealed = run("book", "session", str(book), "--json")

    assert (waiting[0], waiting[2].split(":")[0]) == (3, "error[needs-revision]")
    assert "waits for your review" in waiting[2]
    told = json.loads(sealed[1])
    assert (sealed[0], told["outcome"], told["completion"]["status"]) == (0, "completed", "complete")
    assert (book / "COMPLETE").exists()
    assert not (book / ".ink-running").exists()
    assert not [warning for warning in told["warnings"] if "`complete` seals it" in warning]


def test_a_session_that_seals_its_book_says_only_what_is_so_afterwards() -> None:
    ending = BookSessionResult(
        outcome="completed",
        book_id=BookId("tide"),
        session="s1",
        report=ClosedReport(
            session_word_count=150,
            total_word_count=300,
            waiting_word_count=150,
            current_chapter_word_count=300,
            target_length=450,
            completion_ready=True,
        ),
        completion=CompleteReport(status="complete", total_word_count=450),
    )

    lines = reports.ending_lines(ending, "tide")

    assert lines[:2] == [
        "150 words written; the book has 450 of 450.",
        "The book is sealed at 450 words.",
    ]
    assert "Read it in tide/Current version/Full_Book.md." in lines
    assert not [line for line in lines if "`penwright book complete" in line or "review" in line.lower()]


@for_each(
    "by, said",
    [("ada", "Stopped by ada: enough."), ("", "Stopped: enough.")],
)
def test_a_stopped_session_names_who_stopped_it_and_nobody_where_no_one_did(by: str, said: str) -> None:
    ending = BookSessionResult(
        outcome="stopped", book_id=BookId("tide"), session="s1", message="enough", stopped_by=by
    )

    assert reports.ending_lines(ending, "tide") == [said]


def test_a_warning_that_repeats_the_refusal_is_left_out() -> None:
    held = "session s0 in desk:/tide holds this book for 0 minutes"
    ending = BookSessionResult(
        outcome="refused",
        book_id=BookId("tide"),
        session="s1",
        code="already-running",
        message=held,
        warnings=("the remote did not answer", held),
    )

    assert reports.told_beside(ending, "tide") == ["warning: the remote did not answer"]


def test_the_warnings_of_an_ending_stand_before_the_lines_about_the_demo_model() -> None:
    ending = BookSessionResult(
        outcome="closed",
        book_id=BookId("tide"),
        session="s",
        model="demo",
        warnings=("the remote did not answer",),
    )

    told = reports.told_beside(ending, "tide")

    assert told[0] == "warning: the remote did not answer"
    assert told[1].startswith("Written by the demo model")


def test_the_refusal_of_a_sealed_book_gives_the_advice_of_its_seal(run: Run, book: Path) -> None:
    run("book", "session", str(book))
    run("book", "complete", str(book), "--early")

    code, _, err = run("book", "session", str(book))
    _, document, _ = run("book", "session", str(book), "--json")

    assert (code, err.splitlines()[0]) == (
        3,
        "error[sealed]: the book is complete; to write on, delete COMPLETE and raise target_length",
    )
    step = err.splitlines()[-1]
    assert step.startswith(
        "  next: to write on, delete the file COMPLETE in the book and raise target_length"
    )
    assert f"`penwright book rollback {book}` reopens the book, too, but takes the last session out" in step
    assert json.loads(document)["next"] == step.removeprefix("  next: ")
    for verb in ("complete", "advance"):
        assert run("book", verb, str(book))[2].splitlines()[-1] == step
    (book / "COMPLETE").unlink()
    assert run("book", "session", str(book))[0] == 0


@pytest.mark.parametrize(
    ("named", "code", "step"),
    [
        ((), "no-writable-intent", "penwright intent start ID {book}"),
        (("--intent", "INT-404"), "intent-unknown", "`penwright intent list {book}` shows the intents"),
    ],
)
def test_a_session_refused_for_its_intent_names_the_verbs_of_intents(
    run: Run, book: Path, named: tuple[str, ...], code: str, step: str
) -> None:
    run("intent", "block", "INT-001", str(book))

    exit_code, _, err = run("book", "session", str(book), *named)

    assert (exit_code, err.split(":")[0]) == (3, f"error[{code}]")
    assert step.format(book=book) in err


def test_a_kill_reaches_the_running_session(run: Run, book: Path) -> None:
    run("book", "open", str(book))

    code, out, _ = run("book", "kill", str(book), "--reason", "wrong outline", "--json")

    assert code == 0
    assert json.loads(out)["status"] == "acknowledged"
    assert not (book / ".ink-running").exists()
    assert run("book", "close", str(book), stdin=PROSE)[0] == 3


@pytest.mark.parametrize("runs", [True, False])
def test_a_kill_without_a_session_only_explains_the_kill_file(
    run: Run, book: Path, services: StageServices, runs: bool
) -> None:
    services.runs = runs

    code, _, err = run("book", "kill", str(book))

    assert code in (1, 3)
    assert "'.ink-kill'" in err
    assert git_in(book, "status", "--porcelain") == ""


@pytest.mark.parametrize(
    ("message", "means"),
    [
        ("pause", "pauses after the step in hand"),
        ("resume", "goes on"),
        ("kill", "stops at its next commit"),
    ],
)
def test_programs_are_told_what_a_message_means_as_people_are(
    run: Run, book: Path, message: str, means: str
) -> None:
    run("book", "open", str(book))

    code, out, _ = run("book", message, str(book), "--json")

    data = json.loads(out)
    assert (code, data["status"], data["message"], data["means"]) == (0, "acknowledged", message, means)


@pytest.mark.parametrize(("message", "help_"), [("pause", "log"), ("resume", "session")])
def test_pausing_or_resuming_nothing_says_what_can_be_done(
    run: Run, book: Path, message: str, help_: str
) -> None:
    code, _, err = run("book", message, str(book))

    assert code == 3
    assert ".ink-kill" not in err
    assert f"`penwright book {help_}" in err
    assert "--pause" not in err


def test_pausing_nothing_names_the_schedule_that_there_is(run: Run, book: Path) -> None:
    run("book", "schedule", str(book), "--every", "6h")

    assert "--pause` stops its schedule" in run("book", "pause", str(book))[2]


def test_resuming_nothing_begins_no_session_of_a_sealed_book(run: Run, book: Path, sealed: None) -> None:
    _, _, err = run("book", "resume", str(book))

    assert "error[nothing-runs]" in err
    assert "`penwright book session" not in err


@pytest.mark.parametrize("message", ["kill", "pause", "resume"])
def test_without_an_engine_a_message_to_a_session_names_the_way_to_start_it(
    run: Run, book: Path, services: StageServices, message: str
) -> None:
    services.runs = False

    code, _, err = run("book", message, str(book))

    assert code == 1
    assert "start it with `penwright up --detach`" in err.splitlines()[-1]


@pytest.mark.parametrize("message", ["pause", "resume"])
def test_a_session_can_be_paused_and_resumed(run: Run, book: Path, message: str) -> None:
    run("book", "open", str(book))

    code, out, _ = run("book", message, str(book), "--json")

    assert (code, json.loads(out)["message"]) == (0, message)


def test_watching_nothing_is_refused_with_the_way_to_the_log(run: Run, book: Path) -> None:
    code, _, err = run("book", "watch", str(book))

    assert code == 3
    assert "book log" in err


class _Resting(RehearsedPipelines):
    """No worker answers; later one does, and the session ends."""

    async def result(self, book_id: BookId) -> BookSessionResult:
        self.silent = False
        await self.signal(book_id, KillRequest(who="ada", reason="enough"))
        return await super().result(book_id)


def test_watch_reports_a_missing_worker_once_and_continues(
    run: Run, book: Path, services: StageServices
) -> None:
    stage = services.pipelines
    services.pipelines = _Resting(stage.activities, stage.clock)
    run("book", "open", str(book))
    services.pipelines.silent = True

    code, out, err = run("book", "watch", str(book))

    assert (code, "ada" in out) == (3, True)
    assert err.count("no worker answers") == 1
    assert "`penwright status`" in err


def test_watching_an_engine_that_is_down_is_an_error_at_once(
    run: Run, book: Path, services: StageServices
) -> None:
    services.runs = False

    code, _, err = run("book", "watch", str(book))

    assert code == 1
    assert "engine-not-running" in err


def test_a_book_may_be_named_by_its_id(run: Run, book: Path) -> None:
    _, out, _ = run("book", "list", "--json")

    code, told, err = run("book", "session", json.loads(out)["books"][0]["book_id"])

    assert code == 0, err
    assert f"Read it in {book}/Review/current.md." in told


@pytest.mark.parametrize("name", ["no-such-book", "No Such", "./nowhere"])
def test_an_unknown_book_is_a_named_error(run: Run, name: str) -> None:
    code, _, err = run("book", "session", name)

    assert code in (1, 2)
    assert err.startswith("error[")


class _LeftAlone(RehearsedPipelines):
    """The operator presses Ctrl-C while the session writes."""

    async def result(self, book_id: BookId) -> BookSessionResult:
        raise asyncio.CancelledError


def test_ctrl_c_leaves_the_session_and_says_how_to_come_back(
    run: Run, book: Path, services: StageServices
) -> None:
    stage = services.pipelines
    services.pipelines = _LeftAlone(stage.activities, stage.clock)

    code, _, err = run("book", "session", str(book))

    assert code == 130
    assert "the session goes on: `penwright book watch" in err


@pytest.mark.parametrize("command", ["status {book}", "export {book} --to text", "session {book}"])
def test_a_broken_config_names_the_command_that_brings_it_back_and_then_a_session_runs(
    run: Run, book: Path, command: str
) -> None:
    run("book", "session", str(book))
    (book / "Global Material/Config.yml").write_text("title: [\n")
    git_in(book, *IDENTITY, "commit", "-qam", "Break it")

    _, _, err = run("book", *command.format(book=book).split())
    step = re.search("`penwright (book restore .*)`", err)

    assert step is not None, err
    assert run(*step[1].split())[0] == 0
    _, _, again = run("book", "status", str(book))
    assert f"`penwright book session {book}`" in again
    assert run("book", "session", str(book))[0] == 0
    assert run("book", "status", str(book))[0] == 0


@pytest.mark.parametrize("at", ["books.find", "sessions.session_of", "services.engine", "pipelines.start"])
def test_ctrl_c_before_the_session_began_says_that_nothing_was_started(
    run: Run, book: Path, services: StageServices, monkeypatch: pytest.MonkeyPatch, at: str
) -> None:
    def interrupted(*_: object, **__: object) -> NoReturn:
        raise KeyboardInterrupt

    place, _, name = at.partition(".")
    target = {"services": services, "pipelines": services.pipelines}.get(
        place, f"gateway.cli.book.session.{at}"
    )
    if isinstance(target, str):
        monkeypatch.setattr(target, interrupted)
    else:
        monkeypatch.setattr(target, name, interrupted)

    code, _, err = run("book", "session", str(book))

    begun = at == "pipelines.start"
    assert code == 130
    assert ("interrupted before the session began; nothing was started" in err) is not begun
    assert (f"`penwright book watch {book}` shows whether the session runs" in err) is begun
