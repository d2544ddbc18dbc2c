"""The contract of pieces of replies: those who look on get them in order; who does not, misses them."""

import asyncio
import json
from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing, closing
from typing import cast

import pytest

from penwright.adapters.store import open_store
from penwright.adapters.store.database import Database
from penwright.adapters.store.deltas import LARGEST, WAITING, PostgresDeltas, payloads
from schemas.deltas import Delta
from schemas.scene import Author, BeginStep, Heard, SceneState
from tests.adapters.store.builders import SetClock
from tests.adapters.store.scenes.builders import a_scene, a_turn, an_effect, an_end, an_order
from tests.support.doubles.deltas import MemoryDeltas

MODEL = Author(kind="model", name="quill-1")
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
            await asyncio.to_thread(deltas.send, "quay", 1, "nobody", "?", 0, MODEL)
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
            await asyncio.to_thread(deltas.send, "quay", 4, "ann", piece, position, MODEL)
            await asyncio.to_thread(deltas.send, "other", 4, "ann", "?", position, MODEL)

        found = await take(events, 3)

    assert [(each.piece, each.position) for each in found][:2] == [("“Wo", 0), (" ist ", 1)]
    assert {(each.scene, each.round, each.character) for each in found} == {("quay", 4, "ann")}


async def test_a_long_piece_arrives_whole(deltas: AnyDeltas) -> None:
    long = "".join(chr(0x4E00 + number % 2_000) for number in range(9_000))
    async with aclosing(following(deltas)) as events:
        await listening(deltas, events)
        await asyncio.to_thread(deltas.send, "quay", 4, "ann", long, 100, MODEL)

        text = ""
        while len(text) < len(long):
            (delta,) = await take(events, 1)
            assert delta.position == 100 + len(text)
            text += delta.piece

    assert text == long


def test_every_notification_is_small_enough() -> None:
    delta = Delta(scene="q" * 100, round=4, character="ann", piece="\ud83d\x00é" * 5_000, position=3)

    made = [json.loads(each) for _, each in payloads(delta)]

    assert all(len(each) <= LARGEST for _, each in payloads(delta))
    assert "".join(each["piece"] for each in made) == delta.piece
    assert list(payloads(delta.model_copy(update={"scene": "q" * 10_000}))) == []


async def test_two_look_on_and_one_who_is_slow_holds_up_nobody(deltas: AnyDeltas) -> None:
    async with aclosing(following(deltas)) as quick, aclosing(following(deltas)) as slow:
        await listening(deltas, quick)
        await listening(deltas, slow)
        for number in range(WAITING + 50):
            await asyncio.to_thread(deltas.send, "quay", 4, "ann", "x", number, MODEL)

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
                await asyncio.to_thread(deltas.send, "quay", 4, "ann", "x", position, MODEL)


@pytest.mark.server
async def test_pieces_are_kept_while_their_turn_lasts_and_none_is_told_after_it(database_url: str) -> None:
    with (
        closing(open_store(database_url, clock=SetClock())) as store,
        closing(Database(database_url, pool_size=2)) as other,
    ):
        scene = a_scene(store, "Ann").id
        number = store.scenes.open_round(an_order(scene)).number
        step = {"effect": an_effect(), "scene": scene, "round": number, "kind": "character", "who": "ann"}
        deltas = PostgresDeltas(other)
        async with aclosing(following(deltas, scene)) as events:

            async def send(piece: str, position: int) -> None:
                await asyncio.to_thread(deltas.send, scene, number, "ann", piece, position, MODEL)

            store.scenes.begin(BeginStep.model_validate(step | {"pass_number": 1}))
            first = asyncio.create_task(anext(events))
            async with asyncio.timeout(20):
                while not first.done():
                    await send("“An attempt that", 0)
            for piece, position in (("“Wo", 0), (" ist\x00 ", 3), ("\ud83dda?”", 12)):
                await send(piece, position)
            heard = store.scenes.partial_reply(scene, number, "ann")
            assert heard == Heard(text="“Wo ist\ufffd …" + "…" * 2 + "?da?”", author=MODEL)

            store.scenes.keep_turn(a_turn(store, scene, number, "ann", "“Wo ist"))
            await send("more", 20)
            store.scenes.close_round(an_end(scene, number, SceneState(roster=("ann",))))
            await send("more", 20)
            await asyncio.to_thread(deltas.send, scene, 99, "ann", "the last", 0, MODEL)
            pieces = []
            while "the last" not in pieces:
                pieces += [each.piece for each in await take(events, 1)]

    assert "more" not in pieces
