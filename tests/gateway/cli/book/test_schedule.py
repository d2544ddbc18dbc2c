"""Timetables: valid specifications, and how they are shown."""

import json
import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from gateway.cli.book.schedule import RESUME, schedule_lines
from gateway.desk.engine.pipelines import Scheduled
from penwright.domain.book.files.layout import COMPLETE, CONFIG
from tests.support.books.repos import commit_all, identify
from tests.support.each import for_each
from tests.support.gateway.services import Run, StageServices


def test_an_interval_is_kept_and_shown_with_its_next_runs(
    run: Run, book: Path, services: StageServices
) -> None:
    code, out, _ = run("book", "schedule", str(book), "--every", "6h", "--pause-on-failure", "--json")

    told = json.loads(out)
    (timetable, _), *_ = services.schedules.kept.values()
    assert code == 0
    assert timetable.every == timedelta(hours=6)
    assert timetable.window == timedelta(minutes=30)
    assert timetable.catch_up == timedelta(hours=1)
    assert timetable.pause_on_failure
    assert len(told["next_runs"]) == 5


def test_a_cron_line_has_a_time_zone(run: Run, book: Path, services: StageServices) -> None:
    run("book", "schedule", str(book), "--cron", "30 6 * * 1-5", "--time-zone", "Europe/Vienna")

    (timetable, _), *_ = services.schedules.kept.values()
    assert (timetable.cron, timetable.time_zone) == ("30 6 * * 1-5", "Europe/Vienna")


@for_each(
    "options, code",
    [
        ((), "bad-schedule"),
        (("--cron", "* * * * *", "--every", "6h"), "bad-schedule"),
        (("--every", ""), "bad-interval"),
        (("--every", "often"), "bad-interval"),
        (("--every", "16000w"), "bad-interval"),
        (("--every", "0m"), "bad-interval"),
        (("--every", "٣h"), "bad-interval"),
        (("--every", "30s"), "bad-interval"),
        (("--cron", "30 6 *"), "bad-cron"),
        (("--cron", "*/0 * * * *"), "bad-cron"),
        (("--cron", "@daily"), "bad-cron"),
        (("--cron", "0 0 30 2 *"), "never-runs"),
        (("--every", "1d", "--time-zone", "Europe/Berlin"), "zone-without-cron"),
        (("--every", "6h", "--time-zone", "Mars/Base"), "bad-time-zone"),
        (("--every", "6h", "--time-zone", "../etc/passwd"), "bad-time-zone"),
        (("--cron", "30 6 * * *", "--time-zone", "Factory"), "bad-time-zone"),
        (("--cron", "30 6 * * *", "--time-zone", "localtime"), "bad-time-zone"),
        (("--cron", "30 6 * * *", "--time-zone", "posixrules"), "bad-time-zone"),
        (("--cron", "30 6 * * *", "--time-zone", "posix/Europe/Berlin"), "bad-time-zone"),
        (("--every", "6h", "--catch-up", "2h"), "catch-up-too-long"),
        (("--every", "6h", "--jitter", "-1"), "bad-interval"),
        (("--every", "6h", "--window", "999999w"), "bad-interval"),
        (("--cron", "30 6 * * *", "--window", "25h"), "delay-too-long"),
        (("--cron", "0 6,8 * * *", "--window", "3h"), "delay-too-long"),
        (("--every", "6h", "--window", "7h"), "delay-too-long"),
        (("--every", "6h", "--jitter", "1d"), "delay-too-long"),
        (("--every", "6h", "--pause", "--resume"), "options-apart"),
        (("--pause", "--window", "1h"), "option-alone"),
        (("--list", "--every", "6h"), "options-apart"),
    ],
)
def test_an_invalid_timetable_is_refused(
    run: Run, book: Path, services: StageServices, options: tuple[str, ...], code: str
) -> None:
    status, out, _ = run("book", "schedule", str(book), *options, "--json")

    assert (status, json.loads(out)["code"]) == (2, code)
    assert services.schedules.kept == {}


