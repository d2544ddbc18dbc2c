"""The histories of a run, from one continue-as-new to the next."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from temporalio.api.enums.v1 import EventType
from temporalio.client import Client


@dataclass(frozen=True, slots=True)
class Segment:
    """One history of a chain."""

    events: int
    size: int
    """Bytes, as the server counts them."""
    largest: int
    """Bytes of its largest event."""
    by_type: Counter[str]
    """Bytes of events by their type."""


async def segments_of(client: Client, workflow_id: str, first: str | None) -> Sequence[Segment]:
    """All segments of a run, from its ``first`` execution on."""
    found: list[Segment] = []
    execution = first
    while execution:
        handle = client.get_workflow_handle(workflow_id, run_id=execution)
        told = (await handle.describe()).raw_description.workflow_execution_info
        events = (await handle.fetch_history()).events
        by_type: Counter[str] = Counter()
        for event in events:
            by_type[EventType.Name(event.event_type).removeprefix("EVENT_TYPE_")] += event.ByteSize()
        largest = max(event.ByteSize() for event in events)
        found.append(Segment(len(events), told.history_size_bytes, largest, by_type))
        execution = events[-1].workflow_execution_continued_as_new_event_attributes.new_execution_run_id
    return found
