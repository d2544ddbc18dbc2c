"""Verbs of ``penwright run``: start, list, show, transcript, approve, deny, kill, pause, resume."""

import asyncio
from datetime import timedelta
from typing import Annotated

import typer

from gateway.cli.agents.flags import FlagsOption, flags_given
from gateway.cli.agents.params import ParamsOption, SetOption, merged
from gateway.cli.completing import RUNS
from gateway.cli.context import services_of
from gateway.cli.live import Waiter
from gateway.cli.output import EXIT_FAILED, JsonFlag, Printer
from gateway.cli.runs import reports
from gateway.desk.agents import runs
from gateway.desk.engine.pipelines import Message
from gateway.desk.services import Services
from schemas.agent_run import RunLimits
from schemas.control import KillRequest

RunArgument = Annotated[
    str,
    typer.Argument(
        metavar="ID",
        help="The run's id, from `penwright run list`; a sub-agent's too.",
        autocompletion=RUNS,
    ),
]
CallOption = Annotated[
    str, typer.Option("--call", metavar="CALL", help="Id of the call, as `penwright run show ID` prints it.")
]
DigestOption = Annotated[
    str, typer.Option("--digest", help="Digest of the tool and all its arguments, from the same place.")
]
ReasonOption = Annotated[str, typer.Option("--reason", help="Kept in the run's transcript.")]


