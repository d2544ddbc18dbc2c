"""Signals and updates whose input no handler can take: the first are dropped, the others refused by name.

The SDK calls the handler with as many values as came. A signal by hand that lacks its value, or has one too
many, would fail the workflow's task, and so again for ever: the run would be stuck with the book's lock.
"""

import inspect
import logging
from collections.abc import Callable
from typing import Any

from temporalio.bridge.proto.workflow_activation import DoUpdate, SignalWorkflow
from temporalio.worker import WorkflowInstanceDetails

from penwright.errors import UsageMistake
from workers.start_inputs import failure_of, mistake, unreadable

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
        answer.rejected.CopyFrom(failure_of(details, error))


def _of_update(details: WorkflowInstanceDetails, update: DoUpdate) -> UsageMistake | None:
    known = details.defn.updates.get(update.name)
    if known is None:
        return None  # the SDK says so
    if not _takes(known.fn, len(update.input)):
        return _wrong_number(f"the update {update.name!r}", len(update.input))
    return unreadable(details, f"the update {update.name!r}", update.input, known.arg_types or [])


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
    return mistake(what, f"it does not take {count} values")
