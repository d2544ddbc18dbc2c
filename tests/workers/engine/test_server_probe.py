"""Whether a server answers, asked without ever waiting for it."""

import asyncio
import socket
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from psycopg.conninfo import conninfo_to_dict
from temporalio.testing import WorkflowEnvironment

from tests.support.engine.home import until
from tests.workers.engine.test_stuck_detector import HandClock
from workers.engine import processes
from workers.engine.children import NO_ANSWER, Child
from workers.engine.processes import Program
from workers.engine.server_probe import ServerProbe, postgres_probe, silent, temporal_probe
from workers.engine.stuck_detector import StuckDetector


@pytest.mark.server
def test_postgres_answers(postgres_server: str) -> None:
    folder = Path(str(conninfo_to_dict(postgres_server)["host"]))

    assert silent({"postgres": postgres_probe(folder, "postgres")}, patience_s=30) == []


@pytest.mark.server
async def test_temporal_answers(temporal_env: WorkflowEnvironment) -> None:
    host, _, port = temporal_env.client.service_client.config.target_host.partition(":")
    probe = temporal_probe(host, lambda: int(port))

    assert await asyncio.to_thread(silent, {"temporal": probe}, patience_s=30) == []


@pytest.fixture
def mute(tmp_path: Path) -> Iterator[socket.socket]:
    """A socket where PostgreSQL's would be; the system takes connections, and no process answers."""
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / ".s.PGSQL.5432"))
        listening.listen()
        yield listening


def probe_of(mute: socket.socket) -> ServerProbe:
    return postgres_probe(Path(mute.getsockname()).parent, "postgres")


def test_a_server_that_takes_connections_and_says_nothing_is_silent(mute: socket.socket) -> None:
    assert silent({"postgres": probe_of(mute)}, patience_s=0.05) == ["postgres"]


def test_a_server_that_is_not_there_is_silent(tmp_path: Path) -> None:
    assert silent({"postgres": postgres_probe(tmp_path, "postgres")}, patience_s=0.05) == ["postgres"]


def test_a_refusal_is_an_answer(mute: socket.socket) -> None:
    probe = probe_of(mute)

    assert not probe.answered()
    with mute.accept()[0] as accepted:
        accepted.sendall(b"E\0\0\0\x20SFATAL\0C53300\0Mtoo many\0\0")
        assert probe.answered()


SLEEPS = "import time; time.sleep(600)"
FAMILY = f"import subprocess, sys; subprocess.run([sys.executable, '-S', '-c', {SLEEPS!r}])"


def test_a_server_without_an_answer_is_replaced_with_all_its_processes(
    tmp_path: Path, mute: socket.socket
) -> None:
    clock = HandClock()
    argv = (sys.executable, "-S", "-c", FAMILY)
    child = Child(
        "postgres",
        lambda: Program("postgres", argv, {}, tmp_path, tmp_path / "log"),
        lambda child: bool(child.pid and processes.descendants(child.pid)),
        probe=probe_of(mute),
        stuck_detector=StuckDetector(30, 60, clock=clock),
    )

    def look() -> str:
        child.look(processes.now())
        return child.state

    until(lambda: look() == "ready")
    family = [psutil.Process(child.pid), *processes.descendants(child.pid or 0)]
    for process in family:
        process.suspend()
    for _ in range(14):
        clock.now += 2
        look()
    before = child.record()
    clock.now += 2
    until(lambda: look() == "waiting")
    child.kill()

    assert (before.state, before.lacks) == ("ready", NO_ANSWER)
    assert child.record().stuck == 1
    assert psutil.wait_procs(family, timeout=30)[1] == []
