"""Signing in: codes that work once, cookies that cannot be planted, sessions that end."""

from datetime import timedelta

import pytest

from gateway.desk.access import CODE_VALID, IDLE, LONGEST_SESSION
from gateway.desk.principals import local_user
from tests.support.gateway.http import ORIGIN, SITE, Api
from tests.support.gateway.services import StageServices


async def test_a_code_is_exchanged_for_a_session_once(api: Api) -> None:
    code = api.access.new_code()
    async with api.client(origin=ORIGIN) as client:
        first = await client.post("/session", json={"code": code})
        me = await client.get("/me")
        second = await client.post("/session", json={"code": code})

    assert (first.status_code, second.status_code) == (201, 401)
    assert me.json()["name"] == "ada"
    assert me.json()["kind"] == "session"
    assert second.json()["code"] == "code-spent"
    cookie = first.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie


async def test_a_code_is_worth_nothing_after_a_minute(api: Api, services: StageServices) -> None:
    code = api.access.new_code()
    services.clock.present += CODE_VALID
    async with api.client(origin=ORIGIN) as client:
        answer = await client.post("/session", json={"code": code})

    assert answer.status_code == 401


async def test_a_cookie_that_was_planted_is_never_adopted(api: Api) -> None:
    async with api.client(origin=ORIGIN) as client:
        client.cookies.set(SITE.cookie, "planted")
        before = await client.get("/me")
        client.cookies.delete(SITE.cookie)
        client.headers["cookie"] = f"{SITE.cookie}=planted"
        signed = await client.post("/session", json={"code": api.access.new_code()})

    assert before.status_code == 401
    assert "planted" not in signed.headers["set-cookie"]


async def test_a_new_session_ends_the_one_before(api: Api) -> None:
    async with api.browser() as client:
        old = client.cookies[SITE.cookie]
        await client.post("/session", json={"code": api.access.new_code()})
        new = client.cookies[SITE.cookie]

    assert old != new
    assert api.access.of_session(old) is None
    assert api.access.of_session(new) is not None


async def test_signing_out_ends_the_session_everywhere(api: Api) -> None:
    async with api.browser() as client:
        secret = client.cookies[SITE.cookie]
        out = await client.delete("/session")

    assert out.status_code == 204
    assert api.access.of_session(secret) is None


async def test_a_session_ends_when_idle_and_in_any_case_after_a_week(
    api: Api, services: StageServices
) -> None:
    async with api.browser() as client:
        secret = client.cookies[SITE.cookie]
    used = services.clock.present + LONGEST_SESSION
    while services.clock.present + IDLE / 2 < used:
        services.clock.present += IDLE / 2
        assert api.access.of_session(secret) is not None
    services.clock.present = used
    assert api.access.of_session(secret) is None


async def test_an_idle_session_has_ended(api: Api, services: StageServices) -> None:
    async with api.browser() as client:
        services.clock.present += IDLE
        answer = await client.get("/me")

    assert answer.status_code == 401


async def test_the_store_keeps_no_secret(api: Api, services: StageServices) -> None:
    token = api.token("read")
    async with api.browser() as client:
        secret = client.cookies[SITE.cookie]

    kept = repr(vars(services.store.credentials))

    assert token not in kept
    assert secret not in kept


async def test_a_token_is_shown_once_listed_and_revoked(api: Api) -> None:
    async with api.client(api.token("admin", "read")) as client:
        made = await client.post("/tokens", json={"name": "reader", "scopes": ["read"], "days": 30})
        twin = await client.post("/tokens", json={"name": "reader", "scopes": ["read"]})
        await client.delete(f"/tokens/{twin.json()['id']}")
        listed = (await client.get("/tokens")).json()["items"]
        async with api.client(made.json()["secret"]) as reader:
            before = (await reader.get("/me")).status_code
            revoked = await client.delete(f"/tokens/{made.json()['id']}")
            after = (await reader.get("/me")).status_code
        again = await client.delete(f"/tokens/{made.json()['id']}")

    assert (made.status_code, before, revoked.status_code, after) == (201, 200, 204, 401)
    assert sorted(each["name"] for each in listed) == ["reader", "test"]
    assert all("secret" not in each for each in listed)
    assert (again.status_code, again.json()["code"]) == (404, "no-token")
    assert (made.json()["namesakes"], twin.json()["namesakes"]) == ([], [made.json()["id"]])


async def test_a_token_may_do_no_more_than_its_maker(api: Api) -> None:
    tide = ["book/tide"]
    maker = api.token("admin", "read", subjects=tuple(tide))
    async with api.client(maker) as client:
        scope = await client.post("/tokens", json={"name": "more", "scopes": ["write"], "subjects": tide})
        everything = await client.post("/tokens", json={"name": "more", "scopes": ["read"]})
        within = await client.post("/tokens", json={"name": "same", "scopes": ["read"], "subjects": tide})

    assert (scope.status_code, everything.status_code, within.status_code) == (403, 403, 201)


async def test_a_token_for_one_subject_sees_and_ends_no_token_of_others(api: Api) -> None:
    maker = local_user("ada")
    everything = api.access.create_token(maker, "everything", ("read",)).credential
    other = api.access.create_token(maker, "other", ("read",), ("book/other",), future=True).credential
    own = api.access.create_token(maker, "own", ("read",), ("book/tide",), future=True).credential
    async with api.client(api.token("admin", subjects=("book/tide",))) as client:
        listed = {each["name"] for each in (await client.get("/tokens")).json()["items"]}
        ended = [(await client.delete(f"/tokens/{each.id}")).status_code for each in (everything, other, own)]

    assert "own" in listed
    assert not listed & {"everything", "other"}
    assert ended == [404, 404, 204]
    assert api.access.valid(everything)
    assert api.access.valid(other)


async def test_a_token_without_the_scope_admin_sees_no_tokens(api: Api) -> None:
    async with api.client(api.token("read", "write", "run", "approve")) as client:
        answer = await client.get("/tokens")

    assert (answer.status_code, answer.json()["code"]) == (403, "not-permitted")


async def test_an_expired_token_is_worth_nothing(api: Api, services: StageServices) -> None:
    token = api.token("read")
    services.clock.present += timedelta(days=90)
    async with api.client(token) as client:
        answer = await client.get("/me")

    assert answer.status_code == 401


@pytest.mark.parametrize("secret", ["", "pw_", "pw_1_2", "bearer", "pw_\udcff", "x" * 10_000])
async def test_a_forged_token_is_a_stranger(api: Api, secret: str) -> None:
    assert api.access.of_token(secret) is None
