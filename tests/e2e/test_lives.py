"""Books from the first session to the last, and everything that ends a session early."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path
from uuid import uuid4

import pytest
from temporalio.client import Client, ScheduleActionExecutionStartWorkflow
from temporalio.service import RPCError, RPCStatusCode
from temporalio.testing import WorkflowEnvironment
from temporalio.worker import Worker

from activities.book_session import BookActivities
from activities.endings import EndingActivities
from activities.notifying import NoOutbox
from gateway.desk.engine.pipelines import Timetable
from gateway.desk.engine.temporal.schedules import TemporalSchedules
from penwright.adapters.clock import SystemClock
from penwright.adapters.models.scripted import Script
from penwright.adapters.workspace import GitWorkspaces
from penwright.domain.book.files.layout import COMPLETE, CONFIG, FULL_BOOK, KILL, LOCK, REVIEW, chapter_path
from penwright.domain.book.profile import BOOK_PROFILE
from penwright.domain.intents.registry import FIRST, REGISTRY
from schemas.base import Progress
from schemas.book_session import BookSessionResult
from schemas.control import KillRequest
from schemas.outside_session import DeliverProse, SessionProse
from tests.e2e.conftest import NewBook
from tests.support.books.repos import commit_all, git, write
from tests.support.books.running_books import CONFIG_TEXT, TWO_CHAPTERS, RunningBook, lay_out, prose_of
from tests.support.doubles.store import memory_store
from tests.support.engine.desk import notices_sent
from tests.support.engine.stand import Desk, Stand, desk
from workers.temporal_plugin import WORKFLOWS
from workers.wiring import activity_methods
from workflows.book_session import BookSession
from workflows.options import TASK_TIMEOUT

pytestmark = [pytest.mark.server, pytest.mark.xdist_group("engine")]

POLL_S = 0.05


async def ended(at: Desk, book: RunningBook, session: str) -> BookSessionResult:
    return await at.run(book.session(session, at.environ))


def _untracked(book: RunningBook) -> None:
    book.write(KILL, "")


def _tracked(book: RunningBook) -> None:
    book.write(KILL, "Stop, please.\n")
    book.commit("Ask it to stop")
    book.git("push", "-q", "origin", "main")


def _on_the_remote(book: RunningBook) -> None:
    elsewhere = book.colleague()
    write(elsewhere, {KILL: ""})
    commit_all(elsewhere, "Ask it to stop")
    git(elsewhere, "push", "-q", "origin", "main")


@pytest.mark.parametrize("ask", [_untracked, _tracked, _on_the_remote])
async def test_a_kill_file_stops_one_session_and_is_removed_everywhere(
    shared_desk: Desk, book: RunningBook, ask: Callable[[RunningBook], None]
) -> None:
    ask(book)

    stopped = await ended(shared_desk, book, "s1")

    assert (stopped.outcome, stopped.code) == ("stopped", "kill-file")
    assert not (book.folder / KILL).exists()
    assert KILL not in book.git("ls-files").splitlines()
    assert KILL not in git(book.remote, "ls-tree", "--name-only", "main").splitlines()
    assert book.tags == []
    assert (await ended(shared_desk, book, "s2")).outcome == "closed"
    assert book.remote_tip == book.tip


async def test_an_outside_agent_that_is_killed_gives_the_book_back(
    shared_desk: Desk, book: RunningBook
) -> None:
    given = book.session("s1", shared_desk.environ, writer="outside", opener="agent")
    await shared_desk.pipelines.open(given)
    assert (book.folder / LOCK).exists()

    heard = await shared_desk.pipelines.signal(book.book_id, KillRequest(who="ada", reason="wrong chapter"))
    result = await shared_desk.pipelines.result(book.book_id)

    assert heard.heard
    assert (result.outcome, result.code, result.stopped_by) == ("stopped", "killed", "ada")
    assert not (book.folder / LOCK).exists()
    assert book.steps() == ["open", "release"]
    assert book.remote_tip == book.tip
    assert (await ended(shared_desk, book, "s2")).outcome == "closed"


async def test_a_model_that_hangs_does_not_keep_a_killed_session(
    shared_desk: Desk, book: RunningBook
) -> None:
    await shared_desk.pipelines.start(book.session("hangs", shared_desk.environ))
    await _until(lambda: _writes(shared_desk, book))

    await shared_desk.pipelines.signal(book.book_id, KillRequest(who="ada", reason="enough"))
    result = await shared_desk.pipelines.result(book.book_id)

    assert (result.outcome, result.code) == ("stopped", "killed")
    assert book.steps() == ["open", "release"]
    assert (await ended(shared_desk, book, "s2")).outcome == "closed"


async def test_a_session_tells_in_what_attempt_its_silent_model_is_asked(
    shared_desk: Desk, book: RunningBook
) -> None:
    async def retried() -> bool:
        progress = await shared_desk.pipelines.progress(book.book_id)
        listed = (await shared_desk.pipelines.running()).get(book.book_id)
        told.extend(each for each in (progress, listed) if each and each.code)
        return progress is not None and listed is not None and bool(progress.code and listed.code)

    told: list[Progress] = []
    await shared_desk.pipelines.start(book.session("hangs", shared_desk.environ))
    await _until(retried)
    await shared_desk.pipelines.signal(book.book_id, KillRequest(who="ada", reason="enough"))
    await shared_desk.pipelines.result(book.book_id)

    assert {each.code for each in told} == {"model-timeout"}
    assert all("; attempt 1 failed (" in each.detail for each in told)


async def _writes(at: Desk, book: RunningBook) -> bool:
    progress = await at.pipelines.progress(book.book_id)
    return progress is not None and progress.stage == "write"


async def _until(happened: Callable[[], Awaitable[bool]]) -> None:
    """Poll for a condition that the server sends no event for."""
    while True:
        if await happened():
            return
        await asyncio.sleep(POLL_S)


async def test_a_scheduled_book_is_written_to_its_end_announced_and_left_alone(
    shared_desk: Desk, tmp_path_factory: pytest.TempPathFactory
) -> None:
    name = f"ending-{uuid4().hex[:8]}"
    # With an intent from the beginning: the warning that there was none would be announced as well.
    book = lay_out(tmp_path_factory.mktemp("life"), name, files={CONFIG: TWO_CHAPTERS, REGISTRY: FIRST})
    client = shared_desk.stand.client
    schedules = TemporalSchedules(client, shared_desk.environ["PENWRIGHT_WORKER__QUEUE"])
    await schedules.put(book.session("unnamed", shared_desk.environ), Timetable(every=timedelta(hours=9)))

    outcomes = [await _scheduled(client, book) for _ in range(3)]

    assert [result.outcome for result in outcomes] == ["closed", "closed", "completed"]
    with pytest.raises(RPCError) as gone:
        await client.get_schedule_handle(f"book/{name}").describe()
    assert gone.value.status == RPCStatusCode.NOT_FOUND
    assert book.text(COMPLETE).startswith("Sealed ")
    assert (book.folder / COMPLETE).exists()
    assert book.text(FULL_BOOK).count("endingw7 ") == 3
    assert book.remote_tip == book.tip
    (notice,) = await notices_sent(shared_desk, name, "is complete")
    assert notice["title"] == f"{name} is complete"
    sealed = await ended(shared_desk, book, "s1")
    assert (sealed.outcome, sealed.code) == ("refused", "sealed")


PLANS_ITSELF = CONFIG_TEXT.format(target=900).replace("German", "English") + "planning: auto\n"
PREMISE = "# Outline\n\nMara keeps the light at the harbour and looks for the logbook of the lantern.\n"
NO_OUTLINE = "# Chapter {}\n\n## Beats\n\n1. [First scene]\n"


@pytest.fixture
async def demo_desk(stand: Stand, tmp_path: Path) -> AsyncIterator[Desk]:
    """A desk of its own, whose models answer as the demo model."""
    async with desk(stand, tmp_path / "desk") as at:
        at.script.write_text(Script(otherwise="demo").model_dump_json(), encoding="utf-8")
        yield at


async def test_a_book_that_plans_itself_goes_from_its_premise_to_its_end(
    demo_desk: Desk, new_book: NewBook
) -> None:
    empty = {chapter_path(number): NO_OUTLINE.format(number) for number in (1, 2, 3)}
    config = PLANS_ITSELF.replace("words_per_chapter: 200", "words_per_chapter: 300")
    book = new_book(files={CONFIG: config, REGISTRY: FIRST, "Global Material/Outline.md": PREMISE, **empty})

    results = [await ended(demo_desk, book, f"s{number}") for number in range(1, 10)]

    assert [each.outcome for each in results] == ["closed"] * 8 + ["completed"]
    assert [warning for each in results[:-1] for warning in each.warnings] == []
    for number in (1, 2, 3):
        assert "Written by the demo model" in book.text(chapter_path(number))
    assert book.subjects().count("Plan chapter 2") == 1
    authors = book.git("log", "-1", "--format=%B", "--grep=Plan chapter 2")
    assert "Penwright-Intent: PLAN-001" in authors


async def test_without_an_intent_that_owns_outlines_a_session_is_written_and_names_what_is_missing(
    demo_desk: Desk, new_book: NewBook
) -> None:
    only_prose = FIRST.partition("  - id: PLAN-001")[0]
    book = new_book(files={CONFIG: PLANS_ITSELF, REGISTRY: only_prose, chapter_path(1): NO_OUTLINE.format(1)})

    result = await ended(demo_desk, book, "s1")

    assert result.outcome == "closed"
    assert any("no intent in progress owns" in warning for warning in result.warnings)
    assert book.text(chapter_path(1)) == NO_OUTLINE.format(1).strip()


@pytest.mark.parametrize("on_remote", [False, True], ids=["here", "elsewhere"])
async def test_a_book_completed_by_hand_loses_its_schedule_and_is_announced_once(
    shared_desk: Desk, new_book: NewBook, on_remote: bool
) -> None:
    book = new_book(target=100)
    client, environ = shared_desk.stand.client, shared_desk.environ
    schedules = TemporalSchedules(client, environ["PENWRIGHT_WORKER__QUEUE"])
    await ended(shared_desk, book, "s1")
    if not on_remote:
        await schedules.put(book.session("unnamed", environ), Timetable(every=timedelta(hours=9)))

    report = (
        await shared_desk.pipelines.errand(book.errand("complete", "e1", environ, early=True))
    ).completion

    assert report is not None
    assert report.status == "complete"
    if on_remote:  # the schedule of another engine's book, which learns of the seal by its next session
        await schedules.put(book.session("unnamed", environ), Timetable(every=timedelta(hours=9)))
        assert (await _scheduled(client, book)).code == "sealed"
    with pytest.raises(RPCError) as gone:
        await client.get_schedule_handle(f"book/{book.book_id}").describe()
    assert gone.value.status == RPCStatusCode.NOT_FOUND
    completed = await notices_sent(shared_desk, book.book_id, "is complete")
    assert len(completed) == 1
    assert ("Its schedule is deleted." in completed[0]["body"]) is not on_remote


async def _scheduled(client: Client, book: RunningBook) -> BookSessionResult:
    """Have the schedule start its next session now, and wait for that session's end."""
    schedule = client.get_schedule_handle(f"book/{book.book_id}")
    before = (await schedule.describe()).info.num_actions

    async def started() -> bool:
        return (await schedule.describe()).info.num_actions > before

    await schedule.trigger()
    await _until(started)
    action = (await schedule.describe()).info.recent_actions[-1].action
    assert isinstance(action, ScheduleActionExecutionStartWorkflow)
    handle = client.get_workflow_handle(action.workflow_id, result_type=BookSessionResult)
    ending = await handle.result()
    assert isinstance(ending, BookSessionResult)
    return ending


