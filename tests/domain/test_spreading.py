"""Schedules of many books are spread, each by its own delay, the same every night."""

from collections import Counter
from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as st

from penwright.domain.spreading import delay, spread_cron
from tests.support.each import for_each

WINDOW = timedelta(minutes=30)


def late(minutes: int) -> str:
    """A subject whose delay within half an hour is this."""
    return next(name for name in map(str, range(10_000)) if delay(name, WINDOW) == timedelta(minutes=minutes))


@given(st.text(), st.integers(0, 100_000))
def test_a_delay_is_stable_and_within_the_window(subject: str, seconds: int) -> None:
    window = timedelta(seconds=seconds)

    assert delay(subject, window) == delay(subject, window)
    assert timedelta(0) <= delay(subject, window) < max(window, timedelta(seconds=1))


def test_many_books_are_spread_over_the_whole_window() -> None:
    delays = Counter(delay(f"book-{number}", WINDOW) for number in range(3000))

    assert len(delays) == 30
    assert max(delays.values()) < 160


@for_each(
    "cron, minutes, spread",
    [
        ("0 3 * * *", 12, ("12 3 * * *",)),
        ("50 23 * * *", 12, ("2 0 * * *",)),
        ("50 23 * * 1-5", 12, ("2 0 * * 2,3,4,5,6",)),
        ("50 23 * * 6,7", 12, ("2 0 * * 1,0",)),
        ("30 6,18 * * 0", 29, ("59 6,18 * * 0",)),
        ("50 6,18 * * *", 12, ("2 7,19 * * *",)),
        ("0 3 1 * *", 12, ("12 3 1 * *",)),
        ("0 3 * * *", 0, ("0 3 * * *",)),
        ("*/40 5 * * *", 12, ("12 5 * * *", "52 5 * * *")),
    ],
)
def test_a_line_is_moved_by_the_delay(cron: str, minutes: int, spread: tuple[str, ...]) -> None:
    assert set(spread_cron(cron, late(minutes), WINDOW)) == set(spread)


@for_each("cron", ["* * * * *", "nonsense", "61 3 * * *", "0 3 * *", "0/0 3 * * *"])
def test_what_has_no_room_or_cannot_be_read_stays(cron: str) -> None:
    assert spread_cron(cron, late(12), WINDOW) == (cron,)


@given(st.integers(0, 23), st.integers(0, 59), st.integers(1, 28), st.text())
def test_a_time_on_a_day_of_the_month_stays_on_that_day(
    hour: int, minute: int, day: int, subject: str
) -> None:
    (line,) = spread_cron(f"{minute} {hour} {day} * *", subject, timedelta(hours=6))
    late_minute, late_hour, *rest = line.split()

    moved = int(late_hour) * 60 + int(late_minute) - (hour * 60 + minute)
    assert 0 <= moved < 360
    assert rest == [str(day), "*", "*"]


def test_without_a_window_nothing_moves() -> None:
    assert spread_cron("0 3 * * *", "tide", timedelta(0)) == ("0 3 * * *",)
