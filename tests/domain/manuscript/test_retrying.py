"""What a role is told of its operations that failed."""

from penwright.domain.manuscript.retrying import applied_count, failed_results, reasons_of, told_of_failures
from schemas.patching import Operation, OperationResult

OPERATIONS = (
    Operation(find="The tide comes in.", replace="The tide goes out."),
    Operation(find="The moon is near.", replace="The moon is far."),
    Operation(kind="append", replace="Later."),
    Operation(find="x" * 5_000, replace="y"),
)
RESULTS = (
    OperationResult(index=0, outcome="applied"),
    OperationResult(
        index=1,
        outcome="not_found",
        nearest="The moon seems near.",
        message="No passage is like enough.",
    ),
    OperationResult(index=2, outcome="over_limit", message="more than 2 operations"),
    OperationResult(index=3, outcome="already_applied"),
)


def test_only_what_the_role_can_mend_goes_back_with_the_reason_and_the_nearest_text() -> None:
    (told,) = told_of_failures(OPERATIONS, RESULTS)

    assert told.splitlines() == [
        "operation 2 (replace) was not applied: not_found",
        "No passage is like enough.",
        "find was: The moon is near.",
        "the nearest text is: The moon seems near.",
    ]


def test_a_change_that_stands_already_counts_as_applied() -> None:
    assert applied_count(RESULTS) == 2
    assert [each.index for each in failed_results(RESULTS)] == [1]


def test_a_long_passage_is_quoted_in_part() -> None:
    lost = OperationResult(index=3, outcome="ambiguous", message="It stands there twice.")

    (told,) = told_of_failures(OPERATIONS, [lost])

    assert len(told) < 2_000
    assert told.endswith("…")


def test_people_are_told_why_with_the_passages_in_question() -> None:
    results = [
        OperationResult(index=0, outcome="ambiguous", nearest="The tide comes in.\n\nThe tide comes in?"),
        OperationResult(index=1, outcome="conflict", nearest="The moon is high."),
        RESULTS[1],
    ]

    assert reasons_of(OPERATIONS, results) == (
        "edit 1 of “The tide comes in.”: ambiguous, it stands at several places, such as "
        "“The tide comes in.” and “The tide comes in?”",
        "edit 2 of “The moon is near.”: conflict, you wrote “The moon is high.” there meanwhile; it wanted "
        "“The moon is far.”",
        "edit 2 of “The moon is near.”: not found, No passage is like enough.; the nearest is "
        "“The moon seems near.”",
    )