async def test_a_text_typed_on_a_page_reaches_the_book_and_its_remote(
    shared_desk: Desk, book: RunningBook
) -> None:
    soul = "Global Material/Soul.md"
    base = book.git("rev-parse", f"main:{soul}").strip()
    ref = shared_desk.stand.store.blobs.put(b"# Soul\n\nWarmer, and near.\n")
    edits = ({"path": soul, "base": base, "text": ref.model_dump()},)

    edited = (
        await shared_desk.pipelines.errand(
            book.errand("edit", "e1", shared_desk.environ, edits=edits, who="ada")
        )
    ).edit

    assert edited is not None
    assert (edited.outcome, edited.push) == ("saved", "pushed")
    assert book.tip == book.remote_tip == edited.commit
    assert "Warmer" in book.read(soul)


async def test_a_rollback_its_undo_and_a_reset_lose_nothing_and_sessions_go_on(
    shared_desk: Desk, book: RunningBook
) -> None:
    pipelines, environ = shared_desk.pipelines, shared_desk.environ
    assert (await ended(shared_desk, book, "s1")).outcome == "closed"
    before_second = book.tip
    assert (await ended(shared_desk, book, "s2")).outcome == "closed"
    finished = book.tip
    book.write("Global Material/Soul.md", "# Soul\n\nNot saved yet.\n")

    back = (await pipelines.errand(book.errand("rollback", "e1", environ))).restore

    assert back is not None
    assert book.tip == book.remote_tip == before_second
    assert "s2w7 " not in book.text(REVIEW)
    assert git(book.remote, "rev-parse", back.archive)
    again = (await pipelines.errand(book.errand("undo", "e2", environ))).restore
    assert again is not None
    assert book.tip == book.remote_tip == finished
    assert "Not saved yet." in book.read("Global Material/Soul.md")
    assert (await ended(shared_desk, book, "s3")).outcome == "closed"

    reset = (await pipelines.errand(book.errand("reset", "e3", environ))).restore

    assert reset is not None
    assert book.remote_tip == book.tip
    assert FULL_BOOK not in book.git("ls-files") or "s1w7 " not in book.text(FULL_BOOK)
    assert "s1w7 " in book.everything()
    refused = await ended(shared_desk, book, "s4")
    assert (refused.outcome, refused.code) == ("refused", "config-missing")
    book.write(CONFIG, CONFIG_TEXT.format(target=1000))
    book.write(chapter_path(1), "# Anew\n")
    assert (await ended(shared_desk, book, "s5")).outcome == "closed"
    assert "s5w7 " in book.text(REVIEW)


