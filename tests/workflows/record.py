"""Record histories of real runs for the replay tests: ``python -m tests.workflows.record``.

Starts its own Temporal, PostgreSQL and workers, runs every scenario against real repositories in a scratch
folder, and rewrites ``tests/histories/*.json``; arguments name scenarios, and then no others are run. Run it
when a workflow's steps were changed on purpose and no run that began before may still be open; otherwise a
failing replay means: keep the old order.
"""

import asyncio
import json
import socket
import sys
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

from temporalio.client import Client, ScheduleActionExecutionStartWorkflow, WorkflowHandle
from temporalio.testing import WorkflowEnvironment

from gateway.desk import housekeeping
from gateway.desk.engine.pipelines import Timetable
from gateway.desk.engine.temporal.model_trials import TemporalTrials
from gateway.desk.engine.temporal.schedules import TemporalSchedules
from gateway.desk.engine.temporal.side_runs import plannings, readings
from penwright.adapters.clock import SystemClock
from penwright.adapters.models.scripted import ScriptedAnswer
from penwright.adapters.store import open_store
from penwright.agents.definition.output import FINAL_ANSWER
from penwright.domain.book.files.layout import CONFIG, FULL_BOOK, REVIEW
from penwright.domain.intents.registry import REGISTRY
from schemas.agent_run import CallDecision, OutsideCall
from schemas.base import Effect, OpId
from schemas.book_session import BookSessionResult
from schemas.continuity import ContinuityInput
from schemas.control import KillRequest
from schemas.editing import (
    EditingInput,
    EditingResult,
    OperationsOrder,
    RestoreOrder,
    SaveOrder,
    SelectOrder,
)
from schemas.intents import ApprovalDecision, ApprovalRequest
from schemas.memory_indexing import WORKFLOW_ID
from schemas.model_trial import ModelTrialOrder
from schemas.notices import Notice
from schemas.outside_session import DeliverProse, SessionProse
from tests.support.books import plans
from tests.support.books.running_books import CONFIG_TEXT, NARROW, RunningBook, lay_out, prose_of
from tests.support.citations import recordings as scan_recordings
from tests.support.engine.crew import crew
from tests.support.engine.desk import answers
from tests.support.engine.postgres import migrated_template, running_cluster
from tests.support.engine.stand import Desk, Stand, desk
from tests.support.engine.temporal import started
from tests.support.manuscripts import recordings
from tests.support.manuscripts.novel_repo import NovelRepo
from tests.support.scenes import recordings as round_recordings
from tests.support.scenes.indexing import Numbers
from tests.support.scenes.indexing import library as library_of_memories
from tests.support.workflows import histories
from tests.support.workflows.evals import Hall, Knowing, riddle
from tests.support.workflows.librarian import calls, library, says
from workers.engine import temporal
from workers.preparing import temporal as prepare
from workers.temporal_plugin import PLUGIN
from workflows.agents.eval_run import EvalRun
from workflows.agents.loop import AgentLoop
from workflows.editing import Editing
from workflows.notification import Notification

POLL_S = 0.05
WITHOUT_MONEY = {"PENWRIGHT_BUDGETS__RUN__CALLS": "0"}


@dataclass(frozen=True)
class Recorder:
    """Runs scenarios and keeps their histories."""

    at: Desk
    folder: Path

    def book(self, name: str, *, target: int = 1000, files: Mapping[str, str] | None = None) -> RunningBook:
        return lay_out(self.folder / name, name, target=target, files=files)

    async def keep(self, name: str, workflow_id: str) -> None:
        """Save the latest run of ``workflow_id``."""
        history = await self.at.stand.client.get_workflow_handle(workflow_id).fetch_history()
        neutral = {str(self.folder): "/books", socket.gethostname(): "host"}
        file = histories.save(name, history, neutral)
        size = f"{file.stat().st_size / 1000:.0f} KB"
        print(f"{file.name}: {len(history.events)} events, {size}")

    async def keep_book(self, name: str, book: RunningBook) -> None:
        await self.keep(name, f"book/{book.book_id}")


