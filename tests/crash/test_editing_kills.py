"""SIGKILL the worker around an order of a person or an agent: committed once, and the answer is the same."""

import os
from typing import Literal

import pytest
from temporalio.client import WorkflowHandle

from schemas.editing import (
    EditingInput,
    EditingResult,
    OperationsOrder,
    RestoreOrder,
    SaveOrder,
    SelectOrder,
)
from tests.support.crash.points import CrashPoint
from tests.support.engine.stand import Stand, desk
from tests.support.manuscripts.novel_repo import NovelRepo
from workflows.editing import Editing

pytestmark = [pytest.mark.crash, pytest.mark.server, pytest.mark.xdist_group("engine")]

LONG = os.environ.get("PENWRIGHT_CRASH") == "long"
WHEN = ["before", "after"] if LONG else ["after"]
DRAFT = "The keeper counts the lamps.\n"
TYPED = "The keeper counts the lamps twice.\n"


@pytest.mark.parametrize("when", WHEN)
@pytest.mark.parametrize("name", ["save_text", "restore_text", "push_novel"] if LONG else ["save_text"])
async def test_a_worker_killed_around_an_order_changes_nothing(
    stand: Stand,
    tmp_path_factory: pytest.TempPathFactory,
    name: str,
    when: Literal["before", "after"],
) -> None:
    folder = tmp_path_factory.mktemp(f"{name}-{when}")
    novel = NovelRepo(folder / "tides", {"-": DRAFT})
    first, before = novel.revision, novel.commits

    async with desk(stand, folder / "desk", crash=CrashPoint(name, when)) as at:
        editors, blobs = stand.editors(at.environ), stand.store.blobs
        given = EditingInput(
            novel_id=folder.name,
            scene="-",
            workspace=novel.workspace,
            session="s1",
            repo_queue=at.environ["PENWRIGHT_WORKER__REPO_QUEUE"],
            idle_s=0.5,
        )
        order = SaveOrder(base=first, text=blobs.put(TYPED.encode()))
        saved = await editors.save(given, order, "typed")
        undone = await editors.restore(given, RestoreOrder(kind="undo", expected=saved.revision), "undo")
        handle: WorkflowHandle[Editing, EditingResult] = stand.client.get_workflow_handle_for(
            Editing.run, f"editing/{folder.name}/-"
        )
        ended = await handle.result()

    assert len(at.crew.deaths) == 1
    assert (saved.outcome, undone.outcome, undone.revision) == ("saved", "restored", first)
    assert saved.text is not None
    assert blobs.get(saved.text).decode() == TYPED
    assert novel.commits == before + 2
    assert (ended.outcome, ended.served, ended.push) == ("idle", 2, "local")


@pytest.mark.parametrize("when", WHEN)
@pytest.mark.parametrize(
    "name", ["select_scene_intent", "find_holder", "apply_operations"] if LONG else ["apply_operations"]
)
async def test_a_worker_killed_around_an_agents_edit_makes_it_once(
    stand: Stand,
    tmp_path_factory: pytest.TempPathFactory,
    name: str,
    when: Literal["before", "after"],
) -> None:
    folder = tmp_path_factory.mktemp(f"{name}-{when}")
    novel = NovelRepo(folder / "tides", {"-": DRAFT})
    before = novel.commits

    async with desk(stand, folder / "desk", crash=CrashPoint(name, when)) as at:
        editors, blobs = stand.editors(at.environ), stand.store.blobs
        given = EditingInput(
            novel_id=folder.name,
            scene="-",
            workspace=novel.workspace,
            session="s1",
            repo_queue=at.environ["PENWRIGHT_WORKER__REPO_QUEUE"],
            idle_s=30,
        )
        operations = b'[{"find": "the lamps", "replace": "the lamps twice"}]'
        await editors.select(given, SelectOrder(intent="INT-001", session="a", opener="codex#1"))
        edited = await editors.edit(
            given,
            OperationsOrder(
                session="a",
                opener="codex#1",
                snapshot=blobs.put(DRAFT.encode()),
                operations=blobs.put(operations),
            ),
        )

    assert len(at.crew.deaths) == 1
    assert (edited.outcome, edited.revision) == ("applied", novel.revision)
    assert f"{novel.committed}\n" == TYPED
    assert novel.commits == before + 1
