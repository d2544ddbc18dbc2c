"""A real engine: it starts, heals, is joined, survives damage, and leaves no process when killed."""

import base64
import json
import re
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime
from typing import Any
from urllib.error import HTTPError
from urllib.request import urlopen

import psutil
import psycopg
import pytest
from temporalio.api.operatorservice.v1 import ListSearchAttributesRequest
from temporalio.api.workflowservice.v1 import DescribeNamespaceRequest

from activities.notifying import NoticeRecords
from penwright.adapters.store.migration import current_revision, head_revision
from schemas.notices import Notice, Undelivered
from tests.support.engine.home import EngineHome, engine_home, until
from workers.client import connect
from workers.engine import doctor
from workers.engine.children import NO_ANSWER
from workers.engine.status import status
from workers.preparing.temporal import SEARCH_ATTRIBUTES
from workers.store_opening import open_store_of

pytestmark = [pytest.mark.server, pytest.mark.xdist_group("engine")]

WORKERS = ("workflows", "activities", "models")


@pytest.fixture(scope="module")
def engine() -> Iterator[EngineHome]:
    """One engine for the module, started in the background by the command."""
    home = engine_home(VENDOR_API_KEY="sesame", PENWRIGHT_WORKER__GRACE_S="2")
    done = home.cli("up", "--detach", "--json")
    try:
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["state"] == "ready"
        yield home
    finally:
        home.remove()


def told(address: str, path: str) -> tuple[int, dict[str, Any]]:
    """The answer of an endpoint: the status, and its JSON."""
    try:
        with urlopen(f"{address}{path}", timeout=10) as page:
            return page.status, json.load(page)
    except HTTPError as error:
        return error.code, json.load(error)


def database_answers(engine: EngineHome) -> bool:
    """Whether our database takes a statement."""
    url = engine.record().database_url
    assert url is not None
    try:
        with psycopg.connect(url, connect_timeout=2) as connection:
            return connection.execute("select 1").fetchone() == (1,)
    except psycopg.OperationalError:
        return False


async def test_the_namespace_remembers_a_year_and_knows_our_attributes(engine: EngineHome) -> None:
    client = await connect(engine.loaded.settings)

    described = await client.workflow_service.describe_namespace(
        DescribeNamespaceRequest(namespace="default")
    )
    attributes = await client.operator_service.list_search_attributes(
        ListSearchAttributesRequest(namespace="default")
    )

    assert described.config.workflow_execution_retention_ttl.ToTimedelta().days == 365
    assert SEARCH_ATTRIBUTES.items() <= dict(attributes.custom_attributes).items()


def test_the_tables_are_at_the_newest_revision(engine: EngineHome) -> None:
    url = engine.record().database_url
    assert url is not None

    assert current_revision(url) == head_revision()
    store = open_store_of(engine.loaded.settings)
    store.ping()
    store.close()


def test_the_doctor_names_notifications_that_were_not_delivered(engine: EngineHome) -> None:
    before = json.loads(engine.cli("doctor", "--json").stdout)["findings"]
    store = open_store_of(engine.loaded.settings)
    notice = Notice(key="k", subject="tide", title="tide: session failed", body="", at=datetime.now(UTC))
    NoticeRecords(store.records).record_undelivered(Undelivered(notice=notice, reason="no webhook"))
    store.close()

    after = json.loads(engine.cli("doctor", "--json").stdout)["findings"]

    assert [one for one in before if one["name"] == "notification"] == []
    (finding,) = (one for one in after if one["name"] == "notification")
    assert finding["verdict"] == "warning"
    assert "tide: session failed" in finding["message"]


def test_a_second_up_reports_the_first(engine: EngineHome) -> None:
    before = engine.record()

    background = engine.cli("up", "--detach", "--json")
    foreground = engine.cli("up", "--json")

    for done in (background, foreground):
        assert done.returncode == 0, done.stderr
        document = json.loads(done.stdout)
        assert (document["pid"], document["temporal"]) == (before.pid, before.temporal)
    assert engine.record().pid == before.pid


def test_status_names_every_process(engine: EngineHome) -> None:
    document = json.loads(engine.cli("status", "--json").stdout)

    assert document["running"] is True
    assert {"temporal", "postgres", *WORKERS} == document["children"].keys()
    assert document["ui"] is None, "without the workspace nothing guards the Temporal UI"


