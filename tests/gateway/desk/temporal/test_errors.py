"""What Temporal's errors become."""

import pytest
from temporalio.client import WorkflowQueryFailedError
from temporalio.service import RPCError, RPCStatusCode

from gateway.desk.engine.temporal.errors import translated
from penwright.errors import EngineUnavailable, NotFound


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (WorkflowQueryFailedError("Encoded failure"), "engine-no-answer"),
        (RPCError("transport error", RPCStatusCode.UNKNOWN, b""), "engine-unreachable"),
        (RPCError("gone", RPCStatusCode.UNAVAILABLE, b""), "engine-unreachable"),
        (RPCError("late", RPCStatusCode.DEADLINE_EXCEEDED, b""), "engine-no-answer"),
    ],
)
async def test_a_run_that_cannot_answer_is_no_fault_of_the_program(error: Exception, code: str) -> None:
    with pytest.raises(EngineUnavailable) as told:
        async with translated(lambda: NotFound("none", "there is none"), thing="session"):
            raise error

    assert told.value.code == code
    assert "transport" not in told.value.message
    assert "Encoded" not in told.value.message
