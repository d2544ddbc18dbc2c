"""Orders and changes in any sequence: each order is carried out once, each change made from what was read."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

import httpx
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, initialize, invariant, rule

from tests.support.gateway.http import api_over
from tests.support.gateway.services import StageServices

T = TypeVar("T")
NAMES = st.sampled_from(["Fen", "Skerrow", "Low Land"])
PLOTS = st.text("ab", min_size=1, max_size=3)
Sent = tuple[str, str, str]
"""A key, the name that was ordered with it, and the id that was answered."""


class Orders(RuleBasedStateMachine):
    """Worlds that callers make, change, and ask for again, over the real application."""

    sent = Bundle("sent")

    @initialize()
    def begin(self) -> None:
        self.api = api_over(StageServices())
        self.token = self.api.token("read", "write")
        self.worlds: dict[str, tuple[int, str]] = {}
        """By id: version and plot."""
        self.keys = 0

    @rule(target=sent, name=NAMES)
    def order(self, name: str) -> Sent:
        key = self._new_key()
        answer = self._ask("POST", "/worlds", {"name": name}, {"idempotency-key": key})
        assert answer.status_code == 201
        return self._made(key, name, answer)

    @rule(target=sent, name=NAMES)
    def order_twice_at_once(self, name: str) -> Sent:
        key = self._new_key()
        answers = self._race(name, key)
        done = [each for each in answers if each.status_code == 201]
        late = [each for each in answers if each.status_code != 201]
        assert done
        assert len({each.json()["id"] for each in done}) == 1
        assert all(each.json()["code"] == "request-under-way" for each in late)
        return self._made(key, name, done[0])

    @rule(known=sent)
    def order_again_since_the_answer_was_lost(self, known: Sent) -> None:
        key, name, world = known
        answer = self._ask("POST", "/worlds", {"name": name}, {"idempotency-key": key})
        assert (answer.status_code, answer.json()["id"]) == (201, world)
        assert answer.headers["idempotency-replayed"] == "true"

    @rule(known=sent)
    def order_something_else_with_the_same_key(self, known: Sent) -> None:
        answer = self._ask("POST", "/worlds", {"name": "Another"}, {"idempotency-key": known[0]})
        assert (answer.status_code, answer.json()["code"]) == (422, "key-reused")

    @rule(known=sent)
    def order_without_a_key(self, known: Sent) -> None:
        answer = self._ask("POST", "/worlds", {"name": known[1]}, {})
        assert (answer.status_code, answer.json()["code"]) == (400, "key-missing")

    @rule(known=sent, plot=PLOTS)
    def change_from_what_was_read(self, known: Sent, plot: str) -> None:
        version = self.worlds[known[2]][0]
        answer = self._change(known[2], version, plot)
        assert (answer.status_code, answer.headers["etag"]) == (200, f'"v{version + 1}"')
        self.worlds[known[2]] = (version + 1, plot)

    @rule(known=sent, plot=PLOTS, behind=st.integers(1, 3))
    def change_from_an_old_version(self, known: Sent, plot: str, behind: int) -> None:
        answer = self._change(known[2], self.worlds[known[2]][0] - behind, plot)
        assert (answer.status_code, answer.json()["code"]) == (412, "stale")

    @rule(known=consumes(sent))
    def remove(self, known: Sent) -> None:
        version = self.worlds.pop(known[2])[0]
        headers = {"if-match": f'"v{version}"'}
        first, again = (self._ask("DELETE", f"/worlds/{known[2]}", None, headers) for _ in range(2))
        assert (first.status_code, again.status_code) == (200, 404)

    @invariant()
    def each_order_made_one_world_with_its_last_change(self) -> None:
        listed = self._ask("GET", "/worlds", None, {}).json()["items"]
        assert {each["id"]: each["version"] for each in listed} == {
            world: version for world, (version, _) in self.worlds.items()
        }
        for world, (_, plot) in self.worlds.items():
            assert self._ask("GET", f"/worlds/{world}", None, {}).json()["notes"]["plot"] == plot

    def _made(self, key: str, name: str, answer: httpx.Response) -> Sent:
        world = answer.json()["id"]
        assert world not in self.worlds
        self.worlds[world] = (1, "")
        return key, name, world

    def _new_key(self) -> str:
        self.keys += 1
        return f"order-{self.keys:012}"

    def _change(self, world: str, version: int, plot: str) -> httpx.Response:
        headers = {"if-match": f'"v{max(0, version)}"'}
        return self._ask("PATCH", f"/worlds/{world}", {"values": {"plot": plot}}, headers)

    def _race(self, name: str, key: str) -> list[httpx.Response]:
        async def both() -> list[httpx.Response]:
            async with self.api.client(self.token) as client:
                order = {"json": {"name": name}, "headers": {"idempotency-key": key}}
                return await asyncio.gather(*(client.post("/worlds", **order) for _ in range(2)))  # type: ignore[arg-type]

        return _run(both())

    # Any: JSON.
    def _ask(self, method: str, path: str, body: Any, headers: dict[str, str]) -> httpx.Response:
        async def asked() -> httpx.Response:
            async with self.api.client(self.token) as client:
                return await client.request(method, path, json=body, headers=headers)

        return _run(asked())


def _run(work: Coroutine[Any, Any, T]) -> T:  # Any: of the language
    return asyncio.run(work)


TestOrders = Orders.TestCase
TestOrders.settings = settings(max_examples=6, stateful_step_count=12, deadline=None, derandomize=True)
