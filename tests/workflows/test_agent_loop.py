"""An agent's run as Temporal carries it out, with a scripted model and real activities."""

import asyncio
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from temporalio.client import WorkflowFailureError, WorkflowUpdateFailedError
from temporalio.common import WorkflowIDConflictPolicy, WorkflowIDReusePolicy
from temporalio.exceptions import ApplicationError
from temporalio.testing import WorkflowEnvironment

from activities.agents.transcripts import run_of
from gateway.desk.engine.temporal.agent_runs import TemporalAgentRuns
from penwright.adapters.message_chains import MessageGroup
from penwright.adapters.models.router import ModelRouter
from penwright.adapters.models.scripted import ScriptedAnswer
from schemas.agent import SignedThought
from schemas.agent_run import CallDecision, RunLimits, RunQueues
from schemas.control import KillRequest
from schemas.model import ModelRequest, ModelResponse
from tests.support.workflows.librarian import Library, LossySegments, calls, library, says
from workflows.agents.loop import AgentLoop

KILL = KillRequest(who="ada", reason="enough")


async def test_an_agent_reads_writes_and_answers(temporal_env: WorkflowEnvironment, tmp_path: Path) -> None:
    answers = (
        calls(("read_page", {"path": "a"})),
        calls(("write_page", {"path": "a", "text": "new"})),
        says("Done."),
    )
    async with library(temporal_env.client, tmp_path, *answers, pages={"a": "old"}) as here:
        result = await here.run()

    assert (result.outcome, result.output, result.commit) == ("completed", "Done.", "commit-1")
    assert here.shelf.pages == {"a": "new"}


async def test_attempts_of_a_call_share_one_key_and_the_model_sees_one_result(
    temporal_env: WorkflowEnvironment, tmp_path: Path
) -> None:
    answers = (calls(("read_page", {"path": "a"})), says("Done."))
    async with library(temporal_env.client, tmp_path, *answers, pages={"a": "old"}) as here:
        here.shelf.faults["a"] = 2
        result = await here.run()

    assert result.tool_calls == 1
    assert _kinds(here) == ["succeeded"]


async def test_a_sub_agent_answers_like_a_tool_and_its_use_counts(
    temporal_env: WorkflowEnvironment, tmp_path: Path
) -> None:
    answers = (
        calls(("ask_clerk", {"text": "What is on page a?"})),
        calls(("read_page", {"path": "a"})),
        says("It says old."),
        says("The clerk says: old."),
    )
    async with library(temporal_env.client, tmp_path, *answers, pages={"a": "old"}) as here:
        result = await here.run()
        child = here.transcript(f"{here.queue}/call/1")

    assert (result.outcome, result.output) == ("completed", "The clerk says: old.")
    assert result.spent.model_calls == 4
    assert [event.kind for event in child][-1] == "run-ended"


async def test_a_kill_interrupts_the_model_and_ends_the_run(
    temporal_env: WorkflowEnvironment, tmp_path: Path
) -> None:
    async with library(temporal_env.client, tmp_path, ScriptedAnswer(fault="hang")) as here:
        handle = await here.start()
        await here.until_asked()
        await handle.signal(AgentLoop.kill, KILL)
        result = await handle.result()

    assert (result.outcome, result.message) == ("cancelled", "ada: enough")


async def test_a_cancellation_in_the_ui_ends_the_run_on_a_safe_edge(
    temporal_env: WorkflowEnvironment, tmp_path: Path
) -> None:
    async with library(temporal_env.client, tmp_path, ScriptedAnswer(fault="hang")) as here:
        handle = await here.start()
        await here.until_asked()
        await handle.cancel()
        result = await handle.result()

    assert result.outcome == "cancelled"
    assert here.transcript()[-1].kind == "run-ended"


async def test_a_cancellation_that_meets_the_first_step_is_not_lost(
    temporal_env: WorkflowEnvironment, tmp_path: Path
) -> None:
    async with library(temporal_env.client, tmp_path, ScriptedAnswer(fault="hang")) as here:
        for number in range(5):
            handle = await here.start(here.given(run_id=f"{here.queue}-{number}"))
            await handle.cancel()
            result = await asyncio.wait_for(handle.result(), 30)
            assert result.outcome == "cancelled"


async def test_a_paused_run_waits_until_it_is_resumed(
    temporal_env: WorkflowEnvironment, tmp_path: Path
) -> None:
    async with library(temporal_env.client, tmp_path, says("Done.")) as here:
        handle = await here.client.start_workflow(
            AgentLoop.run,
            here.given(),
            id=run_of(here.queue),
            task_queue=here.queue,
            start_signal="pause",
        )
        assert (await handle.query(AgentLoop.progress)).paused
        await handle.signal(AgentLoop.resume)
        result = await handle.result()

    assert result.outcome == "completed"


