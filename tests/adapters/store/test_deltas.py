"""The contract of pieces of replies: those who look on get them in order; who does not, misses them."""

import asyncio
import json
from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing, closing
from typing import cast

import pytest

from penwright.adapters.memory_deltas import MemoryDeltas
from penwright.adapters.store.database import Database
from penwright.adapters.store.deltas import LARGEST, WAITING, PostgresDeltas, payloads
from schemas.deltas import Delta

AnyDeltas = MemoryDeltas | PostgresDeltas


@pytest.fixture(params=["memory", pytest.param("postgres", marks=pytest.mark.server)])
def deltas(request: pytest.FixtureRequest) -> Iterator[AnyDeltas]:
    if request.param == "memory":
        yield MemoryDeltas()
        return
    with closing(Database(request.getfixturevalue("database_url"), pool_size=2)) as database:
        yield PostgresDeltas(database)


def following(deltas: AnyDeltas, scene: str = "quay") -> AsyncGenerator[Delta, None]:
    return cast(AsyncGenerator[Delta, None], deltas.follow(scene))


async def listening(deltas: AnyDeltas, events: AsyncGenerator[Delta, None]) -> "asyncio.Task[Delta]":
    """The first piece to come, once the follower listens: sends signs of life until then."""
    first = asyncio.create_task(anext(events))
    async with asyncio.timeout(20):
        while not first.done():
            await asyncio.to_thread(deltas.send, "quay", 1, "nobody", "?", 0)
            await asyncio.sleep(0.02)
    return first


async def take(events: AsyncGenerator[Delta, None], count: int) -> list[Delta]:
    found: list[Delta] = []
    async with asyncio.timeout(20):
        while len(found) < count:
            if (delta := await anext(events)).character != "nobody":
                found.append(delta)
    return found


async def test_who_looks_on_gets_the_pieces_of_the_scene_in_order(deltas: AnyDeltas) -> None:
    async with aclosing(following(deltas)) as events:
        await listening(deltas, events)
        for position, piece in enumerate(["“Wo", " ist ", "\x00\ud83d’s\n"]):
            await asyncio.to_thread(deltas.send, "quay", 4, "ann", piece, position)
            await asyncio.to_thread(deltas.send, "other", 4, "ann", "?", position)

        found = await take(events, 3)

    assert [(each.piece, each.position) for each in found][:2] == [("“Wo", 0), (" ist ", 1)]
    assert {(each.scene, each.round, each.character) for each in found} == {("quay", 4, "ann")}


async def test_a_long_piece_arrives_whole(deltas: AnyDeltas) -> None:
    long = "".join(chr(0x4E00 + number % 2_000) for number in range(9_000))
    async with aclosing(following(deltas)) as events:
        await listening(deltas, events)
        await asyncio.to_thread(deltas.send, "quay", 4, "ann", long, 100)

        text = ""
        while len(text) < len(long):
            (delta,) = await take(events, 1)
            assert delta.position == 100 + len(text)
            text += delta.piece

    assert text == long


def test_every_notification_is_small_enough() -> None:
    delta = Delta(scene="q" * 100, round=4, character="ann", piece="\ud83d\x00é" * 5_000, position=3)

    made = [json.loads(each) for each in payloads(delta)]

    assert all(len(each) <= LARGEST for each in payloads(delta))
    assert "".join(each["piece"] for each in made) == delta.piece
    assert list(payloads(delta.model_copy(update={"scene": "q" * 10_000}))) == []


async def test_two_look_on_and_one_who_is_slow_holds_up_nobody(deltas: AnyDeltas) -> None:
    async with aclosing(following(deltas)) as quick, aclosing(following(deltas)) as slow:
        await listening(deltas, quick)
        await listening(deltas, slow)
        for number in range(WAITING + 50):
            await asyncio.to_thread(deltas.send, "quay", 4, "ann", "x", number)

        found = await take(quick, 10)
        assert [each.position for each in found] == sorted(each.position for each in found)
        assert (await take(slow, 1))[0].piece == "x"


@pytest.mark.server
async def test_a_database_that_is_away_drops_pieces_at_once_and_raises_nothing() -> None:
    gone = Database("postgresql://nobody@127.0.0.1:1/none", pool_size=1)
    with closing(gone):
        deltas = PostgresDeltas(gone)
        async with asyncio.timeout(8):
            for position in range(200):
                await asyncio.to_thread(deltas.send, "quay", 4, "ann", "x", position)
