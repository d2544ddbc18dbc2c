"""Outside agents at a scene, on a server: an intent is selected first, and each order is answered by name."""

import asyncio
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from pydantic import TypeAdapter
from temporalio.client import WorkflowHandle
from temporalio.testing import WorkflowEnvironment
from temporalio.worker import Worker

from activities.holding import HOLDER, HoldingActivities
from gateway.desk.engine.temporal.editing import TemporalEditors
from penwright.errors import PermanentError
from schemas.editing import EditingInput, EditingResult, OperationsOrder, SaveOrder, SelectOrder
from schemas.holding import DocumentHolder
from schemas.intents import Selected
from schemas.manuscript_text import OperationsApplied
from schemas.patching import Operation
from tests.support.books.repos import git
from tests.support.manuscripts.novel_repo import NovelRepo
from workers.temporal_plugin import WORKFLOWS
from workers.wiring import activity_methods
from workflows.editing import Editing
from workflows.holding import DocumentLock

DRAFT = "The keeper counts the lamps at dusk.\n\nNobody asks him why.\n"
AGENT = "claude-code 2.1#pipe"
TWICE = Operation(find="at dusk", replace="at dusk, twice")
_OPERATIONS = TypeAdapter(tuple[Operation, ...])


@dataclass
class Study:
    """A novel, a worker for it, and agents that edit it."""

    novel: NovelRepo
    editors: TemporalEditors
    env: WorkflowEnvironment
    queue: str
    idle_s: float = 20.0

    def given(self) -> EditingInput:
        return EditingInput(
            novel_id=self.queue,
            scene="-",
            workspace=self.novel.workspace,
            session=uuid4().hex[:6],
            repo_queue=self.queue,
            idle_s=self.idle_s,
        )

    async def select(self, session: str = "s1", opener: str = AGENT, intent: str = "INT-001") -> Selected:
        order = SelectOrder(intent=intent, session=session, opener=opener)
        return await self.editors.select(self.given(), order)

    async def edit(
        self, *operations: Operation, session: str = "s1", opener: str = AGENT, snapshot: str = DRAFT
    ) -> OperationsApplied:
        order = OperationsOrder(
            session=session,
            opener=opener,
            snapshot=self.novel.put(snapshot),
            operations=self.novel.put(_OPERATIONS.dump_json(operations)),
            message="Count twice",
            who="claude-code 2.1",
        )
        return await self.editors.edit(self.given(), order)

    async def refused(self, *operations: Operation, **more: Any) -> PermanentError:
        """Why an edit is not made; nothing may have been changed."""
        before = self.novel.commits
        with pytest.raises(PermanentError) as refused:
            await self.edit(*operations, **more)
        assert self.novel.commits == before
        return refused.value


@asynccontextmanager
async def at_work(env: WorkflowEnvironment, folder: Path) -> AsyncIterator[Study]:
    queue = f"q-{uuid4().hex[:8]}"
    study = Study(NovelRepo(folder / "tides", {"-": DRAFT}), TemporalEditors(env.client, queue), env, queue)
    with ThreadPoolExecutor(4) as threads:
        async with Worker(
            env.client,
            task_queue=queue,
            workflows=WORKFLOWS,
            activities=[*activity_methods(study.novel.ask), *activity_methods(HoldingActivities())],
            activity_executor=threads,
        ):
            yield study


@pytest.fixture
async def study(temporal_env: WorkflowEnvironment, tmp_path: Path) -> AsyncIterator[Study]:
    async with at_work(temporal_env, tmp_path) as opened:
        yield opened


async def test_an_edit_is_one_commit_of_a_model_that_names_agent_and_intent(study: Study) -> None:
    selected = await study.select()
    done = await study.edit(TWICE, Operation(kind="append", replace="\nThe sea is flat.\n"))

    assert selected.pin.intent_id == "INT-001"
    assert "Follow the instructions" in selected.context
    assert [each.outcome for each in done.results] == ["applied", "applied"]
    assert study.novel.revision == done.revision
    body = git(study.novel.folder, "log", "-1", "--format=%B")
    assert body.startswith("Count twice")
    for trailer in ("Agent: claude-code 2.1", "Intent: INT-001", "Contributor: model"):
        assert f"Penwright-{trailer}" in body


async def test_nothing_is_changed_before_an_intent_is_selected(study: Study) -> None:
    assert (await study.refused(TWICE)).code == "intent-not-selected"
    assert (await study.refused(TWICE, session="")).code == "intent-not-selected"