async def test_a_letter_is_sent_only_after_a_person_allowed_it(
    temporal_env: WorkflowEnvironment, tmp_path: Path
) -> None:
    letter = ("send_letter", {"path": "ada", "text": "Hello."})
    async with library(temporal_env.client, tmp_path, calls(letter), says("Sent.")) as here:
        handle = await here.start()
        asked = await here.until_notified()
        assert here.shelf.pages == {}
        decision = CallDecision(
            approval=str(asked["id"]), digest=str(asked["digest"]), decided="approved", by="ada"
        )
        await handle.execute_update(AgentLoop.decide_call, decision)
        result = await handle.result()

    assert (result.outcome, here.shelf.pages) == ("completed", {"letters/ada": "Hello."})


async def test_a_decision_about_another_call_is_refused(
    time_skipping_env: WorkflowEnvironment, tmp_path: Path
) -> None:
    letter = ("send_letter", {"path": "ada", "text": "Hello."})
    async with library(time_skipping_env.client, tmp_path, calls(letter), says("Not sent.")) as here:
        handle = await here.start()
        asked = await here.until_notified()
        other = CallDecision(approval=str(asked["id"]), digest="another", decided="approved", by="ada")
        with pytest.raises(WorkflowUpdateFailedError) as refused:
            await handle.execute_update(AgentLoop.decide_call, other)
        result = await handle.result()

    assert isinstance(refused.value.cause, ApplicationError)
    assert refused.value.cause.type == "approval-mismatch"
    assert (result.outcome, here.shelf.pages) == ("completed", {})
    assert _kinds(here) == ["refused"]


async def test_the_same_request_five_times_is_one_run(
    temporal_env: WorkflowEnvironment, tmp_path: Path
) -> None:
    async with library(temporal_env.client, tmp_path, says("Once.")) as here:
        handles = await asyncio.gather(
            *(
                here.client.start_workflow(
                    AgentLoop.run,
                    here.given(),
                    id=run_of(here.queue),
                    task_queue=here.queue,
                    id_conflict_policy=WorkflowIDConflictPolicy.USE_EXISTING,
                    id_reuse_policy=WorkflowIDReusePolicy.REJECT_DUPLICATE,
                )
                for _ in range(5)
            )
        )
        results = await asyncio.gather(*(handle.result() for handle in handles))

    assert len({result.model_dump_json() for result in results}) == 1
    assert results[0].spent.model_calls == 1


async def test_an_invalid_run_fails_with_its_own_code(
    temporal_env: WorkflowEnvironment, tmp_path: Path
) -> None:
    async with library(temporal_env.client, tmp_path, ScriptedAnswer(fault="refusal")) as here:
        with pytest.raises(WorkflowFailureError) as failed:
            await here.run()

    assert isinstance(failed.value.cause, ApplicationError)
    assert failed.value.cause.type == "model-refused"


async def test_an_agent_that_never_stops_is_asked_for_its_last_words(
    temporal_env: WorkflowEnvironment, tmp_path: Path
) -> None:
    answers = [calls(("read_page", {"path": "a"}))] * 4 + [says("What I have.")]
    async with library(temporal_env.client, tmp_path, *answers, pages={"a": "old"}) as here:
        result = await here.run(here.given(limits=RunLimits(model_calls=5)))

    assert (result.outcome, result.output) == ("budget", "What I have.")


async def test_the_transcript_is_gapless(temporal_env: WorkflowEnvironment, tmp_path: Path) -> None:
    answers = (calls(("read_page", {"path": "a"}), ("nowhere", {})), says("Done."))
    async with library(temporal_env.client, tmp_path, *answers, pages={"a": "old"}) as here:
        await here.run()
        told = here.transcript()

    assert [event.data["sequence"] for event in told] == list(range(1, len(told) + 1))
    assert {event.data["source"] for event in told} == {"main"}


async def test_messages_that_the_store_has_lost_are_put_back_from_the_history(
    temporal_env: WorkflowEnvironment, tmp_path: Path
) -> None:
    read = calls(("read_page", {"path": "a"}))
    segments = LossySegments()
    async with library(
        temporal_env.client, tmp_path, read, read, says("Done."), pages={"a": "old"}, groups=segments
    ) as here:
        here.shelf.when_read = lambda path: segments.lose()
        result = await here.run()
        assert result.head is not None
        kept = here.store.messages.messages(result.head)

    assert [each.role for each in kept] == ["user", *["assistant", "tool"] * 2, "assistant"]
    assert [each.content for each in kept if each.role == "tool"] == ["old", "old"]


