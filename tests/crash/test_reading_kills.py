"""SIGKILL the workers while a book is read: each passage is paid once, and committed once."""

import asyncio
import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from gateway.desk.engine.temporal.pipeline_runs import StartedRuns
from gateway.desk.engine.temporal.side_runs import readings
from gateway.desk.works import inspecting
from penwright.adapters.models.scripted import ScriptedAnswer
from penwright.domain.book.files.layout import CONFIG, CONTINUITY_FOLDER, FULL_BOOK, REVIEW
from penwright.roles.book_text import read_book_texts
from schemas.base import OpId
from schemas.continuity import ContinuityInput, ContinuityResult, Reading
from schemas.control import KillRequest
from tests.support.agents.scripted_model import calls_made
from tests.support.books.running_books import RunningBook, lay_out, reply_of
from tests.support.crash.points import CrashPoint
from tests.support.engine.stand import Desk, Stand, desk

pytestmark = [pytest.mark.crash, pytest.mark.server, pytest.mark.xdist_group("engine")]

LONG = os.environ.get("PENWRIGHT_CRASH") == "long"
AT_ONCE = 6
GREY = "Mara had grey eyes."
GREEN = "Mara had green eyes."
BOOK = f"# Kapitel 1\n\n{GREY}\n\n# Kapitel 2\n\n{GREEN}\n"
ACTIVITIES = (
    "gather_passages",
    "brief_clerk",
    "call_model",
    "publish_readings",
    "push_readings",
    "end_reading",
)
BOUNDARIES = [
    CrashPoint(activity, when)
    for activity in (ACTIVITIES if LONG else ("call_model", "publish_readings"))
    for when in (("before", "after", "asked") if LONG else ("after",))
]


def states(color: str, quote: str) -> str:
    fact = {"about": "Mara", "trait": "eyes", "value": color, "quote": quote}
    return json.dumps({"summary": f"Mara, {color}.", "facts": [fact]})


CLERK = (
    ScriptedAnswer(op="continuity/*/1#*", text=states("grey", GREY)),
    ScriptedAnswer(op="continuity/*/2#*", text=states("green", GREEN)),
)


def order_of(book: RunningBook, at: Desk, session: str = "r1") -> ContinuityInput:
    return ContinuityInput(
        book_id=book.book_id,
        workspace=book.workspace,
        session=session,
        repo_queue=at.environ["PENWRIGHT_WORKER__REPO_QUEUE"],
        model_queue=at.environ["PENWRIGHT_WORKER__MODEL_QUEUE"],
        by_hand=True,
    )


def readings_of(at: Desk) -> StartedRuns[ContinuityInput, ContinuityResult]:
    return readings(at.stand.client, at.environ["PENWRIGHT_WORKER__QUEUE"])


async def read(book: RunningBook, at: Desk, session: str = "r1") -> ContinuityResult:
    runs = readings_of(at)
    await runs.start(order_of(book, at, session))
    ended = await runs.result(book.book_id)
    assert ended is not None
    return ended


def kept(book: RunningBook) -> list[Reading]:
    """Every reading that is in the book."""
    paths = book.git("ls-tree", "--name-only", "main", f"{CONTINUITY_FOLDER}/").splitlines()
    lines = (line for path in paths for line in book.text(path).splitlines())
    return [Reading.model_validate_json(line) for line in lines]


async def test_a_worker_killed_at_any_boundary_reads_each_passage_once_in_one_commit(
    stand: Stand, tmp_path: Path
) -> None:
    turns = asyncio.Semaphore(AT_ONCE)

    async def trial(point: CrashPoint) -> tuple[str, list[str]]:
        folder = tmp_path / str(point)
        book = lay_out(folder / "book", f"reading-{point}", files={FULL_BOOK: BOOK, REVIEW: ""})
        async with turns, desk(stand, folder / "desk", crash=point, PENWRIGHT_ROLES__CLERK="scripted") as at:
            at.says(*CLERK)
            ended = await read(book, at)
        wrong = []
        if [fact.value for each in kept(book) for fact in each.facts] != ["grey", "green"]:
            wrong.append(f"kept {kept(book)}")
        if len(calls_made(at.script)) != 2:
            wrong.append(f"the clerk was asked {len(calls_made(at.script))} times")
        if book.steps().count("read") != 1 or book.tip != book.remote_tip:
            wrong.append(f"commits {book.subjects()}, pushed: {book.tip == book.remote_tip}")
        if ended.outcome != "completed" or len(at.crew.deaths) != 1:
            wrong.append(f"{ended.outcome}, {len(at.crew.deaths)} processes died")
        return str(point), wrong

    outcomes = await asyncio.gather(*map(trial, BOUNDARIES))

    assert {name: wrong for name, wrong in outcomes if wrong} == {}


