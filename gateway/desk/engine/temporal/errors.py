"""Translate Temporal's errors to ours."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from temporalio.client import (
    WorkflowFailureError,
    WorkflowQueryFailedError,
    WorkflowUpdateFailedError,
    WorkflowUpdateRPCTimeoutOrCancelledError,
)
from temporalio.service import RPCError, RPCStatusCode

from gateway.desk.engine.pipelines import NO_ANSWER
from penwright.errors import EngineUnavailable, PenwrightError, PermanentError
from workers.failures import as_error, unprepared

_LOOK = "`penwright status` shows the workers, `penwright logs workflows` what troubles them, \
`penwright doctor` what is missing, such as an old encryption key"


@asynccontextmanager
async def translated(missing: Callable[[], PenwrightError], *, thing: str) -> AsyncIterator[None]:
    """Raise our errors instead of Temporal's.

    Args:
        missing: makes the error for a workflow that is not there.
        thing: what the workflow is to people, such as ``session``.
    """
    try:
        yield
    except RPCError as error:
        raise _unanswered(error, missing) from error
    except WorkflowQueryFailedError as error:
        said = f"the engine runs, but no worker can carry on the {thing}"
        raise EngineUnavailable(NO_ANSWER, said, hint=_LOOK) from error
    except WorkflowUpdateRPCTimeoutOrCancelledError as error:
        said = "the engine runs, but no worker answered in time"
        raise EngineUnavailable(NO_ANSWER, said, hint=_LOOK) from error
    except (WorkflowFailureError, WorkflowUpdateFailedError) as failure:
        raise _deliberate(failure, thing) from failure


def _unanswered(error: RPCError, missing: Callable[[], PenwrightError]) -> PenwrightError:
    if lacking := unprepared(error):
        return lacking
    if error.status == RPCStatusCode.NOT_FOUND:
        return missing()
    if error.status == RPCStatusCode.UNAVAILABLE or "transport error" in error.message:
        gone = "the engine went away; what runs goes on when it is back"
        return EngineUnavailable("engine-unreachable", gone)
    said = f"the engine runs, but no worker answered: {error.message}"
    return EngineUnavailable(NO_ANSWER, said, hint=_LOOK)


def _deliberate(failure: WorkflowFailureError | WorkflowUpdateFailedError, thing: str) -> PenwrightError:
    said = f"the {thing} ended from outside: {failure.cause or failure}"
    return as_error(failure) or PermanentError(f"{thing}-ended", said)
