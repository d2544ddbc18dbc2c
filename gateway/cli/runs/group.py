"""``penwright run``: start agents, see what they do, answer them, stop them."""

import asyncio
from datetime import timedelta
from itertools import islice
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from gateway.cli.agents.flags import FlagsOption, flags_given
from gateway.cli.agents.params import ParamsOption, SetOption
from gateway.cli.output import EXIT_FAILED, JsonFlag, Printer
from gateway.desk.services import Services, services_of

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from gateway.cli.runs.reports import RunView
    from gateway.desk.agent_runs import AgentRuns, RunSummary, Waiting
    from gateway.desk.pipelines import Message
    from schemas.agent_run import AgentRunInput, AgentRunResult, RunLimits

_HELP = """\
Run agents: start one, see what it does, answer it, stop it.

A run is durable: it goes on when a process dies, and the same id is the same run.
"""

_LOOKED_THROUGH = 10_000
"""Newest runs in the store that a search by code goes through."""

RunArgument = Annotated[
    str, typer.Argument(metavar="ID", help="The run's id, from `penwright run list`; a sub-agent's too.")
]
ReasonOption = Annotated[str, typer.Option("--reason", help="Kept in the run's transcript.")]


def register(app: typer.Typer) -> None:
    """Add the group to ``app``."""
    from gateway.cli.runs import evidence as run_evidence

    group = typer.Typer(help=_HELP, no_args_is_help=True, rich_markup_mode=None)
    group.command("start")(start)
    group.command("list")(list_)
    group.command("show")(show)
    group.command("transcript")(transcript)
    group.command("approve")(approve)
    group.command("deny")(deny)
    group.command("pause")(pause)
    group.command("resume")(resume)
    group.command("kill")(kill)
    run_evidence.register(group)
    app.add_typer(group, name="run")


def start(
    ctx: typer.Context,
    agent: Annotated[str, typer.Argument(metavar="AGENT", help="Its name, such as ink/writer.")],
    task: Annotated[str, typer.Option("--task", "-t", help="What it is asked, as the user's message.")],
    params: ParamsOption = "",
    set_: SetOption = None,
    subject: Annotated[
        str, typer.Option("--subject", help="What it works on: a book's id, or any name of yours.")
    ] = "",
    id_: Annotated[
        str, typer.Option("--id", help="Of the run; the same id is the same run. Default: a new one.")
    ] = "",
    tag: Annotated[str, typer.Option("--tag", help="The override set to work with.")] = "",
    flags: FlagsOption = None,
    model_role: Annotated[
        str, typer.Option("--model-role", help="Which role's model answers, see `penwright models list`.")
    ] = "agent",
    max_calls: Annotated[
        int | None, typer.Option("--max-calls", min=1, help="Model calls, sub-agents included.")
    ] = None,
    max_tool_calls: Annotated[int | None, typer.Option("--max-tool-calls", min=0)] = None,
    max_tokens: Annotated[
        int | None, typer.Option("--max-tokens", min=1, help="Read and written together.")
    ] = None,
    max_usd: Annotated[float | None, typer.Option("--max-usd", min=0)] = None,
    minutes: Annotated[float | None, typer.Option("--minutes", min=0.1, help="Until it must end.")] = None,
    wait: Annotated[bool, typer.Option("--wait/--no-wait", help="Wait for its end.")] = True,
    json: JsonFlag = False,
) -> None:
    """Start a run of an agent.

    \b
      penwright run start ink/writer --task "Write the next scene." --params run.json --subject tide
      penwright run start mine/clerk -t "Sort the notes." --id notes-7 --max-calls 20 --no-wait
      penwright run start mine/clerk -t "Sort the notes." --flags letters=true --flags passes=2

    The caps are kept with a turn to spare: when one is nearly reached, the agent is asked for what it has.
    Given again with the same --id, nothing is started twice: it tells of the run that has it.
    Exit codes: 0 completed, 1 ended otherwise.
    """
    from gateway.cli.agents.params import merged
    from gateway.cli.runs import reports as run_reports

    services = services_of(ctx)
    limits = _limits(services, max_calls, max_tool_calls, max_tokens, max_usd, minutes)
    fields = {"task": task, "subject": subject, "id": id_, "tag": tag, "model_role": model_role}
    given = _given(services, agent, merged({}, params, set_ or []), flags_given(flags or []), limits, fields)
    fresh, ending = asyncio.run(_start(services, given, wait=wait, quiet=json))
    out = Printer(json)
    if not fresh:
        out.note(f"The run {given.run_id} was started before by the same request; this is it.")
    if ending is None:
        data = {"status": "started" if fresh else "exists", "run_id": given.run_id, "agent": given.agent}
        out.result(data, run_reports.started_lines(given.run_id, fresh=fresh))
        return
    out.result(run_reports.ended(ending, fresh=fresh), run_reports.ended_lines(ending))
    if ending.outcome != "completed":
        raise typer.Exit(EXIT_FAILED)