async def test_signed_thought_is_put_back_with_them_and_stays_out_of_the_texts(
    temporal_env: WorkflowEnvironment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    thought = (SignedThought(text="Hm.", signature="s"),)
    complete = ModelRouter.complete

    async def thinking(self: ModelRouter, request: ModelRequest) -> ModelResponse:
        said = await complete(self, request)
        return said.model_copy(update={"thought": thought if said.tool_calls else ()})

    monkeypatch.setattr(ModelRouter, "complete", thinking)
    read, segments = calls(("read_page", {"path": "a"})), LossySegments()
    async with library(
        temporal_env.client, tmp_path, read, read, says("Done."), pages={"a": "old"}, groups=segments
    ) as here:
        here.shelf.when_read = lambda path: segments.lose()
        result = await here.run()
        assert result.head is not None
        kept = here.store.messages.messages(result.head)

    assert [each.thought for each in kept if each.tool_calls] == [thought, thought]
    assert "Hm." not in f"{result} {[each.content for each in kept]}"


class ForgetsAtTheEnd(LossySegments):
    """Loses everything as soon as the last answer is stored, once."""

    lost = 0

    def keep(self, group: MessageGroup) -> bool:
        kept = super().keep(group)
        if not self.lost and any("Done." in line for line in group.lines):
            self.lost = len(self._kept)
            self.lose()
        return kept


async def test_messages_lost_after_the_last_answer_are_put_back_when_the_run_ends(
    temporal_env: WorkflowEnvironment, tmp_path: Path
) -> None:
    read = calls(("read_page", {"path": "a"}))
    segments = ForgetsAtTheEnd()
    async with library(
        temporal_env.client, tmp_path, read, says("Done."), pages={"a": "old"}, groups=segments
    ) as here:
        result = await here.run()
        assert result.head is not None
        kept = here.store.messages.messages(result.head)

    assert segments.lost
    assert [each.content for each in kept] == ["Keep the pages.", "", "old", "Done."]


async def test_time_in_a_models_queue_is_not_the_runs_time(
    temporal_env: WorkflowEnvironment, tmp_path: Path
) -> None:
    limits = RunLimits(deadline=datetime.now(UTC) + timedelta(seconds=3), last_turn_s=0)
    async with library(temporal_env.client, tmp_path, says("Done.")) as here:
        queues = RunQueues(models=f"{here.queue}-models")
        handle = await here.start(here.given(limits=limits, queues=queues))
        await asyncio.sleep(4)  # past the deadline, which is a time of the real clock
        async with here.worker(queues.models):
            result = await handle.result()

    assert (result.outcome, result.output) == ("completed", "Done.")


@pytest.mark.long
async def test_time_in_queues_counts_over_all_segments_of_a_run(
    temporal_env: WorkflowEnvironment, tmp_path: Path
) -> None:
    began = asyncio.get_running_loop().time()
    limits = RunLimits(deadline=datetime.now(UTC) + timedelta(seconds=3), last_turn_s=0, segment_steps=2)
    answers = (calls(("read_page", {"path": "a"})), says("Done."))
    async with library(temporal_env.client, tmp_path, *answers, pages={"a": "old"}) as here:
        queues = RunQueues(models=f"{here.queue}-models")
        read = asyncio.Event()
        here.shelf.when_read = lambda path: read.set()
        handle = await here.start(here.given(limits=limits, queues=queues))
        await asyncio.sleep(4)
        async with here.worker(queues.models):
            await read.wait()
        await asyncio.sleep(began + 7.5 - asyncio.get_running_loop().time())
        async with here.worker(queues.models):
            result = await handle.result()

    assert (result.outcome, result.output) == ("completed", "Done.")
    assert (await handle.describe()).run_id != handle.first_execution_run_id


async def test_a_run_keeps_its_name_and_request_when_it_continues_as_new(
    temporal_env: WorkflowEnvironment, tmp_path: Path
) -> None:
    answers = (calls(("read_page", {"path": "a"})), says("Done."))
    async with library(temporal_env.client, tmp_path, *answers, pages={"a": "old"}) as here:
        runs = TemporalAgentRuns(temporal_env.client, here.queue)
        given = here.given(limits=RunLimits(segment_steps=2))
        begun = [await runs.start(given)]
        await runs.result(given.run_id)
        segments = await runs.segments(given.run_id)
        found = await runs.find(given.run_id)
        begun.append(await runs.start(given))

    assert len(segments) > 1
    assert (found.agent, begun) == ("test/librarian", [True, False])


async def test_a_models_own_time_is_the_runs_time(temporal_env: WorkflowEnvironment, tmp_path: Path) -> None:
    limits = RunLimits(deadline=datetime.now(UTC) + timedelta(seconds=2), last_turn_s=0)
    async with library(temporal_env.client, tmp_path, ScriptedAnswer(fault="hang")) as here:
        result = await here.run(here.given(limits=limits))

    assert (result.outcome, result.output) == ("deadline", None)


def _kinds(here: Library) -> list[object]:
    return [event.data["kind"] for event in here.transcript() if event.kind == "call-ended"]
