"""How fast something is used up, and when a cap is reached."""

from datetime import UTC, date, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from penwright.domain.models.pace import end_of_day, forecast, per_second

NOON = datetime(2026, 3, 14, 12, tzinfo=UTC)
TODAY = NOON.date()
DAY_S = 86_400


def test_the_pace_is_the_mean_since_the_first_recent_day_with_use() -> None:
    days = {TODAY: 500, TODAY - timedelta(1): 1_000, TODAY - timedelta(30): 10**9}

    assert per_second(days, NOON) * DAY_S == 1_000
    assert per_second({}, NOON) == 0
    assert per_second({TODAY: 0}, NOON) == 0


def test_the_first_minutes_of_use_are_taken_for_an_hour() -> None:
    midnight = datetime(2026, 3, 14, 0, 0, 1, tzinfo=UTC)

    assert per_second({TODAY: 3_600}, midnight) == 1


def test_a_cap_of_the_day_is_reached_before_midnight_or_not_at_all() -> None:
    until = end_of_day(NOON)
    pace = 1_000 / DAY_S

    near, far = forecast(500, 750, pace, NOON, until), forecast(500, 1_001, pace, NOON, until)

    assert until == datetime(2026, 3, 15, tzinfo=UTC)
    assert (near.expected, near.reached_at) == (1_000, NOON + timedelta(hours=6))
    assert (far.expected, far.reached_at) == (1_000, None)


def test_a_cap_without_an_end_is_reached_one_day_or_never() -> None:
    assert forecast(0, 10, 1 / DAY_S, NOON).reached_at == NOON + timedelta(days=10)
    assert forecast(0, 10, 0, NOON).reached_at is None
    assert forecast(10, 10, 0, NOON).reached_at == NOON


@given(
    used=st.integers(0, 10**15),
    cap=st.integers(0, 10**15),
    by_day=st.dictionaries(st.dates(date(2026, 1, 1), date(2026, 4, 1)), st.integers(0, 10**15)),
)
def test_the_outlook_of_any_use_is_consistent(used: int, cap: int, by_day: dict[date, int]) -> None:
    until = end_of_day(NOON)
    found = forecast(used, cap, per_second(by_day, NOON), NOON, until)

    assert found.expected is not None
    assert found.expected >= used
    if found.reached_at is not None:
        assert NOON <= found.reached_at <= until
        assert found.expected >= cap - 1
