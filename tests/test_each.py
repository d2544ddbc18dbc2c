"""A test of many cases tries all of them, and names those that fail."""

import pytest

from tests.support.each import for_each


@for_each("number, wanted", [(1, True), pytest.param(2, True, id="even"), (3, False)])
def odd(number: int, wanted: bool) -> None:
    assert bool(number % 2) == wanted


@for_each("number", [1, 2])
async def raising(number: int, wanted: type[Exception]) -> None:
    with pytest.raises(wanted):
        assert number == 1


def test_every_case_that_fails_is_named() -> None:
    with pytest.raises(ExceptionGroup, match=r"2 of 3 cases failed: even, \(3, False\)"):
        odd()


async def test_cases_share_the_fixtures_of_their_test() -> None:
    with pytest.raises(ExceptionGroup, match="1 of 2 cases failed: 1"):
        await raising(wanted=AssertionError)


def test_a_case_that_runs_out_of_time_ends_the_test() -> None:
    tried = []

    @for_each("number", [1, 2])
    def slow(number: int) -> None:
        tried.append(number)
        pytest.fail("Timeout (>300.0s) from pytest-timeout.")

    with pytest.raises(pytest.fail.Exception, match="Timeout"):
        slow()
    assert tried == [1]


def test_a_test_without_cases_is_none() -> None:
    with pytest.raises(AssertionError, match="no case"):
        for_each("number", [])
