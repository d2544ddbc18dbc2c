"""Verbs of scans: scan, watch."""

import asyncio
from dataclasses import asdict
from typing import Annotated

import typer

from gateway.cli.arguments import TagOption
from gateway.cli.cite import reports
from gateway.cli.context import services_of
from gateway.cli.live import Waiter
from gateway.cli.manuscript.arguments import MaxTargetsOption, MinutesOption, NovelArgument, SceneOption
from gateway.cli.manuscript.estimating import at_most, sums_of, table
from gateway.cli.output import EXIT_FAILED, EXIT_REFUSED, JsonFlag, Printer, next_step
from gateway.desk.citations import estimating, scans
from gateway.desk.citations.scans import ScanWish
from gateway.desk.manuscript import scenes
from gateway.desk.services import Services
from gateway.desk.works import novels
from gateway.desk.works.documents import Document
from penwright.domain.text.counted import counted
from penwright.errors import PermanentError, Refused
from schemas.citation_scan import CitationScanResult
from workers.model_catalog import catalog


def scan(
    ctx: typer.Context,
    novel: NovelArgument = ".",
    scene: SceneOption = None,
    max_targets: MaxTargetsOption = None,
    auto_accept: Annotated[
        bool, typer.Option("--auto-accept", help="Accept what exists and says it; the rest waits for you.")
    ] = False,
    abstracts: Annotated[
        bool, typer.Option("--abstracts", help="With --auto-accept: an abstract with its words is enough.")
    ] = False,
    wait: Annotated[
        bool, typer.Option("--wait", help="Stay until everything is decided, in another terminal.")
    ] = False,
    minutes: MinutesOption = None,
    budget: Annotated[
        float | None, typer.Option("--budget", min=0, help="US dollars that the scan may cost.")
    ] = None,
    intent: Annotated[
        str, typer.Option("--intent", help="The intent to change the text under. Default: the first one.")
    ] = "",
    tag: TagOption = "",
    estimate: Annotated[
        bool, typer.Option("--estimate", help="Print calls and money, and start nothing.")
    ] = False,
    detach: Annotated[bool, typer.Option("--detach", help="Return at once; `watch` shows it.")] = False,
    json: JsonFlag = False,
) -> None:
    """Find sentences that need citations, and works for them.

    Works come from registries, never from a model's memory; `review` shows what was found for which
    sentence, and nothing is changed until it is accepted.

    \b
      penwright cite scan ~/papers/ebb --estimate
      penwright cite scan ~/papers/ebb --max-targets 20
      penwright cite scan ~/papers/ebb --auto-accept --budget 0.50

    Exit codes: 0 ended, 1 failed, 3 refused or stopped.
    """
    services, out = services_of(ctx), Printer(json)
    found = document(services, novel, scene)
    scenes.check(services, found.novel, found.scene)
    if estimate:
        _print_estimate(services, out, found, max_targets)
        return
    micros = None if budget is None else round(budget * 1_000_000)
    wish = ScanWish(
        max_targets,
        auto_accept,
        wait,
        intent,
        minutes,
        cost_micros=micros,
        tag=tag,
        accepts_abstracts=abstracts,
    )
    waiter = None if detach else waiter_of(found, quiet=json)
    done = asyncio.run(scans.scan(services, found, wish, wait=waiter))
    if not done.fresh:
        out.note(f"A scan of {found.name} runs already; this joins it, and its settings stay as they are.")
    if done.result is None:
        place = {"novel_id": found.novel.novel_id, "scene": found.scene}
        data = {"status": "started" if done.fresh else "joined", "session": done.session, **place}
        out.result(data, [f"The scan is at work; `penwright cite watch {found.options}` shows it."])
        return
    print_ending(out, found, done.result)


def watch(
    ctx: typer.Context, novel: NovelArgument = ".", scene: SceneOption = None, json: JsonFlag = False
) -> None:
    """Follow the scan to its end, or show how the last one ended.

    \b
      penwright cite watch ~/papers/ebb
    """
    services, out = services_of(ctx), Printer(json)
    found = document(services, novel, scene)
    print_ending(out, found, asyncio.run(scans.watch(services, found, waiter_of(found, quiet=json))))


def document(services: Services, novel: str, scene: str | None, *, noted: bool = False) -> Document:
    """The document that a command means; the manuscript, or the only scene, unless one is named.

    ``noted``: find it without git if that can be; see ``novels.noted``.
    """
    found = novels.find_noted(services, novel) if noted else novels.find(services, novel)
    return Document(found, scenes.chosen(services, found, scene or ""))


def waiter_of(found: Document, *, quiet: bool) -> Waiter:
    """Waits for a scan with a progress line."""
    named = reports.named(found)
    goes_on = (
        f"the scan goes on: `penwright cite watch {named}` shows it, `penwright cite kill {named}` ends it"
    )
    return Waiter(goes_on, quiet, resumes=f"penwright cite resume {named}", by_step=True)


def print_ending(out: Printer, found: Document, ended: CitationScanResult) -> None:
    """Print how a scan ended; a refusal or failure leaves as the error it is."""
    data = {"novel_id": ended.novel, **ended.model_dump(mode="json", exclude={"novel"})}
    if ended.outcome in ("refused", "failed"):
        kind = Refused if ended.outcome == "refused" else PermanentError
        error = kind(ended.code, ended.message, **reports.step_of(found, ended.code))
        if not out.as_json:
            raise error
        out.result({"status": "error", "error": ended.message, "next": next_step(error), **data}, "")
        raise typer.Exit(EXIT_REFUSED if ended.outcome == "refused" else EXIT_FAILED)
    out.result({"status": ended.outcome, **data}, reports.ending_lines(found, ended))
    if ended.outcome == "stopped":
        raise typer.Exit(EXIT_REFUSED)


def _print_estimate(services: Services, out: Printer, found: Document, max_targets: int | None) -> None:
    """Print calls and money of a scan that finds as many sentences as it may; nothing is started."""
    most = scans.most_targets(services, found) if max_targets is None else max_targets
    made = estimating.estimate(services, catalog(services.loaded().settings), found, most)
    lines = [
        f"{counted(made.sentences, 'sentence')} may be cited for; at most {made.targets} are looked up.",
        *table(made.roles),
        f"{at_most(made.roles)}, and "
        f"{counted(made.look_ups, 'free question')} to registries; nothing was started.",
    ]
    out.result({"status": "estimated", **asdict(made), **sums_of(made.roles)}, lines)
