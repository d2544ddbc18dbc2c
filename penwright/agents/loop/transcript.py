"""The transcript of a run: what happened, in order, without gaps.

Only transitions add entries, so each exists once however often an activity was attempted, and a replay
adds the same ones. The sequence goes on when a run continues as new. A sub-agent has its own sequence
under its own source.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Literal

from pydantic import JsonValue

from schemas.agent_run import AgentRunState, TranscriptEntry

EntryType = Literal[
    "run-prepared",
    "override-skipped",
    "model-answered",
    "model-failed",
    "call-received",
    "call-started",
    "call-ended",
    "approval-asked",
    "approval-decided",
    "feedback-given",
    "feedback-failed",
    "agent-told",
    "run-paused",
    "run-ended",
]


def noted(
    state: AgentRunState, source: str, kind: EntryType, at: datetime, detail: Mapping[str, JsonValue]
) -> AgentRunState:
    """The state with an entry added."""
    number = state.sequence + 1
    entry = TranscriptEntry(source=source, sequence=number, type=kind, at=at, detail=dict(detail))
    return state.model_copy(update={"sequence": number, "entries": (*state.entries, entry)})


def without_stored(state: AgentRunState, sent: Sequence[TranscriptEntry]) -> AgentRunState:
    """The state without the entries that are now stored."""
    last = sent[-1].sequence if sent else 0
    return state.model_copy(update={"entries": tuple(e for e in state.entries if e.sequence > last)})


def gaps(entries: Iterable[TranscriptEntry]) -> tuple[str, ...]:
    """Missing and duplicate sequence numbers, by source; empty if the transcript is complete."""
    found: list[str] = []
    expected: dict[str, int] = {}
    for entry in entries:
        wanted = expected.get(entry.source, 1)
        if entry.sequence != wanted:
            found.append(f"{entry.source}: {wanted} was expected, and {entry.sequence} follows")
        expected[entry.source] = entry.sequence + 1
    return tuple(found)
