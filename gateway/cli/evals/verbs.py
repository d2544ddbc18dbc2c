"""Verbs of ``penwright eval``: run, show, compare, kill."""

import asyncio
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

import typer
from pydantic import JsonValue

from gateway.cli.agents.flags import FlagsOption, flags_given
from gateway.cli.context import eval_services_of
from gateway.cli.live import Waiter, money
from gateway.cli.output import EXIT_REFUSED, JsonFlag, Printer, columns
from gateway.cli.writers import DEMO, model_lines
from gateway.desk.agents import evals
from gateway.desk.agents.eval_services import EvalServices
from penwright.domain.text.strict_json import read_json
from penwright.errors import PermanentError, UsageMistake
from schemas.eval_run import EvalPlan, EvalRunResult
from schemas.evals import EvalComparison, EvalReport, SampleResult

_SHOWN = 20


def report_lines(report: EvalReport, plan: EvalPlan) -> list[str]:
    """Lines on the results of the samples; failures and crashes each by themselves."""
    pinned = plan.pinned
    return [
        f"{report.name}: {pinned.agent} over {plan.dataset_name}, model {_model(pinned.experiment.model)}",
        _rate(report),
        f"  {report.failed} failed, {report.crashed} crashed, {len(report.unfinished)} without a result",
        f"  {report.tokens:,} tokens, {_price(report)}",
        *_listed("Failed", report.failures),
        *_listed("Crashed", report.crashes),
        *_named("Without a result", report.unfinished),
        *(model_lines(DEMO) if _model(pinned.experiment.model) == DEMO else ()),
    ]


def comparison_lines(found: EvalComparison) -> list[str]:
    """The second eval against the first, over the samples that both have."""
    interval = f"{found.low:+.1%} to {found.high:+.1%}"
    return [
        f"{found.second} against {found.first}: {found.pairs} samples in both",
        f"  difference {found.difference:+.1%} (95 %: {interval}): {found.verdict}",
        f"  passed in both {found.both}, in neither {found.neither}",
        *_named(f"Passed only in {found.first}", found.only_first),
        *_named(f"Passed only in {found.second}", found.only_second),
        *_named(f"Not in {found.first}", found.missing_first),
        *_named(f"Not in {found.second}", found.missing_second),
        *_named("Asked or judged differently", found.changed),
    ]


def _model(pinned: str) -> str:
    """Name, provider and vendor's name of a pinned model; what is the same is said once."""
    return " ".join(dict.fromkeys(pinned.split()))


def _rate(report: EvalReport) -> str:
    if report.pass_rate is None:
        return f"  no sample of {report.total} has a result"
    done = report.passed + report.failed + report.crashed
    rate = f"{report.pass_rate:.1%} passed ({report.passed} of {done})"
    return f"  {rate}, 95 %: {report.low:.1%} to {report.high:.1%}"


def _price(report: EvalReport) -> str:
    unknown = f" and {report.unknown_prices} samples of unknown price" if report.unknown_prices else ""
    return money(report.cost_micros) + unknown


def _listed(title: str, results: Sequence[SampleResult]) -> Iterator[str]:
    if results:
        yield f"{title}:"
        rows = [(f"  {each.sample}", each.code, _one_line(each.reason)) for each in results[:_SHOWN]]
        yield from columns(rows)
    if len(results) > _SHOWN:
        yield f"  and {len(results) - _SHOWN} more; --json has all"


def _named(title: str, samples: Sequence[str]) -> Iterator[str]:
    if samples:
        more = f" and {len(samples) - _SHOWN} more" if len(samples) > _SHOWN else ""
        yield f"{title}: {', '.join(samples[:_SHOWN])}{more}"


