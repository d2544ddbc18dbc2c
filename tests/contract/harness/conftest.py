"""Harnesses under test, each with a book of its own before a running engine."""

from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from uuid import uuid4

import pytest

from penwright.domain.book.files.fresh_files import FRESH_STATE
from penwright.domain.book.files.layout import STATE
from penwright.domain.intents.registry import REGISTRY
from tests.contract.harness.harness import Call, Can, Harness, Outcome
from tests.contract.harness.over_mcp import McpHarness
from tests.contract.harness.over_the_loop import FILES_INTENT, LoopHarness, Runs
from tests.contract.harness.world import Sessions, World
from tests.support.books.running_books import RunningBook, lay_out, prose_of
from tests.support.engine.stand import Desk

OVER_HTTP = (
    "test_a_delivery_returns_its_result",
    "test_a_long_call_reports_progress",
    "test_bad_arguments_are_named_by_field",
    "test_only_one_of_two_concurrent_deliveries_is_published",
    "test_six_megabytes_are_refused_with_advice",
    "test_twin_calls_pair_by_position",
)
"""What a transport can change; `make long` runs the other scenarios over HTTP, too."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "[mcp-http]" in item.name and not item.name.startswith(OVER_HTTP):
            item.add_marker(pytest.mark.long)


Make = Callable[[Desk, Path], tuple[Harness, World]]


def _mcp_stdio(desk: Desk, folder: Path) -> tuple[Harness, World]:
    book = _book(folder)
    harness = McpHarness("stdio", book.folder, desk.environ, folder / "log")
    return harness, World(book, Sessions(desk, book.book_id))


def _mcp_http(desk: Desk, folder: Path) -> tuple[Harness, World]:
    book = _book(folder)
    harness = McpHarness("http", book.folder, desk.environ, folder / "log")
    # It is the same server; starting it once more costs as long as all other scenarios together.
    return replace(harness, can=harness.can - {Can.RESTART}), World(book, Sessions(desk, book.book_id))


def _own_loop(desk: Desk, folder: Path) -> tuple[Harness, World]:
    book = _book(folder, {REGISTRY: FILES_INTENT})
    runs = Runs(desk.stand.client, book)
    return LoopHarness(runs), World(book, runs)


def _book(folder: Path, files: Mapping[str, str] | None = None) -> RunningBook:
    book_id = f"harness-{uuid4().hex[:8]}"
    state = {STATE: f"{FRESH_STATE}book_id: {book_id}\n"}
    return lay_out(folder, book_id, target=5000, files={**state, **(files or {})})


HARNESSES: dict[str, Make] = {"mcp-stdio": _mcp_stdio, "mcp-http": _mcp_http, "own-loop": _own_loop}
"""Another harness is one more line here."""


@dataclass(frozen=True)
class Trial:
    """A harness, and the world it acts on."""

    harness: Harness
    world: World

    async def call(self, tool: str, **arguments: object) -> Outcome:
        """One call, with any result."""
        return await self.harness.call(Call(tool, arguments))

    async def done(self, tool: str, **arguments: object) -> Outcome:
        """One call that succeeds."""
        outcome = await self.call(tool, **arguments)
        assert not outcome.denied, outcome.value
        return outcome

    async def opened(self, key: str = "") -> str:
        """A session, nothing selected yet."""
        return await self.harness.open(key)

    async def selected(self, key: str = "") -> str:
        """A session that may change the book."""
        session = await self.opened(key)
        await self.select(session)
        return session

    async def select(self, session: str) -> Outcome:
        """Select the book's intent."""
        selected = await self.harness.call(self.harness.selecting(session, "INT-001"))
        assert not selected.denied, selected.value
        return selected

    async def write(self, session: str, name: str) -> Outcome:
        """Deliver the prose called ``name``, with any result."""
        return await self.harness.call(self.harness.writing(session, prose_of(name)))

    async def written(self, session: str, name: str) -> Outcome:
        """Bring the prose called ``name`` into the book."""
        written = await self.write(session, name)
        assert not written.denied, written.value
        return written


LATER = {"mcp-stdio", "mcp-http"}
"""Harnesses that `make long` tries: their server has tests of its own."""


@pytest.fixture(
    scope="session",
    params=[pytest.param(each, marks=pytest.mark.long if each in LATER else ()) for each in HARNESSES],
)
async def running(
    request: pytest.FixtureRequest, shared_desk: Desk, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Trial]:
    """A harness that all scenarios share."""
    name: str = request.param
    folder = tmp_path_factory.mktemp(name)
    harness, world = HARNESSES[name](shared_desk, folder)
    await harness.start()
    yield Trial(harness, world)
    await harness.stop()


@pytest.fixture
async def trial(running: Trial, request: pytest.FixtureRequest) -> AsyncIterator[Trial]:
    """The harness, if it has the capabilities of the scenario; no session is left afterwards."""
    needs: frozenset[Can] = frozenset(
        need for mark in request.node.iter_markers("needs") for need in mark.args
    )
    if missing := needs - running.harness.can:
        pytest.skip(f"it cannot {', '.join(sorted(each.name.lower() for each in missing))}")
    yield running
    await running.world.work.quiet()
