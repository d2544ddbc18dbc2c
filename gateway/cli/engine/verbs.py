"""The engine's verbs: up, down, status, doctor, logs, config."""

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gateway.cli import output
from gateway.cli.lazy import lazy_group
from gateway.cli.times import second
from penwright.domain.text.nearest import meant
from penwright.errors import NotFound

if TYPE_CHECKING:
    from workers.home.folder import Record
    from workers.settings import Loaded

LOGS = ("engine", "temporal", "postgres", "workflows", "activities", "models", "codec", "llama", "web")
FOLLOW_POLL_S = 0.2
LONGEST_LINE = 400


config = lazy_group(
    "Show the settings in effect.",
    {"show": "gateway.cli.engine.verbs:config_show"},
)


def up(
    detach: Annotated[
        bool, typer.Option("--detach", "-d", help="Run in the background; return when it is ready.")
    ] = False,
    json: output.JsonFlag = False,
) -> None:
    """Start the engine: Temporal, PostgreSQL and the workers.

    Everything lives in one data directory, PENWRIGHT_HOME. A second `up` on the same directory
    reports the engine that already runs, and exits 1 if its supervisor does not answer. Without
    --detach it runs until Ctrl-C, and what runs finishes its step first.

    With TEMPORAL_ADDRESS (or TEMPORAL_PROFILE) and PENWRIGHT_DATABASE_URL set, only workers run here.

    \b
    Examples:
      penwright up --detach      start in the background
      penwright status           see where everything is
      penwright down             stop it
    """
    from workers.engine import launch

    out, loaded = output.Printer(json), _load()
    if detach:
        launch.detach(loaded, out.note)
        _show_status(out, loaded)
        return

    def ready(record: "Record") -> None:
        _show_status(out, loaded)
        sys.stdout.flush()
        out.note("Ctrl-C stops it; `penwright up --detach` runs it in the background")

    if not launch.run(loaded, out.note, ready):
        out.note("an engine already runs here")
        launch.wait_ready(loaded, out.note)
        _show_status(out, loaded)


def down(json: output.JsonFlag = False) -> None:
    """Stop the engine.

    Running steps are finished first. A step that takes longer than worker.grace_s is handed back, and done
    when the engine runs again; a second `penwright down` meanwhile ends everything at once. Nothing is lost.
    """
    from workers.engine import launch

    out, loaded = output.Printer(json), _load()
    home = str(loaded.settings.home)
    ending = launch.bring_down(loaded, out.note)
    if ending is None:
        out.result({"status": "stopped", "was_running": False, "home": home}, f"no engine runs in {home}")
        return
    reports = {name: farewell.model_dump() for name, farewell in ending.farewells.items()}
    children = {name: {"state": state} for name, state in ending.children.items()}
    said = {name: farewell.said for name, farewell in ending.farewells.items()}
    text = ["the engine is stopped", *(f"  {name}: {one}" for name, one in said.items())]
    killed = [name for name, how in ending.children.items() if how == "killed"]
    text += [f"  {name}: it did not end by itself" for name in killed]
    stopped = {"status": "stopped", "was_running": True, "home": home}
    out.result({**stopped, "children": children, "activities": reports}, text)


def status(ctx: typer.Context, json: output.JsonFlag = False) -> None:
    """Show what runs, and where.

    Below the processes stand the books, novels and scenes in which something runs, waits or failed.
    Exits 1 when no engine runs.

    \b
    Example:
      penwright status --json | jq -r .ui
    """
    from gateway.cli.context import services_of
    from gateway.cli.engine.under_way import with_work
    from workers.engine.status import lines, status, warnings

    services = services_of(ctx)
    document, said = with_work(services, found := status(services.loaded()), lines(found))
    output.Printer(json).result(document, [*said, *warnings(document)])
    if not document["running"]:
        raise typer.Exit(1)


def doctor(json: output.JsonFlag = False) -> None:
    """Check this installation.

    It says what to do about each finding. Exits 1 when something must be fixed.
    """
    from workers.engine import doctor

    findings = doctor.examine(_load())
    document = doctor.document(findings)
    output.Printer(json).result(document, list(doctor.lines(findings)))
    if document["status"] == "failed":
        raise typer.Exit(1)


