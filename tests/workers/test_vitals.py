"""What a worker process answers to probes: the facts, the pages, and the endpoint on its own loop."""

import asyncio
import json
from collections.abc import Sequence
from http import HTTPStatus
from urllib.parse import urlsplit

import pytest

from penwright.errors import PermanentError
from tests.workers.engine.test_silence import HandClock
from workers.health import health_endpoint
from workers.health_pages import Answer, Request, page, read
from workers.running_activities import OVERDUE_S, RunningActivities
from workers.vitals import Lack, Vitals


class Servers:
    """A server that can be away, and counts who asks."""

    def __init__(self) -> None:
        self.lack: Lack | None = None
        self.asked = 0

    async def check(self) -> Lack | None:
        self.asked += 1
        return self.lack


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


@pytest.fixture
def vitals(clock: HandClock) -> Vitals:
    return Vitals("worker", RunningActivities(clock), clock=clock)


def reason(answer: Answer) -> str:
    return str(answer.body.get("reason", ""))


async def test_a_process_that_starts_lives_but_is_not_ready(vitals: Vitals) -> None:
    assert vitals.alive().status == HTTPStatus.OK
    assert reason(await vitals.ready()) == "starting"
    assert vitals.pulse().reason == "starting"


async def test_a_process_at_work_is_ready_while_its_servers_answer(vitals: Vitals, clock: HandClock) -> None:
    servers = Servers()
    vitals.work((servers.check,))
    first = await vitals.ready()
    servers.lack = Lack("database-unreachable", "it is away")
    clock.now += 2

    second = await vitals.ready()

    assert first.status == HTTPStatus.OK
    assert (second.status, reason(second)) == (HTTPStatus.SERVICE_UNAVAILABLE, "database-unreachable")
    assert vitals.pulse().reason == "database-unreachable"


async def test_many_probes_at_once_ask_the_servers_once(vitals: Vitals) -> None:
    servers = Servers()
    vitals.work((servers.check,))

    await asyncio.gather(*(vitals.ready() for _ in range(50)))

    assert servers.asked == 1


async def test_a_process_that_was_told_to_stop_is_not_ready_at_once(vitals: Vitals) -> None:
    servers = Servers()
    vitals.work((servers.check,))
    await vitals.ready()

    vitals.drain()

    assert reason(await vitals.ready()) == "draining"
    assert vitals.pulse().reason == "draining"
    assert vitals.alive().status == HTTPStatus.OK


def test_stuck_activities_in_every_slot_of_a_queue_mean_that_the_process_does_not_live(
    vitals: Vitals, clock: HandClock
) -> None:
    under_way = vitals.under_way
    under_way.offer("books", 2)
    under_way.begin("publish", "books", 300)
    second = under_way.begin("publish", "books", 300)
    clock.now += 300 + OVERDUE_S + 1

    stuck = vitals.alive()
    under_way.end(second, handed_back=False)

    assert (stuck.status, reason(stuck)) == (HTTPStatus.SERVICE_UNAVAILABLE, "activities-stuck")
    assert "'books'" in stuck.body["message"]
    assert vitals.alive().status == HTTPStatus.OK


def test_an_activity_without_a_limit_is_never_overdue(vitals: Vitals, clock: HandClock) -> None:
    vitals.under_way.offer("books", 1)
    vitals.under_way.begin("wait", "books", None)
    clock.now += 1e9

    assert vitals.alive().status == HTTPStatus.OK
    assert vitals.pulse().under_way == 1


def test_only_what_ends_after_the_order_to_stop_counts_as_finished(vitals: Vitals) -> None:
    under_way = vitals.under_way
    keys = [under_way.begin("publish", "books", 300) for _ in range(3)]

    under_way.end(keys[0], handed_back=False)
    vitals.drain()
    under_way.end(keys[1], handed_back=False)
    under_way.end(keys[2], handed_back=True)

    assert (vitals.pulse().finished, vitals.pulse().handed_back, vitals.pulse().under_way) == (1, 1, 0)


@pytest.mark.parametrize(
    ("head", "status"),
    [
        (b"GET /nowhere HTTP/1.1\r\n\r\n", 404),
        (b"POST /healthz HTTP/1.1\r\n\r\n", 405),
        (b"\x00\xff\r\n\r\n", 400),
        (b"", 400),
    ],
)
def test_other_requests_are_answered_by_name(head: bytes, status: int) -> None:
    answer = read(head)

    assert isinstance(answer, Answer)
    assert answer.status == status
    assert page(answer).startswith(f"HTTP/1.1 {status} ".encode())


def test_a_question_behind_the_path_is_overlooked() -> None:
    assert read(b"HEAD /readyz?verbose HTTP/1.0\r\n\r\n") == Request("HEAD", "/readyz")


async def asked(url: str, *, path: str, head: Sequence[str] = ()) -> tuple[int, str]:
    """Status and body of one request to an endpoint of this process."""
    where = urlsplit(url)
    reader, writer = await asyncio.open_connection(where.hostname, where.port)
    writer.write("\r\n".join([f"GET {path} HTTP/1.1", "host: here", *head, "", ""]).encode())
    said = (await reader.read()).decode()
    writer.close()
    first, _, body = said.partition("\r\n\r\n")
    return int(first.split()[1]), body


async def test_the_endpoint_answers_both_questions(vitals: Vitals) -> None:
    async with health_endpoint(vitals, "127.0.0.1", None) as url:
        alive, told = await asked(url, path="/healthz")
        before, _ = await asked(url, path="/readyz")
        vitals.work(())
        after, _ = await asked(url, path="/readyz")

    assert url.startswith("http://127.0.0.1:")
    assert (alive, before, after) == (200, 503, 200)
    assert json.loads(told)["process"] == "worker"


async def test_a_request_without_end_is_refused(vitals: Vitals) -> None:
    async with health_endpoint(vitals, "127.0.0.1", None) as url:
        status, _ = await asked(url, path="/healthz", head=["x: " + "y" * 20_000])

    assert status == 431


async def test_a_taken_port_is_named(vitals: Vitals) -> None:
    async with health_endpoint(vitals, "127.0.0.1", None) as url:
        with pytest.raises(PermanentError) as caught:
            async with health_endpoint(vitals, "127.0.0.1", urlsplit(url).port):
                pass

    assert caught.value.code == "port-taken"
    assert "[health]" in caught.value.message
