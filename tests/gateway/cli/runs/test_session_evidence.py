"""The run of a session's writer has no workflow of its own, and is bundled and replayed all the same."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import pytest
from temporalio.testing import WorkflowEnvironment

from gateway.desk.run_records import bundles
from penwright.adapters.models.scripted import ScriptedAnswer
from penwright.agents.loop.transcript import gaps
from schemas.agent_run import TranscriptEntry
from schemas.control import KillRequest
from schemas.outside_session import OpenRequest
from tests.gateway.cli.runs.test_run_evidence import ARGUMENT, PLANTED, altered, revealed
from tests.support.books.running_books import lay_out, reply_of
from tests.support.gateway.agent_services import Desk, desk, until_listed
from tests.support.workflows.librarian import calls, says
from tests.support.workflows.session_writers import Study, study
from workflows.book_session import BookSession

pytestmark = pytest.mark.server

LOOKS = calls(("search_book", {"text": f"pier {PLANTED['MOON_API_KEY']} api_key={ARGUMENT}"}))
HANGS = ScriptedAnswer(fault="hang")

Opens = Callable[..., AbstractAsyncContextManager[tuple[Desk, Study]]]


@pytest.fixture
def opens(temporal_env: WorkflowEnvironment, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Opens:
    @asynccontextmanager
    async def opened(*answers: ScriptedAnswer) -> AsyncIterator[tuple[Desk, Study]]:
        async with (
            desk(temporal_env.client, tmp_path, capsys, *answers, environ=PLANTED) as at,
            study(at.here, tmp_path) as room,
        ):
            yield at, room

    return opened


async def test_a_sessions_writer_is_bundled_without_secrets_and_replays(opens: Opens, tmp_path: Path) -> None:
    to = tmp_path / "run.zip"
    async with opens(LOOKS, says(reply_of("one")), says(reply_of("two"))) as (at, room):
        first = await room.run("one")
        await room.run("two")
        await room.until_listed(2)
        made, out, err = await at.run("run", "bundle", room.writer("one"), "-o", str(to), "--json")
        code, told, _ = await at.run("run", "replay", str(to), "--json")
        parted = altered(to, b'"close_session"', b'"burn_session"')
        diverged, named, _ = await at.run("run", "replay", str(parted), "--json")

    assert (first.outcome, made) == ("closed", 0), (first, out, err)
    manifest = json.loads(out)
    found = bundles.read(to)
    entries = [
        TranscriptEntry.model_validate_json(line) for line in found.files["transcript.jsonl"].splitlines()
    ]
    turns = [json.loads(line) for line in found.files["main/turns.jsonl"].splitlines()]
    messages = [json.loads(line) for line in found.files["main/messages.jsonl"].splitlines()]
    (writer,) = manifest["runs"]
    assert (writer["run_id"], writer["workflow_id"]) == (room.writer("one"), f"book/{room.queue}")
    assert (writer["agent"], writer["outcome"]) == ("ink/writer", "completed")
    assert manifest["missing"] == []
    assert gaps(entries) == ()
    assert [message["role"] for message in messages] == ["user", "assistant", "tool", "assistant"]
    assert "onew1 onew2" in messages[-1]["content"]
    assert [turn["messages"] for turn in turns] == [1, 3]
    assert "How you write" in found.files[turns[0]["prompt"]].decode()
    assert found.json("main/result.json")["output"]["words"] == 100
    assert revealed(found) == []
    assert (code, json.loads(told)["status"]) == (0, "passes")
    assert (diverged, json.loads(named)["first"]["step"]) == (1, "ACTIVITY_TASK_SCHEDULED burn_session")


@pytest.mark.long
async def test_a_running_writer_is_bundled_up_to_its_last_step(opens: Opens, tmp_path: Path) -> None:
    to = tmp_path / "run.zip"
    async with opens(HANGS) as (at, room):
        session = await room.start("one")
        await at.here.until_asked()
        made, out, err = await at.run("run", "bundle", room.writer("one"), "-o", str(to), "--json")
        code, told, _ = await at.run("run", "replay", str(to))
        await session.signal(BookSession.kill, KillRequest(who="ada", reason="enough"))
        await session.result()

    assert (made, code) == (0, 0), (out, err)
    assert json.loads(out)["runs"][0]["outcome"] == ""
    assert told.endswith(": checksums are right, 1 history replays.\n")


@pytest.mark.long
async def test_a_sessions_writer_is_listed_while_it_works_and_afterwards(
    opens: Opens, tmp_path: Path
) -> None:
    async with opens(HANGS) as (at, room):
        one = ("run", "list", "--json", "--subject", room.queue)
        other = lay_out(tmp_path / "other", f"{room.queue}-too", remote=False)
        session = await room.start("one")
        outside = await room.start(
            "two", writer="outside", opener="agent", book_id=other.book_id, workspace=other.workspace
        )
        opened = await outside.execute_update(BookSession.open, OpenRequest(opener="agent"))
        await at.here.until_asked()
        working = await until_listed(at, room.writer("one"), "running")
        _, before, _ = await at.run(*one)
        _, running, _ = await at.run(*one, "--running")
        _, others, _ = await at.run("run", "list", "--json", "--subject", other.book_id)
        await session.signal(BookSession.kill, KillRequest(who="ada", reason="enough"))
        await outside.signal(BookSession.kill, KillRequest(who="ada", reason="enough"))
        await asyncio.gather(session.result(), outside.result())
        _, after, _ = await at.run(*one)

    told = [[(row["run_id"], row["status"]) for row in json.loads(out)["runs"]] for out in (before, running)]
    assert opened.verdict == "open"
    assert working == {"agent": "ink/writer", "status": "running"}
    assert told == [[(room.writer("one"), "running")]] * 2
    assert json.loads(others)["runs"] == []
    assert [row["outcome"] for row in json.loads(after)["runs"]][-1:] == ["cancelled"]


async def test_a_writer_is_shown_as_running_only_while_its_session_is(opens: Opens) -> None:
    async with opens(HANGS) as (at, room):
        session = await room.start("one")
        await at.here.until_asked()
        show = ("run", "show", room.writer("one"), "--json")
        code, working, _ = await at.run(*show)
        refused, killed, _ = await at.run("run", "kill", room.writer("one"), "--json")
        await session.terminate()
        _, gone, _ = await at.run(*show)

    assert (code, json.loads(working)["status"]) == (0, "running")
    assert "part of its session" in json.loads(working)["trouble"]
    assert (refused, json.loads(killed)["code"]) == (1, "unknown-run")
    assert json.loads(gone)["status"] == "forgotten"


async def test_bundling_a_session_without_a_writer_is_refused(opens: Opens, tmp_path: Path) -> None:
    to = tmp_path / "run.zip"
    async with opens() as (at, room):
        room.book.write(".ink-kill", "")
        await room.run("stopped")
        refused = await at.run("run", "bundle", room.writer("stopped"), "-o", str(to), "--json")
        unknown = await at.run("run", "bundle", room.writer("never"), "-o", str(to), "--json")
        nowhere = await at.run("run", "bundle", "book/nowhere/one", "-o", str(to), "--json")

    assert [code for code, _, _ in (refused, unknown, nowhere)] == [3, 1, 1]
    assert [json.loads(out)["code"] for _, out, _ in (refused, unknown, nowhere)] == [
        *("nothing-written", "unknown-run", "unknown-run")
    ]
    assert "engine knows no session" in json.loads(unknown[1])["error"]
    assert not to.exists()
