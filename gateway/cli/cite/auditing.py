"""``penwright cite audit``: every entry of a text, a document or a file of references, without a model."""

import asyncio
from pathlib import Path
from typing import Annotated, Any

import typer

from gateway.cli.cite import audit_reports
from gateway.cli.cite.scanning import document
from gateway.cli.context import services_of
from gateway.cli.live import Waiter
from gateway.cli.manuscript.arguments import SceneOption
from gateway.cli.output import EXIT_FAILED, EXIT_REFUSED, EXIT_UNREACHED, JsonFlag, Printer
from gateway.cli.times import minute
from gateway.desk.citations import auditing
from gateway.desk.citations.auditing import Audited, AuditOrder
from gateway.desk.services import Services
from gateway.desk.works.schedules import duration
from gateway.desk.written_files import check_place, write_file
from penwright.errors import UsageMistake
from schemas.citation_audit import WRONG


def audit(
    ctx: typer.Context,
    named: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[FILES | NOVEL]",
            help="Markdown, BibTeX, RIS or CSL-JSON; or a novel's folder or id. Default: the current folder.",
            show_default=False,
        ),
    ] = None,
    scene: SceneOption = None,
    wait: Annotated[
        bool, typer.Option("--wait", help="Ask registries again after the time for which they put us off.")
    ] = False,
    sarif: Annotated[
        Path | None, typer.Option("--sarif", metavar="FILE", help="Write what is wrong as SARIF 2.1.0, too.")
    ] = None,
    every: Annotated[
        str | None,
        typer.Option("--every", help="Audit the novel from now on: 1d, 7d. Notifies of new retractions."),
    ] = None,
    never: Annotated[bool, typer.Option("--never", help="End the audits of --every.")] = False,
    json: JsonFlag = False,
) -> None:
    """Look up every entry in the registries; no model is asked.

    Each entry is found, or differs (in which fields), is not found, retracted (by what notice), corrected,
    dead (no registry knows its identifier) or unclear. One whose registries do not answer is unreachable,
    never invented. A Markdown file is read with the references.bib beside it.

    \b
      penwright cite audit ~/papers/ebb
      penwright cite audit paper.md library.bib --sarif audit.sarif
      penwright cite audit ~/papers/ebb --every 7d

    Exit codes: 0 nothing is wrong, 1 an entry is wrong, 4 some are unreachable, 3 stopped.
    """
    services, out = services_of(ctx), Printer(json)
    if every is not None or never:
        _set_schedule(services, out, named or ["."], scene, every)
        return
    if sarif is not None:
        check_place(sarif, force=True, suffix=".sarif")
    order = _order(services, named or ["."], scene, wait)
    waiter = Waiter("the audit goes on; give the command again to see its end", json, by_step=True)
    done = asyncio.run(auditing.audit(services, order, waiter))
    if sarif is not None:
        write_file(sarif, audit_reports.sarif(done.report).encode(), force=True)
    out.result(_data(done), audit_reports.lines(done))
    _leave(done)


def _order(services: Services, named: list[str], scene: str | None, waits: bool) -> AuditOrder:
    files = [each for each in named if auditing.is_file(each)]
    if files and scene is not None:
        raise UsageMistake("scene-of-a-file", "--scene names a text of a novel; a file has none")
    if len(files) == len(named):
        return auditing.of_files(services, [Path(each) for each in files], waits=waits)
    if len(named) > 1:
        other = next(each for each in named if each not in files)
        said = f"{other!r} is not a file that can be audited; nothing was looked up"
        raise UsageMistake(
            "files-or-novel", said, hint="name Markdown, BibTeX, RIS or CSL-JSON, or one novel"
        )
    return auditing.of_document(services, document(services, named[0], scene), waits=waits)


def _set_schedule(
    services: Services, out: Printer, named: list[str], scene: str | None, every: str | None
) -> None:
    if len(named) > 1 or auditing.is_file(named[0]):
        said = "a timetable is of a novel, whose text is read anew each time; nothing was scheduled"
        raise UsageMistake("schedules-no-file", said, hint="name a novel's folder or id")
    found = document(services, named[0], scene)
    if every is None:
        asyncio.run(auditing.unschedule(services, found))
        out.result({"status": "unscheduled", "document": found.name}, f"{found.name} is audited no more.")
        return
    made = asyncio.run(auditing.schedule(services, found, duration("--every", every)))
    coming = made.next_run
    data = {"status": "scheduled", "document": found.name, "every": every}
    line = f"{found.name} is audited every {every}"
    out.result(
        {**data, "next_run": coming.isoformat() if coming else None},
        f"{line}, next at {minute(coming)}." if coming else f"{line}.",
    )


def _data(done: Audited) -> dict[str, Any]:  # Any: JSON
    wrong = _is_wrong(done)
    status = "wrong" if wrong else "unreachable" if done.result.counts.get("unreachable") else "clean"
    return {
        "status": status if done.result.outcome == "done" else done.result.outcome,
        "document": done.result.subject,
        "counts": done.result.counts,
        **done.report.model_dump(mode="json"),
    }


def _is_wrong(done: Audited) -> bool:
    return bool(done.report.findings) or any(each.state in WRONG for each in done.report.entries)


def _leave(done: Audited) -> None:
    if done.result.outcome != "done":
        raise typer.Exit(EXIT_REFUSED)
    if _is_wrong(done):
        raise typer.Exit(EXIT_FAILED)
    if done.result.counts.get("unreachable"):
        raise typer.Exit(EXIT_UNREACHED)
