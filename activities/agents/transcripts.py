"""The transcript of an agent's run in the store."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from penwright.ports.records import Records
from schemas.agent_run import AgentRunResult, TranscriptEntry
from schemas.records import Event, RunRow

PIPELINE = "agent-run"


@dataclass(frozen=True)
class Transcripts:
    """The transcript of runs, entry by entry."""

    records: Records

    def keep(
        self,
        run_id: str,
        subject: str,
        entries: Sequence[TranscriptEntry],
        result: AgentRunResult | None = None,
    ) -> None:
        """Each entry once, by source and sequence; with a result the run has ended."""
        if entries:
            self.records.note(_row(run_id, subject, entries, result), list(_events(run_id, subject, entries)))


def _row(
    run_id: str, subject: str, entries: Sequence[TranscriptEntry], result: AgentRunResult | None
) -> RunRow:
    begun = entries[0].at if entries[0].sequence == 1 else None
    row = RunRow(run=run_of(run_id), pipeline=PIPELINE, subject=subject, stage="working", started_at=begun)
    if result is None:
        return row
    detail = result.model_dump(mode="json", exclude={"state", "output"})
    ended = {"stage": "ended", "outcome": result.outcome, "cost_micros": result.spent.cost_micros}
    return row.model_copy(update={**ended, "ended_at": entries[-1].at, "detail": detail})


def _events(run_id: str, subject: str, entries: Sequence[TranscriptEntry]) -> Iterator[Event]:
    for entry in entries:
        yield Event(
            run=run_of(run_id),
            subject=subject,
            kind=entry.type,
            at=entry.at,
            op_id=f"{run_of(run_id)}:{entry.source}:{entry.sequence}",
            data={"source": entry.source, "sequence": entry.sequence, **entry.detail},
        )


def run_of(run_id: str) -> str:
    """The workflow id of a run, which is also its name in the store."""
    return f"agent/{run_id}"