async def _start(
    services: Services, given: "AgentRunInput", *, wait: bool, quiet: bool
) -> "tuple[bool, AgentRunResult | None]":
    from gateway.cli.live import wait_showing

    async with services.agent_runs() as runs:
        fresh = await runs.start(given)
        if not wait:
            return fresh, None
        try:
            ending = await wait_showing(
                runs.result(given.run_id),
                lambda: runs.progress(given.run_id),
                quiet=quiet,
                resumes=f"penwright run resume {given.run_id}",
            )
        except (asyncio.CancelledError, KeyboardInterrupt):
            from gateway.cli.output import Interrupted

            raise Interrupted(f"the run goes on; `penwright run show {given.run_id}` shows it") from None
        return fresh, ending


def _limits(
    services: Services,
    calls: int | None,
    tool_calls: int | None,
    tokens: int | None,
    usd: float | None,
    minutes: float | None,
) -> "RunLimits":
    from schemas.agent_run import RunLimits

    given = {
        "model_calls": calls,
        "tool_calls": tool_calls,
        "total_tokens": tokens,
        "cost_micros": None if usd is None else round(usd * 1_000_000),
        "deadline": None if minutes is None else services.now() + timedelta(minutes=minutes),
    }
    return RunLimits.model_validate({name: value for name, value in given.items() if value is not None})


def _given(
    services: Services,
    agent: str,
    params: dict[str, object],
    flags: dict[str, str],
    limits: "RunLimits",
    fields: dict[str, str],
) -> "AgentRunInput":
    """The request, once its agent, parameters and flags are known to fit."""
    from gateway.desk.run_ids import checked_run_id, new_run_id
    from penwright.agents.definition.experiments import declared_flags
    from penwright.agents.prompt import parameters
    from penwright.roles import catalogue
    from schemas.agent_run import AgentRunInput, RunQueues

    services.register_agents()
    definition = catalogue.find(agent).definition
    places = services.defaults()
    given = AgentRunInput.model_validate(
        {
            "agent": definition.name,
            "run_id": checked_run_id(fields["id"])
            if fields["id"]
            else new_run_id(definition.key, services.now()),
            "subject": fields["subject"] or definition.key,
            "task": fields["task"],
            "params": params,
            "override_tag": fields["tag"],
            "flags": flags,
            "model_role": fields["model_role"],
            "limits": limits,
            "queues": RunQueues(models=places.model_queue, tools=places.repo_queue),
        }
    )
    declared_flags(definition, given.flags)
    read = parameters.read(definition, given.params)
    for place in definition.places:
        read.of(place)
    return given


