"""Events for many readers: each once, none lost without a word, and no words of the text."""

import asyncio
import json
from contextlib import ExitStack
from typing import Any

import pytest

from gateway.desk.principals import Principal, local_user
from gateway.http import event_streams
from gateway.http.event_streams import MOST_STREAMS, Streams
from gateway.http.routes import events
from gateway.http.routes.events import stream
from gateway.http.routes.scenes import typing as scene_typing
from gateway.http.routes.scenes.typing import typed
from gateway.hub import QUEUE, REPLAYED, Hub, Lagging, Subscription
from gateway.typing_hub import Typing
from penwright.errors import PassingError, StoreUnavailable
from schemas.deltas import Delta
from schemas.records import Event, RunRow
from tests.support.gateway.http import Api
from tests.support.gateway.services import NOW, StageServices

ALL = local_user("ada")


def note(services: StageServices, number: int, subject: str = "tide", **data: object) -> None:
    """Store one event."""
    run = f"book/{subject}#s1"
    event = Event(run=run, subject=subject, kind="opened", at=NOW, op_id=f"{run}/{number}", data=data)
    services.store.records.note(
        RunRow(run=run, pipeline="book_session", subject=subject, stage="open"), [event]
    )


async def told(
    api: Api, hub: Hub, start: int | None, count: int, *, principal: Principal = ALL, subject: str = ""
) -> list[tuple[str, dict[str, Any]]]:
    """The first ``count`` events of a stream, as kind and data."""
    credential = api.access.create_token(ALL, "reader", ("read",)).credential
    lines = stream(hub, api.access, principal, credential, start, subject)
    found: list[tuple[str, dict[str, Any]]] = []
    async with asyncio.timeout(20):
        async for line in lines:
            fields = dict(each.split(": ", 1) for each in line.decode().strip().splitlines() if ": " in each)
            if "event" in fields:
                found.append((fields["event"], json.loads(fields["data"])))
            if len(found) == count:
                await lines.aclose()
                break
    return found


@pytest.fixture
def hub(services: StageServices) -> Hub:
    return Hub(services)


async def test_a_reader_gets_what_it_missed_and_then_what_is_new(
    api: Api, hub: Hub, services: StageServices
) -> None:
    for number in range(3):
        note(services, number)
    reading = asyncio.create_task(told(api, hub, 1, 4))
    await asyncio.sleep(0.05)
    for number in range(3, 5):
        note(services, number)

    found = await reading

    assert [data["cursor"] for _, data in found] == [2, 3, 4, 5]
    assert {data["subject"] for _, data in found} == {"book/tide"}
    assert hub.readers == 0


async def test_the_id_of_a_message_of_a_scene_is_told_and_no_other_text_of_that_name(
    api: Api, hub: Hub, services: StageServices
) -> None:
    note(services, 0, "scene/quay", message="quay/2", character="ann", name="Ann", reason="She is away.")
    note(services, 1, "scene/quay", message="Who lit the lamp?")
    note(services, 2, message="tide/2")

    found = await told(api, hub, 0, 3)

    assert [data["data"] for _, data in found] == [
        {"message": "quay/2", "character": "ann", "name": "Ann"},
        {},
        {},
    ]


async def test_without_a_cursor_a_reader_begins_now(api: Api, hub: Hub, services: StageServices) -> None:
    note(services, 0)

    assert await told(api, hub, None, 1) == [("hello", {"cursor": 1})]


async def test_a_cursor_of_another_store_is_reset(api: Api, hub: Hub, services: StageServices) -> None:
    note(services, 0)

    assert await told(api, hub, 99, 1) == [("reset", {"cursor": 1})]


async def test_every_event_comes_once_over_twenty_reconnections(
    api: Api, hub: Hub, services: StageServices
) -> None:
    cursor, seen = 0, list[int]()
    for round in range(20):
        for number in range(3):
            note(services, 3 * round + number)
        for _, data in await told(api, hub, cursor, 2 + round % 2):
            cursor = data["cursor"]
            seen.append(cursor)

    assert seen == list(range(1, len(seen) + 1))


async def test_a_full_queue_is_told_and_not_silent(services: StageServices) -> None:
    subscription = Subscription()
    for number in range(QUEUE + 1):
        subscription.offer(
            Event(cursor=number, run="r", subject="tide", kind="opened", at=NOW, op_id=str(number))
        )

    with pytest.raises(Lagging):
        await subscription.next(1)


