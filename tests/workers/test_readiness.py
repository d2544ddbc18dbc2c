"""At the start the server is asked whether it has seen us; a probe asks it nothing."""

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any, cast

from temporalio.client import Client
from temporalio.service import RPCError, RPCStatusCode

from workers.health.readiness import LONGEST_PAUSE_S, await_polling, checks_of
from workers.settings import load


class Server:
    """A Temporal that sees a process after ``blind`` questions, and is away for the first."""

    def __init__(self, blind: int) -> None:
        self.blind = blind
        self.asked: list[str] = []

    async def describe_task_queue(self, request: Any, **_: object) -> SimpleNamespace:  # Any: protobuf
        self.asked.append(request.task_queue.name)
        if len(self.asked) == 1:
            raise RPCError("away", RPCStatusCode.UNAVAILABLE, b"")
        seen = len(self.asked) > self.blind
        return SimpleNamespace(pollers=[SimpleNamespace(identity="us")] if seen else [])


async def questions(blind: int, queues: Sequence[str]) -> tuple[list[str], list[float]]:
    """Queues that were asked for, in order, and the pauses in between."""
    server, pauses = Server(blind), list[float]()

    async def sleep(seconds: float) -> None:
        pauses.append(seconds)

    client = SimpleNamespace(namespace="default", identity="us", workflow_service=server)
    await await_polling(cast(Client, client), queues, "activities", sleep=sleep)
    return server.asked, pauses


async def test_a_queue_that_was_seen_is_not_asked_for_again() -> None:
    asked, _ = await questions(2, ["a", "b", "c"])

    assert asked == ["a", "a", "a", "b", "c"]


async def test_the_pauses_between_the_questions_grow_up_to_a_second() -> None:
    asked, pauses = await questions(20, ["a"])

    assert len(asked) == 21
    assert pauses == sorted(pauses)
    assert pauses[0] < pauses[-1] == LONGEST_PAUSE_S


def test_what_a_probe_asks_needs_no_client_of_temporal() -> None:
    assert len(checks_of(load({"PENWRIGHT_CONFIG": ""}).settings)) == 1