def _one_line(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= 100 else f"{words[:99]}…"


LARGEST_DATASET = 64_000_000
"""Bytes."""

IdArgument = Annotated[str, typer.Argument(metavar="ID", help="The eval's id, as `eval run` prints it.")]


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

    A sample is {"id": "…", "input": "what it is asked", "expected": …}; in place of a text, the input may
    be {"task": "…", "params": {…}}. Given again, the command runs only samples without a result.

    \b
      penwright eval run riddles.jsonl --agent mine/oracle --model sonnet
      penwright eval run riddles.jsonl --agent mine/oracle --model sonnet --tag terse --judge judge.json
      penwright eval compare riddles.1f09c2d4 riddles.77ab01e3

    Ctrl-C leaves it running. Exit codes: 0 every sample has a result, 1 failed, 3 stopped.
    """
    services, out = eval_services_of(ctx), Printer(json)
    request = evals.EvalRequest(
        agent=agent or role,
        content=_content(dataset),
        dataset=Path(dataset).name,
        judge=_judge(judge),
        flags={**flags_given(flags or [])},
        tag=tag,
        model=model,
        subject=subject,
        eval_id=id_,
        at_once=at_once,
        sample_s=sample_timeout,
    )
    given = evals.order_of(services, request)
    out.note(f"eval {given.eval_id}")
    ending = asyncio.run(evals.run(services, given, _waiter(given.eval_id, quiet=json)))
    _print_ending(out, services, ending)


def _content(path: str) -> bytes:
    with Path(path).expanduser().open("rb") as file:
        content = file.read(LARGEST_DATASET + 1)
    if len(content) > LARGEST_DATASET:
        raise UsageMistake(
            "dataset-too-large", f"{path!r} is longer than {LARGEST_DATASET} bytes; cut it into several"
        )
    return content


def _judge(judge: str) -> JsonValue:
    """A description of an evaluator: a name as it is, or what a file says."""
    description: JsonValue = judge
    if Path(judge).expanduser().is_file():
        try:
            description = read_json(Path(judge).expanduser().read_bytes())
        except ValueError as error:
            raise UsageMistake("bad-evaluator", f"{judge!r} is not JSON: {error}; fix it") from None
    return description


def _waiter(eval_id: str, *, quiet: bool) -> Waiter:
    goes_on = f"the eval goes on: the same command comes back to it, `penwright eval kill {eval_id}` stops it"
    return Waiter(goes_on, quiet)


def _print_ending(out: Printer, services: EvalServices, ending: EvalRunResult) -> None:
    if ending.outcome == "failed":
        again = "fix it and run the same command again: samples that have a result are not run again"
        raise PermanentError(ending.code, ending.message, hint=again)
    _print_report(out, services, ending.eval_id, status=ending.outcome)
    if ending.outcome == "stopped":
        out.note(f"stopped by {ending.message}; the same command goes on with it")
        raise typer.Exit(EXIT_REFUSED)


def show(ctx: typer.Context, id_: IdArgument, json: JsonFlag = False) -> None:
    """Show the results of an eval so far.

    \b
      penwright eval show riddles.1f09c2d4
    """
    _print_report(Printer(json), eval_services_of(ctx), id_, status="shown")


def _print_report(out: Printer, services: EvalServices, eval_id: str, *, status: str) -> None:
    plan, report = evals.report(services, eval_id)
    data = {
        "status": status,
        "report": report.model_dump(mode="json"),
        "experiment": plan.pinned.model_dump(mode="json"),
        "dataset": plan.dataset_name,
        "judged_by": plan.judged_by,
    }
    out.result(data, report_lines(report, plan))


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
    found = evals.compared(eval_services_of(ctx), first, second)
    Printer(json).result(found, comparison_lines(found))


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
    asyncio.run(evals.kill(eval_services_of(ctx), id_, reason))
    _told(json, id_, "kill", "is stopping")


def pause(ctx: typer.Context, id_: IdArgument, json: JsonFlag = False) -> None:
    """Begin no further sample; those under way finish.

    \b
      penwright eval pause riddles.1f09c2d4
    """
    asyncio.run(evals.signal(eval_services_of(ctx), id_, "pause"))
    _told(json, id_, "pause", f"begins no further sample; `penwright eval resume {id_}` goes on")


def resume(ctx: typer.Context, id_: IdArgument, json: JsonFlag = False) -> None:
    """Go on with an eval that was paused.

    \b
      penwright eval resume riddles.1f09c2d4
    """
    asyncio.run(evals.signal(eval_services_of(ctx), id_, "resume"))
    _told(json, id_, "resume", "goes on")


def _told(json: bool, id_: str, message: str, means: str) -> None:
    data = {"status": "acknowledged", "message": message, "means": means, "eval_id": id_}
    Printer(json).result(data, f"The eval {id_} {means}.")