async def test_a_session_has_its_own_prose_read_and_the_next_one_is_told_of_it(
    stand: Stand, tmp_path: Path
) -> None:
    book = lay_out(tmp_path / "book", "remembers")
    book.write(CONFIG, f"{book.read(CONFIG)}continuity: read\n")
    quote = reply_of("s1").split("<!-- INK:NEW:START -->\n")[1].split("\n")[0].strip("# ")
    async with desk(stand, tmp_path / "desk", PENWRIGHT_ROLES__CLERK="scripted") as at:
        at.says(
            ScriptedAnswer(op="continuity/*#*", text=states("grey", " ".join(quote.split()[-3:]))),
            *(ScriptedAnswer(op=f"*/{name}#*", text=reply_of(name)) for name in ("s1", "s2")),
        )
        await at.run(book.session("s1", at.environ))
        await until(lambda: book.steps()[-1] == "read")
        assert await readings_of(at).result(book.book_id) is not None
        row = stand.store.records.run(f"book/{book.book_id}#s1")
        assert row is not None
        assert row.detail["prose"], "the reading's push leaves the session's own row as it was"
        await at.run(book.session("s2", at.environ))
        seen = inspecting.call(stand.store, OpId(f"book/{book.book_id}/s2"))

    (task,) = (each.content for each in seen.messages if each.role == "user")
    told = next(each for each in read_book_texts(task) if each.kind == "continuity")
    assert told.text.startswith("## Story so far\n- Chapter 1: Mara, grey.")


async def test_rolling_a_session_back_keeps_what_was_read_of_earlier_passages(
    stand: Stand, tmp_path: Path
) -> None:
    book = lay_out(tmp_path / "book", "rolled-back", files={FULL_BOOK: BOOK, REVIEW: ""})
    async with desk(stand, tmp_path / "desk", PENWRIGHT_ROLES__CLERK="scripted") as at:
        at.says(*CLERK, ScriptedAnswer(op="*/s1#*", text=reply_of("s1")))
        await at.run(book.session("s1", at.environ))
        await read(book, at)
        await at.pipelines.errand(book.errand("rollback", "e1", at.environ))
        calls = len(calls_made(at.script))
        again = await read(book, at, "r2")

    assert len(calls_made(at.script)) == calls
    assert again.passages == 0
    assert [fact.value for each in kept(book) for fact in each.facts][:2] == ["grey", "green"]


async def test_what_is_typed_while_the_clerk_reads_is_read_by_the_same_run(
    stand: Stand, tmp_path: Path
) -> None:
    book = lay_out(tmp_path / "book", "typed-on", files={FULL_BOOK: BOOK, REVIEW: ""})
    async with desk(stand, tmp_path / "desk", PENWRIGHT_ROLES__CLERK="scripted") as at:
        slow = CLERK[0].model_copy(update={"fault": "unavailable", "times": 1})
        at.says(slow, *CLERK, ScriptedAnswer(op="continuity/*/3#*", text=states("blue", "were blue.")))
        readings = readings_of(at)
        await readings.want(order_of(book, at))
        await until(lambda: len(calls_made(at.script)) == 1)
        book.write(FULL_BOOK, f"{BOOK}\nMara’s eyes were blue.\n")
        book.commit()
        await readings.want(order_of(book, at, "r2"))
        await readings.result(book.book_id)

    assert [fact.value for each in kept(book) for fact in each.facts] == ["grey", "green", "blue"]


async def test_a_reading_that_is_killed_keeps_the_passage_in_hand(stand: Stand, tmp_path: Path) -> None:
    book = lay_out(tmp_path / "book", "slow-reading", files={FULL_BOOK: BOOK, REVIEW: ""})
    async with desk(stand, tmp_path / "desk", PENWRIGHT_ROLES__CLERK="scripted") as at:
        # The first attempt fails, and the next one comes two seconds later.
        at.says(CLERK[0].model_copy(update={"fault": "unavailable", "times": 1}), CLERK[1])
        runs = readings_of(at)
        await runs.start(order_of(book, at))
        await until(lambda: len(calls_made(at.script)) == 1)
        await runs.signal(book.book_id, KillRequest(who="ada", reason="enough"))
        ended = await runs.result(book.book_id)

    assert ended is not None
    assert (ended.outcome, ended.passages) == ("stopped", 1)
    assert [fact.value for each in kept(book) for fact in each.facts] == ["grey"]


@pytest.mark.long
async def test_a_reading_that_is_killed_commits_what_was_read(stand: Stand, tmp_path: Path) -> None:
    book = lay_out(tmp_path / "book", "stopped-reading", files={FULL_BOOK: BOOK, REVIEW: ""})
    async with desk(stand, tmp_path / "desk", PENWRIGHT_ROLES__CLERK="scripted") as at:
        at.says(CLERK[0], ScriptedAnswer(op="continuity/*/2#*", fault="hang"))
        runs = readings_of(at)
        await runs.start(order_of(book, at))
        await until(lambda: len(calls_made(at.script)) == 2)
        acknowledged = await runs.signal(book.book_id, KillRequest(who="ada", reason="enough"))
        ended = await runs.result(book.book_id)

    assert acknowledged.heard
    assert ended is not None
    assert ended.outcome == "stopped"
    assert [fact.value for each in kept(book) for fact in each.facts] == ["grey"]


async def until(done: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while not done():  # noqa: ASYNC110
            await asyncio.sleep(0.05)
