"""Running processes and their addresses: the answer of ``penwright status``."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from workers.engine import condition, processes
from workers.engine.children import NO_ANSWER
from workers.engine.silence import SUPERVISOR, silent_processes, with_silence
from workers.home.folder import Home, Record
from workers.settings import Loaded, Settings, mask_url

_STARTING = "the model worker still starts; sessions begin, and wait for it before they write"
_LACKS = {"models-waiting": _STARTING, "models-starting": _STARTING}
"""Meaning of a health code, where it is no fault."""
_STATES = {NO_ANSWER: "does not answer"}
"""States that people read in other words than programs."""
_CHANGED = (
    "the settings file was changed after the start: caps hold already, the rest after `penwright down` "
    "and `penwright up --detach`"
)
_SILENT = "no answer from {}{}; after {:g} s without one it is replaced (engine.stuck_s; 0: never)"
_SILENT_SUPERVISOR = (
    "no answer from the engine's supervisor (pid {}){}; the other processes go on, and none of them is "
    "started again or replaced; run `{}`, then `{}`"
)
_STOPPED = "; a signal stopped it: `kill -CONT {}` lets it go on"
_NO_WORKSPACE = "the workspace does not answer: {}; `penwright logs web` says why"


def status(loaded: Loaded) -> dict[str, Any]:  # Any: a JSON document
    """The engine of these settings as a JSON document; ``running`` is known by the lock, not the record."""
    settings = loaded.settings
    home = Home(settings.home)
    holder = home.holder()
    record = home.read()
    running = holder is not None
    document: dict[str, Any] = {
        "running": running,
        "state": record.state if running and record else "stopped",
        "home": str(settings.home),
        "pid": holder.pid if holder else None,
        "temporal": settings.engine.address or settings.engine.profile,
        "namespace": settings.engine.namespace,
        "ui": None,
        "web": None,
        "database": None if settings.embeds_postgres else _external_database(settings),
        "embedded": {"temporal": settings.embeds_temporal, "postgres": settings.embeds_postgres},
        "queues": [settings.worker.queue, settings.repo_queue, settings.worker.model_queue],
        "health": None,
        "ready": False,
        "lacks": "",
        "children": {},
        "silent": [],
        "warnings": list(loaded.warnings),
    }
    if running and record:
        document["silent"] = silent_processes(home, record)
        record = with_silence(record, document["silent"])
        document |= _of_record(settings, record)
        if SUPERVISOR in document["silent"]:
            document |= {"state": NO_ANSWER, "ready": False, "lacks": f"{SUPERVISOR}-{NO_ANSWER}"}
        document["settings_changed"] = settings_changed(loaded, record)
        document["warnings"] = [*loaded.warnings, *_warnings(loaded, document, record)]
    if not running and record and record.state == "failed":
        document["reason"] = record.reason
    return document


def lines(document: dict[str, Any]) -> list[str]:  # Any: as ``status`` made it
    """The same for people."""
    if not document["running"]:
        said = [f"no engine runs in {document['home']}"]
        if reason := document.get("reason"):
            said.append(f"  last time: {reason}")
        return [*said, "  start it with: penwright up --detach"]
    said = [
        f"engine    {_STATES.get(document['state'], document['state'])}, pid {document['pid']}, "
        f"up {duration(document.get('uptime_s', 0))}",
        f"temporal  {document['temporal']}, namespace {document['namespace']}",
    ]
    if document["ui"]:
        said.append(f"web ui    {document['ui']}")
    if document["web"]:
        said.append(f"workspace {document['web']}, opened by `penwright web`")
    said += [f"database  {document['database']}", f"home      {document['home']}"]
    if document["health"]:
        lacks = (
            ""
            if document["ready"]
            else f", {_LACKS.get(document['lacks'], 'not ready: ' + document['lacks'])}"
        )
        said.append(f"health    {document['health']}/readyz{lacks}")
    return [*said, "processes", *(_child_line(name, child) for name, child in document["children"].items())]


def warnings(document: dict[str, Any]) -> list[str]:  # Any: as ``status`` made it
    """List what a person should do something about, printed last."""
    return [f"warning: {each}" for each in document["warnings"]]


# Any: as ``status`` makes it.
def _warnings(loaded: Loaded, document: dict[str, Any], record: Record) -> Iterator[str]:
    web = record.children.get(condition.WORKSPACE)
    if web and (web.state == "given up" or web.stood_at):
        stood = f"it showed no progress in its start ({web.stood_at})"
        yield _NO_WORKSPACE.format(stood if web.stood_at else "it ends as soon as it starts")
    for name in document["silent"]:
        if name == SUPERVISOR:
            yield silent_supervisor(loaded, record)
        else:
            since = since_words(record.children[name].silent_since)
            yield _SILENT.format(name, since, loaded.settings.engine.stuck_s)
    if document["settings_changed"]:
        yield _CHANGED


def silent_supervisor(loaded: Loaded, record: Record) -> str:
    """One sentence about a supervisor that does not answer, with what to do."""
    since = since_words(Home(loaded.settings.home).beaten())
    said = _SILENT_SUPERVISOR.format(record.pid, since, loaded.command("down"), loaded.command("up --detach"))
    return said + (_STOPPED.format(record.pid) if processes.is_stopped(record.pid) else "")


def since_words(at: float | None) -> str:
    """`` since 14:03:22``, by the clock of this machine; empty if it is not known.

    Args:
        at: seconds since the epoch.
    """
    return f" since {datetime.fromtimestamp(at).astimezone():%H:%M:%S}" if at else ""


def states(document: Mapping[str, Any]) -> dict[str, str]:  # Any: as ``status`` made it
    """The state of each process in words; the supervisor is among them if it does not answer."""
    supervisor = {SUPERVISOR: _STATES[NO_ANSWER]} if SUPERVISOR in document["silent"] else {}
    return {**supervisor, **{name: _state(child) for name, child in document["children"].items()}}


def settings_changed(loaded: Loaded, record: Record) -> bool:
    """Whether the settings file was written after the engine read it."""
    try:
        return loaded.file is not None and loaded.file.stat().st_mtime > record.started
    except OSError:
        return False


def _child_line(name: str, child: dict[str, Any]) -> str:  # Any: as ``status`` made it
    facts = [_state(child)]
    facts += [f"pid {child['pid']}"] if child["pid"] else []
    facts += [f"in its start: {child['step']}"] if child["step"] and child["state"] == "starting" else []
    facts += [f"{child['under_way']} under way"] if child["under_way"] else []
    facts += [f"restarted {times(child['restarts'])}"] if child["restarts"] else []
    facts += [f"was stuck {times(child['stuck'])}"] if child["stuck"] else []
    return f"  {name:<10} {', '.join(facts)}"


def _state(child: dict[str, Any]) -> str:  # Any: as ``status`` made it
    """One word for its state; one that lacks something is not called ready."""
    lacks = child["lacks"]
    if child["state"] != "ready" or not lacks:
        return str(child["state"])
    if lacks == NO_ANSWER:
        return f"{_STATES[NO_ANSWER]}{since_words(child['silent_since'])}"
    return f"not ready: {lacks}"


def times(count: int) -> str:
    """``once``, ``3 times``."""
    return "once" if count == 1 else f"{count} times"


def duration(seconds: float) -> str:
    """``3 d 4 h``, ``2 h 5 min``, ``7 s``."""
    whole = int(seconds)
    for size, unit, smaller, small_unit in ((86_400, "d", 3_600, "h"), (3_600, "h", 60, "min")):
        if whole >= size:
            return f"{whole // size} {unit} {whole % size // smaller} {small_unit}"
    return f"{whole // 60} min {whole % 60} s" if whole >= 60 else f"{whole} s"


def _of_record(settings: Settings, record: Record) -> dict[str, Any]:  # Any: part of the document
    now = processes.now()
    children = {
        name: child.model_dump() | {"uptime_s": round(now - child.started, 1) if child.started else None}
        for name, child in record.children.items()
    }
    lacks = condition.ready(record).body.get("reason", "")
    found: dict[str, Any] = {
        "uptime_s": round(now - record.started, 1),
        "version": record.version,
        "health": record.health,
        "web": record.web,
        "ready": not lacks,
        "lacks": lacks,
        "children": children,
    }
    if settings.embeds_temporal:
        found |= {"temporal": record.temporal, "ui": record.ui}
    if settings.embeds_postgres:
        found["database"] = record.database_url
    return found


def _external_database(settings: Settings) -> str:
    assert settings.database_url is not None
    return mask_url(settings.database_url.get_secret_value())