async def built_in(recorder: Recorder) -> None:
    book = recorder.book("built-in")
    await _session(recorder, book, "s1")
    await recorder.keep_book("built-in-session", book)


async def looking(recorder: Recorder) -> None:
    """The writer reads and searches, selects an intent, and moves on too early."""
    book = recorder.book("looking")
    for session in ("s1", "s2", "looks-up"):
        await _session(recorder, book, session)
    await recorder.keep_book("looking-session", book)


async def failed(recorder: Recorder) -> None:
    book = recorder.book("failed")
    await _session(recorder, book, "says-nothing", outcome="failed")
    await recorder.keep_book("failed-session", book)


async def killed(recorder: Recorder) -> None:
    book = recorder.book("killed")
    at = recorder.at
    await at.pipelines.open(book.session("s1", at.environ, writer="outside", opener="agent"))
    await at.pipelines.signal(book.book_id, KillRequest(who="ada", reason="the agent is gone"))
    await at.pipelines.result(book.book_id)
    await recorder.keep_book("killed-session", book)


async def late(recorder: Recorder) -> None:
    """The model never answers; the time of the session is over, and none of it was spent in queues."""
    settings = CONFIG_TEXT.format(target=1000) + "session_timeout_minutes: 1\n"
    book = recorder.book("late", files={CONFIG: settings})
    await _session(recorder, book, "hangs", outcome="stopped")
    await recorder.keep_book("late-session", book)


async def outside(recorder: Recorder) -> None:
    book = recorder.book("outside")
    at = recorder.at
    for session in ("s1", "s2"):
        await _session(recorder, book, session)
    await at.pipelines.open(book.session("s3", at.environ, writer="outside", opener="agent"))
    await at.pipelines.advance(book.book_id)
    ref = at.stand.store.blobs.put(prose_of("s3").encode())
    await at.pipelines.close(book.book_id, DeliverProse(written=SessionProse(prose=ref, summary="Told.")))
    await at.pipelines.result(book.book_id)
    await recorder.keep_book("outside-agent", book)


async def completing(recorder: Recorder) -> None:
    book = recorder.book("completing", target=200)
    for session in ("s1", "s2"):
        await _session(recorder, book, session)
    await _session(recorder, book, "last", outcome="completed")
    await recorder.keep_book("completing-session", book)


async def errands(recorder: Recorder) -> None:
    book = recorder.book("errands")
    at = recorder.at
    for session in ("s1", "s2"):
        await _session(recorder, book, session)
    for number, kind in enumerate(("advance", "rollback", "undo", "complete", "reset")):
        await at.pipelines.errand(book.errand(kind, f"e{number}", at.environ))
        await recorder.keep_book(f"errand-{kind}", book)


async def sealing(recorder: Recorder) -> None:
    """A person seals a book outside a session."""
    book = recorder.book("sealing")
    await _session(recorder, book, "s1")
    at = recorder.at
    await at.pipelines.errand(book.errand("complete", "e1", at.environ, early=True))
    await recorder.keep_book("errand-sealing", book)


async def scheduled(recorder: Recorder) -> None:
    book = recorder.book("scheduled")
    at = recorder.at
    schedules = TemporalSchedules(at.stand.client, at.environ["PENWRIGHT_WORKER__QUEUE"])
    await schedules.put(book.session("unnamed", at.environ), Timetable(every=timedelta(hours=9)))
    schedule = at.stand.client.get_schedule_handle(f"book/{book.book_id}")
    await schedule.trigger()

    async def started() -> bool:
        return bool((await schedule.describe()).info.recent_actions)

    await _until(started)
    action = (await schedule.describe()).info.recent_actions[-1].action
    assert isinstance(action, ScheduleActionExecutionStartWorkflow)
    await at.stand.client.get_workflow_handle(action.workflow_id).result()
    await recorder.keep("scheduled-parent", action.workflow_id)
    await recorder.keep_book("scheduled-session", book)