def test_the_time_zone_that_was_probably_meant_is_named(run: Run, book: Path) -> None:
    _, _, said = run("book", "schedule", str(book), "--cron", "30 6 * * *", "--time-zone", "berlin")

    assert "'berlin' is unknown; did you mean 'Europe/Berlin'?" in said


def test_a_sealed_book_is_scheduled_only_once_its_seal_is_deleted(
    run: Run, book: Path, services: StageServices
) -> None:
    run("book", "session", str(book))
    run("book", "complete", str(book), "--early")

    refused = run("book", "schedule", str(book), "--every", "6h", "--json")
    kept = dict(services.schedules.kept)
    (book / COMPLETE).unlink()
    again = run("book", "schedule", str(book), "--every", "6h")

    assert (refused[0], json.loads(refused[1])["code"], kept) == (3, "sealed", {})
    assert COMPLETE in json.loads(refused[1])["next"]
    assert again[0] == 0, again[2]


def test_a_schedule_can_be_paused_resumed_and_deleted(run: Run, book: Path) -> None:
    run("book", "schedule", str(book), "--every", "1d")

    paused = json.loads(run("book", "schedule", str(book), "--pause", "--json")[1])
    resumed = json.loads(run("book", "schedule", str(book), "--resume", "--json")[1])
    deleted = run("book", "unschedule", str(book))
    again = run("book", "unschedule", str(book))

    assert (paused["paused"], resumed["paused"]) == (True, False)
    assert (deleted[0], again[0]) == (0, 3)


@pytest.mark.parametrize(
    ("first", "second", "paused"),
    [
        (["--every", "1d", "--pause"], [], True),
        (["--every", "1d", "--pause"], ["--every", "6h"], True),
        (["--every", "1d"], ["--every", "6h"], False),
        (["--every", "1d", "--pause"], ["--every", "6h", "--resume"], False),
    ],
)
def test_a_new_timetable_leaves_a_pause_as_it_is(
    run: Run, book: Path, first: list[str], second: list[str], paused: bool
) -> None:
    for options in filter(None, (first, second)):
        told = json.loads(run("book", "schedule", str(book), *options, "--json")[1])

    assert told["paused"] is paused


def test_a_schedule_with_an_intent_that_the_book_lacks_is_refused(
    run: Run, book: Path, services: StageServices
) -> None:
    code, _, err = run("book", "schedule", str(book), "--every", "1d", "--intent", "INT-099")

    assert (code, services.schedules.kept) == (3, {})
    assert "error[intent-unknown]" in err


@pytest.mark.parametrize("gone", ["folder", "config"])
@pytest.mark.parametrize("by", ["id", "path"])
def test_a_schedule_outlives_its_book_and_is_paused_and_deleted_by_id_or_path(
    run: Run, book: Path, services: StageServices, gone: str, by: str
) -> None:
    made = json.loads(run("book", "schedule", str(book), "--every", "1d", "--json")[1])
    named = made["book_id"] if by == "id" else str(book)
    if gone == "folder":
        shutil.rmtree(book)
    else:
        identify(book)
        (book / CONFIG).unlink()
        commit_all(book, "No settings")

    paused = json.loads(run("book", "schedule", named, "--pause", "--json")[1])
    resumed = json.loads(run("book", "schedule", named, "--resume", "--json")[1])
    listed = json.loads(run("book", "schedule", "--list", "--json")[1])["schedules"]
    code, out, _ = run("book", "unschedule", named, "--json")

    assert (paused["paused"], resumed["paused"]) == (True, False)
    assert [one["book_id"] for one in listed] == [made["book_id"]]
    assert (code, json.loads(out)["book_id"]) == (0, made["book_id"])
    assert services.schedules.kept == {}


