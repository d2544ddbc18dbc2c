"""The transcript of a run from the store, with sub-agents nested in the calls that started them."""

from collections.abc import Iterator
from typing import Any

from activities.agents.transcripts import run_of
from penwright.ports.records import Records
from schemas.agent_run import TranscriptEntry
from schemas.records import Event

_PAGE = 500


def entries_of(records: Records, run_id: str) -> tuple[TranscriptEntry, ...]:
    """All entries of one run, in order."""
    return tuple(sorted(map(_entry, _events(records, run_id)), key=lambda entry: entry.sequence))


def nested(records: Records, run_id: str) -> list[dict[str, Any]]:  # Any: JSON
    """The entries as JSON; a call that started a sub-agent has its entries under ``sub_agent``."""
    lines = []
    for entry in entries_of(records, run_id):
        line: dict[str, Any] = entry.model_dump(mode="json")
        if entry.type == "call-started":
            below = nested(records, f"{run_id}/call/{entry.detail.get('number')}")
            line |= {"sub_agent": below} if below else {}
        lines.append(line)
    return lines


def _events(records: Records, run_id: str) -> Iterator[Event]:
    cursor = 0
    while page := records.events_after(cursor, run=run_of(run_id), limit=_PAGE):
        yield from page
        cursor = page[-1].cursor


def _entry(event: Event) -> TranscriptEntry:
    detail = {name: value for name, value in event.data.items() if name not in ("source", "sequence")}
    return TranscriptEntry(
        source=str(event.data["source"]),
        sequence=int(event.data["sequence"]),
        type=event.kind,
        at=event.at,
        detail=detail,
    )
