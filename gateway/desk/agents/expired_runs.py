"""Runs of agents that only the store knows.

Temporal has deleted them after its retention, or they are those of a session's writer, which have no
workflow of their own.
"""

from collections.abc import Collection, Iterator, Sequence

from activities.agents.transcripts import PIPELINE, run_of
from gateway.desk.engine.agent_runs import RunSummary, RunView
from penwright.ports.records import Records
from penwright.roles.ink_writer.definition import INK_WRITER
from penwright.roles.ink_writer.role_call import is_of_a_session, session_of
from schemas.agent_run import AgentRunResult
from schemas.records import RunRow

FORGOTTEN = "forgotten"
"""Status of a run whose end is unknown."""
TOLD_BY = "Temporal has forgotten this run; the store has all but its state and output"


def look(records: Records, run_id: str) -> RunView | None:
    """Read what the store kept of a run; None if it knows of none."""
    row = records.run(run_of(run_id))
    if row is None or (found := _found(records, row)) is None:
        return None
    result = AgentRunResult.model_validate(row.detail) if row.ended_at else None
    return RunView(found, result=result, trouble=of_a_session(run_id) if is_of_a_session(run_id) else TOLD_BY)


def of_a_session(run_id: str) -> str:
    """The command that shows the state of a session's own run."""
    book_id, _ = session_of(run_id)
    return f"the writer's run is part of its session; `penwright book status {book_id}` shows its status"


def among(
    records: Records, rows: Sequence[RunRow], *, listed: Collection[RunSummary]
) -> Iterator[RunSummary]:
    """Those of ``rows`` that ended and that the engine did not list; sub-agents are left out."""
    names = {run_of(found.run_id) for found in listed}
    for row in rows:
        ended = row.pipeline == PIPELINE and row.ended_at is not None
        if ended and row.run not in names and "/call/" not in row.run and (found := _found(records, row)):
            yield found


def _found(records: Records, row: RunRow) -> RunSummary | None:
    first = records.events_after(0, run=row.run, limit=1)
    if not first:
        return None
    run_id = row.run.removeprefix(run_of(""))
    ours = is_of_a_session(run_id)
    return RunSummary(
        run_id=run_id,
        agent=str(row.detail.get("agent", INK_WRITER.name if ours else "")),
        subject=row.subject,
        status=row.outcome or FORGOTTEN,
        stage="",
        started_at=first[0].at,
        ended_at=row.ended_at,
        cost_micros=row.cost_micros,
        caller=run_id.rpartition("/call/")[0],
    )
