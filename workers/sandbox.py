"""The workflow sandbox, entered only to run workflow code; unfit starts and orders are told by name.

The SDK fails the task of a run whose workflow cannot take the input of its start, and repeats it for ever:
the run does nothing, hears nothing, and keeps its workflow id, which is the lock of a book. Here such a run
ends.
"""

import inspect
import logging
from collections.abc import Callable, Sequence
from typing import Any

from pydantic import ValidationError
from temporalio.api.common.v1 import Payload
from temporalio.api.failure.v1 import Failure
from temporalio.bridge.proto.workflow_activation import DoUpdate, InitializeWorkflow, SignalWorkflow
from temporalio.converter import StorageDriverStoreContext
from temporalio.worker import WorkflowInstance, WorkflowInstanceDetails
from temporalio.worker.workflow_sandbox import SandboxedWorkflowRunner, SandboxRestrictions
from temporalio.workflow import Info
from temporalio.workflow import _Definition as Definition

from penwright.errors import PenwrightError, UsageMistake
from workers.failures import as_failure

_log = logging.getLogger(__name__)


def take_unfit(details: WorkflowInstanceDetails, activation: Any) -> dict[str, UsageMistake]:
    """Take signals and updates that no handler can take out of ``activation``. Any: the SDK's own.

    Returns:
        Why each such update is refused, by its protocol instance.
    """
    refused: dict[str, UsageMistake] = {}
    kept = []
    for job in activation.jobs:
        if job.HasField("do_update") and (error := _of_update(details, job.do_update)):
            refused[job.do_update.protocol_instance_id] = error
        elif job.HasField("signal_workflow") and (error := _of_signal(details, job.signal_workflow)):
            _log.warning("a signal to %s is dropped: %s", details.info.workflow_id, error.message)
        else:
            kept.append(job)
    if len(kept) < len(activation.jobs):
        del activation.jobs[:]
        activation.jobs.extend(kept)
    return refused


def refuse(details: WorkflowInstanceDetails, completion: Any, refused: dict[str, UsageMistake]) -> None:
    """Answer the updates that were taken out. Any: the SDK's own."""
    for instance, error in refused.items():
        answer = completion.successful.commands.add().update_response
        answer.protocol_instance_id = instance
        answer.rejected.CopyFrom(_failure_of(details, error))


def _of_update(details: WorkflowInstanceDetails, update: DoUpdate) -> UsageMistake | None:
    known = details.defn.updates.get(update.name)
    if known is None:
        return None  # the SDK says so
    if not _takes(known.fn, len(update.input)):
        return _wrong_number(f"the update {update.name!r}", len(update.input))
    return _unreadable(details, f"the update {update.name!r}", update.input, known.arg_types or [])


def _of_signal(details: WorkflowInstanceDetails, signal: SignalWorkflow) -> UsageMistake | None:
    known = details.defn.signals.get(signal.signal_name)
    if known is None or _takes(known.fn, len(signal.input)):
        return None  # one that cannot be read is dropped by the SDK
    return _wrong_number(f"the signal {signal.signal_name!r}", len(signal.input))


def _takes(handler: Callable[..., Any], count: int) -> bool:
    try:
        inspect.signature(handler).bind(None, *range(count))
    except TypeError:
        return False
    return True


def _wrong_number(what: str, count: int) -> UsageMistake:
    return _mistake(what, f"it does not take {count} values")


_ANYWHERE = StorageDriverStoreContext(target=None)


class Sandbox(SandboxedWorkflowRunner):
    """The SDK's sandbox without its calls for serialization contexts.

    The SDK enters the sandbox several times per payload, 0.3 ms each, to ask for the converter's context.
    Our converter ignores contexts, so the answer is constant. Nor does it load a workflow that it has loaded
    before for another worker of this process: with the tests' sandbox, which imports all rules again for
    each workflow, that would take most of the start of a worker.
    """

    def __init__(self, restrictions: SandboxRestrictions) -> None:
        super().__init__(restrictions=restrictions)
        self._loaded: set[type] = set()

    def prepare_workflow(self, defn: Definition) -> None:
        if defn.cls not in self._loaded:
            super().prepare_workflow(defn)
            self._loaded.add(defn.cls)

    def create_instance(self, det: WorkflowInstanceDetails) -> WorkflowInstance:
        return _Run(super().create_instance(det), det)


class _Run(WorkflowInstance):
    def __init__(self, inside: WorkflowInstance, details: WorkflowInstanceDetails) -> None:
        self._inside = inside
        self._details = details

    # Any: messages of the SDK's own protocol, here and below.
    def activate(self, act: Any) -> Any:
        refused = take_unfit(self._details, act)
        completion = self._inside.activate(act)
        if completion.HasField("failed") and (unfit := _unfit_start(self._details, act)) is not None:
            completion.successful.Clear()  # the message holds either of both
            completion.successful.commands.add().fail_workflow_execution.failure.CopyFrom(unfit)
        if completion.HasField("successful"):
            refuse(self._details, completion, refused)
        return completion

    def get_info(self) -> Info:
        return self._inside.get_info()

    def get_thread_id(self) -> int | None:
        return self._inside.get_thread_id()

    def get_serialization_context(self, command_info: Any) -> None:
        return None

    def get_external_store_context(self, command_info: Any) -> StorageDriverStoreContext:
        return _ANYWHERE


def _unfit_start(details: WorkflowInstanceDetails, activation: Any) -> Failure | None:  # Any: the SDK's own
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
    return None if error is None else _failure_of(details, error)


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
        return _mistake(what, f"it takes {len(kinds)} values and got {len(start.arguments)}")
    return _unreadable(details, what, start.arguments, kinds)


def _unreadable(
    details: WorkflowInstanceDetails, what: str, arguments: Sequence[Payload], kinds: list[type]
) -> UsageMistake | None:
    """Error of a workflow that cannot read ``arguments`` of ``what`` as ``kinds``; None if it can."""
    try:
        details.payload_converter_factory().from_payloads(arguments, kinds)
    except ValidationError as error:
        return _mistake(what, _told(error))
    except Exception as error:  # whatever a converter raises
        return _mistake(what, str(error) or type(error).__name__)
    return None


def _told(error: ValidationError) -> str:
    """The first fault, without the value: it may be a text of the book."""
    first = error.errors(include_input=False, include_url=False)[0]
    place = ".".join(str(part) for part in first["loc"])
    return f"{place}: {first['msg']}" if place else first["msg"]


def _mistake(what: str, why: str) -> UsageMistake:
    """The error for an order that cannot be read."""
    said = f"{what} cannot be read: {why}; nothing was done"
    return UsageMistake("input-unreadable", said, hint="give orders with `penwright`")


def _failure_of(details: WorkflowInstanceDetails, error: PenwrightError) -> Failure:
    """``error`` as the message that Temporal stores."""
    failure = Failure()
    converter = details.payload_converter_factory()
    details.failure_converter_class().to_failure(as_failure(error), converter, failure)
    return failure