def test_the_health_endpoints_of_status_say_that_all_can_work(engine: EngineHome) -> None:
    until(lambda: bool(json.loads(engine.cli("status", "--json").stdout)["ready"]))
    document = json.loads(engine.cli("status", "--json").stdout)
    addresses = [document["health"], *(document["children"][name]["health"] for name in WORKERS)]

    until(lambda: all(told(address, "/readyz")[0] == 200 for address in addresses))
    assert [told(address, "/healthz")[0] for address in addresses] == [200] * 4
    assert told(addresses[1], "/healthz")[1]["pid"] == document["children"]["workflows"]["pid"]


def test_only_the_model_worker_holds_a_providers_key(engine: EngineHome) -> None:
    until(lambda: engine.record().children["models"].pid is not None)

    holders = {
        name
        for name in ("temporal", "postgres", *WORKERS)
        if engine.child(name).environ().get("VENDOR_API_KEY") == "sesame"
    }

    assert holders == {"models"}


def test_the_database_is_reachable_through_a_private_socket_only(engine: EngineHome) -> None:
    postgres = engine.child("postgres")
    folder = engine.folder / "postgres" / "run"

    assert folder.stat().st_mode & 0o777 == 0o700
    assert [one for one in postgres.net_connections("inet") if one.status == psutil.CONN_LISTEN] == []


@pytest.mark.parametrize("name", ["temporal", "postgres", "workflows", "activities"])
async def test_a_killed_child_is_started_again_and_works(engine: EngineHome, name: str) -> None:
    old = engine.child(name)

    old.kill()
    engine.await_restarted(name, old=old.pid)

    assert database_answers(engine)
    client = await connect(engine.loaded.settings)
    assert await client.service_client.check_health()


def test_up_rewrites_a_damaged_record(engine: EngineHome) -> None:
    before = engine.record()
    engine.home.record_file.write_text("{ damaged")

    done = engine.cli("up", "--detach", "--json")

    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["pid"] == before.pid
    assert engine.record().temporal == before.temporal


def test_the_doctor_finds_a_running_engine_healthy(engine: EngineHome) -> None:
    done = engine.cli("doctor", "--json")

    findings = {one["name"]: one["verdict"] for one in json.loads(done.stdout)["findings"]}
    assert (findings["engine"], findings["database"], findings["temporal"]) == ("ok", "ok", "ok")


def test_logs_show_the_end_of_one_process(engine: EngineHome) -> None:
    done = engine.cli("logs", "postgres", "-n", "1000")

    assert "database system is ready to accept connections" in done.stdout


@pytest.fixture(scope="module")
def whole() -> Iterator[EngineHome]:
    """An engine with every process that there can be, which replaces those that are silent for 10 s."""
    key = base64.b64encode(b"k" * 32).decode()
    quick = {"PENWRIGHT_ENGINE__STUCK_S": "10", "PENWRIGHT_WORKER__GRACE_S": "2"}
    home = engine_home(PENWRIGHT_WEB__ENABLED="true", PENWRIGHT_ENCRYPTION_KEY=key, **quick)
    done = home.cli("up", "--detach", "--json")
    try:
        assert done.returncode == 0, done.stderr
        yield home
    finally:
        home.remove()


@pytest.mark.long
@pytest.mark.parametrize("name", ["temporal", "postgres", "codec", *WORKERS, "web"])
def test_a_frozen_process_is_named_at_once_and_replaced(whole: EngineHome, name: str) -> None:
    old = whole.child(name)
    family = [*old.children(recursive=True), old]
    until(lambda: status(whole.loaded)["silent"] == [])
    for process in family:
        process.suspend()

    frozen_at, began = time.time(), time.monotonic()
    document = status(whole.loaded)
    took_s = time.monotonic() - began
    probed = told(str(whole.record().health), "/readyz")[1]["children"]
    findings = {each.name: each.message for each in doctor.examine(whole.loaded)}
    until(lambda: (whole.record().children[name].silent_since or 0) > 0)
    since = whole.record().children[name].silent_since or 0
    whole.await_restarted(name, old=old.pid)

    assert (document["silent"], document["children"][name]["lacks"]) == ([name], NO_ANSWER)
    assert took_s < 2
    assert probed[name]["lacks"] == NO_ANSWER
    assert findings[name] == "is not ready: no-answer"
    assert abs(since - frozen_at) < 5
    assert {process.status() for process in family if process.is_running()} <= {psutil.STATUS_ZOMBIE}
    assert whole.record().children[name].stuck == 1