async def test_two_starts_of_one_book_are_one_session(shared_desk: Desk, book: RunningBook) -> None:
    given = book.session("s1", shared_desk.environ, writer="outside", opener="first")
    await shared_desk.pipelines.open(given)

    second = await shared_desk.pipelines.open(
        book.session("s2", shared_desk.environ, writer="outside", opener="second")
    )

    assert second.verdict == "already-running"
    assert book.steps() == ["open"]
    ref = shared_desk.stand.store.blobs.put(prose_of("s1").encode())
    await shared_desk.pipelines.close(book.book_id, DeliverProse(written=SessionProse(prose=ref)))
    assert (await shared_desk.pipelines.result(book.book_id)).outcome == "closed"


@asynccontextmanager
async def _house_out_of_time(env: WorkflowEnvironment, queue: str) -> AsyncIterator[None]:
    """A worker with real repositories on the server whose clock can be skipped."""
    store = memory_store(clock=SystemClock())
    books = BookActivities(
        GitWorkspaces(SystemClock(), profile=BOOK_PROFILE), store.blobs, store.records, "engine"
    )
    endings = EndingActivities(store.records, NoOutbox())
    activities = [*activity_methods(books), *activity_methods(endings)]
    with ThreadPoolExecutor(4) as executor:
        async with (
            Worker(
                env.client,
                task_queue="penwright",
                workflows=WORKFLOWS,
                activities=activities,
                activity_executor=executor,
            ),
            Worker(env.client, task_queue=queue, activities=activities, activity_executor=executor),
        ):
            yield


async def test_a_timed_out_session_releases_the_book(
    time_skipping_env: WorkflowEnvironment, new_book: NewBook
) -> None:
    book = new_book(target=1000)
    queue = f"repo-{book.book_id}"
    queues = {"PENWRIGHT_WORKER__REPO_QUEUE": queue, "PENWRIGHT_WORKER__MODEL_QUEUE": "none"}
    outcomes = []

    async with _house_out_of_time(time_skipping_env, queue):
        for session in ("s1", "s2"):
            handle = await time_skipping_env.client.start_workflow(
                BookSession.run,
                book.session(session, queues, writer="outside", opener="agent"),
                id=f"book/{book.book_id}",
                task_queue="penwright",
                task_timeout=TASK_TIMEOUT,
            )
            outcomes.append(await handle.result())

    assert [(each.outcome, each.code) for each in outcomes] == [("stopped", "session-timeout")] * 2
    assert book.steps() == ["open", "release"] * 2
    assert not (book.folder / LOCK).exists()
    assert book.remote_tip == book.tip
