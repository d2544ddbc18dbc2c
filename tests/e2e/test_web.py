"""The workspace of a real engine: started with it, signed in to by a link, and ended with it."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

import httpx
import psutil
import pytest

from tests.support.engine.home import EngineHome, engine_home, until

pytestmark = [pytest.mark.server, pytest.mark.xdist_group("engine")]


@contextmanager
def signed_in(running_engine: EngineHome) -> Iterator[httpx.Client]:
    """A browser that followed the link of ``penwright web``."""
    link = json.loads(running_engine.cli("web", "--json").stdout)["link"]
    address, _, code = link.partition("/login#")
    with httpx.Client(base_url=address, headers={"origin": address}, timeout=30) as client:
        answer = client.post("/api/v1/session", json={"code": code})
        assert answer.status_code == 201, answer.text
        yield client


def test_the_link_of_the_command_signs_a_browser_in(running_engine: EngineHome) -> None:
    with signed_in(running_engine) as client:
        me = client.get("/api/v1/me")
        root = client.get("/")

    assert me.status_code == 200
    assert me.json()["scopes"] == ["read", "write", "run", "approve", "admin"]
    assert (root.status_code, root.headers["location"]) == (307, "/ui/")


def test_the_status_has_its_address_and_strangers_get_nothing_there(running_engine: EngineHome) -> None:
    document = json.loads(running_engine.cli("status", "--json").stdout)

    assert document["children"]["web"]["state"] == "ready"
    assert httpx.get(f"{document['web']}/healthz").json() == {"status": "ok"}
    assert httpx.get(f"{document['web']}/api/v1/me").status_code == 401
    assert httpx.get(f"{document['web']}/healthz", headers={"host": "evil.example"}).status_code == 421


def test_no_secret_reaches_the_log(running_engine: EngineHome) -> None:
    link = json.loads(running_engine.cli("web", "--json").stdout)["link"]
    with signed_in(running_engine) as client:
        secret = next(iter(client.cookies.values()))

    log = running_engine.home.log("web").read_text(encoding="utf-8")

    assert link.rpartition("#")[2] not in log
    assert secret not in log


def test_a_killed_workspace_comes_back_and_keeps_its_sessions(running_engine: EngineHome) -> None:
    with signed_in(running_engine) as client:
        old = running_engine.child("web").pid
        psutil.Process(old).kill()
        running_engine.await_restarted("web", old=old)
        after = client.get("/api/v1/me")

    assert after.status_code == 200


def test_a_session_that_is_started_tells_its_events(running_engine: EngineHome, tmp_path: Path) -> None:
    place = tmp_path / "tide"
    made = running_engine.cli(
        "book", "init", str(place), "--title", "Low Tide", "--author", "M. Orr", "--json"
    )
    assert made.returncode == 0, made.stderr
    book_id = json.loads(made.stdout)["book_id"]
    kinds: list[str] = []
    with signed_in(running_engine) as client, client.stream("GET", "/api/v1/events", timeout=90) as events:
        started = None
        for line in events.iter_lines():
            name, _, value = line.partition(": ")
            if name != "event":
                continue
            kinds.append(value)
            if value == "hello":
                key = {"idempotency-key": uuid4().hex}
                shown = client.get(f"/api/v1/books/{book_id}")
                started = client.post(f"/api/v1/books/{book_id}/sessions", json={}, headers=key)
            if len(kinds) > 2:
                break

    assert shown.json()["book_id"] == book_id
    assert started is not None
    assert started.status_code == 202, started.text
    assert kinds[0] == "hello"
    assert "opened" in kinds


def test_the_examples_of_the_page_about_the_api_run_as_written() -> None:
    page = Path(__file__).parents[2].joinpath("docs/api.md").read_text(encoding="utf-8")
    script = "".join(re.findall(r"^```sh\n(.*?)^```$", page, re.MULTILINE | re.DOTALL))
    own = engine_home(PENWRIGHT_WEB__ENABLED="true", PENWRIGHT_WORKER__GRACE_S="2")
    try:
        started = own.cli("up", "--detach")
        assert started.returncode == 0, started.stderr
        until(lambda: own.record().children["web"].state == "ready")
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", script],
            env={**own.environ, "PATH": f"{Path(sys.executable).parent}:{own.environ['PATH']}"},
            capture_output=True,
            text=True,
            timeout=200,
            check=False,
        )
    finally:
        own.remove()

    assert done.returncode == 0, done.stderr
    assert '"scopes":["read","run"]' in done.stdout
    assert '"items":[]' in done.stdout


def test_the_temporal_ui_answers_its_own_page_and_no_foreign_host(running_engine: EngineHome) -> None:
    address = json.loads(running_engine.cli("status", "--json").stdout)["ui"]
    ended = "/api/v1/namespaces/default/workflows/book%2Fnone/terminate"
    with httpx.Client(base_url=address) as page:
        listed = page.get("/api/v1/namespaces/default/workflows")
        token = page.cookies["_csrf"]
        own = page.post(ended, json={}, headers={"x-csrf-token": token, "origin": address})
        foreign = page.post(ended, json={}, headers={"x-csrf-token": token, "host": "evil.example"})

    assert listed.status_code == 200
    assert own.status_code == 404, "it reached the handler, which knows no such workflow"
    assert foreign.status_code == 421


def test_nothing_else_of_temporal_answers_a_web_page(running_engine: EngineHome) -> None:
    record = running_engine.record()
    server = psutil.Process(record.children["temporal"].pid)
    places = {each.laddr for each in server.net_connections("tcp") if each.status == psutil.CONN_LISTEN}
    hidden = httpx.URL(str(record.ui_upstream))

    def listed(host: str, port: int) -> bool:
        try:
            path = f"http://{host}:{port}/api/v1/namespaces"
            return httpx.get(path, headers={"host": "evil.example"}, timeout=5).status_code == 200
        except httpx.HTTPError:
            return False

    answering = {(host, port) for host, port in places if listed(host, port)}

    assert answering <= {(hidden.host, hidden.port)}
    if sys.platform == "linux":
        assert hidden.host != "127.0.0.1", "no web page can guess which of 16 million addresses it is"