def list_(
    ctx: typer.Context,
    subject: Annotated[str, typer.Option("--subject", help="Only runs on this.")] = "",
    running: Annotated[bool, typer.Option("--running", help="Only runs that have not ended.")] = False,
    code: Annotated[
        str, typer.Option("--code", help="Only runs that ended for this reason, such as model-refused.")
    ] = "",
    limit: Annotated[int, typer.Option("--limit", min=1, max=1000)] = 20,
    json: JsonFlag = False,
) -> None:
    """List the runs of agents, newest first.

    \b
      penwright run list
      penwright run list --running --json
      penwright run list --code model-refused

    Sub-agents are left out; `penwright run transcript` shows them. A new run appears after a second or so.
    The writer of a book session is listed as book/BOOK/SESSION, while it works and afterwards.
    Runs that Temporal has forgotten after its retention are told from the store.
    """
    from gateway.cli.runs import reports as run_reports
    from gateway.desk import expired_runs as forgotten_runs

    services = services_of(ctx)

    async def ask() -> "tuple[RunSummary, ...]":
        async with services.agent_runs() as runs:
            return await runs.listed(subject=subject, running=running, limit=limit)

    # Temporal does not know the codes; whatever has one has ended, and stands in the store.
    found = () if code else asyncio.run(ask())
    with services.open_store() as store:
        noted = store.records.runs(subject=subject or None, limit=_LOOKED_THROUGH if code else 5 * limit)
        noted = tuple(each for each in noted if not code or each.detail.get("code") == code)
        if not running and len(found) < limit:
            # Temporal has no more of them, so what only the store knows is what Temporal forgot.
            forgotten = forgotten_runs.among(store.records, noted, listed=found)
            found += tuple(islice(forgotten, limit - len(found)))
    outcomes = {row.run: row.outcome for row in noted}
    codes = {row.run: row.detail.get("code", "") for row in noted}
    rows = [run_reports.row(each, outcomes, codes) for each in found]
    Printer(json).result({"runs": rows}, run_reports.listed(rows))


def show(ctx: typer.Context, run_id: RunArgument, json: JsonFlag = False) -> None:
    """Show a run: where it stands, what it waits for, how it ended.

    \b
      penwright run show librarian-20260222T143000Z-1a2b3c
    """
    from gateway.cli.runs import reports as run_reports

    services = services_of(ctx)

    async def ask() -> "RunView":
        async with services.agent_runs() as runs:
            return await run_reports.look(runs, run_id)

    shown = _or_from_the_store(services, run_id, ask)
    Printer(json).result(run_reports.shown(shown), run_reports.shown_lines(shown))


def transcript(ctx: typer.Context, run_id: RunArgument, json: JsonFlag = False) -> None:
    """Print what happened in a run, in order; what a sub-agent did stands under its call.

    \b
      penwright run transcript librarian-20260222T143000Z-1a2b3c

    An entry is kept with the step that follows it, so a running one is a step ahead of this.
    """
    from gateway.cli.runs import reports as run_reports
    from gateway.desk import transcripts

    services = services_of(ctx)

    async def ask() -> "RunView":
        async with services.agent_runs() as runs:
            return run_reports.RunView(await runs.find(run_id))

    shown = _or_from_the_store(services, run_id, ask)
    if shown.trouble:
        Printer(json).note(shown.trouble)
    with services.open_store() as store:
        told = transcripts.nested(store.records, run_id)
    Printer(json).result({"run_id": run_id, "entries": told}, list(run_reports.transcript_lines(told)))


def approve(
    ctx: typer.Context,
    run_id: RunArgument,
    reason: ReasonOption = "",
    remember: Annotated[
        bool, typer.Option("--remember", help="Further calls of this tool in this run need not ask.")
    ] = False,
    json: JsonFlag = False,
) -> None:
    """Allow the call that waits, with exactly the arguments that were shown.

    \b
      penwright run approve notes-7 --reason "the address is right"
    """
    _decide(ctx, run_id, "approved", reason, json, remember=remember)


def deny(ctx: typer.Context, run_id: RunArgument, reason: ReasonOption = "", json: JsonFlag = False) -> None:
    """Deny the call that waits; the agent is told the reason and goes on.

    \b
      penwright run deny notes-7 --reason "not before Monday"
    """
    _decide(ctx, run_id, "denied", reason, json)


