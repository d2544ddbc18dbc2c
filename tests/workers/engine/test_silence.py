"""Processes that answer nothing are named with their time, also the supervisor, and what to do about it."""

import asyncio
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import psutil
import pytest
from typer.main import get_command

from gateway.cli import output
from gateway.cli import program as cli
from tests.support.each import for_each
from tests.support.engine.home import until
from tests.workers.engine.test_condition import record
from workers.engine import doctor
from workers.engine.children import NO_ANSWER
from workers.engine.condition import ready
from workers.engine.silence import asked_again, silent_processes
from workers.engine.status import lines, status, warnings
from workers.home.folder import ChildRecord, Home
from workers.settings import load


class _Refusing(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_error(503)

    def log_message(self, *words: object) -> None:
        pass


@pytest.fixture
def answering() -> Iterator[str]:
    """The address of a process that answers, if only that it cannot work."""
    with HTTPServer(("127.0.0.1", 0), _Refusing) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.fixture
def sleeper() -> Iterator[Callable[[], int]]:
    """Starts a process, freezes it, and returns its pid."""
    started: list[subprocess.Popen[bytes]] = []

    def frozen() -> int:
        started.append(subprocess.Popen([sys.executable, "-S", "-c", "import time; time.sleep(600)"]))
        process = psutil.Process(started[-1].pid)
        process.suspend()
        until(lambda: process.status() == psutil.STATUS_STOPPED)
        return process.pid

    yield frozen
    for each in started:
        each.kill()
        each.wait()


def child(pid: int, health: str | None = None) -> ChildRecord:
    return ChildRecord(state="ready", pid=pid, health=health)


def test_a_process_that_answers_that_it_cannot_work_is_not_silent(tmp_path: Path, answering: str) -> None:
    found = record(web=child(os.getpid(), answering)).model_copy(update={"pid": os.getpid()})

    assert silent_processes(Home(tmp_path), found) == []


def test_frozen_processes_are_silent_with_or_without_an_address(
    tmp_path: Path, sleeper: Callable[[], int]
) -> None:
    found = record(
        workflows=child(sleeper()), web=child(os.getpid(), "http://127.0.0.1:1"), models=child(os.getpid())
    ).model_copy(update={"pid": sleeper()})

    assert silent_processes(Home(tmp_path), found) == ["engine", "workflows", "web"]


def test_the_readiness_probe_asks_the_processes_itself(tmp_path: Path, sleeper: Callable[[], int]) -> None:
    found = asyncio.run(asked_again(Home(tmp_path), record(models=child(sleeper()), web=child(sleeper()))))

    answer = ready(found)

    assert answer.body["reason"] == f"models-{NO_ANSWER}"
    assert answer.body["children"]["web"]["lacks"] == NO_ANSWER


def test_a_frozen_supervisor_is_not_told_as_ready(tmp_path: Path, sleeper: Callable[[], int]) -> None:
    loaded, home = load({"PENWRIGHT_CONFIG": "", "PENWRIGHT_HOME": str(tmp_path)}), Home(tmp_path)
    home.make()
    with home.hold():
        pid = sleeper()
        home.write(record().model_copy(update={"pid": pid}))
        document = status(loaded)
        (finding,) = (each for each in doctor.examine(loaded) if each.name == "engine")

    assert (document["silent"], document["state"], document["ready"]) == (["engine"], NO_ANSWER, False)
    assert lines(document)[0].startswith("engine    does not answer, pid ")
    (said,) = warnings(document)
    assert f"no answer from the engine's supervisor (pid {pid}) since " in said
    assert said.endswith(f"`kill -CONT {pid}` lets it go on")
    assert finding.verdict == "failed"
    assert "penwright down`, then `" in finding.advice


@for_each("words", [("up", "--detach"), ("up",)])
def test_up_over_a_frozen_supervisor_says_so_and_exits_1(
    tmp_path: Path,
    sleeper: Callable[[], int],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    words: tuple[str, ...],
) -> None:
    monkeypatch.setenv("PENWRIGHT_CONFIG", "")
    monkeypatch.setenv("PENWRIGHT_HOME", str(tmp_path))
    home = Home(tmp_path)
    home.make()
    with home.hold():
        pid = sleeper()
        home.write(record(web=child(os.getpid())).model_copy(update={"pid": pid}))
        code = output.run(get_command(cli.app), "penwright", words)

    assert code == 1
    assert f"no answer from the engine's supervisor (pid {pid})" in capsys.readouterr().out


def test_a_silent_process_is_not_called_ready_and_its_time_is_said() -> None:
    document: dict[str, Any] = {"running": True, "ui": None, "web": None, "health": None}
    document |= dict.fromkeys(("state", "pid", "temporal", "namespace", "database", "home"), "x")
    found = ChildRecord(state="ready", pid=7, lacks=NO_ANSWER, silent_since=1_000_000, restarts=1)

    last = lines(document | {"children": {"web": found.model_dump()}})[-1]

    assert last.split() == [
        *("web", "does", "not", "answer", "since"),
        *(last.split()[5], "pid", "7,", "restarted", "once"),
    ]
