"""A plain Temporal and an empty database: setup prepares them, and every pipeline ends well on them."""

import asyncio
import json
import os
import subprocess
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from penwright.adapters.store.migration import upgrade
from tests.support.engine.home import EngineHome, engine_home
from tests.support.engine.postgres import Template
from tests.support.engine.temporal import plain_server
from tests.support.gateway.forked_commands import forked_commands

pytestmark = [pytest.mark.server, pytest.mark.xdist_group("own-servers")]


@pytest.fixture
async def plain_temporal() -> AsyncIterator[str]:
    """The address of Temporal's own development server, as everybody starts it."""
    async with await plain_server() as env:
        yield env.client.service_client.config.target_host


@pytest.fixture
def empty_database(database_template: Template) -> Iterator[str]:
    name = database_template.empty()
    yield database_template.url(name)
    database_template.drop(name)


@dataclass(frozen=True)
class Installation:
    """A home whose settings name both servers, and the folder of its commands."""

    home: EngineHome
    commands: Path

    def run(self, *words: str) -> "subprocess.CompletedProcess[str]":
        """Run ``penwright`` with these words."""
        path = os.pathsep.join((str(self.commands), self.home.environ["PATH"]))
        return subprocess.run(
            [str(self.commands / "penwright"), *words],
            env=self.home.environ | {"PATH": path},
            capture_output=True,
            text=True,
            timeout=240,
            check=False,
        )

    # Any: JSON.
    def said(self, *words: str, code: int = 0) -> dict[str, Any]:
        """The JSON that a command prints."""
        done = self.run(*words, "--json")
        assert done.returncode == code, f"{words}: {done.stdout[-2000:]}\n{done.stderr[-2000:]}"
        answer: dict[str, Any] = json.loads(done.stdout)
        return answer


@pytest.fixture(scope="module")
def commands(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with forked_commands(tmp_path_factory.mktemp("commands") / "bin") as folder:
        yield folder


@pytest.fixture
def own(plain_temporal: str, empty_database: str, tmp_path: Path, commands: Path) -> Iterator[Installation]:
    at = engine_home(
        TEMPORAL_ADDRESS=plain_temporal,
        PENWRIGHT_DATABASE_URL=empty_database,
        PENWRIGHT_SCHOLARLY__SOURCES='["recorded"]',
        HOME=str(tmp_path),
    )
    (tmp_path / ".gitconfig").write_text("[user]\n\tname = Ada Author\n\temail = ada@example.org\n", "utf-8")
    yield Installation(at, commands)
    at.remove()


# Any: JSON.
def states(setup: dict[str, Any]) -> dict[str, str]:
    """What became of each thing that sessions need."""
    needed = ("namespace", "search attributes", "tables")
    return {step["name"]: step["state"] for step in setup["steps"] if step["name"] in needed}


# Any: JSON.
def paper_written(own: Installation, paper: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """A manuscript from one line of instructions, and a scan of it for citations."""
    own.said("manuscript", "new", paper, "--title", "Tides")
    written = own.said("manuscript", "write", paper, "-i", "A short essay on why published findings fail.")
    return written, own.said("cite", "scan", paper)


# Any: JSON.
def scene_played(own: Installation) -> dict[str, Any]:
    """A round of a scene with one character."""
    own.said("world", "create", "Tarn", "--description", "A valley with one inn.")
    own.said("character", "create", "Nora Hale", "--description", "Keeps the inn; dry and careful.")
    own.said("scene", "create", "Late guest", "--world", "Tarn", "--cast", "Nora Hale")
    return own.said("scene", "say", "late-guest", "Is there a room left?")


async def test_before_setup_a_session_is_refused_by_name_and_after_it_every_pipeline_ends_well(
    own: Installation, tmp_path: Path
) -> None:
    book, paper = str(tmp_path / "tide"), str(tmp_path / "tides")
    own.said("book", "init", book, "--title", "Tide")
    missing = own.said("operator", "setup", "--check", code=1)
    refused = own.run("up", "--detach")

    first = own.said("operator", "setup")
    second = own.said("operator", "setup")
    own.said("up", "--detach")
    session, (written, scanned), played = await asyncio.gather(
        asyncio.to_thread(own.said, "book", "session", book),
        asyncio.to_thread(paper_written, own, paper),
        asyncio.to_thread(scene_played, own),
    )

    assert states(missing) == {"namespace": "ready", "search attributes": "missing", "tables": "missing"}
    assert refused.returncode == 1
    assert "namespace-not-prepared" in refused.stderr
    assert "penwright operator setup" in refused.stderr
    assert states(first) == {"namespace": "ready", "search attributes": "done", "tables": "done"}
    assert states(second) == {"namespace": "ready", "search attributes": "ready", "tables": "ready"}
    assert (session["outcome"], written["outcome"], scanned["outcome"]) == ("closed", "finished", "waiting")
    assert played["outcome"] == "completed"


async def test_a_session_started_from_elsewhere_on_an_unprepared_server_blames_the_server(
    own: Installation, empty_database: str, tmp_path: Path
) -> None:
    own.said("book", "init", str(tmp_path / "tide"), "--title", "Tide")
    unmigrated = own.said("book", "session", str(tmp_path / "tide"), code=1)
    upgrade(empty_database)

    refused = own.said("book", "session", str(tmp_path / "tide"), code=1)

    assert unmigrated["code"] == "store-not-migrated"
    assert refused["code"] == "namespace-not-prepared"