async def notified(recorder: Recorder) -> None:
    notice = Notice(key="book/b#s:7", subject="b", title="b is complete", body="", at=datetime.now(UTC))
    queue = recorder.at.environ["PENWRIGHT_WORKER__QUEUE"]
    name = f"notice/{notice.key}"
    await recorder.at.stand.client.execute_workflow(Notification.run, notice, id=name, task_queue=queue)
    await recorder.keep("notification", name)


async def tried(recorder: Recorder) -> None:
    effect = Effect(op_id=OpId("trial/1"), issued_at=datetime.now(UTC))
    environ = recorder.at.environ
    order = ModelTrialOrder(
        effect=effect, name="demo", timeout_s=30, model_queue=environ["PENWRIGHT_WORKER__MODEL_QUEUE"]
    )
    await TemporalTrials(recorder.at.stand.client, environ["PENWRIGHT_WORKER__QUEUE"]).tried(order)
    await recorder.keep("model-trial", f"model-trial/{effect.op_id}")


async def paused(recorder: Recorder) -> None:
    """A cap stops the session; a person raises it, restarts the models worker, and resumes."""
    book = recorder.book("paused")
    stand, folder = recorder.at.stand, recorder.folder / "paused-desk"
    environ = stand.environ(folder, "paused", PENWRIGHT_MODELS__SCRIPTED__SCRIPT=str(recorder.at.script))
    pipelines = stand.pipelines(environ)

    async def is_paused() -> bool:
        progress = await pipelines.progress(book.book_id)
        return progress is not None and progress.paused

    async with crew(folder / "poor", environ | WITHOUT_MONEY):
        await pipelines.start(book.session("s1", environ))
        await _until(is_paused)
    async with crew(folder / "rich", environ):
        await pipelines.signal(book.book_id, "resume")
        _expect(await pipelines.result(book.book_id), "closed")
    await recorder.keep_book("budget-pause", book)


async def approved(recorder: Recorder) -> None:
    """A person allows a close, of which an edit made another plan meanwhile; then allows that."""
    book = recorder.book("approved", files={REGISTRY: NARROW})
    await _session(recorder, book, "s1")
    await recorder.at.pipelines.start(book.session("s2", recorder.at.environ))
    first = await _asked(recorder, book)
    book.write(REVIEW, book.read(REVIEW).replace("s1w3 ", "s1w3 amended "))
    book.commit("Amend")
    await _decide(recorder, book, first, "approved")
    await _decide(recorder, book, await _asked(recorder, book, other_than=first.id), "approved")
    _expect(await recorder.at.pipelines.result(book.book_id), "closed")
    await recorder.keep_book("approved-session", book)


async def denied(recorder: Recorder) -> None:
    book = recorder.book("denied", files={REGISTRY: NARROW})
    await _session(recorder, book, "s1")
    await recorder.at.pipelines.start(book.session("s2", recorder.at.environ))
    await _decide(recorder, book, await _asked(recorder, book), "denied")
    _expect(await recorder.at.pipelines.result(book.book_id), "failed")
    await recorder.keep_book("denied-session", book)


async def agent(recorder: Recorder) -> None:
    """A librarian asks a clerk, calls twice in one turn, writes, is allowed a letter, and answers."""
    answers_ = (
        calls(("ask_clerk", {"text": "What is on page a?"})),
        calls(("read_page", {"path": "a"})),
        says("It says old."),
        calls(("read_page", {"path": "a"}), ("nowhere", {})),
        calls(("write_page", {"path": "a", "text": "new"}), ("send_letter", {"path": "ada", "text": "Hi."})),
        says("Done."),
    )
    folder = recorder.folder / "agent"
    folder.mkdir()
    async with library(recorder.at.stand.client, folder, *answers_, pages={"a": "old"}) as here:
        handle = await here.start()
        asked = await here.until_notified()
        decision = CallDecision(approval=asked["id"], digest=asked["digest"], decided="approved", by="ada")
        await handle.execute_update(AgentLoop.decide_call, decision)
        await handle.result()
        await recorder.keep("agent-run", handle.id)
        await recorder.keep("sub-agent-run", f"{handle.id}/call/1")