@pytest.mark.long
def test_a_frozen_server_is_not_asked_what_is_under_way(whole: EngineHome) -> None:
    until(lambda: status(whole.loaded)["silent"] == [])
    old = whole.child("temporal")
    old.suspend()

    document = json.loads(whole.cli("status", "--json").stdout)
    whole.await_restarted("temporal", old=old.pid)

    assert document["work_trouble"] == "no answer from temporal"


@pytest.mark.long
@pytest.mark.parametrize("way_on", ["go on", "replaced"])
def test_a_frozen_supervisor_is_named_and_the_advice_works(whole: EngineHome, way_on: str) -> None:
    until(lambda: status(whole.loaded)["silent"] == [])
    supervisor = psutil.Process(whole.record().pid)
    supervisor.suspend()

    document = status(whole.loaded)
    said = whole.cli("status").stdout
    advice = re.findall(r"`([^`]+)`", said.splitlines()[-1])
    taken = advice[2:] if way_on == "go on" else advice[:2]
    for command in taken:
        done = run_in_shell(command, whole)
        assert done.returncode == 0, done.stderr

    assert (document["silent"], document["state"], document["ready"]) == (["engine"], NO_ANSWER, False)
    assert document["temporal"] in said
    until(lambda: status(whole.loaded)["ready"])
    assert (whole.record().pid == supervisor.pid) == (way_on == "go on")


def run_in_shell(command: str, home: EngineHome) -> subprocess.CompletedProcess[str]:
    """Run a command as a person types it."""
    typed = command.replace("penwright ", f"{sys.executable} -m gateway ")
    return subprocess.run(typed, shell=True, env=home.environ, capture_output=True, text=True, check=False)


@pytest.fixture
async def own_engine() -> AsyncIterator[tuple[EngineHome, subprocess.Popen[str]]]:
    """An engine with a supervisor that is the test's own child."""
    home = engine_home(PENWRIGHT_WORKER__GRACE_S="2")
    supervisor = home.supervisor()
    try:
        home.await_ready(pid=supervisor.pid)
        yield home, supervisor
    finally:
        supervisor.kill()
        supervisor.communicate()
        home.remove()


def test_no_process_outlives_a_killed_supervisor(
    own_engine: tuple[EngineHome, subprocess.Popen[str]],
) -> None:
    home, supervisor = own_engine
    family = psutil.Process(supervisor.pid).children(recursive=True)
    before = home.record()
    with psycopg.connect(str(before.database_url), autocommit=True) as connection:
        connection.execute("create table kept as select 42 as answer")

    supervisor.kill()
    supervisor.wait()
    _, alive = psutil.wait_procs(family, timeout=20)

    assert len(family) >= 5
    assert alive == []
    assert home.cli("status").returncode == 1
    began = time.monotonic()
    done = home.cli("up", "--detach", "--json")
    print(f"\n`up` after a kill: ready in {time.monotonic() - began:.1f} s")
    assert done.returncode == 0, done.stderr
    after = home.record()
    assert (after.temporal, after.ui) == (before.temporal, before.ui), "the ports are kept"
    with psycopg.connect(str(after.database_url)) as connection:
        assert connection.execute("select answer from kept").fetchone() == (42,)


def test_down_stops_workers_before_servers_and_leaves_nothing(
    own_engine: tuple[EngineHome, subprocess.Popen[str]],
) -> None:
    home, supervisor = own_engine
    family = psutil.Process(supervisor.pid).children(recursive=True)

    # It is our child, so this test must reap it while `down` waits for its end.
    asking = subprocess.Popen(
        [sys.executable, "-m", "gateway", "down", "--json"],
        env=home.environ,
        stdout=subprocess.PIPE,
        text=True,
    )
    code = supervisor.wait(60)
    said, _ = asking.communicate(timeout=60)

    assert (code, json.loads(said)["was_running"]) == (0, True)
    # The process of workflows runs none.
    assert json.loads(said)["activities"].keys() == {"activities", "models"}
    assert json.loads(said)["children"] == {
        name: {"state": "stopped"} for name in ("temporal", "postgres", *WORKERS)
    }
    assert [process for process in family if process.is_running()] == []
    assert home.record().state == "stopped"
    assert "stopping" in home.home.log("activities").read_text()
    assert "database system is shut down" in home.home.log("postgres").read_text()
    assert json.loads(home.cli("down", "--json").stdout)["was_running"] is False
