"""The editing of a scene on a server: orders in turn, each answered once, and an end when nobody saves."""

import asyncio
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar
from uuid import uuid4

import pytest
from temporalio import activity
from temporalio.client import WorkflowHandle
from temporalio.testing import WorkflowEnvironment
from temporalio.worker import Worker

from gateway.desk.engine.temporal.editing import TemporalEditors
from penwright.errors import PermanentError, RemoteUnavailable, StoreUnavailable
from schemas.control import Control, KillRequest
from schemas.editing import EditingInput, EditingResult, EditingState, RestoreOrder, SaveOrder
from schemas.manuscript_text import PushNovel, RestoreText, SaveText, TextRestored, TextSaved
from schemas.workspace import Pushed
from tests.support.manuscripts.novel_repo import NovelRepo
from workers.temporal_plugin import WORKFLOWS
from workflows.editing import Editing

Answer = TypeVar("Answer")
DRAFT = "The keeper counts the lamps at dusk.\n\nNobody asks him why.\n"
SHORT_S = 1.5


@dataclass
class Study:
    """A novel, a worker for it, and a desk that edits it."""

    novel: NovelRepo
    editors: TemporalEditors
    env: WorkflowEnvironment
    queue: str
    faults: dict[str, list[Exception]] = field(default_factory=dict)
    """By activity: raised after the work was done, as a worker that dies then."""
    asked: list[str] = field(default_factory=list)
    hold: asyncio.Event = field(default_factory=asyncio.Event)
    """While it is not set, saves wait."""

    def __post_init__(self) -> None:
        self.hold.set()

    def given(self, **more: Any) -> EditingInput:
        return EditingInput(
            **{
                "novel_id": self.queue,
                "scene": "-",
                "workspace": self.novel.workspace,
                "session": uuid4().hex[:6],
                "repo_queue": self.queue,
                "idle_s": SHORT_S,
                **more,
            }
        )

    async def save(self, text: str, base: str | None = None, key: str = "", **more: Any) -> TextSaved:
        made_from = self.novel.revision if base is None else base
        order = SaveOrder(base=made_from, text=self.novel.put(text))
        return await self.editors.save(self.given(**more), order, key or uuid4().hex)

    @property
    def handle(self) -> WorkflowHandle[Editing, EditingResult]:
        return self.env.client.get_workflow_handle_for(Editing.run, f"editing/{self.queue}/-")

    def activities(self) -> list[Callable[..., Any]]:
        @activity.defn(name="save_text")
        async def save_text(request: SaveText) -> TextSaved:
            await self.hold.wait()
            return self._done("save_text", self.novel.ask.save_text(request))

        @activity.defn(name="restore_text")
        async def restore_text(request: RestoreText) -> TextRestored:
            return self._done("restore_text", self.novel.ask.restore_text(request))

        @activity.defn(name="push_novel")
        async def push_novel(request: PushNovel) -> Pushed:
            return self._done("push_novel", self.novel.ask.push_novel(request))

        return [save_text, restore_text, push_novel]

    def _done(self, name: str, answer: Answer) -> Answer:
        self.asked.append(name)
        if self.faults.get(name):
            raise self.faults[name].pop(0)
        return answer


@asynccontextmanager
async def at_work(env: WorkflowEnvironment, folder: Path) -> AsyncIterator[Study]:
    queue = f"q-{uuid4().hex[:8]}"
    study = Study(NovelRepo(folder / "tides", {"-": DRAFT}), TemporalEditors(env.client, queue), env, queue)
    with ThreadPoolExecutor(4) as threads:
        async with Worker(
            env.client,
            task_queue=queue,
            workflows=WORKFLOWS,
            activities=study.activities(),
            activity_executor=threads,
        ):
            yield study


@pytest.fixture
async def study(temporal_env: WorkflowEnvironment, tmp_path: Path) -> AsyncIterator[Study]:
    async with at_work(temporal_env, tmp_path) as opened:
        yield opened


async def test_the_first_save_starts_the_editing_and_the_next_ones_join_it(study: Study) -> None:
    first = await study.save(DRAFT + "\nMore.\n")
    run = (await study.handle.describe()).run_id
    second = await study.save(DRAFT + "\nMore and more.\n", base=first.revision)

    assert (first.outcome, second.outcome) == ("saved", "saved")
    assert (await study.handle.describe()).run_id == run
    assert study.novel.committed.endswith("More and more.")


async def test_it_pushes_once_and_ends_when_nobody_saves_any_more(study: Study) -> None:
    await study.save("One.\n")
    await study.save("Two.\n")

    ended = await study.handle.result()

    assert (ended.outcome, ended.served, ended.push) == ("idle", 2, "local")
    assert study.asked == ["save_text", "save_text", "push_novel"]


