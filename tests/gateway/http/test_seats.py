"""A seat over HTTP: its secret opens the table of one character, and nothing else."""

import json
from collections.abc import AsyncIterator
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path

import httpx
import pytest

from gateway.http import keys
from gateway.http.guard import Guard
from gateway.http.routes.table import followed
from gateway.http.seat_callers import NAMES_SEAT
from gateway.http.seat_door import cookie_of, mark_of
from gateway.http.site import PREFIX, SEAT, UI
from gateway.http.strict import SEATED
from gateway.hub import Hub
from penwright.adapters.store.web_access import RESERVED_FOR
from schemas.worlds import Scene
from tests.support.each import for_each
from tests.support.gateway.every_operation import OPERATIONS, Operation, address_of
from tests.support.gateway.http import ORIGIN, SITE, Api, key
from tests.support.gateway.services import StageServices

KEY = {"idempotency-key": "0123456789abcdef"}


@pytest.fixture
async def secret(client: httpx.AsyncClient, scene: str) -> str:
    """Of Ann's seat."""
    answer = await client.post(f"/scenes/{scene}/seats", json={"character": "Ann", "minutes": 60})
    assert answer.status_code == 201, answer.text
    given: str = answer.json()["secret"]
    return given


@pytest.fixture
async def ann(api: Api, secret: str) -> AsyncIterator[httpx.AsyncClient]:
    """The person who plays her."""
    async with api.client(secret) as client:
        yield client


def held(secret: str) -> str:
    """The cookie of a seat, as its browser sends it."""
    return f"{cookie_of(SITE, mark_of(secret))}={secret}"


@for_each("operation", [each for each in OPERATIONS if each.name not in SEATED])
async def test_the_secret_of_a_seat_opens_no_other_route(
    api: Api, secret: str, scene: str, operation: Operation
) -> None:
    place, query = address_of(operation, {"scene_id": scene, "character_id": "ann", "world_id": "skerrow"})
    cookie = {"cookie": f"{held(secret)}; {SITE.cookie}={secret}", "origin": ORIGIN}
    as_token, as_cookie = {"authorization": f"Bearer {secret}"}, cookie
    fresh = replace(api, guard=Guard(api.app, api.access, SITE))  # which has counted no failures
    async with fresh.client() as client:
        for headers in (as_token, as_cookie):
            answer = await client.request(
                operation.method, f"{ORIGIN}{place}", params=query, json={}, headers=headers | KEY
            )
            if operation.name == "sign_in":
                assert answer.status_code == 422
            else:
                assert answer.status_code == 401, answer.text


async def test_a_token_of_the_operator_is_no_seat(client: httpx.AsyncClient, secret: str) -> None:
    answer = await client.get("/seats/me")

    assert (answer.status_code, answer.json()["code"]) == (401, "seat-unknown")


async def test_a_person_reads_speaks_drafts_takes_a_copy_and_leaves(
    ann: httpx.AsyncClient, client: httpx.AsyncClient, scene: str, services: StageServices
) -> None:
    said = await ann.post("/seats/me/messages", json={"text": "I lit it."}, headers=KEY)
    again = await ann.post("/seats/me/messages", json={"text": "I lit it."}, headers=KEY)
    await services.rounds.result(scene)
    kept = await ann.put("/seats/me/draft", json={"text": "And then"})
    table = (await ann.get("/seats/me")).json()

    assert (said.status_code, again.headers["idempotency-replayed"], kept.status_code) == (202, "true", 204)
    assert [each["text"] for each in table["messages"] if each["mine"]] == ["I lit it."]
    assert table["draft"] == "And then"
    assert [each["name"] for each in table["here"]][:2] == ["Ann", "Bob"]
    assert scene not in json.dumps(table)
    copy = await ann.get("/seats/me/export", params={"format": "markdown"})
    assert "**Ann:** I lit it." in copy.text

    listed = (await client.get(f"/scenes/{scene}/seats")).json()["items"]
    assert [(each["name"], each["present"], each["over"]) for each in listed] == [("Ann", True, None)]
    assert "And then" not in json.dumps(listed)

    assert (await ann.delete("/seats/me")).status_code == 204
    assert (await ann.get("/seats/me")).json()["code"] == "seat-left"
    kept_scene = services.store.worlds.read(Scene, scene)
    assert kept_scene is not None
    assert kept_scene.taken == ()


