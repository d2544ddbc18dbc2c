"""What an activity's failure says to a workflow."""

from temporalio.exceptions import ActivityError, ApplicationError, TimeoutError

from schemas.base import Cause


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


def _details(cause: ApplicationError) -> dict[str, str]:
    first = cause.details[0] if cause.details else {}
    return {str(name): str(value) for name, value in first.items()} if isinstance(first, dict) else {}
