"""Harnesses under test, each with a book of its own before a running engine."""

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

import pytest

from penwright.domain.book_layout import STATE
from penwright.domain.fresh_files import FRESH_STATE
from tests.contract.harness.harness import Call, Can, Harness, Outcome
from tests.contract.harness.over_mcp import McpHarness
from tests.contract.harness.world import World
from tests.support.running_books import lay_out
from tests.support.running_engine import Desk

Make = Callable[[World, Path], Harness]


def _mcp_stdio(world: World, folder: Path) -> Harness:
    return McpHarness("stdio", world.book.folder, world.desk.environ, folder / "log")


def _mcp_http(world: World, folder: Path) -> Harness:
    # It is the same server; starting it once more costs as long as all other scenarios together.
    can = frozenset(Can) - {Can.RESTART}
    return McpHarness("http", world.book.folder, world.desk.environ, folder / "log", can=can)


HARNESSES: dict[str, Make] = {"mcp-stdio": _mcp_stdio, "mcp-http": _mcp_http}
"""Another harness is one more line here."""


@dataclass(frozen=True)
class Trial:
    """A harness, and the world it acts on."""

    harness: Harness
    world: World

    async def call(self, tool: str, **arguments: object) -> Outcome:
        """One call, whatever becomes of it."""
        return await self.harness.call(Call(tool, arguments))

    async def done(self, tool: str, **arguments: object) -> Outcome:
        """One call that succeeds."""
        outcome = await self.call(tool, **arguments)
        assert not outcome.denied, outcome.value
        return outcome

    async def opened(self, key: str = "") -> str:
        """A session, nothing selected yet."""
        return str((await self.done("open_session", retry_key=key)).value["session"])

    async def selected(self, key: str = "") -> str:
        """A session that may change the book."""
        session = await self.opened(key)
        await self.done("select_active_intent", session=session, intent_id="INT-001")
        return session


@pytest.fixture(scope="session", params=HARNESSES)
async def running(
    request: pytest.FixtureRequest, shared_desk: Desk, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Trial]:
    """A harness that all scenarios share."""
    name: str = request.param
    folder = tmp_path_factory.mktemp(name)
    book_id = f"harness-{uuid4().hex[:8]}"
    book = lay_out(folder, book_id, target=5000, files={STATE: f"{FRESH_STATE}book_id: {book_id}\n"})
    world = World(shared_desk, book)
    harness = HARNESSES[name](world, folder)
    await harness.start()
    yield Trial(harness, world)
    await harness.stop()


@pytest.fixture
async def trial(running: Trial, request: pytest.FixtureRequest) -> AsyncIterator[Trial]:
    """The harness, if it can what the scenario needs; no session is left afterwards."""
    needs: frozenset[Can] = frozenset(
        need for mark in request.node.iter_markers("needs") for need in mark.args
    )
    if missing := needs - running.harness.can:
        pytest.skip(f"it cannot {', '.join(sorted(each.name.lower() for each in missing))}")
    yield running
    await running.world.quiet()