async def test_words_whose_answer_was_lost_as_the_web_died_are_said_once(
    ann: httpx.AsyncClient, scene: str, services: StageServices, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = {"text": "I lit it."}
    with monkeypatch.context() as dying:
        dying.setattr(keys, "_keep", killed)
        dying.setattr(keys, "_release", killed)
        assert (await ann.post("/seats/me/messages", json=words, headers=KEY)).status_code == 500
    await services.rounds.result(scene)
    soon = await ann.post("/seats/me/messages", json=words, headers=KEY)
    services.clock.later(seconds=RESERVED_FOR.total_seconds())
    later = await ann.post("/seats/me/messages", json=words, headers=KEY)
    other = await ann.post("/seats/me/messages", json=words, headers=key())
    await services.rounds.result(scene)

    answers = (soon, later, other)
    assert [each.status_code for each in answers] == [409, 202, 202]
    said = [each for each in services.store.scenes.messages(scene) if each.speaker == "user"]
    assert [each.text for each in said] == ["I lit it."] * 2, "once of each order"


def killed(*_: object) -> None:
    raise RuntimeError("the process is gone")


async def test_a_seat_that_is_taken_away_is_closed_at_once(
    ann: httpx.AsyncClient, client: httpx.AsyncClient, scene: str
) -> None:
    taken = await client.delete(f"/scenes/{scene}/seats/ann")
    answer = await ann.get("/seats/me")

    assert (taken.status_code, taken.json()["over"]) == (200, "taken-away")
    assert (answer.status_code, answer.json()["code"]) == (401, "seat-taken-away")


async def test_a_browser_gets_a_cookie_for_the_secret_and_says_where_it_is(api: Api, secret: str) -> None:
    async with api.client() as browser:
        taken = await browser.post("/seats/session", json={"secret": secret}, headers={"origin": ORIGIN})
        wrong = await browser.post("/seats/session", json={"secret": "pws_no"}, headers={"origin": ORIGIN})
        cookie = {"cookie": held(secret)}
        table = await browser.get("/seats/me", headers=cookie)
        nowhere = await browser.put("/seats/me/draft", json={"text": "x"}, headers=cookie)
        here = await browser.put("/seats/me/draft", json={"text": "x"}, headers={**cookie, "origin": ORIGIN})

    assert taken.status_code == 201
    assert (taken.json()["name"], taken.json()["mark"]) == ("Ann", mark_of(secret))
    shown = taken.headers["set-cookie"].lower()
    assert "httponly" in shown
    assert "samesite=strict" in shown
    assert (wrong.status_code, table.status_code) == (401, 200)
    assert (nowhere.status_code, here.status_code) == (403, 204)


async def test_a_browser_of_several_seats_names_the_one_it_means(
    api: Api, client: httpx.AsyncClient, secret: str, scene: str
) -> None:
    given = await client.post(f"/scenes/{scene}/seats", json={"character": "Bob"})
    other = given.json()["secret"]
    async with api.client() as browser:
        for each in (secret, other):
            await browser.post("/seats/session", json={"secret": each}, headers={"origin": ORIGIN})
        none = await browser.get("/seats/me")
        bob = await browser.get("/seats/me", headers={NAMES_SEAT: mark_of(other)})
        wrong = await browser.get("/seats/me", headers={NAMES_SEAT: "none-of-them"})
        left = await browser.delete("/seats/me", headers={NAMES_SEAT: mark_of(secret), "origin": ORIGIN})
        now = await browser.get("/seats/me")

    assert (none.status_code, none.json()["code"]) == (400, "several-seats")
    assert mark_of(other) in none.json()["hint"]
    assert [each.json()["character"]["name"] for each in (bob, now)] == ["Bob", "Bob"]
    assert (wrong.status_code, left.status_code) == (401, 204)


async def test_a_seat_that_is_over_does_not_count_beside_a_new_one(
    api: Api, client: httpx.AsyncClient, secret: str, scene: str
) -> None:
    await client.delete(f"/scenes/{scene}/seats/ann")
    new = (await client.post(f"/scenes/{scene}/seats", json={"character": "Ann"})).json()["secret"]
    cookies = {"cookie": f"{held(secret)}; {held(new)}", "sec-fetch-mode": "no-cors"}
    async with api.client() as browser:
        both = await browser.get("/seats/me", headers=cookies)
        script = await browser.get(f"{ORIGIN}{UI}/_nicegui/any.js", headers=cookies)
        old = await browser.get("/seats/me", headers={"cookie": held(secret)})
        await client.delete(f"/scenes/{scene}/seats/ann")
        neither = await browser.get("/seats/me", headers=cookies)

    assert both.json()["character"]["name"] == "Ann"
    assert script.status_code == 404, "the door is open to the files of its page"
    assert [each.json()["code"] for each in (old, neither)] == ["seat-taken-away"] * 2


async def test_a_seat_follows_its_table_until_it_is_over(
    api: Api, client: httpx.AsyncClient, secret: str, scene: str, services: StageServices
) -> None:
    hub: Hub = api.app.state.hub
    heard: list[str] = []
    async with aclosing(followed(hub, services, secret, "")) as lines:
        async for line in lines:
            heard.append(line.decode())
            if "event: hello" in heard[-1]:
                order = {"text": "Who is there?"}
                await client.post(f"/scenes/{scene}/messages", json=order, headers=KEY)
            if "Bob answers" in heard[-1]:
                await client.delete(f"/scenes/{scene}/seats/ann")

    told = "".join(heard)
    assert told.count("Who is there?") == told.count("Bob answers") == 1
    assert "seat-taken-away" in heard[-1]
    assert scene not in told


async def test_the_secret_is_stored_nowhere_and_logged_nowhere(
    ann: httpx.AsyncClient, secret: str, services: StageServices, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(0)
    await ann.get("/seats/me")
    await ann.get("/seats/me/export")

    parts = (services.store.seats, services.store.answers, services.store.credentials, services.store.records)
    assert secret not in repr([vars(each) for each in parts])
    assert secret not in caplog.text


def test_the_prefix_is_the_one_that_the_guard_keeps_for_seats() -> None:
    places = {each.path for each in OPERATIONS if each.name in SEATED - {"take_seat"}}

    assert all(each == SEAT or each.startswith(f"{SEAT}/") for each in places)
    assert not [each.path for each in OPERATIONS if each.path.startswith(SEAT) and each.name not in SEATED]
    assert Path(SEAT).parent == Path(PREFIX) / "seats"