async def test_a_session_is_no_other_agents(study: Study) -> None:
    await study.select()

    assert (await study.refused(TWICE, opener="codex 1#pipe")).code == "other-session"
    with pytest.raises(PermanentError) as taken:
        await study.select(opener="codex 1#pipe")
    assert taken.value.code == "other-session"


async def test_an_unknown_intent_is_refused_and_the_next_selection_is_taken(study: Study) -> None:
    with pytest.raises(PermanentError) as unknown:
        await study.select(intent="INT-999")

    assert unknown.value.code == "intent-unknown"
    assert (await study.refused(TWICE)).code == "intent-not-selected"
    await study.select()
    assert (await study.edit(TWICE)).outcome == "applied"


async def test_the_gate_denies_an_intent_that_was_reworded_until_it_is_selected_again(study: Study) -> None:
    await study.select()
    _reword(study.novel)

    denied = await study.edit(TWICE)
    await study.select()
    made = await study.edit(TWICE)

    assert denied.outcome == "denied"
    assert denied.denial is not None
    assert denied.denial.error_code == "INTENT_CHANGED"
    assert made.outcome == "applied"


async def test_operations_on_an_old_text_are_merged_or_in_conflict(study: Study) -> None:
    await study.select()
    base = study.novel.revision
    typed = DRAFT.replace("Nobody asks him why.", "Everybody asks him why.")
    await study.editors.save(study.given(), SaveOrder(base=base, text=study.novel.put(typed)), "k")

    merged = await study.edit(TWICE)
    clash = await study.edit(Operation(find="Nobody asks him why.", replace="She asks him why."))

    assert (merged.outcome, clash.outcome) == ("applied", "conflict")
    assert "twice.\n\nEverybody asks" in study.novel.committed
    assert clash.results[0].outcome == "conflict"


async def test_an_edit_that_is_sent_again_changes_nothing_more(study: Study) -> None:
    await study.select()
    added = Operation(kind="append", replace="\nThe sea is flat.\n")
    first = await study.edit(added)
    commits = study.novel.commits

    again = await study.edit(added)

    assert (again.outcome, again.revision) == ("unchanged", first.revision)
    assert study.novel.commits == commits


async def test_a_run_that_holds_the_document_is_named_and_a_person_may_save_all_the_same(
    study: Study,
) -> None:
    await study.select()
    lock = await _held(study)

    busy = await study.edit(TWICE)
    saved = await study.editors.save(
        study.given(), SaveOrder(base=study.novel.revision, text=study.novel.put("Mine.\n")), "k"
    )
    await lock.signal(DocumentLock.release)
    await lock.result()
    free = await study.edit(Operation(find="Mine", replace="Ours"), snapshot="Mine.\n")

    assert (busy.outcome, busy.code) == ("refused", "document-busy")
    assert "manuscript loop" in busy.message
    assert (saved.outcome, free.outcome) == ("saved", "applied")


async def test_two_agents_edit_one_scene_each_in_a_session_of_its_own(study: Study) -> None:
    await asyncio.gather(study.select(), study.select("s2", "codex 1#pipe"))

    first, second = await asyncio.gather(
        study.edit(TWICE),
        study.edit(Operation(find="Nobody asks", replace="No one asks"), session="s2", opener="codex 1#pipe"),
    )

    assert (first.outcome, second.outcome) == ("applied", "applied")
    assert study.novel.committed == DRAFT.replace("dusk", "dusk, twice").replace("Nobody", "No one").strip()


async def test_when_the_editing_has_ended_its_sessions_are_over_and_it_was_pushed(study: Study) -> None:
    study.idle_s = 1.0
    await study.select()
    await study.edit(TWICE)
    handle: WorkflowHandle[Editing, EditingResult] = study.env.client.get_workflow_handle_for(
        Editing.run, f"editing/{study.queue}/-"
    )
    ended = await handle.result()

    assert (ended.outcome, ended.served, ended.push) == ("idle", 2, "local")
    assert (await study.refused(TWICE)).code == "intent-not-selected"


def _reword(novel: NovelRepo) -> None:
    registry = novel.folder / ".orchestration/active_intents.yaml"
    registry.write_text(registry.read_text().replace("Every planned section", "Each planned section"))
    git(novel.folder, "commit", "-am", "Reword", "--author", "Ada <ada@example.org>")


async def _held(study: Study) -> Any:
    holder = DocumentHolder(
        novel=study.queue, scene="-", workflow_id="manuscript/x/-", session="r", what="manuscript loop"
    )
    return await study.env.client.start_workflow(
        DocumentLock.run,
        holder,
        id=holder.lock_id,
        task_queue=study.queue,
        memo={HOLDER: holder.model_dump(mode="json")},
    )
