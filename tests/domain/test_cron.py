"""Cron lines that name no day of any year are told from those that do."""

import pytest

from penwright.domain.cron import never_runs
from tests.support.each import for_each


@pytest.mark.parametrize(
    "cron", ["0 0 30 2 *", "0 0 31 2,4,6 *", "0 0 31 4/5 1", "5 4 31 apr,JUN *", "0 3 30-31 FEB *"]
)
def test_a_line_without_a_day_never_runs(cron: str) -> None:
    assert never_runs(cron)


@for_each(
    "cron", ["0 0 * 2 *", "0 0 29 2 *", "0 0 31 2,3 *", "0 0 31 4-5 *", "0 3 */31 Feb *", "0 3 30 jan-feb *"]
)
def test_a_line_with_a_day_runs(cron: str) -> None:
    assert not never_runs(cron)


@for_each("cron", ["", "0 0 30 2", "0 0 ? 2 *", "0 0 32 2 *", "0 0 30 13 *", "0 0 30 brumaire *"])
def test_a_line_that_cannot_be_read_is_not_judged(cron: str) -> None:
    assert not never_runs(cron)
