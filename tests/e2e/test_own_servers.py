"""A plain Temporal and an empty database: setup prepares them, and every pipeline ends well on them."""

import json
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
from temporalio.testing import WorkflowEnvironment

from penwright.adapters.store.migration import upgrade
from tests.support.engine.home import PATIENT, EngineHome, engine_home
from tests.support.engine.postgres import Template
from workers.engine import temporal

pytestmark = [pytest.mark.server, pytest.mark.xdist_group("own-servers")]


@pytest.fixture
async def plain_temporal() -> AsyncIterator[str]:
    """The address of Temporal's own development server, as everybody starts it."""
    binary = str(temporal.binary(None, None))
    async with await WorkflowEnvironment.start_local(dev_server_existing_path=binary) as env:
        yield env.client.service_client.config.target_host


@pytest.fixture
def empty_database(database_template: Template) -> Iterator[str]:
    name = database_template.empty()
    yield database_template.url(name)
    database_template.drop(name)


@pytest.fixture
def home(plain_temporal: str, empty_database: str, tmp_path: Path) -> Iterator[EngineHome]:
    """A home whose settings name both servers."""
    at = engine_home(
        TEMPORAL_ADDRESS=plain_temporal,
        PENWRIGHT_DATABASE_URL=empty_database,
        PENWRIGHT_SCHOLARLY__SOURCES='["recorded"]',
        HOME=str(tmp_path),
        **PATIENT,
    )
    (tmp_path / ".gitconfig").write_text("[user]\n\tname = Ada Author\n\temail = ada@example.org\n", "utf-8")
    yield at
    at.remove()


def said(home: EngineHome, *words: str, code: int = 0) -> dict[str, Any]:  # Any: JSON
    """The JSON that a command prints."""
    done = home.cli(*words, "--json")
    assert done.returncode == code, f"{words}: {done.stdout[-2000:]}\n{done.stderr[-2000:]}"
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


@pytest.mark.long
async def test_before_setup_a_session_is_refused_by_name_and_after_it_every_pipeline_ends_well(
    home: EngineHome, tmp_path: Path
) -> None:
    book, paper = str(tmp_path / "tide"), str(tmp_path / "tides")
    said(home, "book", "init", book, "--title", "Tide")
    missing = said(home, "operator", "setup", "--check", code=1)
    refused = home.cli("up", "--detach")

    first = said(home, "operator", "setup")
    second = said(home, "operator", "setup")
    said(home, "up", "--detach")
    session = said(home, "book", "session", book)
    said(home, "manuscript", "new", paper, "--title", "Tides")
    written = said(home, "manuscript", "write", paper, "-i", "A short essay on why published findings fail.")
    scanned = said(home, "cite", "scan", paper)
    said(home, "world", "create", "Tarn", "--description", "A valley with one inn.")
    said(home, "character", "create", "Nora Hale", "--description", "Keeps the inn; dry and careful.")
    said(home, "scene", "create", "Late guest", "--world", "Tarn", "--cast", "Nora Hale")
    played = said(home, "scene", "say", "late-guest", "Is there a room left?")

    assert [step["state"] for step in missing["steps"]][:3] == ["ready", "missing", "missing"]
    assert refused.returncode == 1
    assert "namespace-not-prepared" in refused.stderr
    assert "penwright operator setup" in refused.stderr
    assert [step["state"] for step in first["steps"]][:3] == ["ready", "done", "done"]
    assert [step["state"] for step in second["steps"]][:3] == ["ready", "ready", "ready"]
    assert (session["outcome"], written["outcome"], scanned["outcome"]) == ("closed", "finished", "waiting")
    assert played["outcome"] == "completed"


async def test_a_session_started_from_elsewhere_on_an_unprepared_server_blames_the_server(
    home: EngineHome, empty_database: str, tmp_path: Path
) -> None:
    said(home, "book", "init", str(tmp_path / "tide"), "--title", "Tide")
    unmigrated = said(home, "book", "session", str(tmp_path / "tide"), code=1)
    upgrade(empty_database)

    refused = said(home, "book", "session", str(tmp_path / "tide"), code=1)

    assert unmigrated["code"] == "store-not-migrated"
    assert refused["code"] == "namespace-not-prepared"
