"""Processes of a running engine that answer nothing: those that a signal stopped, and those that hang."""

from collections.abc import Collection

from workers.engine import postgres, processes, temporal
from workers.engine.children import NO_ANSWER
from workers.engine.server_probe import (
    ServerProbe,
    found_silent,
    http_probe,
    postgres_probe,
    silent,
    temporal_probe,
)
from workers.home.folder import Home, Record

PATIENCE_S = 1.0
"""Seconds for an answer; all processes are asked at once."""
SUPERVISOR = "engine"
"""Name of the supervisor among processes, as of its log."""


def silent_processes(home: Home, record: Record) -> list[str]:
    """The names of those that should answer and do not, ``SUPERVISOR`` among them; takes ``PATIENCE_S``."""
    supervisor = {SUPERVISOR: _probe_at(record.health)} if record.health else {}
    unheard = silent(supervisor | _probes(home, record), patience_s=PATIENCE_S)
    stopped = _stopped({SUPERVISOR: record.pid, **_pids(record)})
    return [name for name in (SUPERVISOR, *record.children) if name in unheard or name in stopped]


async def asked_again(home: Home, record: Record) -> Record:
    """The record as it is now, for the supervisor itself: with those of its processes that do not answer."""
    unheard = await found_silent(_probes(home, record), patience_s=PATIENCE_S)
    return with_silence(record, {*unheard, *_stopped(_pids(record))})


def with_silence(record: Record, names: Collection[str]) -> Record:
    """``record``, in which the processes of these names do not answer."""
    children = {
        name: child.model_copy(update={"lacks": NO_ANSWER}) if name in names else child
        for name, child in record.children.items()
    }
    return record.model_copy(update={"children": children})


def _pids(record: Record) -> dict[str, int]:
    return {
        name: child.pid for name, child in record.children.items() if child.state == "ready" and child.pid
    }


def _stopped(pids: dict[str, int]) -> list[str]:
    return [name for name, pid in pids.items() if processes.is_stopped(pid)]


def _probe_at(address: str) -> ServerProbe:
    return http_probe(lambda: address)


def _probes(home: Home, record: Record) -> dict[str, ServerProbe]:
    """A question for each process that is ready and has an address."""
    ready = _pids(record)
    addresses = {name: record.children[name].health for name in ready}
    if record.codec_port:
        addresses["codec"] = f"http://{temporal.HOST}:{record.codec_port}"
    probes = {name: _probe_at(at) for name, at in addresses.items() if at and name in ready}
    if "temporal" in ready and (port := record.temporal_port):
        probes["temporal"] = temporal_probe(temporal.HOST, lambda: port)
    if "postgres" in ready:
        probes["postgres"] = postgres_probe(postgres.socket_folder(home.postgres), postgres.SUPERUSER)
    return probes
