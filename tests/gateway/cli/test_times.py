"""Points of time are shown in the user's time zone, which is named."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from gateway.cli.times import minute, second

EVENING = datetime(2026, 11, 22, 19, 15, 7, tzinfo=UTC)


@pytest.mark.usefixtures("in_vienna")
def test_a_point_of_time_is_shown_where_the_user_is() -> None:
    assert minute(EVENING) == minute(EVENING.isoformat()) == "2026-11-22 20:15 CET"
    assert second(EVENING.isoformat()) == "2026-11-22 20:15:07"


def test_a_scheduled_time_is_shown_in_the_time_zone_of_its_schedule() -> None:
    assert minute(EVENING, ZoneInfo("America/New_York")) == "2026-11-22 14:15 EST"
