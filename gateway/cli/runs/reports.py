"""Runs of agents in words and as JSON."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from activities.agent_run import run_of
from gateway.cli.book.reports import counted
from gateway.cli.live import describe, money
from gateway.cli.output import columns
from gateway.desk.agent_runs import AgentRuns, RunSummary, Waiting
from penwright.errors import EngineUnavailable, PenwrightError
from penwright.roles.ink_writer.engagement import is_of_a_session
from schemas.agent_run import AgentRunResult, RunUsage
from schemas.base import Progress

_SHORT = 160
"""Characters of a value in a line of a transcript."""

OF_A_SESSION = "the writer's run is part of its session; `penwright book status` shows where that stands"

# Any, here and below: JSON.
Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class RunView:
    """A run as it stands."""

    found: RunSummary
    progress: Progress | None = None
    waiting: Waiting | None = None
    result: AgentRunResult | None = None
    trouble: str = ""
    """Why no more is known."""


async def look(runs: AgentRuns, run_id: str) -> RunView:
    """Ask the engine all it knows of a run; a worker that does not answer takes nothing from the rest."""
    found = await runs.find(run_id)
    if found.runs and is_of_a_session(run_id):
        return RunView(found, trouble=OF_A_SESSION)
    try:
        if not found.runs:
            return RunView(found, result=await runs.result(run_id))
        return RunView(found, progress=await runs.progress(run_id), waiting=await runs.waiting(run_id))
    except EngineUnavailable as error:
        return RunView(found, trouble=error.message)
    except PenwrightError as error:
        return RunView(found, trouble=f"it left no result: {error.message}")


def shown(run: RunView) -> Json:
    """The run as JSON."""
    found, waiting = run.found, run.waiting
    asked = waiting and {"run_id": waiting.run_id, **waiting.approval.model_dump(mode="json")}
    name = run_of(found.run_id)
    ended = ({name: run.result.outcome}, {name: run.result.code}) if run.result else ({}, {})
    return {
        **row(found, *ended),
        "progress": run.progress.model_dump(mode="json") if run.progress else None,
        "waiting": asked,
        "result": run.result.model_dump(mode="json") if run.result else None,
        "trouble": run.trouble,
    }


def shown_lines(run: RunView) -> list[str]:
    """The same for people."""
    found = run.found
    lines = [f"{found.run_id}: {found.agent or 'a sub-agent'} on {found.subject}, {found.status}"]
    lines += [f"  called by {found.caller}"] if found.caller else []
    if run.progress:
        lines.append(f"  {describe(run.progress, resumes=f'penwright run resume {found.run_id}')}")
    lines += [f"  {run.trouble}"] if run.trouble else []
    lines += _waiting_lines(run.waiting) if run.waiting else []
    return [*lines, *(ended_lines(run.result) if run.result else [])]


def _waiting_lines(waiting: Waiting) -> list[str]:
    call = waiting.approval
    until = f"{call.expires_at:%Y-%m-%d %H:%M} UTC"
    return [
        f"  call {call.number} waits until {until}: {call.tool} {call.arguments}",
        f"  Allow it:  penwright run approve {waiting.run_id}",
        f"  Deny it:   penwright run deny {waiting.run_id}",
    ]


def row(
    found: RunSummary, outcomes: Mapping[str, str], codes: Mapping[str, str] = MappingProxyType({})
) -> Json:
    """One line of the list; ``outcomes`` and ``codes``: of ended runs, by workflow id."""
    return {
        "run_id": found.run_id,
        "agent": found.agent,
        "subject": found.subject,
        "status": found.status,
        "outcome": "" if found.runs else outcomes.get(run_of(found.run_id), ""),
        "code": "" if found.runs else codes.get(run_of(found.run_id), ""),
        "stage": found.stage,
        "started_at": found.started_at.isoformat(),
        "ended_at": found.ended_at.isoformat() if found.ended_at else None,
        "cost_micros": found.cost_micros,
        "caller": found.caller,
    }


def listed(rows: Sequence[Json]) -> list[str]:
    """The list as a table."""
    if not rows:
        return ["No run of an agent; `penwright run start AGENT --task …` starts one."]
    cells = [
        (
            each["run_id"],
            each["outcome"] or each["status"],
            each["stage"] if each["status"] == "running" else "",
            each["agent"],
            each["subject"],
            each["started_at"][:16].replace("T", " "),
            money(each["cost_micros"]) if each["cost_micros"] else "",
        )
        for each in rows
    ]
    return columns([("run", "status", "stage", "agent", "subject", "since", "cost"), *cells])


def started_lines(run_id: str, *, fresh: bool) -> list[str]:
    """What to do with a run that goes on by itself."""
    said = f"Started {run_id}." if fresh else f"{run_id} exists; nothing was started."
    return [said, f"`penwright run show {run_id}` shows it, `penwright run kill {run_id}` ends it."]


def ended(ending: AgentRunResult, *, fresh: bool) -> Json:
    """How a run ended, as JSON."""
    return {"status": ending.outcome, "fresh": fresh, **ending.model_dump(mode="json")}


def ended_lines(ending: AgentRunResult) -> list[str]:
    """The same for people."""
    why = f": {ending.message}" if ending.message else ""
    code = f" [{ending.code}]" if ending.code else ""
    lines = [f"{ending.run_id} ended {ending.outcome}{code}{why}", f"  {_spent(ending.spent)}"]
    lines += [f"  published {ending.commit[:10]}"] if ending.commit else []
    lines += _output_lines(ending)
    if ending.outcome != "completed":
        lines.append(f"`penwright run transcript {ending.run_id}` shows what happened.")
    return lines


def _output_lines(ending: AgentRunResult) -> list[str]:
    if ending.output is None:
        return []
    if isinstance(ending.output, str):
        cut = " (its beginning; the whole is in the store)" if ending.output_at else ""
        return [f"  it said{cut}:", ending.output]
    import json

    return ["  it said:", json.dumps(ending.output, ensure_ascii=False, indent=2)]


def _spent(spent: RunUsage) -> str:
    tokens = f"{spent.input_tokens:,} + {spent.output_tokens:,} tokens"
    price = f", {money(spent.cost_micros)}" if spent.cost_micros else ""
    unknown = f", {counted(spent.unknown_prices, 'call')} of unknown price" if spent.unknown_prices else ""
    calls = f"{counted(spent.model_calls, 'model call')}, {counted(spent.tool_calls, 'tool call')}"
    return f"{calls}, {tokens}{price}{unknown}"


def transcript_lines(entries: Sequence[Json], indent: str = "") -> Iterator[str]:
    """One line per entry, those of sub-agents indented."""
    if not entries:
        yield f"{indent}Nothing is written down yet."
    for entry in entries:
        facts = "  ".join(
            f"{name}={_shortened(value)}" for name, value in entry["detail"].items() if value != ""
        )
        at = entry["at"][:19].replace("T", " ")
        yield f"{indent}{entry['sequence']:>4}  {at}  {entry['type']:17}  {facts}".rstrip()
        if below := entry.get("sub_agent"):
            yield from transcript_lines(below, f"{indent}      ")


def _shortened(value: object) -> str:
    text = " ".join(str(value).split())
    return text if len(text) <= _SHORT else f"{text[: _SHORT - 1]}…"