async def test_a_reader_that_was_away_for_too_long_begins_anew(
    api: Api, hub: Hub, services: StageServices, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gateway.hub.REPLAYED", 2)
    for number in range(5):
        note(services, number)

    found = await told(api, hub, 0, 6)

    assert REPLAYED > 2
    assert found[-1] == ("reset", {"cursor": 5})


@pytest.mark.parametrize("kept", [(4, 5), (2, 4, 5), ()], ids=["the newest", "also one between", "none"])
async def test_a_reader_is_told_that_events_after_its_own_are_deleted(
    kept: tuple[int, ...], api: Api, hub: Hub, services: StageServices, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(5):
        note(services, number)
    stored = hub._stored

    def left(cursor: int) -> tuple[Event, ...]:
        return tuple(event for event in stored(cursor) if event.cursor in kept)

    monkeypatch.setattr(hub, "_stored", left)

    found = await told(api, hub, 1, 1)

    assert found == [("reset", {"cursor": 5})]


async def test_many_readers_share_one_follower(api: Api, hub: Hub, services: StageServices) -> None:
    reading = [asyncio.create_task(told(api, hub, 0, 2)) for _ in range(10)]
    await asyncio.sleep(0.05)
    followers = len([task for task in asyncio.all_tasks() if "Hub._follow" in repr(task.get_coro())])
    note(services, 0)
    note(services, 1)

    found = await asyncio.gather(*reading)

    assert followers == 1
    assert all([data["cursor"] for _, data in each] == [1, 2] for each in found)


async def test_a_reader_sees_only_its_subjects(api: Api, hub: Hub, services: StageServices) -> None:
    note(services, 0, "secret")
    note(services, 1, "tide")
    reader = Principal("reader", frozenset({"read"}), frozenset({"book/tide"}))

    mine = await told(api, hub, 0, 1, principal=reader)
    asked = await told(api, hub, 0, 1, subject="book/secret")

    assert [data["subject"] for _, data in mine] == ["book/tide"]
    assert [data["subject"] for _, data in asked] == ["book/secret"]


async def test_an_event_tells_numbers_and_no_prose(services: StageServices) -> None:
    event = Event(
        run="book/tide#s1",
        subject="tide",
        kind="closed",
        at=NOW,
        op_id="1",
        data={
            "words": 812,
            "stage": "close",
            "message": "The tide went out.",
            "prose": ["It"],
            "character": "ann",
            "role": "x" * 999,
        },
    )

    assert events.envelope(event)["data"] == {"words": 812, "stage": "close", "character": "ann"}


async def test_a_stream_ends_with_its_token(
    api: Api, hub: Hub, services: StageServices, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gateway.hub.PATIENCE_S", 0.02)
    credential = api.access.create_token(ALL, "reader", ("read",)).credential
    lines = stream(hub, api.access, ALL, credential, 0, "")
    api.access.revoke(ALL, credential.id)

    async with asyncio.timeout(20):
        rest = [line async for line in lines]

    assert rest == [b"retry: 2000\n\n"]


async def test_a_busy_stream_ends_with_its_token_too(
    api: Api, hub: Hub, services: StageServices, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(event_streams, "CHECKED_EVERY_S", 0.0)
    credential = api.access.create_token(ALL, "reader", ("read",)).credential
    for number in range(20):
        note(services, number)
    lines = stream(hub, api.access, ALL, credential, 0, "")
    before = [await anext(lines) for _ in range(3)]
    api.access.revoke(ALL, credential.id)

    async with asyncio.timeout(5):
        rest = [line async for line in lines]

    assert before[2].startswith(b"id: 2\n")
    assert rest == []


async def test_a_credential_has_so_many_streams_and_no_more(api: Api) -> None:
    streams, credential = Streams(), api.access.create_token(ALL, "reader", ("read",)).credential
    with ExitStack() as stack:
        for _ in range(MOST_STREAMS):
            streams.refuse_more(credential)
            stack.enter_context(streams.counted(credential))
        with pytest.raises(PassingError):
            streams.refuse_more(credential)

    streams.refuse_more(credential)


@pytest.mark.parametrize(
    ("params", "headers", "status"),
    [
        ({"after": "-1"}, {}, 422),
        ({"after": "x"}, {}, 422),
        ({}, {"last-event-id": "1; drop"}, 400),
        ({"token": "pw_1"}, {}, 400),
    ],
)
async def test_a_forged_cursor_is_named(
    api: Api, params: dict[str, str], headers: dict[str, str], status: int
) -> None:
    async with api.client(api.token("read")) as client:
        answer = await client.get("/events", params=params, headers=headers)

    assert answer.status_code == status


async def test_a_subject_that_one_may_not_see_has_no_stream(api: Api) -> None:
    async with api.client(api.token("read", subjects=("book/tide",))) as client:
        answer = await client.get("/events", params={"subject": "book/other"})

    assert answer.status_code == 403


def piece(text: str, position: int) -> Delta:
    return Delta(scene="quay", round=1, character="ann", piece=text, position=position)


async def test_words_are_shown_while_they_are_written_and_have_no_cursor(
    api: Api, services: StageServices
) -> None:
    credential = api.access.create_token(ALL, "reader", ("read",)).credential
    for each in (piece("The tide ", 0), piece("went\nout.", 9)):
        services.rehearsed_deltas.coming.put_nowait(each)
    lines = typed(Typing(services), api.access, credential, "quay")

    found = [await anext(lines) for _ in range(3)]
    await lines.aclose()

    assert found[0] == b"retry: 2000\n\n"
    assert all(line.startswith(b"event: typing\ndata: ") and b"id:" not in line for line in found[1:])
    told = [json.loads(line.splitlines()[1].removeprefix(b"data: ")) for line in found[1:]]
    assert [(each["piece"], each["position"]) for each in told] == [("The tide ", 0), ("went\nout.", 9)]
    assert services.store.records.newest_event() == 0


async def test_a_stream_of_words_ends_with_its_token(
    api: Api, services: StageServices, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scene_typing, "PATIENCE_S", 0.02)
    credential = api.access.create_token(ALL, "reader", ("read",)).credential
    lines = typed(Typing(services), api.access, credential, "quay")
    before = [await anext(lines) for _ in range(2)]
    api.access.revoke(ALL, credential.id)

    async with asyncio.timeout(20):
        rest = [line async for line in lines]

    assert before[1] == b": nothing new\n\n"
    assert set(rest) <= {b": nothing new\n\n"}


async def test_a_busy_stream_of_words_ends_with_its_token_too(
    api: Api, services: StageServices, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(event_streams, "CHECKED_EVERY_S", 0.0)
    credential = api.access.create_token(ALL, "reader", ("read",)).credential
    for each in (piece("The ", 0), piece("tide ", 4), piece("went.", 9)):
        services.rehearsed_deltas.coming.put_nowait(each)
    lines = typed(Typing(services), api.access, credential, "quay")
    before = [await anext(lines) for _ in range(2)]
    api.access.revoke(ALL, credential.id)

    async with asyncio.timeout(5):
        rest = [line async for line in lines]

    assert b"The " in before[1]
    assert rest == []


async def test_only_who_may_read_a_scene_sees_words_come(api: Api, services: StageServices) -> None:
    async with api.client(api.token("read", subjects=("scene/other",))) as client:
        other = await client.get("/scenes/quay/typing")
    async with api.client(api.token("write")) as client:
        writer = await client.get("/scenes/quay/typing")
    async with api.client(api.token("read")) as client:
        missing = await client.get("/scenes/quay/typing")

    assert (other.status_code, writer.status_code, missing.status_code) == (403, 403, 404)


async def test_many_who_look_on_share_one_connection_and_each_gets_its_scene(
    services: StageServices,
) -> None:
    typing = Typing(services)
    pages = [typing.of(scene, 20) for scene in ("quay", "quay", "roof")]
    waiting = [asyncio.ensure_future(anext(each)) for each in pages]
    await asyncio.sleep(0.05)
    followers = len([task for task in asyncio.all_tasks() if "Typing._follow" in repr(task.get_coro())])
    services.rehearsed_deltas.coming.put_nowait(piece("Fog.", 0).model_copy(update={"scene": "roof"}))
    services.rehearsed_deltas.coming.put_nowait(piece("The tide.", 0))

    async with asyncio.timeout(20):
        found = [(each.scene, each.piece) for each in await asyncio.gather(*waiting) if each]
    for each in pages:
        await each.aclose()

    assert followers == 1
    assert found == [("quay", "The tide."), ("quay", "The tide."), ("roof", "Fog.")]
    assert typing.readers == 0


async def test_a_store_that_goes_away_is_told_to_readers_and_they_go_on_from_their_cursor(
    api: Api, hub: Hub, services: StageServices, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gateway.hub._AGAIN_S", 0.01)
    note(services, 0)
    reading = hub.after(0)
    first = await anext(reading)
    coming = asyncio.ensure_future(anext(reading))
    await asyncio.sleep(0.05)
    gone = StoreUnavailable("store-unreachable", "the database does not answer")
    for reader in tuple(hub._readers):
        reader.fail(gone)

    with pytest.raises(StoreUnavailable):
        await coming
    note(services, 1)
    again = hub.after(first.cursor if first else 0)
    second = await anext(again)
    await again.aclose()

    assert (first and first.cursor, second and second.cursor) == (1, 2)
