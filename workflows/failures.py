"""How an activity's failure reaches a workflow's rules, and how a workflow fails in Temporal."""

from typing import Protocol, TypeVar

from temporalio.exceptions import ActivityError, ApplicationError, TimeoutError, is_cancelled_exception

from schemas.base import Cause


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


def failure_of(cause: Cause) -> ApplicationError:
    """The failure of an update or of a workflow that has no result."""
    details = (cause.details,) if cause.details else ()
    return ApplicationError(cause.message, *details, type=cause.code, non_retryable=cause.final)


def refuse(code: str, message: str) -> None:
    """Reject an update.

    Raises:
        ApplicationError: always.
    """
    raise ApplicationError(message, type=code, non_retryable=True)


def cause_of(error: ActivityError) -> Cause:
    """What really went wrong, and whether a rule said so or the retries ran out."""
    cause = error.cause
    if isinstance(cause, ApplicationError) and cause.type:
        return Cause(
            code=cause.type, message=cause.message, final=cause.non_retryable, details=_details(cause)
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


def _details(cause: ApplicationError) -> dict[str, str]:
    first = cause.details[0] if cause.details else {}
    return {str(name): str(value) for name, value in first.items()} if isinstance(first, dict) else {}
