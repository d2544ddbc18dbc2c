"""``penwright run bundle|replay``: all that is known of a run in one file, and whether it replays."""

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gateway.cli.output import EXIT_FAILED, JsonFlag, Printer
from gateway.desk.services import Services, services_of

if TYPE_CHECKING:
    from gateway.desk.agent_runs import Segment
    from gateway.desk.bundles import Bundle
    from gateway.desk.replaying import Divergence


def register(group: typer.Typer) -> None:
    """Add the verbs to ``penwright run``."""
    group.command("bundle")(bundle)
    group.command("replay")(replay)


def bundle(
    ctx: typer.Context,
    run_id: Annotated[str, typer.Argument(metavar="ID", help="The run's id; its sub-agents come along.")],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="A new file. Default: penwright-run-ID.zip here.")
    ] = None,
    json: JsonFlag = False,
) -> None:
    """Put all that is known of a run into one zip, without secrets.

    \b
      penwright run bundle notes-7
      penwright run bundle notes-7 --output /tmp/notes-7.zip

    It holds the transcript, the result, the state, every history, the messages, the prompt and tools of each
    turn, the definitions, the settings in effect, and versions. What the agent read and wrote is in it: look
    before you hand it on. No worker is needed. The run of a session's writer, book/BOOK/SESSION, comes with
    the histories of its session.
    """
    from gateway.desk import bundles
    from gateway.desk.evidence import accounts, gathered

    services = services_of(ctx)
    to = output or Path(f"penwright-run-{run_id.replace('/', '-')}.zip")
    bundles.check(to)
    services.register_agents()
    found = accounts(run_id, asyncio.run(_segments(services, run_id)))
    with services.open_store() as store:
        evidence = gathered(found, store, services.disclosure())
    about = {
        "run_id": run_id,
        "made_at": services.now().isoformat(),
        "runs": evidence.runs,
        "missing": evidence.missing,
    }
    manifest = bundles.write(to, f"penwright-run-{run_id.replace('/', '-')}", about, evidence.files)
    data = {"status": "written", "path": str(to), **manifest}
    Printer(json).result(data, _bundled(to, manifest))


def replay(
    ctx: typer.Context,
    bundle: Annotated[Path, typer.Argument(metavar="BUNDLE", help="A zip from `penwright run bundle`.")],
    json: JsonFlag = False,
) -> None:
    """Check a bundle, and whether today's code would do in its run what was done.

    \b
      penwright run replay penwright-run-notes-7.zip

    Nothing is called and nothing changes; the engine need not run.
    Exit codes: 0 it would, 1 it parts at the step named, 2 no bundle, or a damaged one.
    """
    from gateway.desk import bundles
    from gateway.desk.replaying import divergences

    services_of(ctx).register_agents()
    found = bundles.read(bundle)
    parted = asyncio.run(divergences(_histories(found)))
    changed = list(_changed(found))
    data = {
        "status": "diverges" if parted else "passes",
        "run_id": found.manifest["run_id"],
        "histories": len(_histories(found)),
        "first": _divergence(parted[0]) if parted else None,
        "divergences": [_divergence(each) for each in parted],
        "definitions_changed": changed,
    }
    Printer(json).result(data, _replayed(data, changed))
    if parted:
        raise typer.Exit(EXIT_FAILED)


async def _segments(services: Services, run_id: str) -> "tuple[Segment, ...]":
    async with services.agent_runs() as runs:
        return await runs.segments(run_id)


def _bundled(to: Path, manifest: "Any") -> list[str]:  # Any: JSON
    runs = manifest["runs"]
    histories = sum(each["histories"] for each in runs)
    lines = [f"Wrote {to}: {len(manifest['files'])} files, {histories} histories, {len(runs)} runs."]
    lines += [f"  missing: {each}" for each in manifest["missing"]]
    return [*lines, "Known secrets are taken out of it; look through it before you hand it on."]


def _histories(found: "Bundle") -> list[tuple[str, str, Any]]:  # Any: JSON
    return [
        (path, run["workflow_id"], found.json(path))
        for run in found.manifest["runs"]
        for path in sorted(found.files)
        if path.startswith(f"{run['folder']}/history-")
    ]


def _changed(found: "Bundle") -> "Any":  # Any: an iterator of names
    """Agents whose definition is another one today than the run was pinned to."""
    from penwright.agents.definition.manifest import definition_digest
    from penwright.errors import NotFound
    from penwright.roles import catalogue

    for run in found.manifest["runs"]:
        try:
            today = definition_digest(catalogue.find(run["agent"]).definition)
        except NotFound:
            today = ""
        if run["definition"] and run["definition"] != today:
            yield run["agent"]


def _divergence(parted: "Divergence") -> dict[str, Any]:  # Any: JSON
    return {"history": parted.history, "event": parted.event, "step": parted.step, "why": parted.why}


def _replayed(data: dict[str, Any], changed: list[str]) -> list[str]:  # Any: JSON
    lines = [f"The definition of {name} has changed since." for name in changed]
    if data["status"] == "passes":
        return [f"{data['run_id']}: checksums are right, {data['histories']} histories replay.", *lines]
    first = data["first"]
    where = f"event {first['event']} ({first['step']})" if first["event"] else "its beginning"
    return [f"{data['run_id']}: {first['history']} parts at {where}:", f"  {first['why']}", *lines]
