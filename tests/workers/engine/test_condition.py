"""The engine's own answer to probes, made of what its record says."""

import select
import socket
import threading
from http import HTTPStatus
from http.client import HTTPConnection

import pytest

from penwright.errors import PermanentError
from workers.engine import condition
from workers.engine.doorstep import Doorstep
from workers.engine.home import ChildRecord, Record
from workers.engine.status import lines
from workers.health_pages import fine, lacking
from workers.settings import HealthSettings

FINE = fine(state="ready")
ROUTES = {"/healthz": lambda: FINE, "/readyz": lambda: lacking("draining", "the engine is stopping")}


def record(state: str = "ready", **children: ChildRecord) -> Record:
    return Record(state=state, pid=1, started=0, version="1", children=children)


WORKS = ChildRecord(state="ready")


@pytest.mark.parametrize(
    ("found", "reason"),
    [
        (record("starting"), "starting"),
        (record("stopping", worker=WORKS), "draining"),
        (record(worker=ChildRecord(state="given up")), "worker-given-up"),
        (record(worker=ChildRecord(state="stuck")), "worker-stuck"),
        (
            record(models=ChildRecord(state="ready", lacks="temporal-unreachable")),
            "models-temporal-unreachable",
        ),
    ],
)
def test_an_engine_that_cannot_work_says_which_process_lacks_what(found: Record, reason: str) -> None:
    answer = condition.ready(found)

    assert (answer.status, answer.body["reason"]) == (HTTPStatus.SERVICE_UNAVAILABLE, reason)
    assert condition.alive(found).status == HTTPStatus.OK


def test_an_engine_whose_processes_can_all_work_is_ready() -> None:
    assert condition.ready(record(worker=WORKS, temporal=WORKS)).status == HTTPStatus.OK


def test_status_says_what_is_not_ready_and_what_was_stuck() -> None:
    child = {
        "state": "ready",
        "pid": 7,
        "lacks": "database-unreachable",
        "under_way": 2,
        "restarts": 3,
        "stuck": 1,
    }
    shown = lines(
        {"running": True, "state": "ready", "pid": 1, "temporal": "t", "namespace": "n", "ui": None}
        | {"database": "d", "home": "h", "health": "http://127.0.0.1:1", "ready": False}
        | {"lacks": "worker-database-unreachable", "children": {"worker": child}}
    )

    assert "health    http://127.0.0.1:1/readyz, not ready: worker-database-unreachable" in shown
    assert shown[-1].endswith(
        "ready, pid 7, not ready: database-unreachable, 2 under way, "
        "restarted 3 times, 1 of them because it was stuck"
    )


def answered(doorstep: Doorstep, path: str) -> tuple[int, bytes]:
    """Ask like a probe, while the supervisor answers once."""
    answering = threading.Thread(target=_answer, args=(doorstep,))
    answering.start()
    client = HTTPConnection("127.0.0.1", doorstep.port, timeout=10)
    client.request("GET", path)
    response = client.getresponse()
    found = response.status, response.read()
    client.close()
    answering.join()
    return found


def _answer(doorstep: Doorstep) -> None:
    select.select([doorstep], [], [])
    doorstep.answer_one()


def test_the_supervisor_answers_between_two_looks() -> None:
    doorstep = Doorstep(HealthSettings(), ROUTES)

    alive, ready, unknown = (answered(doorstep, path)[0] for path in ("/healthz", "/readyz", "/metrics"))
    doorstep.close()

    assert (alive, ready, unknown) == (200, 503, 404)


def test_a_client_that_says_nothing_is_given_up_and_the_next_is_answered() -> None:
    doorstep = Doorstep(HealthSettings(), ROUTES)

    with socket.create_connection(("127.0.0.1", doorstep.port)):
        _answer(doorstep)
    status, _ = answered(doorstep, "/healthz")
    doorstep.close()

    assert status == 200


def test_a_taken_port_of_the_engine_is_named() -> None:
    first = Doorstep(HealthSettings(), ROUTES)

    with pytest.raises(PermanentError) as caught:
        Doorstep(HealthSettings(engine_port=first.port), ROUTES)
    first.close()

    assert caught.value.code == "port-taken"
