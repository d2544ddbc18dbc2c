"""Two whole engines, a clone each, one remote: of sessions that start at once, one asks a model."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from uuid import uuid4

import pytest
from google.protobuf.duration_pb2 import Duration
from temporalio.api.workflowservice.v1 import RegisterNamespaceRequest
from temporalio.client import Client
from temporalio.service import RPCError

from penwright.adapters.clock import SystemClock
from penwright.adapters.models.scripted import ScriptedAnswer
from penwright.adapters.store import open_store
from schemas.base import BookId
from schemas.book_session import BookSessionResult
from tests.support.agents.scripted_model import calls_made
from tests.support.books.repos import clone, git
from tests.support.books.running_books import RunningBook, lay_out, reply_of
from tests.support.engine.postgres import Template
from tests.support.engine.stand import Desk, Stand, desk
from workers.preparing import temporal as prepare
from workers.temporal_plugin import STRICT_PLUGIN

pytestmark = [pytest.mark.server, pytest.mark.xdist_group("engine")]

ROUNDS = 20


@pytest.fixture
async def other_stand(stand: Stand, database_template: Template) -> AsyncIterator[Stand]:
    """A second engine: a namespace and a database of its own."""
    namespace = f"laptop-{uuid4().hex[:8]}"
    retention = Duration()
    retention.FromTimedelta(timedelta(days=1))
    await stand.client.workflow_service.register_namespace(
        RegisterNamespaceRequest(namespace=namespace, workflow_execution_retention_period=retention)
    )
    client = await Client.connect(stand.address, namespace=namespace, plugins=[STRICT_PLUGIN])
    await _attributes(client)
    name = database_template.copy()
    store = open_store(database_template.url(name), clock=SystemClock())
    yield replace(stand, database_url=database_template.url(name), client=client, store=store)
    store.close()
    database_template.drop(name)


async def _attributes(client: Client) -> None:
    """A new namespace is known everywhere only after some seconds."""
    async with asyncio.timeout(30):
        while True:
            try:
                await prepare.search_attributes(client)
                return
            except RPCError:
                await asyncio.sleep(0.2)


async def session(at: Desk, book: RunningBook, name: str) -> BookSessionResult:
    return await at.run(book.session(name, at.environ))


async def test_two_engines_that_open_one_remote_at_once_ask_one_model(
    stand: Stand, other_stand: Stand, tmp_path: Path
) -> None:
    book = lay_out(tmp_path / "books", f"tide-{uuid4().hex[:6]}", target=600)
    other = RunningBook(clone(book.remote, tmp_path / "laptop" / "book"), BookId(book.book_id))
    namespace = other_stand.client.namespace
    async with (
        desk(stand, tmp_path / "desk") as here,
        desk(other_stand, tmp_path / "other", TEMPORAL_NAMESPACE=namespace) as there,
    ):
        for at in (here, there):
            at.says(ScriptedAnswer(text=reply_of("s1")))
        refused: list[BookSessionResult] = []
        for number in range(ROUNDS):
            results = await asyncio.gather(
                session(here, book, f"desk-{number}"), session(there, other, f"laptop-{number}")
            )
            assert {each.outcome for each in results} <= {"closed", "refused"}, results
            refused += [each for each in results if each.outcome == "refused"]
        asked = len(calls_made(here.script)) + len(calls_made(there.script))

    # On a busy machine, a session may be over before the other one opens: then both are written, in turn.
    assert asked == 2 * ROUNDS - len(refused)
    assert len(refused) > ROUNDS // 2
    assert {each.code for each in refused} == {"already-running"}
    assert all("/book holds this book" in each.message for each in refused)
    assert steps(book.remote) == ["open", "close"] * asked


def steps(remote: Path) -> list[str]:
    told = git(remote, "log", "--reverse", "--format=%(trailers:key=Penwright-Step,valueonly)", "main")
    return [line for line in told.splitlines() if line in ("open", "close")]
