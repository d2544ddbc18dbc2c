"""``penwright run bundle|replay``: all that is known of a run in one file, and whether it replays."""

import asyncio
from pathlib import Path
from typing import Annotated, Any

import typer

from gateway.cli.completing import RUNS
from gateway.cli.context import services_of
from gateway.cli.output import EXIT_FAILED, JsonFlag, Printer
from gateway.cli.standard_output import placed
from gateway.desk.run_records import bundles
from gateway.desk.run_records import evidence as desk
from gateway.desk.run_records.replaying import Divergence, replayed
from penwright.domain.text.counted import counted


def bundle(
    ctx: typer.Context,
    run_id: Annotated[
        str,
        typer.Argument(metavar="ID", help="The run's id; its sub-agents come along.", autocompletion=RUNS),
    ],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="A new file. Default: penwright-run-ID.zip here.")
    ] = None,
    json: JsonFlag = False,
) -> None:
    """Put all that is known of a run into one zip.

    \b
      penwright run bundle notes-7
      penwright run bundle notes-7 --output /tmp/notes-7.zip

    It holds the transcript, the result, the state, every history, the messages, the prompt and tools of each
    turn, the definitions, the settings in effect, and versions. Known secrets are removed, but everything
    that the agent read and wrote is in it: review it before sharing. No worker is needed. The run of a
    session's writer, book/BOOK/SESSION, comes with the histories of its session.
    """
    name = f"penwright-run-{run_id.replace('/', '-')}"
    out = Printer(json)
    with placed(output, out) as named:
        to = named or Path(f"{name}.zip")
        bundles.check(to)
        about, files = asyncio.run(desk.bundled(services_of(ctx), run_id))
        manifest = bundles.write(to, name, about, files)
        data = {"status": "written", "path": str(to), **manifest}
        out.result(data, _bundled(to, manifest))


def replay(
    ctx: typer.Context,
    bundle: Annotated[Path, typer.Argument(metavar="BUNDLE", help="A zip from `penwright run bundle ID`.")],
    json: JsonFlag = False,
) -> None:
    """Check a bundle and replay it with the current code.

    \b
      penwright run replay penwright-run-notes-7.zip

    Changes nothing; needs no engine. Exit codes: 0 replays, 1 diverges at the step named, 2 invalid bundle.
    """
    services_of(ctx).register_agents()
    found = bundles.read(bundle)
    replay = asyncio.run(replayed(found))
    parted, changed = replay.divergences, list(replay.changed)
    data = {
        "status": "diverges" if parted else "passes",
        "run_id": found.manifest["run_id"],
        "histories": replay.histories,
        "first": _divergence(parted[0]) if parted else None,
        "divergences": [_divergence(each) for each in parted],
        "definitions_changed": changed,
    }
    Printer(json).result(data, _replayed(data, changed))
    if parted:
        raise typer.Exit(EXIT_FAILED)


def _bundled(to: Path, manifest: Any) -> list[str]:  # Any: JSON
    runs = manifest["runs"]
    histories = sum(each["histories"] for each in runs)
    lines = [
        f"Wrote {to}: {counted(len(manifest['files']), 'file')}, "
        f"{counted(histories, 'history', 'histories')}, {counted(len(runs), 'run')}."
    ]
    lines += [f"  missing: {each}" for each in manifest["missing"]]
    return [*lines, "Known secrets are taken out of it; look through it before you hand it on."]


def _divergence(parted: Divergence) -> dict[str, Any]:  # Any: JSON
    return {"history": parted.history, "event": parted.event, "step": parted.step, "why": parted.why}


def _replayed(data: dict[str, Any], changed: list[str]) -> list[str]:  # Any: JSON
    lines = [f"The definition of {name} has changed since." for name in changed]
    if data["status"] == "passes":
        replay = "1 history replays" if data["histories"] == 1 else f"{data['histories']} histories replay"
        return [f"{data['run_id']}: checksums are right, {replay}.", *lines]
    first = data["first"]
    where = f"event {first['event']} ({first['step']})" if first["event"] else "its beginning"
    return [f"{data['run_id']}: {first['history']} parts at {where}:", f"  {first['why']}", *lines]
