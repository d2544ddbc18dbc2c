"""When a schedule pauses itself."""

import pytest

from penwright.domain.book import scheduling as rules
from schemas.book_session import BookSessionResult
from tests.support.books.sessions import given
from tests.support.each import for_each


def an_ending(outcome: str, code: str = "") -> BookSessionResult:
    fields = {"outcome": outcome, "code": code, "book_id": "b", "session": "s", "message": "no Config.yml"}
    return BookSessionResult.model_validate(fields)


REFUSED = an_ending("refused", "config-missing")
BUSY = an_ending("refused", "already-running")


@pytest.mark.parametrize(
    ("before", "ending", "after"),
    [
        (0, REFUSED, 1),
        (2, REFUSED, 3),
        (2, an_ending("closed"), 0),
        (2, an_ending("stopped", "killed"), 0),
        (2, BUSY, 2),
    ],
)
def test_refusals_count_until_a_session_runs(before: int, ending: BookSessionResult, after: int) -> None:
    assert rules.refusals_in_row(before, ending) == after


@for_each(
    "pause_after, refusals, ending, pauses",
    [
        (3, 3, REFUSED, True),
        (3, 2, REFUSED, False),
        (1, 1, REFUSED, True),
        (0, 99, REFUSED, False),
        (3, 3, BUSY, False),
        (3, 3, an_ending("closed"), False),
    ],
)
def test_a_schedule_pauses_at_its_last_refusal_only(
    pause_after: int, refusals: int, ending: BookSessionResult, pauses: bool
) -> None:
    assert rules.must_pause(given(pause_after=pause_after), refusals, ending) is pauses


def test_the_message_names_the_count_and_the_reason() -> None:
    assert rules.pause_message(3, REFUSED) == (
        "the book was refused 3 times in a row: no Config.yml (config-missing)"
    )
