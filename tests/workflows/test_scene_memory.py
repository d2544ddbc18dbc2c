"""Memories and summary of a scene, made beside its rounds, on a server."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from temporalio.client import WorkflowFailureError, WorkflowHandle
from temporalio.exceptions import ApplicationError
from temporalio.testing import WorkflowEnvironment

from gateway.desk.engine.temporal.side_runs import memory_runs
from penwright.errors import BudgetSpent, ModelFinal
from schemas.control import KillRequest
from schemas.scene_memory import SceneMemoryResult
from tests.adapters.store.scenes.builders import an_edit
from tests.support.scenes.playhouse import Playhouse, playhouse
from workflows.scene_memory import SceneMemory


@pytest.fixture
async def here(temporal_env: WorkflowEnvironment) -> AsyncIterator[Playhouse]:
    async with playhouse(temporal_env.client) as house:
        yield house


def memory_run(here: Playhouse) -> WorkflowHandle[SceneMemory, SceneMemoryResult]:
    return here.client.get_workflow_handle_for(SceneMemory.run, f"scene-memory/{here.scene}")


async def test_a_round_is_played_while_its_scene_is_summed_up(
    here: Playhouse,
) -> None:
    here.set(summarise_after=1)
    here.company.says("summariser", "They met.")
    gate = here.company.gates["summariser"] = asyncio.Event()
    await here.play()
    second = await here.play("And now?")
    await here.company.until("summariser")

    third = await here.play("And then?")

    assert (second.outcome, third.outcome) == ("completed", "completed")
    assert here.summary == ()
    assert (await memory_run(here).query(SceneMemory.progress)).stage == "summarise"
    gate.set()
    ended = await here.remembered()
    assert ended.outcome == "completed"
    assert "They met." in here.summary
    assert sorted(here.remembering.rounds) == [1, 2, 3]


async def test_rounds_outside_the_summary_are_summed_up(here: Playhouse) -> None:
    here.set(summarise_after=2)
    here.company.says("summariser", "They met.")

    for number in range(3):
        await here.play(f"Message {number}.")
    await here.remembered()

    assert here.company.asked.count("summariser") == 1
    assert here.summary == ("They met.",)
    (told,) = here.scenes.summed_up(here.scene).stretches
    assert max(told.readings) == 6, "the newest round is left as it was said"
    assert "Message 2." not in here.company.prompts_of("summariser")[0]


async def test_a_summary_of_words_that_were_edited_meanwhile_is_dropped_and_made_again(
    here: Playhouse,
) -> None:
    here.set(summarise_after=2)
    here.company.says("summariser", "They met.", "They met otherwise.")
    gate = here.company.gates["summariser"] = asyncio.Event()
    for number in range(3):
        await here.play(f"Message {number}.")
    await here.company.until("summariser")
    here.scenes.edit(an_edit(f"{here.scene}/1", "Otherwise."))
    gate.set()
    await here.remembered()

    assert here.summary == ("They met otherwise.",)
    first, second = here.company.prompts_of("summariser")
    assert "Message 0." in first
    assert "Otherwise." in second
    assert "Message 0." not in second


async def test_what_a_kill_leaves_undone_is_done_after_the_next_round(here: Playhouse) -> None:
    here.set(summarise_after=1)
    here.company.says("summariser", "They met.")
    here.company.gates["summariser"] = asyncio.Event()
    for _ in range(2):
        await here.play()
    await here.company.until("summariser")
    runs = memory_runs(here.client, here.queue)
    listed = (await runs.running())[here.scene]
    paused = await runs.signal(here.scene, "pause")
    told = await runs.progress(here.scene)
    (row,) = [each for each in here.store.records.runs(pipeline="scene-memory") if not each.outcome]
    await runs.signal(here.scene, KillRequest(who="mira", reason="enough"))
    killed = await here.remembered()
    del here.company.gates["summariser"]

    await here.play("And now?")
    ended = await here.remembered()

    assert (listed.stage, paused.heard) == ("summarise", True)
    assert told is not None
    assert told.paused
    assert (row.subject, row.run.partition("#")[0]) == (f"scene/{here.scene}", f"scene-memory/{here.scene}")
    assert (killed.outcome, killed.stopped_by) == ("stopped", "mira")
    assert ended.outcome == "completed"
    assert here.summary
    assert {row.outcome for row in here.store.records.runs(pipeline="scene-memory")} == {
        "killed",
        "completed",
    }


async def test_a_summariser_that_cannot_be_asked_fails_no_round_and_says_why(here: Playhouse) -> None:
    here.set(summarise_after=1)
    here.company.says("summariser", *[ModelFinal("model-key-missing", "Set NEAR_KEY.")] * 9)

    rounds = [await here.play(), await here.play("And now?")]
    with pytest.raises(WorkflowFailureError) as failure:
        await here.remembered()

    assert {each.outcome for each in rounds} == {"completed"}
    assert isinstance(failure.value.cause, ApplicationError)
    assert failure.value.cause.type == "model-key-missing"
    assert sorted(here.remembering.rounds) == [1, 2], "memories are made all the same"
    (told,) = [each for each in here.events if each.kind == "summariser.completed"]
    assert told.data["code"] == "model-key-missing"


@pytest.mark.long
async def test_memories_are_tried_again_and_never_fail_a_round(here: Playhouse) -> None:
    here.remembering.fails = 2
    assert (await here.play()).outcome == "completed"
    assert (await here.remembered()).outcome == "completed"
    here.remembering.fails = 99

    assert (await here.play("And now?")).outcome == "completed"
    assert here.remembering.rounds == [1]


async def test_a_spent_budget_ends_the_run_which_says_so(here: Playhouse) -> None:
    here.set(summarise_after=1)
    spent = BudgetSpent("budget-spent", "the scene's budget of $1.00 is spent")
    here.company.says("summariser", *[spent] * 9)

    for _ in range(2):
        await here.play()
    with pytest.raises(WorkflowFailureError):
        await here.remembered()

    (row,) = [each for each in here.store.records.runs(pipeline="scene-memory") if each.outcome == "failed"]
    assert row.detail["code"] == "budget-spent"
    assert "$1.00" in row.detail["message"]