async def agent_from_outside(recorder: Recorder) -> None:
    """A harness thinks: it must read a page before it writes it, is allowed a letter, and answers."""
    folder = recorder.folder / "agent-from-outside"
    folder.mkdir()
    async with library(recorder.at.stand.client, folder, pages={"a": "old"}) as here:
        handle = await here.start(here.given(outside=True))

        async def called(number: int, tool: str, **arguments: str) -> None:
            call = OutsideCall(
                id=f"call-{number}", tool=tool, arguments=json.dumps(arguments), who="codex 1.0"
            )
            await handle.execute_update(AgentLoop.call_tool, call)

        await called(1, "write_page", path="a", text="new")
        await called(2, "read_page", path="a")
        await called(3, "write_page", path="a", text="new")
        letter = asyncio.create_task(called(4, "send_letter", path="ada", text="Hi."))
        asked = await here.until_notified()
        decision = CallDecision(approval=asked["id"], digest=asked["digest"], decided="approved", by="ada")
        await handle.execute_update(AgentLoop.decide_call, decision)
        await letter
        await called(5, FINAL_ANSWER, answer="All is kept.")
        ended = await handle.result()
        if ended.outcome != "completed":
            raise RuntimeError(f"expected completed, got {ended!r}")
        await recorder.keep("agent-from-outside", handle.id)


async def agent_killed(recorder: Recorder) -> None:
    folder = recorder.folder / "agent-killed"
    folder.mkdir()
    async with library(recorder.at.stand.client, folder, ScriptedAnswer(fault="hang")) as here:
        handle = await here.start()
        await here.until_asked()
        await handle.signal(AgentLoop.kill, KillRequest(who="ada", reason="enough"))
        await handle.result()
        await recorder.keep("agent-killed", handle.id)


async def evaluated(recorder: Recorder) -> None:
    """Five riddles, two at a time: one is answered well, one badly, and three crash."""
    hall = Hall(recorder.at.stand.client, Knowing({"q3": "wrong", "q4": "right"}))
    async with hall.worker():
        handle = await hall.start(hall.given(*(riddle(number, "right") for number in range(5)), at_once=2))
        await handle.result()
        await recorder.keep("eval-run", handle.id)


async def eval_killed(recorder: Recorder) -> None:
    model = Knowing({"q0": "right"})
    model.silent.add("q1")
    hall = Hall(recorder.at.stand.client, model)
    async with hall.worker():
        handle = await hall.start(hall.given(riddle(0, "right"), riddle(1, "right"), at_once=1))
        await model.until_asked("q1")
        await handle.signal(EvalRun.kill, KillRequest(who="ada", reason="enough"))
        await handle.result()
        await recorder.keep("eval-killed", handle.id)


async def eval_paused(recorder: Recorder) -> None:
    """It is paused during its first sample and resumed after it."""
    model = Knowing({"q0": "right", "q1": "right"})
    model.silent.add("q0")
    hall = Hall(recorder.at.stand.client, model)
    async with hall.worker():
        handle = await hall.start(hall.given(riddle(0, "right"), riddle(1, "right"), at_once=1))
        await model.until_asked("q0")
        await handle.signal(EvalRun.pause)
        model.silent.clear()
        await hall.until_finished(["s0"])
        await handle.signal(EvalRun.resume)
        await handle.result()
        await recorder.keep("eval-paused", handle.id)


async def manuscripts(recorder: Recorder) -> None:
    for play in recordings.ALL:
        folder = recorder.folder / f"manuscript-{play.__name__}"
        folder.mkdir()
        await play(recorder.at.stand.client, folder, recorder.keep)


