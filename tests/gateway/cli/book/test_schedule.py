"""Timetables: valid specifications, and how they are shown."""

import json
from datetime import timedelta
from pathlib import Path

import pytest

from tests.support.gateway.services import Run, StageServices


def test_an_interval_is_kept_and_shown_with_its_next_runs(
    run: Run, book: Path, services: StageServices
) -> None:
    code, out, _ = run("book", "schedule", str(book), "--every", "6h", "--pause-on-failure", "--json")

    told = json.loads(out)
    (timetable, _), *_ = services.schedules.kept.values()
    assert code == 0
    assert timetable.every == timedelta(hours=6)
    assert timetable.catch_up == timedelta(hours=1)
    assert timetable.pause_on_failure
    assert len(told["next_runs"]) == 5


def test_a_cron_line_has_a_time_zone(run: Run, book: Path, services: StageServices) -> None:
    run("book", "schedule", str(book), "--cron", "30 6 * * 1-5", "--time-zone", "Europe/Vienna")

    (timetable, _), *_ = services.schedules.kept.values()
    assert (timetable.cron, timetable.time_zone) == ("30 6 * * 1-5", "Europe/Vienna")


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ((), "bad-schedule"),
        (("--cron", "* * * * *", "--every", "6h"), "bad-schedule"),
        (("--every", "often"), "bad-interval"),
        (("--every", "0m"), "bad-interval"),
        (("--every", "30s"), "bad-interval"),
        (("--cron", "30 6 *"), "bad-cron"),
        (("--every", "6h", "--time-zone", "Mars/Base"), "bad-time-zone"),
        (("--every", "6h", "--time-zone", "../etc/passwd"), "bad-time-zone"),
        (("--every", "6h", "--catch-up", "2h"), "catch-up-too-long"),
        (("--every", "6h", "--jitter", "-1"), "bad-interval"),
    ],
)
def test_an_invalid_timetable_is_refused(
    run: Run, book: Path, services: StageServices, options: tuple[str, ...], code: str
) -> None:
    status, out, _ = run("book", "schedule", str(book), *options, "--json")

    assert (status, json.loads(out)["code"]) == (2, code)
    assert services.schedules.kept == {}


def test_a_schedule_can_be_paused_resumed_and_deleted(run: Run, book: Path) -> None:
    run("book", "schedule", str(book), "--every", "1d")

    paused = json.loads(run("book", "schedule", str(book), "--pause", "--json")[1])
    resumed = json.loads(run("book", "schedule", str(book), "--resume", "--json")[1])
    deleted = run("book", "unschedule", str(book))
    again = run("book", "unschedule", str(book))

    assert (paused["paused"], resumed["paused"]) == (True, False)
    assert (deleted[0], again[0]) == (0, 1)


def test_schedules_are_listed_for_people_and_machines(run: Run, book: Path) -> None:
    nothing = run("book", "schedules")[1]
    run("book", "schedule", str(book), "--every", "1d")

    text = run("book", "schedules")[1]
    told = json.loads(run("book", "schedules", "--json")[1])

    assert nothing.startswith("No book has a schedule")
    assert text.count("  next ") == 5
    assert told["schedules"][0]["last_result"] == "closed"
