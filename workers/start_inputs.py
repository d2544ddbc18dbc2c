"""Ends a run whose workflow cannot take the input it was started with.

The SDK fails the task of such a run and repeats it for ever: the run does nothing, hears nothing, and keeps
its workflow id, which is the lock of a book.
"""

from collections.abc import Sequence
from typing import Any

from pydantic import ValidationError
from temporalio.api.common.v1 import Payload
from temporalio.api.failure.v1 import Failure
from temporalio.bridge.proto.workflow_activation import InitializeWorkflow
from temporalio.worker import WorkflowInstanceDetails

from penwright.errors import PenwrightError, UsageMistake
from workers.failures import as_failure


def unfit_start(details: WorkflowInstanceDetails, activation: Any) -> Failure | None:  # Any: the SDK's own
    """Failure of a workflow that cannot take the input of its start.

    Only for a run that a client starts. What a workflow of ours starts or continues has an input of ours,
    which the next release may read; such a task is repeated.

    Returns:
        The failure; None if the workflow can take it, or if ``activation`` is not the first of a new run.
    """
    start = _start(activation)
    if activation.is_replaying or start is None or _is_ours(start):
        return None
    error = _unfit(details, start)
    return None if error is None else failure_of(details, error)


def _start(activation: Any) -> InitializeWorkflow | None:  # Any: the SDK's own
    found = (job.initialize_workflow for job in activation.jobs if job.HasField("initialize_workflow"))
    return next(found, None)


def _is_ours(start: InitializeWorkflow) -> bool:
    return bool(start.continued_from_execution_run_id) or start.HasField("parent_workflow_info")


def _unfit(details: WorkflowInstanceDetails, start: InitializeWorkflow) -> UsageMistake | None:
    kinds = details.defn.arg_types or []
    if details.defn.name is None:
        return None  # it takes whatever comes
    what = f"the input of {start.workflow_type}"
    if len(start.arguments) != len(kinds):
        return mistake(what, f"it takes {len(kinds)} values and got {len(start.arguments)}")
    return unreadable(details, what, start.arguments, kinds)


def unreadable(
    details: WorkflowInstanceDetails, what: str, arguments: Sequence[Payload], kinds: list[type]
) -> UsageMistake | None:
    """Error of a workflow that cannot read ``arguments`` of ``what`` as ``kinds``; None if it can."""
    try:
        details.payload_converter_factory().from_payloads(arguments, kinds)
    except ValidationError as error:
        return mistake(what, _told(error))
    except Exception as error:  # whatever a converter raises
        return mistake(what, str(error) or type(error).__name__)
    return None


def _told(error: ValidationError) -> str:
    """The first fault, without the value: it may be a text of the book."""
    first = error.errors(include_input=False, include_url=False)[0]
    place = ".".join(str(part) for part in first["loc"])
    return f"{place}: {first['msg']}" if place else first["msg"]


def mistake(what: str, why: str) -> UsageMistake:
    """The error for an order that cannot be read."""
    said = f"{what} cannot be read: {why}; nothing was done"
    return UsageMistake("input-unreadable", said, hint="give orders with `penwright`")


def failure_of(details: WorkflowInstanceDetails, error: PenwrightError) -> Failure:
    """``error`` as the message that Temporal stores."""
    failure = Failure()
    converter = details.payload_converter_factory()
    details.failure_converter_class().to_failure(as_failure(error), converter, failure)
    return failure
