"""A worker's answers to probes: the facts, the pages, and the endpoint on its own loop."""

import asyncio
import json
from http import HTTPStatus
from urllib.parse import urlsplit

import pytest

from penwright.errors import PermanentError
from tests.workers.engine.test_stuck_detector import HandClock
from workers.health.answers import Answer
from workers.health.endpoint import health_endpoint
from workers.health.process_health import NotReadyReason, ProcessHealth
from workers.health.running_activities import OVERDUE_S, RunningActivities


class Servers:
    """A server that can be away, and counts who asks."""

    def __init__(self) -> None:
        self.lack: NotReadyReason | None = None
        self.asked = 0

    async def check(self) -> NotReadyReason | None:
        self.asked += 1
        return self.lack


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


@pytest.fixture
def health(clock: HandClock) -> ProcessHealth:
    return ProcessHealth("activities", RunningActivities(clock), clock=clock)


def reason(answer: Answer) -> str:
    return str(answer.body.get("reason", ""))


async def test_a_process_that_starts_lives_but_is_not_ready(health: ProcessHealth) -> None:
    assert health.alive().status == HTTPStatus.OK
    assert reason(await health.ready()) == "starting"
    assert health.pulse().reason == "starting"


async def test_a_process_at_work_is_ready_while_its_servers_answer(
    health: ProcessHealth, clock: HandClock
) -> None:
    servers = Servers()
    health.work((servers.check,))
    first = await health.ready()
    servers.lack = NotReadyReason("database-unreachable", "it is away")
    clock.now += 2

    second = await health.ready()

    assert first.status == HTTPStatus.OK
    assert (second.status, reason(second)) == (HTTPStatus.SERVICE_UNAVAILABLE, "database-unreachable")
    assert health.pulse().reason == "database-unreachable"


async def test_many_probes_at_once_ask_the_servers_once(health: ProcessHealth) -> None:
    servers = Servers()
    health.work((servers.check,))

    await asyncio.gather(*(health.ready() for _ in range(50)))

    assert servers.asked == 1


async def test_a_stopping_process_is_not_ready(health: ProcessHealth) -> None:
    servers = Servers()
    health.work((servers.check,))
    await health.ready()

    health.drain()

    assert reason(await health.ready()) == "draining"
    assert health.pulse().reason == "draining"
    assert health.alive().status == HTTPStatus.OK


def test_liveness_fails_if_stuck_activities_hold_every_slot_of_a_queue(
    health: ProcessHealth, clock: HandClock
) -> None:
    under_way = health.under_way
    under_way.offer("books", 2)
    under_way.begin("publish", "books", 300)
    second = under_way.begin("publish", "books", 300)
    clock.now += 300 + OVERDUE_S + 1

    stuck = health.alive()
    under_way.end(second, handed_back=False)

    assert (stuck.status, reason(stuck)) == (HTTPStatus.SERVICE_UNAVAILABLE, "activities-stuck")
    assert "'books'" in stuck.body["message"]
    assert health.alive().status == HTTPStatus.OK


def test_an_activity_without_a_limit_is_never_overdue(health: ProcessHealth, clock: HandClock) -> None:
    health.under_way.offer("books", 1)
    health.under_way.begin("wait", "books", None)
    clock.now += 1e9

    assert health.alive().status == HTTPStatus.OK
    assert health.pulse().under_way == 1


def test_only_activities_that_end_after_the_signal_count_as_finished(health: ProcessHealth) -> None:
    under_way = health.under_way
    keys = [under_way.begin("publish", "books", 300) for _ in range(3)]

    under_way.end(keys[0], handed_back=False)
    health.drain()
    under_way.end(keys[1], handed_back=False)
    under_way.end(keys[2], handed_back=True)

    assert (health.pulse().finished, health.pulse().handed_back, health.pulse().under_way) == (1, 1, 0)


async def asked(url: str, head: bytes) -> tuple[int, str]:
    """Status and body of one request, as bytes, to an endpoint of this process."""
    where = urlsplit(url)
    reader, writer = await asyncio.open_connection(where.hostname, where.port)
    writer.write(head)
    said = (await reader.read()).decode()
    writer.close()
    first, _, body = said.partition("\r\n\r\n")
    return int(first.split()[1]), body


def get(path: str, *headers: str, method: str = "GET") -> bytes:
    return "\r\n".join([f"{method} {path} HTTP/1.1", "host: here", *headers, "", ""]).encode()


async def test_the_endpoint_answers_both_questions(health: ProcessHealth) -> None:
    async with health_endpoint(health, "127.0.0.1", None) as url:
        alive, told = await asked(url, get("/healthz"))
        before, _ = await asked(url, get("/readyz"))
        health.work(())
        after, _ = await asked(url, get("/readyz"))

    assert url.startswith("http://127.0.0.1:")
    assert (alive, before, after) == (200, 503, 200)
    assert json.loads(told)["process"] == "activities"


@pytest.mark.parametrize(
    ("head", "status"),
    [
        (get("/nowhere"), 404),
        (get("/healthz/"), 404),
        (get("/healthz", "content-length: 0", method="POST"), 405),
        (b"\x00\xff\r\n\r\n", 400),
        (get("/readyz?verbose"), 503),
    ],
)
async def test_other_requests_are_answered(health: ProcessHealth, head: bytes, status: int) -> None:
    async with health_endpoint(health, "127.0.0.1", None) as url:
        answered, _ = await asked(url, head)

    assert answered == status


async def test_head_is_answered_without_a_body(health: ProcessHealth) -> None:
    async with health_endpoint(health, "127.0.0.1", None) as url:
        answered = await asked(url, get("/healthz", method="HEAD"))

    assert answered == (200, "")


async def test_a_connection_that_asks_for_nothing_is_closed(
    health: ProcessHealth, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workers.http_server.PATIENCE_S", 0.05)
    async with health_endpoint(health, "127.0.0.1", None) as url:
        reader, writer = await asyncio.open_connection("127.0.0.1", urlsplit(url).port)
        writer.write(b"GET /healthz HT")
        said = await asyncio.wait_for(reader.read(), 5)
        writer.close()

    assert said == b""


async def test_an_oversized_request_is_refused(health: ProcessHealth) -> None:
    async with health_endpoint(health, "127.0.0.1", None) as url:
        status, _ = await asked(url, get("/healthz", "x: " + "y" * 20_000))

    assert status == 431


async def test_a_taken_port_is_named(health: ProcessHealth) -> None:
    async with health_endpoint(health, "127.0.0.1", None) as url:
        with pytest.raises(PermanentError) as caught:
            async with health_endpoint(health, "127.0.0.1", urlsplit(url).port):
                pass

    assert caught.value.code == "port-taken"
    assert "[health]" in caught.value.message