def logs(
    name: Annotated[str, typer.Argument(help=f"One of: {', '.join(LOGS)}; all of them when left out.")] = "",
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Go on printing what is added.")] = False,
    lines: Annotated[int, typer.Option("--lines", "-n", min=1, help="How many lines of the end.")] = 20,
    json: output.JsonFlag = False,
) -> None:
    """Print the end of the engine's logs.

    \b
    Examples:
      penwright logs activities -f      follow one process
      penwright logs -n 5               the last lines of every process
      penwright logs activities --json  every field, stack traces included
    """
    from workers.engine import processes
    from workers.home.folder import Home

    home = Home(_load().settings.home)
    logged = {one: home.log(one) for one in LOGS if home.log(one).exists()}
    if name and name not in LOGS:
        shows = "without a name, `penwright logs` shows all" if logged else "`penwright up` begins them"
        raise NotFound(
            "log-unknown",
            f"there is no log {name!r}{meant(name, LOGS)}",
            hint=f"choose one of: {', '.join(LOGS)}; {shows}",
        )
    files = {one: file for one, file in logged.items() if name in ("", one)}
    if not files:
        raise NotFound(
            "log-missing",
            f"nothing was logged in {str(home.logs)!r} yet",
            hint="start the engine with `penwright up`, then look again",
        )
    ends = {one: processes.tail(file, lines).splitlines() for one, file in files.items()}
    prefix = {one: "" if name else f"{one:<11}" for one in files}
    starts = {one: file.stat().st_size for one, file in files.items()}
    shown = [prefix[one] + readable(line) for one, end in ends.items() for line in end]
    output.Printer(json).result(ends, shown)
    if follow and not json:
        _follow(files, starts, prefix)


def config_show(json: output.JsonFlag = False) -> None:
    """Show every setting and where it came from.

    Secrets are masked. Settings come from penwright.toml (PENWRIGHT_CONFIG, ./penwright.toml, or the user's
    configuration folder, the first that exists) and from variables: engine.port is PENWRIGHT_ENGINE__PORT.
    """
    from workers.settings import effective, leaves, places_of_file

    loaded = _load()
    rows = [
        {"key": path, "value": value, "source": origin.layer, "where": origin.where}
        for path, value in leaves(effective(loaded.settings))
        for origin in [loaded.origin(path)]
    ]
    document = {"file": str(loaded.file) if loaded.file else None, "settings": rows}
    places = [f"  looked for {file}" for file in places_of_file(loaded.environ)]
    head = [f"settings file: {loaded.file}"] if loaded.file else ["settings file: none", *places]
    output.Printer(json).result(document, [*head, "", *(_setting_line(row) for row in rows)])


def _load() -> "Loaded":
    from workers.settings import load

    return load()


def _show_status(out: output.Printer, loaded: "Loaded") -> None:
    from workers.engine.silence import SUPERVISOR
    from workers.engine.status import lines, status, warnings

    document = status(loaded)
    out.result(document, [*lines(document), *warnings(document)])
    if SUPERVISOR in document["silent"]:
        raise typer.Exit(1)


def _setting_line(row: dict[str, Any]) -> str:  # Any: a setting's value as JSON
    source = row["source"] if row["source"] == "default" else f"{row['source']}: {row['where']}"
    value = "" if row["value"] is None else row["value"]
    return f"{row['key']:<34} {value!s:<40} {source}"


def readable(line: str) -> str:
    """A line of a log for people: local time, level, what happened, and the last error, if one is told.

    Stack traces stay in the file; a line that is not JSON is shown as it is.
    """
    from workers.engine.log_lines import parsed

    entry = parsed(line)
    if entry is None:
        return line
    shown = " ".join([_local(entry.at), entry.level, entry.said])
    return shown if len(shown) <= LONGEST_LINE else f"{shown[: LONGEST_LINE - 1]}…"


def _local(at: str) -> str:
    """A point of time in the user's time zone; as it is if it is none."""
    try:
        return second(at)
    except ValueError:
        return at


def _follow(files: dict[str, Path], positions: dict[str, int], prefix: dict[str, str]) -> None:
    """Print what is added to ``files`` until Ctrl-C; a file that was set aside is read from its new start."""
    while True:
        for name, file in files.items():
            size = file.stat().st_size
            if size < positions[name]:
                positions[name] = 0
            if size > positions[name]:
                with file.open("rb") as log:
                    log.seek(positions[name])
                    text = log.read(size - positions[name]).decode(errors="replace")
                positions[name] = size
                sys.stdout.writelines(
                    output.harmless(f"{prefix[name]}{readable(line)}\n") for line in text.splitlines()
                )
                sys.stdout.flush()
        time.sleep(FOLLOW_POLL_S)
