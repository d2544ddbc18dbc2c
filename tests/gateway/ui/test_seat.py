"""The page of a seat: the scene as its character witnessed it, and no word of anything else."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from functools import partial
from typing import Any

import httpx
import pytest
from nicegui import Client, core
from nicegui.testing import UserInteraction
from nicegui.testing.user_simulation import user_simulation

from gateway.desk.scene.table.seats import take_away
from gateway.http.seat_door import mark_of, principal_of
from gateway.hub import Hub
from gateway.ui import live
from gateway.ui.app import register
from gateway.ui.parts.shared.words import WordsField
from tests.gateway.desk.scene.test_table_secrets import CAST, Table
from tests.gateway.ui.conftest import PatientUser

ACTS = (
    *(("say", "ann"), ("come", "cleo"), ("say", "bob"), ("go", "ann"), ("say", "cleo"), ("say", "bob")),
    *(("come", "ann"), ("go", "bob"), ("say", "ann"), ("undo", ""), ("say", "cleo"), ("come", "dov")),
)


@pytest.fixture
def table() -> Table:
    return Table()


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages look ten times a second for what leaves no event."""
    monkeypatch.setattr(live, "_LOOK_S", 0.1)


@pytest.fixture
async def guests(table: Table) -> AsyncIterator[dict[str, PatientUser]]:
    """The people of the three seats, as the guard lets them in."""
    async with user_simulation():
        register(table.services, Hub(table.services))
        yield {who: guest(link) for who, link in table.links.items()}
        Client.page_routes.clear()


def guest(link: str) -> PatientUser:
    async def guarded(scope: Any, receive: Any, send: Any) -> None:  # Any: ASGI
        scope.setdefault("state", {}).update(principal=principal_of(link), seat_secret=link)
        await core.app(scope, receive, send)

    return PatientUser(httpx.AsyncClient(transport=httpx.ASGITransport(guarded), base_url="http://test"))


async def opened(table: Table, guests: dict[str, PatientUser], who: str) -> PatientUser:
    await guests[who].open(f"/seat/{mark_of(table.links[who])}")
    return guests[who]


def sent(user: PatientUser) -> str:
    """Everything that the page of a guest has sent to its browser, as far as it stands there."""
    assert user.client is not None
    return json.dumps([each._to_dict() for each in user.client.elements.values()], default=str)


def tokens_sent(user: PatientUser) -> list[str]:
    return [f"TOKEN-{number:04}-TOKEN" for number in range(1, 99) if f"TOKEN-{number:04}-" in sent(user)]


def is_shown(table: Table, user: PatientUser, who: str) -> bool:
    """Whether the page of a seat has exactly what its character witnessed."""
    return tokens_sent(user) == table.witnessed(who)


async def until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(20):
        while not holds():  # noqa: ASYNC110
            await asyncio.sleep(0.02)


async def test_each_seat_follows_what_its_character_witnesses_and_is_sent_nothing_else(
    table: Table, guests: dict[str, PatientUser]
) -> None:
    for who in guests:
        await opened(table, guests, who)
    for kind, actor in ACTS:
        table.act(kind, actor)

        for who, user in guests.items():
            await until(partial(is_shown, table, user, who))
    for who, user in guests.items():
        assert [other for other in CAST if f"SECRET-OF-{other}" in sent(user)] == [who]
        assert "OF-THE-SCENE" not in sent(user)


async def test_what_a_person_types_is_kept_for_another_browser_until_it_is_said(
    table: Table, guests: dict[str, PatientUser]
) -> None:
    user = await opened(table, guests, "ann")
    (field,) = user.find(kind=WordsField).elements
    UserInteraction(user, {field}, None).trigger("drafted", "I lit it, I th")
    await until(lambda: table.seat("ann").draft != "")
    again = await opened(table, guests, "ann")
    (field,) = again.find(kind=WordsField).elements
    assert field.props["draft"] == "I lit it, I th"
    assert "I lit it" not in sent(await opened(table, guests, "bob"))

    UserInteraction(again, {field}, None).trigger("sent", "I lit it, I think.")

    await again.should_see("it is said")
    assert table.seat("ann").draft == ""


async def test_a_seat_that_is_taken_away_shows_nothing_any_more(
    table: Table, guests: dict[str, PatientUser]
) -> None:
    table.act("say", "bob")
    user = await opened(table, guests, "ann")
    await user.should_see("TOKEN-0001-TOKEN")

    take_away(table.services, "quay", "ann")

    await user.should_see("This seat was taken away.")
    assert tokens_sent(user) == []
    assert (await opened(table, guests, "ann")) is user
    await user.should_see("This seat was taken away.")


async def test_a_page_says_whose_turn_it_is_and_refuses_in_words_that_tell_nothing(
    table: Table, guests: dict[str, PatientUser]
) -> None:
    user = await opened(table, guests, "cleo")
    await user.should_see("Cleo is not in the scene now")
    await user.should_see("Nobody that your character sees.")
    (field,) = user.find(kind=WordsField).elements

    UserInteraction(user, {field}, None).trigger("sent", "I am here!")

    await user.should_see("Cleo is not in the scene now; nothing was said")
