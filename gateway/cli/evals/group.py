"""``penwright eval``: run an agent over a dataset, look at what it came to, compare two."""

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gateway.cli.agents.flags import FlagsOption, flags_given
from gateway.cli.output import EXIT_REFUSED, Interrupted, JsonFlag, Printer
from gateway.desk.eval_services import EvalServices, eval_services_of

if TYPE_CHECKING:
    from pydantic import JsonValue

    from gateway.desk.pipelines import Message
    from schemas.eval_run import EvalRunInput, EvalRunResult

_HELP = """\
Run an agent over a dataset, and compare two ways to run it.

Every sample is a durable run of its own. A crash counts as a failure, and is listed by itself as well.
"""
LARGEST_DATASET = 64_000_000
"""Bytes."""

IdArgument = Annotated[str, typer.Argument(metavar="ID", help="The eval's id, as `eval run` prints it.")]


def register(app: typer.Typer) -> None:
    """Add the group to ``app``."""
    group = typer.Typer(help=_HELP, no_args_is_help=True, rich_markup_mode=None)
    group.command("run")(run)
    group.command("show")(show)
    group.command("compare")(compare_)
    group.command("kill")(kill)
    group.command("pause")(pause)
    group.command("resume")(resume)
    app.add_typer(group, name="eval")


def run(
    ctx: typer.Context,
    dataset: Annotated[str, typer.Argument(metavar="DATASET.jsonl", help="One sample per line of JSON.")],
    agent: Annotated[str, typer.Option("--agent", help="The agent, such as ink/writer.")] = "",
    role: Annotated[str, typer.Option("--role", help="The same by its role: the agent's last part.")] = "",
    model: Annotated[
        str, typer.Option("--model", help="A model of penwright.toml. Default: the one of the role.")
    ] = "",
    tag: Annotated[str, typer.Option("--tag", help="The override set to work with.")] = "",
    flags: FlagsOption = None,
    judge: Annotated[
        str, typer.Option("--judge", help="exact, contains, or a file with an evaluator as JSON.")
    ] = "contains",
    at_once: Annotated[int, typer.Option("--at-once", min=1, max=64, help="Samples under way.")] = 4,
    sample_timeout: Annotated[
        int, typer.Option("--sample-timeout", min=1, help="Seconds that one sample may take.")
    ] = 1_800,
    subject: Annotated[
        str, typer.Option("--subject", help="What the samples work on, such as a book's id.")
    ] = "",
    id_: Annotated[
        str, typer.Option("--id", help="Default: the dataset's name and a digest of the options.")
    ] = "",
    json: JsonFlag = False,
) -> None:
    """Run an agent over a dataset.

    \b
    A sample is {"id": "…", "input": "what it is asked", "expected": …}; in place of a text, the input may
    be {"task": "…", "params": {…}}. Given again, the command runs only samples without a result.

    \b
      penwright eval run riddles.jsonl --agent mine/oracle --model sonnet
      penwright eval run riddles.jsonl --agent mine/oracle --model sonnet --tag terse --judge judge.json
      penwright eval compare riddles.1f09c2d4 riddles.77ab01e3

    Ctrl-C leaves it running. Exit codes: 0 every sample has a result, 1 failed, 3 stopped.
    """
    services, out = eval_services_of(ctx), Printer(json)
    services.register_agents()
    options: dict[str, JsonValue] = {
        "tag": tag,
        "flags": {**flags_given(flags or [])},
        "model": model,
        "subject": subject,
        "id": id_,
    }
    content, name = _content(dataset), Path(dataset).name
    given = _given(services, content, name, agent or role, judge, options).model_copy(
        update={"at_once": at_once, "sample_s": sample_timeout}
    )
    out.note(f"eval {given.eval_id}")
    ending = asyncio.run(_run(services, given, quiet=json))
    _print_ending(out, services, ending)


def _given(
    services: EvalServices, content: bytes, name: str, agent: str, judge: str, options: dict[str, "JsonValue"]
) -> "EvalRunInput":
    """What the workflow is given; everything that can be checked here is."""
    from penwright.agents.definition.experiments import experiment
    from penwright.agents.evals.dataset import read_dataset
    from penwright.errors import UsageMistake
    from penwright.roles.catalogue import find
    from schemas.eval_run import EvalRunInput

    if not agent:
        raise UsageMistake("no-agent", "which agent is to be run? Name it with --agent, or by its --role")
    definition = find(agent).definition
    judged_by = _judge(judge)
    read_dataset(content, name)
    eval_id = str(options["id"]) or _named_after(name, [definition.name, judged_by, options])
    tried = experiment(eval_id, tag=str(options["tag"]), model=str(options["model"]))
    with services.archive() as archive:
        kept = archive.blobs.put(content)
    return EvalRunInput(
        eval_id=eval_id,
        dataset=kept,
        dataset_name=name,
        agent=definition.name,
        experiment=tried.model_copy(update={"flags": options["flags"]}),
        model_role=definition.key,
        subject=str(options["subject"]),
        judged_by=judged_by,
        queues=services.queues(),
    )


def _named_after(name: str, options: "JsonValue") -> str:
    """An id that the same command has again, so that it goes on where it was."""
    import re

    from penwright.agents.digests import json_digest

    stem = re.sub(r"[^a-z0-9._-]+", "-", Path(name).stem.lower()).strip("-._")[:50]
    return f"{stem or 'eval'}.{json_digest(options)[:8]}"


def _content(path: str) -> bytes:
    from penwright.errors import UsageMistake

    with Path(path).expanduser().open("rb") as file:
        content = file.read(LARGEST_DATASET + 1)
    if len(content) > LARGEST_DATASET:
        raise UsageMistake(
            "dataset-too-large", f"{path!r} is longer than {LARGEST_DATASET} bytes; cut it into several"
        )
    return content