def _decide(
    ctx: typer.Context,
    run_id: str,
    decided: Literal["approved", "denied"],
    reason: str,
    json: bool,
    *,
    remember: bool = False,
) -> None:
    from schemas.agent_run import CallDecision

    services = services_of(ctx)

    async def tell() -> "Waiting":
        async with services.agent_runs() as runs:
            waiting = await runs.waiting(run_id)
            if waiting is None:
                raise await _nothing_waits(runs, run_id)
            decision = CallDecision(
                approval=waiting.approval.id,
                digest=waiting.approval.digest,
                decided=decided,
                by=services.person(),
                reason=reason,
                remember=remember,
            )
            await runs.decide(waiting.run_id, decision)
            return waiting

    waiting = asyncio.run(tell())
    call = waiting.approval
    data = {"status": decided, "run_id": waiting.run_id, "by": services.person(), "reason": reason}
    said = f"The call {call.number} of {call.tool} is {decided} by {services.person()}; the run goes on."
    Printer(json).result({**data, "call": call.model_dump(mode="json")}, said)


async def _nothing_waits(runs: "AgentRuns", run_id: str) -> Exception:
    from penwright.errors import Refused

    found = await runs.find(run_id)
    now = "it runs and asks nobody" if found.runs else f"it has ended ({found.status})"
    return Refused(
        "nothing-to-approve",
        f"no call of the run {run_id!r} waits for approval: {now}; nothing was changed",
        hint=f"`penwright run show {run_id}` shows where it stands",
    )


def kill(ctx: typer.Context, run_id: RunArgument, reason: ReasonOption = "", json: JsonFlag = False) -> None:
    """End a run at its next safe edge; what it did stays done.

    \b
      penwright run kill notes-7 --reason "the wrong folder"
    """
    from schemas.control import KillRequest

    services = services_of(ctx)
    order = KillRequest(who=services.person(), reason=reason)
    _tell(services, run_id, order, json, done="killed", means="it ends at its next safe edge")


def pause(ctx: typer.Context, run_id: RunArgument, json: JsonFlag = False) -> None:
    """Let a run finish the step in hand, and then wait.

    \b
      penwright run pause notes-7
    """
    means = f"it finishes its step and waits; `penwright run resume {run_id}` goes on"
    _tell(services_of(ctx), run_id, "pause", json, done="paused", means=means)


def resume(ctx: typer.Context, run_id: RunArgument, json: JsonFlag = False) -> None:
    """Go on with a run that was paused, or that waits for a budget.

    \b
      penwright run resume notes-7
    """
    _tell(services_of(ctx), run_id, "resume", json, done="resumed", means="it goes on")


def _tell(services: Services, run_id: str, message: "Message", json: bool, *, done: str, means: str) -> None:
    from penwright.errors import Refused

    async def tell() -> bool:
        async with services.agent_runs() as runs:
            found = await runs.find(run_id)
            if not found.runs:
                raise Refused(
                    "run-ended",
                    f"the run {run_id!r} has ended ({found.status}) and cannot be {done}",
                    hint=f"`penwright run show {run_id}` shows how it ended",
                )
            return await runs.signal(run_id, message)

    heard = asyncio.run(tell())
    data = {"status": done, "run_id": run_id, "heard": heard}
    trouble = "no worker answered yet; it is told as soon as one runs (`penwright status` shows them)"
    Printer(json).result(data, f"{run_id} is {done}: {means if heard else trouble}.")


def _or_from_the_store(services: Services, run_id: str, ask: "Callable[[], Awaitable[RunView]]") -> "RunView":
    """What the engine says of a run; of one that Temporal has forgotten, what the store kept."""
    from gateway.desk import expired_runs as forgotten_runs
    from penwright.errors import NotFound

    try:
        return asyncio.run(_awaited(ask))
    except NotFound:
        with services.open_store() as store:
            kept = forgotten_runs.look(store.records, run_id)
        if kept is None:
            raise
        return kept


async def _awaited(ask: "Callable[[], Awaitable[RunView]]") -> "RunView":
    return await ask()