async def edited(recorder: Recorder) -> None:
    """A person saves twice, takes the last change back, and a save that meets another comes back."""
    at, novel = recorder.at, NovelRepo(recorder.folder / "edited", {"-": "One.\n"})
    editors, blobs = at.stand.editors(at.environ), at.stand.store.blobs
    given = EditingInput(
        novel_id="edited",
        scene="-",
        workspace=novel.workspace,
        session="s1",
        repo_queue=at.environ["PENWRIGHT_WORKER__REPO_QUEUE"],
        idle_s=1.0,
    )
    base = novel.revision
    for text in ("Two.\n", "Three.\n"):
        await editors.save(given, SaveOrder(base=base, text=blobs.put(text.encode())), text)
    await editors.restore(given, RestoreOrder(kind="undo"), "undo")
    handle: WorkflowHandle[Editing, EditingResult] = at.stand.client.get_workflow_handle_for(
        Editing.run, "editing/edited/-"
    )
    ended = await handle.result()
    if ended.served != 3:
        raise RuntimeError(f"expected three orders, got {ended!r}")
    await recorder.keep("edited-scene", "editing/edited/-")


async def edited_by_agents(recorder: Recorder) -> None:
    """An agent may change nothing before it selects an intent; then one operation is made and one is not."""
    at, novel = recorder.at, NovelRepo(recorder.folder / "shared", {"-": "One.\n"})
    editors, blobs = at.stand.editors(at.environ), at.stand.store.blobs
    given = EditingInput(
        novel_id="shared",
        scene="-",
        workspace=novel.workspace,
        session="s1",
        repo_queue=at.environ["PENWRIGHT_WORKER__REPO_QUEUE"],
        idle_s=2.0,
    )
    await editors.select(given, SelectOrder(intent="INT-001", session="a", opener="codex#1"))
    operations = b'[{"find": "One.", "replace": "Two."}, {"find": "Nine."}]'
    order = OperationsOrder(
        session="a",
        opener="codex#1",
        snapshot=blobs.put(b"One.\n"),
        operations=blobs.put(operations),
        who="codex 1",
    )
    done = await editors.edit(given, order)
    handle: WorkflowHandle[Editing, EditingResult] = at.stand.client.get_workflow_handle_for(
        Editing.run, "editing/shared/-"
    )
    ended = await handle.result()
    if (done.outcome, ended.served) != ("applied", 2):
        raise RuntimeError(f"expected an edit, got {done!r} and {ended!r}")
    await recorder.keep("scene-edited-by-agent", "editing/shared/-")


async def citations(recorder: Recorder) -> None:
    for play in scan_recordings.ALL:
        folder = recorder.folder / f"citations-{play.__name__}"
        folder.mkdir()
        await play(recorder.at.stand.client, folder, recorder.keep)


async def audited(recorder: Recorder) -> None:
    folder = recorder.folder / "audited"
    folder.mkdir()
    await scan_recordings.audited(recorder.at.stand.client, folder, recorder.keep)


async def rounds(recorder: Recorder) -> None:
    for play in round_recordings.ALL:
        await play(recorder.at.stand.client, recorder.keep)


async def remembering(recorder: Recorder) -> None:
    await round_recordings.remembered_apart(recorder.at.stand.client, recorder.keep)


async def indexing(recorder: Recorder) -> None:
    """Memories get vectors in the background."""
    async with library_of_memories(recorder.at.stand.client, Numbers()) as here:
        here.remember("The lamp is out.", "The tide is in.")
        await here.backlog.wanted("s1")
        await here.ended()
        await recorder.keep("memories-indexed", WORKFLOW_ID)


async def read(recorder: Recorder) -> None:
    """A clerk reads a book of one passage."""
    text = "# Kapitel 1\n\nMara had grey eyes.\n"
    book = recorder.book("read", files={FULL_BOOK: text})
    runs = readings(recorder.at.stand.client, recorder.at.environ["PENWRIGHT_WORKER__QUEUE"])
    order = ContinuityInput(
        book_id=book.book_id,
        workspace=book.workspace,
        session="r1",
        repo_queue=recorder.at.environ["PENWRIGHT_WORKER__REPO_QUEUE"],
        model_queue=recorder.at.environ["PENWRIGHT_WORKER__MODEL_QUEUE"],
        by_hand=True,
    )
    await runs.start(order)
    await runs.result(book.book_id)
    await recorder.keep("book-read", f"continuity/{book.book_id}")


