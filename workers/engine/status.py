"""What runs, and where: the answer of ``penwright status``."""

from collections.abc import Collection, Iterator
from typing import Any

from workers.engine import condition, postgres, processes, temporal
from workers.engine.children import NO_ANSWER
from workers.engine.server_probe import ServerProbe, postgres_probe, silent, temporal_probe
from workers.home.folder import Home, Record
from workers.settings import Loaded, Settings, mask_url

_STARTING = "the model worker still starts; sessions begin, and wait for it before they write"
_LACKS = {"models-waiting": _STARTING, "models-starting": _STARTING}
"""What a health code means, where it is no fault."""
_CHANGED = (
    "the settings file was changed after the start: caps hold already, the rest after `penwright down` "
    "and `penwright up --detach`"
)
_SILENT = (
    "no answer from {} within {:g} s; after {:g} s without one it is replaced (engine.stuck_s; 0: never)"
)
_PATIENCE_S = 1.0
"""How long the servers are asked whether they answer."""
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
        document["silent"] = _silent(settings, record)
        record = _with_silence(record, document["silent"])
        document |= _of_record(settings, record)
        document["settings_changed"] = settings_changed(loaded, record)
        document["warnings"] = [*loaded.warnings, *_warnings(document, record, settings.engine.stuck_s)]
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
        f"engine    {document['state']}, pid {document['pid']}, up {duration(document.get('uptime_s', 0))}",
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
    """What a person should do something about, printed last."""
    return [f"warning: {each}" for each in document["warnings"]]


def _silent(settings: Settings, record: Record) -> list[str]:
    """The embedded servers that should answer and do not."""
    probes: dict[str, ServerProbe] = {}
    if settings.embeds_temporal and (port := record.temporal_port):
        probes["temporal"] = temporal_probe(temporal.HOST, lambda: port)
    if settings.embeds_postgres:
        folder = postgres.socket_folder(Home(settings.home).postgres)
        probes["postgres"] = postgres_probe(folder, postgres.SUPERUSER)
    ready = {name for name, child in record.children.items() if child.state == "ready"}
    return silent({name: probes[name] for name in probes if name in ready}, patience_s=_PATIENCE_S)


def _with_silence(record: Record, names: Collection[str]) -> Record:
    children = {
        name: child.model_copy(update={"lacks": NO_ANSWER}) if name in names else child
        for name, child in record.children.items()
    }
    return record.model_copy(update={"children": children})


# Any: as ``status`` makes it.
def _warnings(document: dict[str, Any], record: Record, stuck_s: float) -> Iterator[str]:
    web = record.children.get(condition.WORKSPACE)
    if web and (web.state == "given up" or web.stood_at):
        stood = f"it showed no progress in its start ({web.stood_at})"
        yield _NO_WORKSPACE.format(stood if web.stood_at else "it ends as soon as it starts")
    for name in document["silent"]:
        yield _SILENT.format(name, _PATIENCE_S, stuck_s)
    if document["settings_changed"]:
        yield _CHANGED


def settings_changed(loaded: Loaded, record: Record) -> bool:
    """Whether the settings file was written after the engine read it."""
    try:
        return loaded.file is not None and loaded.file.stat().st_mtime > record.started
    except OSError:
        return False


def _child_line(name: str, child: dict[str, Any]) -> str:  # Any: as ``status`` made it
    facts = [child["state"]]
    facts += [f"pid {child['pid']}"] if child["pid"] else []
    facts += [f"in its start: {child['step']}"] if child["step"] and child["state"] == "starting" else []
    facts += [f"not ready: {child['lacks']}"] if child["lacks"] and child["state"] == "ready" else []
    facts += [f"{child['under_way']} under way"] if child["under_way"] else []
    facts += [f"restarted {child['restarts']} times"] if child["restarts"] else []
    facts += [f"{child['stuck']} of them because it was stuck"] if child["stuck"] else []
    return f"  {name:<10} {', '.join(facts)}"


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