def start(
    ctx: typer.Context,
    agent: Annotated[str, typer.Argument(metavar="AGENT", help="Its name, such as ink/writer.")],
    task: Annotated[str, typer.Option("--task", "-t", help="What it is asked, as the user's message.")],
    params: ParamsOption = "",
    set_: SetOption = None,
    subject: Annotated[
        str, typer.Option("--subject", help="What it works on: a book's folder or id, or any name of yours.")
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
    budget: Annotated[
        float | None, typer.Option("--budget", min=0, help="US dollars that the run may cost.")
    ] = None,
    minutes: Annotated[float | None, typer.Option("--minutes", min=0.1, help="Until it must end.")] = None,
    detach: Annotated[
        bool, typer.Option("--detach", help="Return at once; `watch` comes back to it.")
    ] = False,
    json: JsonFlag = False,
) -> None:
    """Start a run of an agent.

    \b
      penwright run start ink/writer --task "Write the next scene." --params run.json --subject tide
      penwright run start mine/clerk -t "Sort the notes." --id notes-7 --max-calls 20 --detach
      penwright run start mine/clerk -t "Sort the notes." --flags letters=true --flags passes=2

    Near a cap, the agent is asked for its answer so far. The same --id returns the existing run.
    Exit codes: 0 completed, 1 ended otherwise.
    """
    services = services_of(ctx)
    limits = _limits(services, max_calls, max_tool_calls, max_tokens, budget, minutes)
    request = runs.RunRequest(
        agent=agent,
        task=task,
        params=merged({}, params, set_ or []),
        flags=flags_given(flags or []),
        limits=limits,
        subject=subject,
        run_id=id_,
        override_tag=tag,
        model_role=model_role,
    )
    given = runs.order_of(services, request)
    waiting = None if detach else _waiter(given.run_id, quiet=json)
    fresh, ending = asyncio.run(runs.start(services, given, waiting))
    out = Printer(json)
    if not fresh:
        out.note(f"The run {given.run_id} was started before by the same request; this is it.")
    if ending is None:
        data = {"status": "started" if fresh else "exists", "run_id": given.run_id, "agent": given.agent}
        out.result(data, reports.started_lines(given.run_id, fresh=fresh))
        return
    out.result(reports.ended(ending, fresh=fresh), reports.ended_lines(ending))
    if ending.outcome != "completed":
        raise typer.Exit(EXIT_FAILED)


def _waiter(run_id: str, *, quiet: bool) -> Waiter:
    goes_on = f"the run goes on; `penwright run watch {run_id}` shows it"
    return Waiter(goes_on, quiet, resumes=f"penwright run resume {run_id}")


def _limits(
    services: Services,
    calls: int | None,
    tool_calls: int | None,
    tokens: int | None,
    usd: float | None,
    minutes: float | None,
) -> RunLimits:
    given = {
        "model_calls": calls,
        "tool_calls": tool_calls,
        "total_tokens": tokens,
        "cost_micros": None if usd is None else round(usd * 1_000_000),
        "deadline": None if minutes is None else services.now() + timedelta(minutes=minutes),
    }
    return RunLimits.model_validate({name: value for name, value in given.items() if value is not None})


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
    Runs that Temporal has deleted after its retention are listed from the store.
    """
    listing = runs.listed(services_of(ctx), subject=subject, running=running, code=code, limit=limit)
    rows = [reports.row(each) for each in asyncio.run(listing)]
    Printer(json).result({"runs": rows}, reports.listed(rows))


def show(ctx: typer.Context, run_id: RunArgument, json: JsonFlag = False) -> None:
    """Show a run: its status, what it waits for, how it ended.

    \b
      penwright run show librarian-20260222T143000Z-1a2b3c
    """
    view = asyncio.run(runs.look(services_of(ctx), run_id))
    Printer(json).result(reports.shown(view), reports.shown_lines(view))


def watch(ctx: typer.Context, run_id: RunArgument, json: JsonFlag = False) -> None:
    """Follow a run to its end, or show how it ended.

    \b
      penwright run watch notes-7

    Exit codes: 0 completed, 1 ended otherwise. Ctrl-C leaves the run as it is.
    """
    view = asyncio.run(runs.watch(services_of(ctx), run_id, _waiter(run_id, quiet=json)))
    Printer(json).result(reports.shown(view), reports.shown_lines(view))
    if view.found.status != "completed" or (view.result and view.result.outcome != "completed"):
        raise typer.Exit(EXIT_FAILED)


def transcript(ctx: typer.Context, run_id: RunArgument, json: JsonFlag = False) -> None:
    """Print the events of a run, sub-agents nested.

    \b
      penwright run transcript librarian-20260222T143000Z-1a2b3c

    An event is stored with the next step, so a running run may be one step ahead of this output.
    """
    view, entries = asyncio.run(runs.transcript(services_of(ctx), run_id))
    if view.trouble:
        Printer(json).note(view.trouble)
    Printer(json).result({"run_id": run_id, "entries": entries}, list(reports.transcript_lines(entries)))


def approve(
    ctx: typer.Context,
    run_id: RunArgument,
    call: CallOption = "",
    digest: DigestOption = "",
    reason: ReasonOption = "",
    remember: Annotated[
        bool, typer.Option("--remember", help="Further calls of this tool in this run need not ask.")
    ] = False,
    json: JsonFlag = False,
) -> None:
    """Allow the call that waits, with the arguments shown.

    \b
      penwright run approve notes-7 --call notes-7/call/3 --reason "the address is right"

    Name the call that you were shown, by --call or by --digest. If another one waits by then, nothing is
    decided.
    """
    _decide(ctx, run_id, "approved", reason, json, runs.ShownCall(call, digest), remember=remember)


def deny(
    ctx: typer.Context,
    run_id: RunArgument,
    call: CallOption = "",
    digest: DigestOption = "",
    reason: ReasonOption = "",
    json: JsonFlag = False,
) -> None:
    """Deny the call that waits; the agent gets the reason.

    \b
      penwright run deny notes-7 --reason "not before Monday"

    Without --call or --digest it is whatever call waits.
    """
    _decide(ctx, run_id, "denied", reason, json, runs.ShownCall(call, digest))


def _decide(
    ctx: typer.Context,
    run_id: str,
    decided: runs.Decision,
    reason: str,
    json: bool,
    shown: runs.ShownCall,
    *,
    remember: bool = False,
) -> None:
    services = services_of(ctx)
    deciding = runs.decide(services, run_id, decided, shown=shown, reason=reason, remember=remember)
    waiting = asyncio.run(deciding)
    call = waiting.approval
    data = {"status": decided, "run_id": waiting.run_id, "by": services.person(), "reason": reason}
    said = f"The call {call.number} of {call.tool} is {decided} by {services.person()}; the run goes on."
    Printer(json).result({**data, "call": call.model_dump(mode="json")}, said)


def kill(ctx: typer.Context, run_id: RunArgument, reason: ReasonOption = "", json: JsonFlag = False) -> None:
    """End a run at its next safe point; finished work stays.

    \b
      penwright run kill notes-7 --reason "the wrong folder"
    """
    services = services_of(ctx)
    order = KillRequest(who=services.person(), reason=reason)
    _tell(services, run_id, order, json, done="killed", means="it ends at its next safe edge")


def pause(ctx: typer.Context, run_id: RunArgument, json: JsonFlag = False) -> None:
    """Pause a run after its current step.

    \b
      penwright run pause notes-7
    """
    means = f"it finishes its step and waits; `penwright run resume {run_id}` goes on"
    _tell(services_of(ctx), run_id, "pause", json, done="paused", means=means)


def resume(ctx: typer.Context, run_id: RunArgument, json: JsonFlag = False) -> None:
    """Resume a run that was paused or waits for a budget.

    \b
      penwright run resume notes-7
    """
    _tell(services_of(ctx), run_id, "resume", json, done="resumed", means="it goes on")


def _tell(services: Services, run_id: str, message: Message, json: bool, *, done: str, means: str) -> None:
    heard = asyncio.run(runs.send(services, run_id, message, done=done))
    name = message if isinstance(message, str) else "kill"
    data = {"status": done, "message": name, "means": means, "run_id": run_id, "heard": heard}
    trouble = "no worker answered yet; the request is delivered as soon as one runs (see `penwright status`)"
    Printer(json).result(data, f"{run_id} is {done}: {means if heard else trouble}.")
