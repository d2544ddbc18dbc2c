"""Cron lines: mistakes in them are named, and those that name no day of any year are told from others."""

import re

import pytest

from penwright.domain.cron import read
from tests.support.each import for_each

WRONG = {
    "": "0 fields, not five",
    "@daily": "1 field, not five",
    "0 3 * *": "4 fields, not five",
    "0 0 3 * * * 2027 1": "8 fields, not five",
    "*/0 * * * *": "the minute '*/0' has the step '0', not a number from 1",
    "1/ * * * *": "the step ''",
    "1/2/3 * * * *": "the step '2/3'",
    "*/-1 * * * *": "the step '-1'",
    "61 * * * *": "the minute '61' is not within 0-59",
    "1_0 3 * * *": "the minute '1_0' is",
    "\u0661 3 * * *": "is not within 0-59",
    "1,,2 3 * * *": "the minute '' is",
    "1-2-3 * * * *": "the minute '2-3' is",
    "30-10 3 * * *": "the minute '30-10' goes backwards",
    "0 24 * * *": "the hour '24' is not within 0-23",
    "0 3- * * *": "the hour '' is",
    "0 3 ? * *": "the day '?' is not within 1-31",
    "0 3 L * *": "the day 'L' is",
    "0 3 0 * *": "the day '0' is",
    "0 3 * 13 *": "the month '13' is not within 1-12, and not january to december",
    "0 3 * ma *": "the month 'ma' is",
    "0 3 * brumaire *": "the month 'brumaire' is",
    "0 3 * * 8": "the weekday '8' is not within 0-7, and not sunday to saturday",
    "0 3 * * s": "the weekday 's' is",
    "0 3 * * mondays": "the weekday 'mondays' is",
    "0 3 * * sat-sun": "the weekday 'sat-sun' goes backwards",
    "0 3 * * 5#2": "the weekday '5#2' is",
}
"""Lines, and what is said of them."""


@for_each("cron, said", WRONG.items())
def test_a_mistake_in_a_line_is_named(cron: str, said: str) -> None:
    with pytest.raises(ValueError, match=re.escape(said)):
        read(cron)


@for_each("cron", ["0 0 30 2 *", "0 0 31 2,4,6 *", "0 0 31 4/5 1", "5 4 31 apr,JUN *", "0 3 30-31 FEB *"])
def test_a_line_without_a_day_never_runs(cron: str) -> None:
    assert read(cron).never_runs


@for_each(
    "cron", ["0 0 * 2 *", "0 0 29 2 *", "0 0 31 2,3 *", "0 0 31 4-5 *", "0 3 */31 Feb *", "0 3 30 jan-feb *"]
)
def test_a_line_with_a_day_runs(cron: str) -> None:
    assert not read(cron).never_runs
