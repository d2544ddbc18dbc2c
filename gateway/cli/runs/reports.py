"""Runs of agents in words and as JSON."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from gateway.cli.live import describe, money
from gateway.cli.output import columns
from gateway.cli.times import minute, second
from gateway.cli.writers import model_lines
from gateway.desk.agents.runs import ListedRun
from gateway.desk.engine.agent_runs import RunSummary, RunView, Waiting
from gateway.desk.run_records.unchanged import why_unchanged
from penwright.domain.models.choice import answered_by
from penwright.domain.text.counted import counted
from schemas.agent_run import AgentRunResult, RunUsage

_SHORT = 160
"""Characters of a value in a line of a transcript."""

# Any, here and below: JSON.
Json = dict[str, Any]


def shown(run: RunView) -> Json:
    """The run as JSON."""
    found, waiting = run.found, run.waiting
    asked = waiting and {"run_id": waiting.run_id, **waiting.approval.model_dump(mode="json")}
    ended = run.result
    return {
        **row(_listed(found, ended) if ended else ListedRun(found)),
        "progress": run.progress.model_dump(mode="json") if run.progress else None,
        "waiting": asked,
        "result": run.result.model_dump(mode="json") if run.result else None,
        "unchanged": why_unchanged(run.result) if run.result else "",
        "trouble": run.trouble,
    }


def _listed(found: RunSummary, ended: AgentRunResult) -> ListedRun:
    return ListedRun(found, ended.outcome, ended.code, ended.models, ended.instead_of)


def shown_lines(run: RunView) -> list[str]:
    """The same for people."""
    found = run.found
    # Temporal calls a run completed whenever it left a result.
    status = run.result.outcome if run.result else found.status
    lines = [f"{found.run_id}: {found.agent or 'a sub-agent'} on {found.subject}, {status}"]
    lines += [f"  called by {found.caller}"] if found.caller else []
    if run.progress:
        lines.append(f"  {describe(run.progress, resumes=f'penwright run resume {found.run_id}')}")
    lines += [f"  {run.trouble}"] if run.trouble else []
    lines += _waiting_lines(run.waiting) if run.waiting else []
    return [*lines, *(ended_lines(run.result) if run.result else [])]


def _waiting_lines(waiting: Waiting) -> list[str]:
    call = waiting.approval
    until = minute(call.expires_at)
    return [
        f"  call {call.id} waits until {until}: {call.tool} {call.arguments}",
        f"  digest {call.digest}",
        f"  Allow it:  penwright run approve {waiting.run_id} --call {call.id}",
        f"  Deny it:   penwright run deny {waiting.run_id} --call {call.id}",
    ]


def row(listed: ListedRun) -> Json:
    """One line of the list."""
    found = listed.summary
    return {
        "run_id": found.run_id,
        "agent": found.agent,
        "subject": found.subject,
        "status": found.status,
        "outcome": "" if found.runs else listed.outcome,
        "code": "" if found.runs else listed.code,
        "stage": found.stage,
        "started_at": found.started_at.isoformat(),
        "ended_at": found.ended_at.isoformat() if found.ended_at else None,
        "cost_micros": found.cost_micros,
        "models": list(listed.models),
        "instead_of": list(listed.instead_of),
        "caller": found.caller,
    }


def listed(rows: Sequence[Json]) -> list[str]:
    """The list as a table."""
    if not rows:
        return ["No run of an agent; `penwright run start AGENT --task TEXT` starts one."]
    cells = [
        (
            each["run_id"],
            each["outcome"] or each["status"],
            each["stage"] if each["status"] == "running" else "",
            each["agent"],
            each["subject"],
            minute(each["started_at"]),
            money(each["cost_micros"]) if each["cost_micros"] else "",
            answered_by(each["models"], each["instead_of"]),
        )
        for each in rows
    ]
    return columns([("run", "status", "stage", "agent", "subject", "since", "cost", "model"), *cells])


def started_lines(run_id: str, *, fresh: bool) -> list[str]:
    """Say what to do with a run that goes on by itself."""
    said = f"Started {run_id}." if fresh else f"{run_id} exists; nothing was started."
    return [said, f"`penwright run watch {run_id}` shows it, `penwright run kill {run_id}` ends it."]


def ended(ending: AgentRunResult, *, fresh: bool) -> Json:
    """JSON of a run's end."""
    unchanged = why_unchanged(ending)
    return {
        "status": ending.outcome,
        "fresh": fresh,
        "unchanged": unchanged,
        **ending.model_dump(mode="json"),
    }


def ended_lines(ending: AgentRunResult) -> list[str]:
    """The same for people."""
    why = f": {ending.message}" if ending.message else ""
    code = f" [{ending.code}]" if ending.code else ""
    lines = [f"{ending.run_id} ended {ending.outcome}{code}{why}", f"  {_spent(ending.spent)}"]
    changed = f"published {ending.commit[:10]}" if ending.commit else why_unchanged(ending)
    lines += [f"  {changed}"] if changed else []
    lines += [line for model in ending.models for line in model_lines(model)]
    lines += [f"Answered in place of {', '.join(ending.instead_of)}."] if ending.instead_of else []
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
        at = second(entry["at"])
        yield f"{indent}{entry['sequence']:>4}  {at}  {entry['type']:17}  {facts}".rstrip()
        if below := entry.get("sub_agent"):
            yield from transcript_lines(below, f"{indent}      ")


def _shortened(value: object) -> str:
    text = " ".join(str(value).split())
    return text if len(text) <= _SHORT else f"{text[: _SHORT - 1]}…"