def _judge(judge: str) -> "JsonValue":
    """A description of an evaluator: a name as it is, or what a file says."""
    from penwright.agents.evals.judging import read_evaluator
    from penwright.domain.text.strict_json import read_json
    from penwright.errors import UsageMistake

    description: JsonValue = judge
    if Path(judge).expanduser().is_file():
        try:
            description = read_json(Path(judge).expanduser().read_bytes())
        except ValueError as error:
            raise UsageMistake("bad-evaluator", f"{judge!r} is not JSON: {error}; mend it") from None
    read_evaluator(description)
    return description


async def _run(services: EvalServices, given: "EvalRunInput", *, quiet: bool) -> "EvalRunResult":
    from gateway.cli.live import wait_showing

    async with services.evals() as evals:
        if not await evals.start(given):
            _refuse_another(services, given)
        try:
            return await wait_showing(
                evals.result(given.eval_id), lambda: evals.progress(given.eval_id), quiet=quiet
            )
        except (asyncio.CancelledError, KeyboardInterrupt):
            raise Interrupted(
                f"the eval goes on: the same command comes back to it, "
                f"`penwright eval kill {given.eval_id}` stops it"
            ) from None


def _refuse_another(services: EvalServices, given: "EvalRunInput") -> None:
    """One of that id runs; it is ours if it is over the same dataset."""
    from penwright.errors import Refused

    with services.archive() as archive:
        plan = archive.plan_of(given.eval_id)
    if (plan.dataset, plan.judged_by, plan.pinned.agent) != (given.dataset, given.judged_by, given.agent):
        raise Refused(
            "already-running",
            f"an eval {given.eval_id!r} is running over other samples; nothing was changed",
            hint=f"wait for it, stop it with `penwright eval kill {given.eval_id}`, or choose another --id",
        )


def _print_ending(out: Printer, services: EvalServices, ending: "EvalRunResult") -> None:
    from penwright.errors import PermanentError

    if ending.outcome == "failed":
        again = "mend it and give the same command again: samples that have a result are not run again"
        raise PermanentError(ending.code, ending.message, hint=again)
    _print_report(out, services, ending.eval_id, status=ending.outcome)
    if ending.outcome == "stopped":
        out.note(f"stopped by {ending.message}; the same command goes on with it")
        raise typer.Exit(EXIT_REFUSED)


def show(ctx: typer.Context, id_: IdArgument, json: JsonFlag = False) -> None:
    """Show what an eval came to so far.

    \b
      penwright eval show riddles.1f09c2d4
    """
    _print_report(Printer(json), eval_services_of(ctx), id_, status="shown")


def _print_report(out: Printer, services: EvalServices, eval_id: str, *, status: str) -> None:
    from gateway.cli.evals import reports as eval_reports

    with services.archive() as archive:
        plan = archive.plan_of(eval_id)
        report = archive.report(plan)
    data = {
        "status": status,
        "report": report.model_dump(mode="json"),
        "experiment": plan.pinned.model_dump(mode="json"),
        "dataset": plan.dataset_name,
        "judged_by": plan.judged_by,
    }
    out.result(data, eval_reports.report_lines(report, plan))


def compare_(
    ctx: typer.Context,
    first: Annotated[str, typer.Argument(metavar="ID", help="The eval to compare with.")],
    second: Annotated[str, typer.Argument(metavar="ID", help="The eval that is said to be better or worse.")],
    json: JsonFlag = False,
) -> None:
    """Compare two evals sample by sample.

    \b
      penwright eval compare riddles.1f09c2d4 riddles.77ab01e3

    Only samples that both finished, and that were asked and judged in the same way, are counted; the others
    are named. The interval is where the true difference lies with 95 % confidence.
    """
    from gateway.cli.evals import reports as eval_reports
    from penwright.agents.evals.comparison import compare

    with eval_services_of(ctx).archive() as archive:
        plans = (archive.plan_of(first), archive.plan_of(second))
        before, after = (archive.finished(plan, archive.planned(plan)) for plan in plans)
    found = compare(first, before, second, after)
    Printer(json).result(found, eval_reports.comparison_lines(found))


def kill(
    ctx: typer.Context,
    id_: IdArgument,
    reason: Annotated[str, typer.Option("--reason", help="Kept with the eval.")] = "killed by hand",
    json: JsonFlag = False,
) -> None:
    """Stop a running eval; results so far stay.

    \b
      penwright eval kill riddles.1f09c2d4
    """
    from schemas.control import KillRequest

    services = eval_services_of(ctx)
    request = KillRequest(who=services.person(), reason=reason)
    _tell(services, id_, request, json, said=f"The eval {id_} was told to stop.")


def pause(ctx: typer.Context, id_: IdArgument, json: JsonFlag = False) -> None:
    """Begin no further sample of a running eval; those under way finish.

    \b
      penwright eval pause riddles.1f09c2d4
    """
    said = f"The eval {id_} begins no further sample; `penwright eval resume {id_}` goes on."
    _tell(eval_services_of(ctx), id_, "pause", json, said=said)


def resume(ctx: typer.Context, id_: IdArgument, json: JsonFlag = False) -> None:
    """Go on with an eval that was paused.

    \b
      penwright eval resume riddles.1f09c2d4
    """
    _tell(eval_services_of(ctx), id_, "resume", json, said=f"The eval {id_} goes on.")


def _tell(services: EvalServices, id_: str, message: "Message", json: bool, *, said: str) -> None:
    async def tell() -> None:
        async with services.evals() as evals:
            await evals.signal(id_, message)

    asyncio.run(tell())
    Printer(json).result({"status": "acknowledged", "eval_id": id_}, said)
