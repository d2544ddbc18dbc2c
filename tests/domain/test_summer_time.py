"""A run at a time that the clock is put forward over is made after the gap, once."""

from datetime import date
from zoneinfo import ZoneInfo

from penwright.domain.summer_time import runs_after_gaps
from tests.support.each import for_each

BERLIN, NEW_YORK = "Europe/Berlin", "America/New_York"


def runs(zone: str, *crons: str) -> list[str]:
    """Those of the year 2027."""
    found = runs_after_gaps(crons, ZoneInfo(zone), date(2027, 1, 1), 365)
    return [f"{at:%m-%d %H:%M}" for at in found]


@for_each(
    "zone, cron, after",
    [
        (BERLIN, "30 2 * * *", "03-28 03:30"),
        (BERLIN, "0 2 * mar sun", "03-28 03:00"),
        (BERLIN, "59 2 28 3 7", "03-28 03:59"),
        (BERLIN, "*/15 2 * * *", "03-28 03:00"),
        (BERLIN, "0 */2 * * *", "03-28 03:00"),
        (NEW_YORK, "30 2 * * *", "03-14 03:30"),
        ("Australia/Lord_Howe", "15 2 * * *", "10-03 02:45"),
        ("Africa/Cairo", "0 0 * * 5", "04-30 01:00"),
        ("America/Nuuk", "30 23 * * sat", "03-28 00:30"),
    ],
)
def test_a_time_within_the_gap_runs_after_it(zone: str, cron: str, after: str) -> None:
    assert runs(zone, cron) == [after]


@for_each(
    "zone, cron",
    [
        (BERLIN, "59 1 * * *"),
        (BERLIN, "0 3 * * *"),
        (BERLIN, "0 4 * * *"),
        (BERLIN, "*/15 * * * *"),
        (BERLIN, "30 2,3 * * *"),
        (BERLIN, "30 2 * * 1-6"),
        (BERLIN, "30 2 27 * *"),
        (BERLIN, "30 2 * 4-12 *"),
        (BERLIN, "30 2 * * someday"),
        ("America/Nuuk", "30 0,23 * * *"),
        ("UTC", "30 2 * * *"),
        ("Asia/Tokyo", "* * * * *"),
    ],
)
def test_a_line_that_loses_no_run_gains_none(zone: str, cron: str) -> None:
    assert runs(zone, cron) == []


def test_the_lines_of_one_schedule_run_once_after_a_gap() -> None:
    assert runs(BERLIN, "12 2 * * *", "52 2 * * *") == ["03-28 03:12"]
    assert runs(BERLIN, "12 2 * * *", "12 3 * * *") == []
