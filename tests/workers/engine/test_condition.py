"""The engine's answer to probes, made from its record."""

import os
import socket
import threading
from collections.abc import Iterator
from http import HTTPStatus
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from penwright.errors import PermanentError
from workers.engine import condition
from workers.engine.health_server import HealthServer
from workers.engine.status import lines, settings_changed, status, warnings
from workers.home.folder import ChildRecord, Home, Record
from workers.settings import HealthSettings, load


def record(state: str = "ready", **children: ChildRecord) -> Record:
    return Record(state=state, pid=1, started=0, version="1", children=children)


WORKS = ChildRecord(state="ready")


@pytest.mark.parametrize(
    ("found", "reason"),
    [
        (record("starting"), "starting"),
        (record("stopping", activities=WORKS), "draining"),
        (record(activities=ChildRecord(state="given up")), "activities-given-up"),
        (record(activities=ChildRecord(state="stuck")), "activities-stuck"),
        (
            record(models=ChildRecord(state="ready", lacks="temporal-unreachable")),
            "models-temporal-unreachable",
        ),
    ],
)
def test_an_unready_engine_names_the_processes_and_their_faults(found: Record, reason: str) -> None:
    answer = condition.ready(found)

    assert (answer.status, answer.body["reason"]) == (HTTPStatus.SERVICE_UNAVAILABLE, reason)
    assert condition.alive(found).status == HTTPStatus.OK


def test_an_engine_is_ready_when_all_its_processes_are() -> None:
    assert condition.ready(record(activities=WORKS, temporal=WORKS)).status == HTTPStatus.OK


def test_status_names_unready_and_stuck_processes() -> None:
    child = ChildRecord(
        state="ready", pid=7, lacks="database-unreachable", under_way=2, restarts=3, stuck=1
    ).model_dump()
    shown = lines(
        {
            "running": True,
            "state": "ready",
            "pid": 1,
            "temporal": "t",
            "namespace": "n",
            "ui": None,
            "web": None,
        }
        | {"database": "d", "home": "h", "health": "http://127.0.0.1:1", "ready": False}
        | {
            "lacks": "activities-database-unreachable",
            "children": {"activities": child},
        }
    )

    assert "health    http://127.0.0.1:1/readyz, not ready: activities-database-unreachable" in shown
    assert shown[-1].split("activities ")[-1] == (
        "not ready: database-unreachable, pid 7, 2 under way, restarted 3 times, was stuck once"
    )


def test_status_tells_that_the_settings_were_changed_after_the_start(tmp_path: Path) -> None:
    file = tmp_path / "penwright.toml"
    file.write_text("")
    loaded = load({"PENWRIGHT_CONFIG": str(file), "PENWRIGHT_HOME": str(tmp_path)})
    written = file.stat().st_mtime

    before, after = [
        settings_changed(loaded, record().model_copy(update={"started": at}))
        for at in (written - 1, written + 1)
    ]
    file.unlink()

    assert (before, after, settings_changed(loaded, record())) == (True, False, False)


STOPPING = record("stopping")


def answered(health_server: HealthServer, *paths: str) -> list[int]:
    """Ask like a probe, while the supervisor waits."""
    found: list[int] = []

    def ask() -> None:
        for path in paths:
            client = HTTPConnection("127.0.0.1", urlsplit(health_server.url).port or 0, timeout=10)
            client.request("GET", path)
            found.append(client.getresponse().status)
            client.close()
        os.write(writing, b".")

    reading, writing = os.pipe()
    probe = threading.Thread(target=ask)
    probe.start()
    assert health_server.wait([reading], 10) == {reading}
    probe.join()
    for descriptor in (reading, writing):
        os.close(descriptor)
    return found


@pytest.fixture
def health_server(tmp_path: Path) -> Iterator[HealthServer]:
    made = HealthServer(HealthSettings(), Home(tmp_path), lambda: STOPPING)
    yield made
    made.close()


def test_the_supervisor_answers_between_two_looks(health_server: HealthServer) -> None:
    assert answered(health_server, "/healthz", "/readyz", "/metrics") == [200, 503, 404]


def test_a_client_that_says_nothing_does_not_hold_up_the_next(health_server: HealthServer) -> None:
    with socket.create_connection(("127.0.0.1", urlsplit(health_server.url).port or 0)):
        assert answered(health_server, "/healthz") == [200]


def test_a_wait_ends_in_time_while_nothing_happens(health_server: HealthServer) -> None:
    assert health_server.wait([], 0.01) == set()


def test_a_taken_port_of_the_engine_is_named(health_server: HealthServer, tmp_path: Path) -> None:
    taken = HealthSettings(engine_port=urlsplit(health_server.url).port)
    with pytest.raises(PermanentError) as caught:
        HealthServer(taken, Home(tmp_path), lambda: STOPPING)

    assert caught.value.code == "port-taken"


def test_what_a_person_should_mend_is_said_last_as_warnings(tmp_path: Path) -> None:
    file = tmp_path / "penwright.toml"
    file.write_text("[engine]\nstart_timeout_s = 90\n")
    loaded = load({"PENWRIGHT_CONFIG": str(file), "PENWRIGHT_HOME": str(tmp_path)})
    home = Home(tmp_path)
    home.make()
    with home.hold():
        web = ChildRecord(state="starting", stuck=1, stood_at="its first step")
        home.write(record(web=web).model_copy(update={"started": file.stat().st_mtime - 1}))
        said = warnings(status(loaded))

    assert [each.partition(":")[0] for each in said] == ["warning"] * 3
    assert "engine.start_timeout_s" in said[0]
    assert "the workspace does not answer: it showed no progress in its start" in said[1]
    assert "the settings file was changed after the start" in said[2]
