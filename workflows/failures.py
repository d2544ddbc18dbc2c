"""What an activity's failure says to a workflow: a code and a sentence."""

from temporalio.exceptions import ActivityError, ApplicationError, TimeoutError


def cause_of(error: ActivityError) -> tuple[str, str]:
    """The code and message of what really went wrong."""
    cause = error.cause
    if isinstance(cause, ApplicationError) and cause.type:
        return cause.type, cause.message
    if isinstance(cause, TimeoutError):
        return "step-timeout", f"the step gave no sign of life in time ({cause.type}); is a worker running?"
    return "step-failed", str(cause or error)