async def planned(recorder: Recorder) -> None:
    """A planner outlines a book and a chapter of it."""
    book, at = recorder.book("planned", files=plans.unplanned()), recorder.at
    at.says(*plans.answers(0, 1), *answers())
    runs = plannings(at.stand.client, at.environ["PENWRIGHT_WORKER__QUEUE"])
    await runs.start(plans.order_of(book, at.environ, chapters=1))
    await runs.result(book.book_id)
    await recorder.keep("book-planned", f"planning/{book.book_id}")


async def tended(recorder: Recorder) -> None:
    """The housekeeping of a night, with one book."""
    book = recorder.book("tended")
    await _session(recorder, book, "s1")
    environ, records = recorder.at.environ, recorder.at.stand.store.records
    for row in (*records.books(), *records.books("novel")):
        records.register(row.model_copy(update={"queue": environ["PENWRIGHT_WORKER__REPO_QUEUE"]}))
    now = datetime.now(UTC)
    await housekeeping.run(recorder.at.stand.client, environ["PENWRIGHT_WORKER__QUEUE"], now)
    await recorder.keep("housekeeping", housekeeping.workflow_id(now))


SCENARIOS: tuple[Callable[[Recorder], Awaitable[None]], ...] = (
    *(built_in, looking, failed, killed, late, outside),
    *(completing, errands, sealing, scheduled, notified, tried, paused),
    *(approved, denied),
    *(agent, agent_from_outside, agent_killed),
    *(evaluated, eval_killed, eval_paused),
    manuscripts,
    read,
    planned,
    edited,
    edited_by_agents,
    citations,
    audited,
    rounds,
    remembering,
    indexing,
    tended,
)


async def _session(recorder: Recorder, book: RunningBook, name: str, *, outcome: str = "closed") -> None:
    _expect(await recorder.at.run(book.session(name, recorder.at.environ)), outcome)


def _expect(result: BookSessionResult, outcome: str) -> None:
    if result.outcome != outcome:
        raise RuntimeError(f"expected {outcome}, got {result!r}")


async def _asked(recorder: Recorder, book: RunningBook, *, other_than: str = "") -> ApprovalRequest:
    """The pending approval."""
    while True:
        request = await recorder.at.pipelines.pending(book.book_id)
        if request is not None and request.id != other_than:
            return request
        await asyncio.sleep(POLL_S)


async def _decide(recorder: Recorder, book: RunningBook, request: ApprovalRequest, decided: str) -> None:
    decision = {
        "approval": request.id,
        "plan_digest": request.need.plan_digest,
        "decided": decided,
        "by": "ada",
    }
    await recorder.at.pipelines.decide(book.book_id, ApprovalDecision.model_validate(decision))


async def _until(happened: Callable[[], Awaitable[bool]]) -> None:
    while True:
        if await happened():
            return
        await asyncio.sleep(POLL_S)


@asynccontextmanager
async def _stand(database_url: str) -> AsyncIterator[Stand]:
    start = partial(
        WorkflowEnvironment.start_local,
        dev_server_existing_path=str(temporal.binary(None, None)),
        dev_server_extra_args=list(temporal.tuning()),
        plugins=[PLUGIN],
    )
    async with await started(start) as env:
        await prepare.search_attributes(env.client)
        store = open_store(database_url, clock=SystemClock())
        yield Stand(_address(env.client), database_url, env.client, store)
        store.close()


def _address(client: Client) -> str:
    return client.service_client.config.target_host


async def _record(folder: Path, database_url: str, wanted: Sequence[str]) -> None:
    async with _stand(database_url) as stand, desk(stand, folder / "desk") as at:
        at.says(*answers())
        for scenario in SCENARIOS:
            if not wanted or scenario.__name__ in wanted:
                await scenario(Recorder(at, folder))


def main() -> None:
    """Record all histories again, or those named by the arguments."""
    with (
        tempfile.TemporaryDirectory(prefix="pw-") as folder,
        running_cluster() as cluster,
        migrated_template(cluster.url) as template,
    ):
        name = template.copy()
        asyncio.run(_record(Path(folder), template.url(name), sys.argv[1:]))
        template.drop(name)


if __name__ == "__main__":
    main()
