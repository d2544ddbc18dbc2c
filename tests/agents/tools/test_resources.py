"""Resources of a worker: their lifetime, their closing order, and error messages."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import (
    asynccontextmanager,
    contextmanager,
)
from dataclasses import dataclass
from typing import Protocol

import pytest

from penwright.agents.tools.resources import Resources, managed, opened, plain, prepared
from penwright.errors import BrokenDefinition, NotFound


class Named(Protocol):
    """Something with a name."""

    name: str


@dataclass(eq=False)
class Shelf:
    name: str = "shelf"


@dataclass(eq=False)
class Desk:
    shelf: Shelf
    name: str = "desk"


@dataclass(eq=False)
class Lamp:
    name: str = "lamp"


Log = list[str]


def noted(log: Log, name: str, make: Callable[[Resources], Shelf | Desk | Lamp]):  # type: ignore[no-untyped-def]
    """A factory that logs opening and closing."""

    @contextmanager
    def opening(resources: Resources) -> Iterator[Shelf | Desk | Lamp]:
        made = make(resources)
        log.append(f"open {name}")
        try:
            yield made
        finally:
            log.append(f"close {name}")

    return opening


async def test_a_singleton_is_one_for_all_calls_and_a_calls_own_is_new() -> None:
    bindings = (plain(Shelf, lambda _: Shelf()), plain(Lamp, lambda _: Lamp(), scope="call"))
    async with opened(bindings) as workshop:
        async with workshop.call() as first:
            shelf, lamp = first.get(Shelf), first.get(Lamp)
            assert (first.get(Shelf), first.get(Lamp)) == (shelf, lamp)
        async with workshop.call() as second:
            assert second.get(Shelf) is shelf
            assert second.get(Lamp) is not lamp


async def test_a_prototype_is_new_each_time() -> None:
    async with (
        opened((plain(Lamp, lambda _: Lamp(), scope="prototype"),)) as workshop,
        workshop.call() as call,
    ):
        assert call.get(Lamp) is not call.get(Lamp)


async def test_a_protocol_names_a_resource_as_a_class_does() -> None:
    async with opened((plain(Named, lambda _: Shelf()),)) as workshop, workshop.call() as call:
        assert call.get(Named).name == "shelf"  # type: ignore[type-abstract]


async def test_resources_close_in_reverse_order_of_their_making() -> None:
    log: Log = []
    bindings = (
        managed(Desk, noted(log, "desk", lambda r: Desk(r.get(Shelf))), scope="call"),
        managed(Shelf, noted(log, "shelf", lambda _: Shelf()), scope="call"),
        managed(Lamp, noted(log, "lamp", lambda _: Lamp())),
    )
    async with opened(bindings) as workshop:
        async with workshop.call() as call:
            call.get(Lamp)
            call.get(Desk)
        assert log == ["open lamp", "open shelf", "open desk", "close desk", "close shelf"]
    assert log[-1] == "close lamp"


async def test_created_resources_are_closed_when_another_one_fails() -> None:
    log: Log = []

    def fails(resources: Resources) -> Desk:
        resources.get(Shelf)
        raise OSError("no wood")

    bindings = (
        managed(Shelf, noted(log, "shelf", lambda _: Shelf()), scope="call"),
        managed(Desk, noted(log, "desk", fails), scope="call"),
    )
    async with opened(bindings) as workshop:
        with pytest.raises(OSError, match="no wood"):
            async with workshop.call() as call:
                call.get(Desk)
        assert log == ["open shelf", "close shelf"]


async def test_a_failed_resource_is_created_on_the_next_request() -> None:
    attempts: list[int] = []

    def at_second(resources: Resources) -> Lamp:
        attempts.append(1)
        if len(attempts) == 1:
            raise OSError("dark")
        return Lamp()

    async with opened((plain(Lamp, at_second),)) as workshop, workshop.call() as call:
        with pytest.raises(OSError, match="dark"):
            call.get(Lamp)
        assert call.get(Lamp).name == "lamp"


def awaited(log: Log, name: str, made: Shelf | Desk | Lamp, *, fail: bool = False):  # type: ignore[no-untyped-def]
    """A factory that has to be awaited."""

    @asynccontextmanager
    async def opening(resources: Resources) -> AsyncIterator[Shelf | Desk | Lamp]:
        await asyncio.sleep(0)
        if fail:
            raise OSError(name)
        log.append(f"open {name}")
        try:
            yield made
        finally:
            log.append(f"close {name}")

    return opening


async def test_awaited_resources_are_ready_when_their_scope_opens() -> None:
    log: Log = []
    bindings = (
        prepared(Shelf, awaited(log, "shelf", Shelf())),
        plain(Desk, lambda r: Desk(r.get(Shelf)), scope="call"),
        prepared(Lamp, awaited(log, "lamp", Lamp()), scope="call"),
    )
    async with opened(bindings) as workshop:
        assert log == ["open shelf"]
        async with workshop.call() as call:
            assert log == ["open shelf", "open lamp"]
            assert call.get(Desk).shelf is call.get(Shelf)
        assert log[-1] == "close lamp"
    assert log[-1] == "close shelf"


async def test_a_worker_that_fails_to_open_closes_opened_resources() -> None:
    log: Log = []
    bindings = (
        prepared(Shelf, awaited(log, "shelf", Shelf())),
        prepared(Lamp, awaited(log, "lamp", Lamp(), fail=True)),
    )
    with pytest.raises(OSError, match="lamp"):
        async with opened(bindings):
            raise AssertionError("it must not open")
    assert log == ["open shelf", "close shelf"]


async def test_a_resource_cycle_is_reported_with_its_path() -> None:
    bindings = (
        plain(Shelf, lambda r: r.get(Desk).shelf),
        plain(Desk, lambda r: Desk(r.get(Shelf))),
    )
    async with opened(bindings) as workshop, workshop.call() as call:
        with pytest.raises(BrokenDefinition, match="Desk → Shelf → Desk") as broken:
            call.get(Desk)
    assert broken.value.code == "resource-cycle"


async def test_a_singleton_may_not_hold_a_call_resource() -> None:
    bindings = (plain(Desk, lambda r: Desk(r.get(Shelf))), plain(Shelf, lambda _: Shelf(), scope="call"))
    async with opened(bindings) as workshop, workshop.call() as call:
        with pytest.raises(BrokenDefinition, match="Desk → Shelf") as broken:
            call.get(Desk)
    assert broken.value.code == "resource-scope"


async def test_an_unbound_resource_error_lists_the_bound_ones() -> None:
    async with opened((plain(Shelf, lambda _: Shelf()),)) as workshop, workshop.call() as call:
        with pytest.raises(NotFound, match="'Lamp'; bound are: Shelf") as missing:
            call.get(Lamp)
    assert missing.value.code == "resource-unbound"


async def test_a_call_that_is_over_gives_nothing_more() -> None:
    async with opened((plain(Lamp, lambda _: Lamp(), scope="call"),)) as workshop:
        async with workshop.call() as call:
            pass
        with pytest.raises(BrokenDefinition, match="is closed"):
            call.get(Lamp)


async def test_a_call_may_bind_more_but_nothing_twice() -> None:
    async with opened((plain(Shelf, lambda _: Shelf()),)) as workshop:
        async with workshop.call(plain(Lamp, lambda _: Lamp(), scope="call")) as call:
            assert call.get(Lamp).name == "lamp"
        with pytest.raises(BrokenDefinition, match="bound twice"):
            async with workshop.call(plain(Shelf, lambda _: Shelf(), scope="call")):
                raise AssertionError("it must not open")
        with pytest.raises(BrokenDefinition, match="cannot be a singleton"):
            async with workshop.call(plain(Lamp, lambda _: Lamp())):
                raise AssertionError("it must not open")


async def test_calls_at_the_same_time_share_singletons_and_nothing_else() -> None:
    made: list[Lamp] = []

    def make(_: Resources) -> Lamp:
        made.append(Lamp())
        return made[-1]

    async with opened((plain(Lamp, make),)) as workshop:

        async def work() -> Lamp:
            async with workshop.call() as call:
                return await asyncio.to_thread(call.get, Lamp)

        lamps = await asyncio.gather(*(work() for _ in range(8)))
    assert len(made) == 1
    assert all(lamp is made[0] for lamp in lamps)
