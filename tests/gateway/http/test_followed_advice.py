"""Every command that a problem of the API names as the next step is run in the state that told it."""

import asyncio
import logging
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from socket import socket
from typing import Any

import httpx
import pytest

from gateway.desk.access import Access
from gateway.desk.principals import Scope
from gateway.desk.runs import pipelines
from gateway.http.app import http_app
from gateway.http.guard import Guard
from gateway.http.site import Site
from gateway.web import WebServer
from penwright.errors import Refused
from tests.support.each import for_each
from tests.support.gateway.advised_states import steps_in
from tests.support.gateway.http import Api, a_novel, key
from tests.support.gateway.services import Run, StageServices
from workers.home.folder import Home
from workers.http_guard import loopback_hosts
from workers.http_server import configuration, listen
from workers.log_setup import formatter
from workers.settings import TelemetrySettings

WITH_ANOTHER_TOKEN: dict[str, tuple[tuple[Scope, ...], str, str, Any]] = {
    "not-signed-in": ((), "", "GET /books", None),
    "a scope": (("read",), "", "POST /worlds", {"name": "Dunmore"}),
    "a subject": (("read",), "scene/another", "GET /scenes/the-quay", None),
    "the installation": (("read",), "scene/the-quay", "GET /budgets/day", None),
    "a character": (("read", "write"), "scene/the-quay", "POST /scenes/the-quay/force", {"who": "Cleo"}),
}
"""What is lacking -> scopes and subject of the token, request and body. Any: JSON."""


def sent(api: Api, request: str, body: Any = None, token: str = "") -> httpx.Response:  # Any: JSON
    """The answer to a request."""

    async def send() -> httpx.Response:
        method, path = request.split()
        async with api.client(token or None) as client:
            return await client.request(method, path, json=body, headers=key())

    return asyncio.run(send())


def steps_of(answer: httpx.Response) -> list[list[str]]:
    """The words of each command in a problem's hint."""
    return list(steps_in(answer.json()["hint"], []))


def followed(run: Run, answer: httpx.Response) -> list[str]:
    """What each command of a problem's hint prints; each must succeed."""
    ended = [run(*step) for step in steps_of(answer)]
    assert [code for code, _, _ in ended] == [0] * len(ended), ended
    return [out.strip() for _, out, _ in ended]


@for_each("scopes, subject, request, body", WITH_ANOTHER_TOKEN.values())
def test_the_token_that_is_advised_is_let_in(
    api: Api, scene: str, run: Run, scopes: tuple[Scope, ...], subject: str, request: str, body: Any
) -> None:
    token = api.token(*scopes, subjects=(subject,) if subject else None) if scopes else ""
    refused = sent(api, request, body, token)
    secret = followed(run, refused)[-1]

    assert refused.json()["code"] in ("not-signed-in", "not-permitted")
    assert sent(api, request, body, secret).is_success


def test_the_link_that_is_advised_signs_in(api: Api, run: Run) -> None:
    code = api.access.new_code()
    api.access.sign_in(code)
    spent = sent(api, "POST /session", {"code": code})
    (link,) = followed(run, spent)

    assert spent.json()["code"] == "code-spent"
    assert sent(api, "POST /session", {"code": link.partition("#")[2]}).is_success


def test_a_token_is_ended_as_advised_because_it_has_no_session(api: Api, run: Run) -> None:
    token = api.token()
    refused = sent(api, "DELETE /session", token=token)
    followed(run, refused)

    assert refused.json()["code"] == "no-session"
    assert sent(api, "GET /me", token=token).status_code == 401


def test_the_settings_are_shown_as_advised_where_they_never_had_the_version(
    api: Api, services: StageServices, run: Run, tmp_path: Path
) -> None:
    novel = a_novel(services, tmp_path / "ebb")

    async def change() -> httpx.Response:
        async with api.client(api.token()) as client:
            wanted, base = {"max_passes": 2}, {"if-match": '"v7"'}
            return await client.patch(f"/manuscripts/{novel}/-/settings", json=wanted, headers=base)

    refused = asyncio.run(change())

    assert refused.json()["code"] == "unknown-version"
    assert "version" in followed(run, refused)[0]


def test_a_budget_is_kept_once_there_is_a_settings_file_as_advised(
    api: Api, services: StageServices, tmp_path: Path
) -> None:
    services.settings["PENWRIGHT_CONFIG"] = ""
    refused = _budget_set(api)
    file = tmp_path / "penwright.toml"
    file.touch()
    # What else is advised starts the engine again, and so reads the settings anew, as the stage does.
    services.settings["PENWRIGHT_CONFIG"] = str(file)

    assert refused.json()["code"] == "no-settings-file"
    assert "make an empty file" in refused.json()["hint"]
    assert steps_of(refused) == [["down"], ["up", "--detach"]]
    assert _budget_set(api).is_success


def _budget_set(api: Api) -> httpx.Response:
    async def put() -> httpx.Response:
        async with api.client(api.token()) as client:
            base = {"if-match": (await client.get("/budgets/day")).headers["etag"]}
            return await client.put("/budgets/day", json={"calls": 7}, headers=base)

    return asyncio.run(put())


def test_the_page_that_is_advised_for_runs_that_are_not_steered_here_is_there(
    services: StageServices, run: Run
) -> None:
    with pytest.raises(Refused) as refused:
        asyncio.run(pipelines.send(services, "agent/over", "pause"))
    (step,) = steps_in(refused.value.details["hint"], [])

    assert refused.value.code == "not-steered-here"
    assert run(*step)[0] == 0


async def test_the_log_that_is_advised_has_a_fault_under_the_id_of_its_request(
    services: StageServices, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PENWRIGHT_HOME", str(tmp_path))
    monkeypatch.setattr(services.store.answers, "keep", _broken)
    home = Home(tmp_path)
    home.make()
    with closing(listen("127.0.0.1", 0)) as listening, _logged_in(home.log("web")):
        answer = await _ask_served(services, listening)
    (step,) = steps_of(answer)
    _, shown, _ = await asyncio.to_thread(run, *step)

    assert answer.json()["code"] == "internal-error"
    assert answer.json()["request_id"] in shown
    assert "RuntimeError: the disk is on fire" in shown


def _broken(*_: object, **__: object) -> None:
    raise RuntimeError("the disk is on fire")


@contextmanager
def _logged_in(file: Path) -> Iterator[None]:
    """What the server logs goes into ``file``, as in the workspace's own process."""
    handler, server = logging.FileHandler(file), logging.getLogger("uvicorn.error")
    handler.setFormatter(formatter(TelemetrySettings(), process="web"))
    server.addHandler(handler)
    try:
        yield
    finally:
        server.removeHandler(handler)
        handler.close()


async def _ask_served(services: StageServices, listening: socket) -> httpx.Response:
    """The answer of a real server to an order that it cannot keep."""
    port, ready = listening.getsockname()[1], asyncio.Event()
    access, site = Access(services), Site(hosts=loopback_hosts(port), cookie="penwright_stage")
    app = http_app(services, access, site)
    api = Api(app, Guard(app, access, site), access)

    async def on_ready() -> None:
        ready.set()

    server = WebServer(configuration(api.guard, lifespan=True), on_ready)
    serving = asyncio.create_task(server.serve(sockets=[listening]))
    try:
        await asyncio.wait_for(ready.wait(), 20)
        given = {"authorization": f"Bearer {api.token()}", **key()}
        async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}/api/v1", headers=given) as client:
            return await client.post("/worlds", json={"name": "Dunmore"})
    finally:
        server.should_exit = True
        await serving
