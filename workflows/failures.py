"""Causes that workflows read from failures and pass on.

The details of a failure are the error's facts and, after them, its family.
"""

from collections.abc import Mapping
from typing import Any, Protocol, TypeVar

from temporalio.exceptions import ActivityError, ApplicationError, TimeoutError, is_cancelled_exception

from penwright.errors import PenwrightError, error_of
from schemas.base import Cause

_FAMILY = "family"
_LONGEST = 2_000
"""Characters of a message that enter a history."""


class Ended(Protocol):
    """The result of a pipeline."""

    @property
    def outcome(self) -> str: ...
    @property
    def code(self) -> str: ...
    @property
    def message(self) -> str: ...


Result = TypeVar("Result", bound=Ended)


def concluded(result: Result) -> Result:
    """Return the result; of a failed pipeline, fail in Temporal under its code, the result enclosed."""
    if result.outcome == "failed":
        raise ApplicationError(result.message, result, type=result.code, non_retryable=True)
    return result


def failed_by(error: PenwrightError) -> ApplicationError:
    """The failure with which a workflow ends at once because of ``error``."""
    return ApplicationError(
        error.message[:_LONGEST], *family_details({}, error.family), type=error.code, non_retryable=True
    )


def cause_of(error: ActivityError) -> Cause:
    """Find what really went wrong, and whether a rule said so or the retries ran out."""
    cause = error.cause
    if isinstance(cause, ApplicationError) and cause.type:
        return Cause(
            code=cause.type,
            message=cause.message,
            final=cause.non_retryable,
            details=facts_of(cause),
            family=family_of(cause),
        )
    if isinstance(cause, TimeoutError):
        message = "the step gave no sign of life in time; `penwright status` shows whether a worker runs"
        return Cause(code="step-timeout", message=message, final=False)
    return Cause(code="step-failed", message=str(cause or error), final=False)


def denial_of(error: ActivityError) -> Cause:
    """The denial of a rule.

    Raises:
        ActivityError: the same one, if it was cancelled or if retries ran out.
    """
    cause = cause_of(error)
    if is_cancelled_exception(error) or not cause.final:
        raise error
    return cause


def error_from(cause: Cause) -> PenwrightError:
    """The error that reports ``cause`` to a caller; it is final for the caller."""
    return error_of(cause.family, cause.code, cause.message, cause.details)


def family_details(facts: Mapping[str, str], family: str) -> tuple[Mapping[str, str], ...]:
    """The details of a failure."""
    return (facts, {_FAMILY: family})


def facts_of(failure: ApplicationError) -> dict[str, str]:
    """Facts about a failure; of a failed run, which carries its result, the fields of that."""
    first = failure.details[0] if failure.details else {}
    return {str(name): str(value) for name, value in first.items()} if isinstance(first, Mapping) else {}


def family_of(failure: ApplicationError) -> str:
    """The family of the error that caused a failure; empty if it has none, such as an error of Temporal."""
    # Any: a detail is whatever JSON a failure carries.
    second: Any = failure.details[1] if len(failure.details) > 1 else None
    return str(second.get(_FAMILY, "")) if isinstance(second, Mapping) else ""