async def test_a_save_after_the_end_starts_another_editing(study: Study) -> None:
    await study.save("One.\n")
    await study.handle.result()

    again = await study.save("Two.\n")

    assert again.outcome == "saved"
    assert study.novel.committed == "Two."


async def test_an_order_sent_twice_under_one_name_is_carried_out_once(study: Study) -> None:
    base = study.novel.revision
    first = await study.save("One.\n", base=base, key="k")
    again = await study.save("One.\n", base=base, key="k")

    assert again == first
    assert study.asked.count("save_text") == 1


async def test_a_worker_that_dies_after_the_commit_answers_the_same_at_the_next_attempt(study: Study) -> None:
    before = study.novel.commits
    study.faults["save_text"] = [
        StoreUnavailable("store-down", "gone"),
        StoreUnavailable("store-down", "gone"),
    ]

    saved = await study.save("One.\n")

    assert (saved.outcome, saved.revision) == ("saved", study.novel.revision)
    assert study.asked.count("save_text") == 3
    assert study.novel.commits == before + 1


async def test_orders_are_carried_out_in_the_order_in_which_they_came(study: Study) -> None:
    base = study.novel.revision
    study.hold.clear()
    typed = []
    for number in (1, 2):
        typed.append(asyncio.ensure_future(study.save(DRAFT.replace("dusk", f"{number} o'clock"), base=base)))
        await asyncio.sleep(0.3)
    study.hold.set()
    first, second = await asyncio.gather(*typed)

    assert (first.outcome, second.outcome) == ("saved", "conflict")
    assert "2 o'clock" in study.novel.text(second.mine)
    assert "1 o'clock" in study.novel.text(second.theirs)


async def test_a_save_that_fails_for_good_is_told_and_the_next_one_is_taken(study: Study) -> None:
    study.faults["save_text"] = [PermanentError("disk-full", "the disk is full; make room")]

    with pytest.raises(PermanentError) as failed:
        await study.save("One.\n")

    assert failed.value.code == "disk-full"
    assert (await study.save("Two.\n")).outcome in ("saved", "merged")


async def test_undo_and_rollback_are_answered_in_turn(study: Study) -> None:
    first = study.novel.revision
    await study.save("One.\n")
    await study.save("Two.\n")

    undone = await study.editors.restore(study.given(), RestoreOrder(kind="undo"), "u")
    back = await study.editors.restore(study.given(), RestoreOrder(kind="rollback", to=first), "r")

    assert study.novel.text(undone.text) == "One.\n"
    assert study.novel.text(back.text) == DRAFT


async def test_a_kill_ends_it_after_what_was_taken(study: Study) -> None:
    study.hold.clear()
    saving = asyncio.ensure_future(study.save("One.\n"))
    async with asyncio.timeout(20):
        while not (await _is_running(study)):  # noqa: ASYNC110  # another process answers
            await asyncio.sleep(0.02)
    await study.handle.signal(Editing.kill, KillRequest(who="ada", reason="enough"))
    study.hold.set()

    ended = await study.handle.result()

    assert (await saving).outcome == "saved"
    assert (ended.outcome, ended.code, ended.served) == ("stopped", "killed", 1)


@pytest.mark.long
async def test_a_remote_that_does_not_answer_does_not_hold_it(study: Study) -> None:
    study.faults["push_novel"] = [RemoteUnavailable("remote-unreachable", "silent")] * 8
    await study.save("One.\n")

    ended = await study.handle.result()

    assert (ended.outcome, ended.push) == ("idle", "pending")


async def test_a_name_that_no_scene_has_is_refused_before_anything_is_done(study: Study) -> None:
    order = SaveOrder(base="", text=study.novel.put("x"))

    with pytest.raises(PermanentError) as refused:
        await study.editors.save(study.given(scene="../x"), order, "k")

    assert refused.value.code == "bad-scene-name"
    assert study.asked == []


async def test_an_editing_that_continues_as_new_goes_on_with_its_numbers(study: Study) -> None:
    carried = EditingState(served=3, unpushed=True, control=Control(effects=7))

    saved = await study.save("One.\n", state=carried)
    ended = await study.handle.result()

    assert saved.outcome == "saved"
    assert (ended.served, ended.push) == (4, "local")
    op = study.novel.git.versions(study.novel.workspace, "manuscript.md")[0].trailers["Penwright-Op"]
    assert op.endswith(":7")


async def test_its_history_holds_no_text(study: Study) -> None:
    for number in range(5):
        await study.save(f"{number}. " + "The keeper counts. " * 5_000)
    await study.handle.result()

    history = await study.handle.fetch_history()

    assert len(history.to_json()) < 60_000


async def _is_running(study: Study) -> bool:
    try:
        progress = await study.handle.query(Editing.progress)
    except Exception:  # not there yet
        return False
    return progress.stage == "edit"