@pytest.mark.parametrize("command", [("unschedule",), ("schedule", "--pause"), ("schedule", "--resume")])
def test_a_book_without_a_schedule_is_refused_alike(run: Run, book: Path, command: tuple[str, ...]) -> None:
    verb, *options = command

    code, out, _ = run("book", verb, str(book), *options, "--json")

    assert (code, json.loads(out)["code"]) == (3, "not-scheduled")


def test_a_folder_that_is_gone_is_known_by_its_bare_name(
    run: Run, book: Path, services: StageServices, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("book", "schedule", str(book), "--every", "1d")
    shutil.rmtree(book)
    monkeypatch.chdir(book.parent)

    code, out, _ = run("book", "unschedule", book.name, "--json")

    assert (code, services.schedules.kept) == (0, {}), out


def test_a_path_that_never_was_a_book_is_named(run: Run, tmp_path: Path) -> None:
    code, out, _ = run("book", "unschedule", str(tmp_path / "nowhere"), "--json")

    assert (code, json.loads(out)["code"]) == (1, "no-such-folder")


def test_pause_on_failure_also_counts_refusals(run: Run, book: Path, services: StageServices) -> None:
    run("book", "schedule", str(book), "--every", "6h", "--pause-on-failure", "--refusals", "5")

    (timetable, _), *_ = services.schedules.kept.values()
    assert (timetable.pause_on_failure, timetable.pause_after) == (True, 5)


def test_the_list_says_how_the_latest_runs_ended(run: Run, book: Path) -> None:
    run("book", "schedule", str(book), "--every", "1d", "--pause-on-failure")

    text = run("book", "schedule", "--list")[1]
    (told,) = json.loads(run("book", "schedules", "--json")[1])["schedules"]

    assert "refused (config-missing)" in text
    assert [(one["outcome"], one["code"]) for one in told["last_outcomes"]] == [
        ("written", ""),
        ("refused", "config-missing"),
    ]
    assert told["pause_on_failure"] is True


@pytest.mark.usefixtures("in_vienna")
@pytest.mark.parametrize(
    ("rhythm", "shown"),
    [
        ("cron 0 3 * * *", ["tide: cron 0 3 * * *, America/New_York", "  next 2026-11-22 14:15 EST"]),
        ("every 6h", ["tide: every 6h", "  next 2026-11-22 20:15 CET"]),
    ],
)
def test_times_of_an_interval_are_the_users_and_those_of_a_cron_line_its_own(
    rhythm: str, shown: list[str]
) -> None:
    at = datetime(2026, 11, 22, 19, 15, tzinfo=UTC)
    kept = Scheduled("tide", rhythm, "America/New_York", False, "", (at,), "")

    assert schedule_lines(kept, at, RESUME) == shown


def test_schedules_are_listed_for_people_and_machines(run: Run, book: Path) -> None:
    nothing = run("book", "schedules")[1]
    run("book", "schedule", str(book), "--every", "1d")

    text = run("book", "schedules")[1]
    told = json.loads(run("book", "schedules", "--json")[1])

    assert nothing.startswith("No book has a schedule")
    assert text.count("  next ") == 5
    assert told["schedules"][0]["last_result"] == "closed"


@pytest.mark.parametrize(("given", "window"), [("2h", timedelta(hours=2)), ("0", timedelta(0))])
def test_a_window_may_be_chosen(
    run: Run, book: Path, services: StageServices, given: str, window: timedelta
) -> None:
    run("book", "schedule", str(book), "--cron", "0 3 * * *", "--window", given)

    (timetable, _), *_ = services.schedules.kept.values()
    assert timetable.window == window


def test_a_sealed_book_without_a_schedule_is_told_of_no_way_to_make_one(
    run: Run, book: Path, sealed: None
) -> None:
    _, _, err = run("book", "schedule", str(book), "--resume")

    assert "error[not-scheduled]" in err
    assert "book schedule" not in err
    assert f"delete the file {COMPLETE}" in err
