"""A history as its bundle holds it: decrypted, with external payloads inlined."""

import os

from temporalio.api.history.v1 import History, HistoryEvent, WorkflowExecutionStartedEventAttributes
from temporalio.client import WorkflowHistory

from activities.histories import opened, payloads
from penwright.adapters.clock import SystemClock
from penwright.adapters.sealing import Keys
from tests.support.doubles.store import memory_store
from workers.payloads.codec import Cipher
from workers.payloads.conversion import converter
from workers.payloads.values import LARGEST_INLINE, outside_storage


async def test_encrypted_and_external_payloads_are_decoded() -> None:
    store = memory_store(clock=SystemClock())
    sealing = converter(codec=Cipher(Keys([os.urandom(32)])), storage=outside_storage(lambda: store.blobs))
    long = "x" * (LARGEST_INLINE + 1)
    sealed = await sealing.encode(["short", long])
    start = WorkflowExecutionStartedEventAttributes()
    start.input.payloads.extend(sealed)
    history = WorkflowHistory(
        "w", History(events=[HistoryEvent(workflow_execution_started_event_attributes=start)]).events
    )

    told = await opened(history, sealing)

    plain = WorkflowHistory.from_json("w", told).events[0].workflow_execution_started_event_attributes
    assert await converter().decode(plain.input.payloads) == ["short", long]
    assert {each["metadata"]["encoding"] for each in payloads(told)} == {"anNvbi9wbGFpbg=="}
