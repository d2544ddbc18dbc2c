"""The whole loop over a scripted model, with every order and outcome sent over the wire."""

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from pydantic import BaseModel

from penwright.agents.definition.agent import AgentDefinition, Section
from penwright.agents.guardrails.completion import AllOf
from penwright.agents.guardrails.guardrail import (
    Completion,
    CompletionChecker,
    FeedbackProvider,
    Trajectory,
    WorldChecker,
)
from penwright.agents.guardrails.triggers import EveryCalls
from penwright.agents.loop import steps as loop
from penwright.agents.loop.reporting import progress
from penwright.agents.loop.run import Run, begin
from penwright.agents.loop.steering import timed_out
from penwright.agents.loop.steps import can_continue_as_new, carried, next_step
from penwright.agents.loop.transcript import gaps
from penwright.agents.state import StateView
from penwright.agents.tools.resources import Resources
from penwright.domain import control
from penwright.errors import BrokenDefinition, BudgetSpent, ModelUnavailable, NotFound
from schemas.agent import SerializedState
from schemas.agent_run import AgentRunResult, Batch, CallModel, CheckWork, EndRun, Pins, TranscriptEntry
from schemas.base import BlobRef, Cause
from tests.support.agents.clerk import Report, clerk
from tests.support.agents.loop import NOON, World, call, calls, given_run, limits, outcomes, say, stopped
from tests.support.agents.messages import extended

READ = call("read_page", '{"path": "a.md"}')
WRITE = call("write_page", '{"path": "a.md"}')


class Wrote(CompletionChecker):
    """Content once a page was written."""

    name: str = "wrote"

    def check(self, trajectory: Trajectory, output: BaseModel | str | None, state: StateView) -> Completion:
        wrote = any(one.tool == "write_page" and one.kind == "succeeded" for one in trajectory.outcomes)
        return Completion(complete=wrote, reason="" if wrote else "Nothing was written.")


class Nudge(FeedbackProvider):
    """Says how many calls there were."""

    def feedback(self, trajectory: Trajectory, state: StateView) -> str | None:
        return f"{trajectory.calls} calls so far"


class Broken(FeedbackProvider):
    """Cannot say anything."""

    def feedback(self, trajectory: Trajectory, state: StateView) -> str | None:
        raise RuntimeError("out of words")


def test_a_plain_answer_completes_the_run() -> None:
    world = World(clerk(), [say("Done, sir.")])
    run = world.play()
    assert run.state.control.ended
    assert (world.result().outcome, world.result().output) == ("completed", "Done, sir.")
    assert [message.role for message in world.chain] == ["user", "assistant"]


def test_a_call_is_run_and_its_result_returned() -> None:
    world = World(clerk(), [calls(READ), say("Read.")], files={"a.md": "d1"})
    run = world.play()
    assert outcomes(run) == [("succeeded", "")]
    assert world.told() == ["page a.md: d1"]
    assert world.result().outcome == "completed"


def test_every_message_is_sent_to_the_model_once_after_the_head() -> None:
    world = World(clerk(), [calls(READ), calls(READ, WRITE), say("Done.")])
    world.play()
    assert [len(step.new) for step in world.asked] == [1, 1, 2]
    assert [step.head.count if step.head else 0 for step in world.asked] == [0, 2, 4]
    head = world.result().head
    assert head == extended(None, world.chain)


def test_stored_results_travel_by_reference() -> None:
    world = World(clerk(), [calls(READ), say("Done.")])
    world.play()
    (result,) = world.asked[1].new
    assert result.text is not None
    assert result.message.content == ""


def test_an_order_carries_only_the_slices_it_needs() -> None:
    world = World(clerk(), [calls(call("fail", '{"path": "a"}')), calls(READ), say("Done.")])
    world.play()
    assert {one.name for one in world.asked[-1].state.slices} <= {"clerk.door", "penwright.section-opened"}
    assert all(order.state.slices == () for order in world.orders)


def test_a_model_that_cannot_be_asked_fails_the_run_with_its_code() -> None:
    world = World(clerk(), [ModelUnavailable("model-unavailable", "nobody answers; look at the provider")])
    world.play()
    assert (world.result().outcome, world.result().code) == ("failed", "model-unavailable")


def test_a_spent_external_cap_pauses_the_run_until_resumed() -> None:
    world = World(clerk(), [BudgetSpent("budget-spent", "the day's budget is spent"), say("Done.")])
    seen = []

    def go_on(run: Run, step: object) -> Run:
        seen.append(progress(run).detail)
        return run.steered(control.resumed)

    world.before = go_on
    world.play()
    assert "Paused: the day's budget is spent" in seen
    assert world.result().outcome == "completed"


@pytest.mark.parametrize("code", ["blob-not-found", "blob-corrupt"])
def test_a_text_that_the_store_has_lost_pauses_the_run_until_it_is_back(code: str) -> None:
    world = World(clerk(), [calls(READ), NotFound(code, "the text 'ab' is gone; restore it"), say("Done.")])
    seen = []

    def go_on(run: Run, step: object) -> Run:
        seen.append(progress(run).detail)
        return run.steered(control.resumed)

    world.before = go_on
    world.play()
    assert "Paused: the text 'ab' is gone; restore it" in seen
    assert (world.result().outcome, world.result().tool_calls) == ("completed", 1)


def test_a_last_turn_that_cannot_be_paid_for_ends_the_run() -> None:
    world = World(clerk(), [calls(READ), BudgetSpent("budget-spent", "the day's budget is spent")])
    world.play(given_run(limits=limits(model_calls=2)))
    assert (world.result().outcome, world.result().code) == ("budget", "model-calls-spent")


def test_a_refusal_fails_the_run() -> None:
    world = World(clerk(), [say("I will not.", finish_reason="refusal")])
    world.play()
    assert (world.result().outcome, world.result().code) == ("failed", "model-refused")


# Faults of a model instead of an answer.


def test_a_model_that_never_stops_is_stopped_within_its_budget() -> None:
    world = World(clerk(), [calls(READ)] * 100)
    world.play(given_run(limits=limits(model_calls=10)))
    assert len(world.asked) == 10
    assert (world.result().outcome, world.result().output) == ("budget", None)
    assert world.result().spent.model_calls == 10


def test_a_model_that_says_nothing_is_asked_again_and_then_given_up() -> None:
    world = World(clerk(), [say(""), say("  \n"), say("")])
    world.play()
    assert [step.kind for step in world.asked] == ["work"] * 3
    assert (world.result().outcome, world.result().code) == ("failed", "empty-reply")
    assert world.result().output is None


def test_a_result_names_the_models_that_answered_and_in_whose_place() -> None:
    stood_in = {"model": "small", "instead_of": "large"}
    world = World(clerk(), [say("", model="large"), say("Done.", **stood_in)])

    world.play()

    assert (world.result().models, world.result().instead_of) == (("large", "small"), ("large",))


def test_a_model_that_says_nothing_once_may_still_answer() -> None:
    world = World(clerk(), [say(""), say("Sorry. Done.")])
    world.play()
    assert world.result().output == "Sorry. Done."
    assert [message.role for message in world.chain] == ["user", "assistant", "user", "assistant"]


def test_an_answer_of_six_megabytes_is_kept_but_not_taken() -> None:
    ref = BlobRef(sha256="5" * 64, size=6_000_000)
    world = World(clerk(), [say("x" * 1000, text_at=ref)] * 3)
    world.play()
    assert (world.result().outcome, world.result().code) == ("failed", "oversize-reply")
    assert world.result().output_at == ref
    assert "6000000 bytes" in world.chain[2].content
    assert world.largest < 100_000


def test_an_unreadable_turn_is_asked_for_again_with_the_reason() -> None:
    mistake = Cause(code="turn-too-large", message="The reply was 6000000 bytes long. Answer again, shorter.")
    world = World(clerk(), [say("", mistake=mistake), say("Short.")])
    world.play()
    assert world.result().output == "Short."
    assert [message.role for message in world.chain] == ["user", "user", "assistant"]


def test_an_answer_that_was_cut_off_is_asked_for_again() -> None:
    world = World(clerk(), [say("Once upon", finish_reason="length"), say("The end.")])
    world.play()
    assert world.result().output == "The end."


# A typed answer.


def test_an_invalid_answer_is_repaired() -> None:
    world = World(clerk(output=Report), [say('{"words": "many"}'), say('{"words": 3, "title": "x"}')])
    world.play()
    assert world.result().output == {"words": 3, "title": "x"}
    assert "words" in world.chain[2].content


def test_an_answer_that_never_fits_fails_after_its_repairs() -> None:
    world = World(clerk(output=Report, repairs=1), [say("no"), say("still no")])
    world.play()
    assert (world.result().outcome, len(world.asked)) == ("failed", 2)
    assert world.result().code == "no-json"


def test_an_answer_given_by_a_call_is_taken_and_the_call_has_its_outcome() -> None:
    final = call("final_answer", '{"words": 3}')
    world = World(clerk(output=Report), [calls(final)])
    run = world.play()
    assert outcomes(run) == [("succeeded", "")]
    assert world.result().output == {"words": 3, "title": ""}


def test_an_invalid_answer_call_returns_the_errors_as_its_result() -> None:
    world = World(
        clerk(output=Report),
        [calls(call("final_answer", '{"words": null}')), calls(call("final_answer", '{"words": 1}'))],
    )
    run = world.play()
    assert outcomes(run) == [("invalid-arguments", "invalid-output"), ("succeeded", "")]
    assert [m.role for m in world.chain] == ["user", "assistant", "tool", "assistant", "tool"]


def test_an_answer_beside_other_calls_has_to_wait_for_their_results() -> None:
    final = call("final_answer", '{"words": 3}')
    world = World(clerk(output=Report), [calls(READ, final), calls(final)])
    run = world.play()
    assert outcomes(run) == [("succeeded", ""), ("failed", "answer-too-early"), ("succeeded", "")]
    assert world.result().outcome == "completed"


# The definition of done.


def test_an_agent_that_stops_too_early_is_sent_back_with_the_reason() -> None:
    world = World(clerk(completion=Wrote()), [say("Done."), calls(WRITE), say("Now it is.")])
    world.play()
    assert "Nothing was written." in world.chain[2].content
    assert (world.result().outcome, world.result().output) == ("completed", "Now it is.")


def test_work_that_stays_unfinished_is_never_called_completed() -> None:
    world = World(clerk(completion=Wrote()), [say("Done.")] * 9)
    world.play(given_run(limits=limits(completion_rounds=2)))
    result = world.result()
    assert (result.outcome, result.code, result.output) == ("unfinished", "incomplete", "Done.")
    assert len(world.asked) == 3


class OnDisk(WorldChecker):
    """Wants a page to be in the world."""

    name: str = "on-disk"
    page: str

    async def look(self, output: object, state: StateView, world: Resources) -> Completion:
        there = self.page in world.get(World).files
        return Completion(complete=there, reason="" if there else f"{self.page} is missing.")


def test_checkers_look_at_the_world_and_all_verdicts_are_told() -> None:
    both = AllOf(checkers=(OnDisk(page="a.md"), Wrote(), OnDisk(name="more", page="b.md")))
    world = World(clerk(completion=both), [say("Done."), calls(WRITE), say("Now it is.")])
    steps: list[str] = []

    def appears(run: Run, step: loop.Step) -> Run:
        steps.append(type(step).__name__)
        if isinstance(step, Batch):
            world.files.update({"a.md": "d", "b.md": "d"})
        return run

    world.before = appears
    world.play()

    assert world.result().outcome == "completed"
    assert steps.count("CheckWork") == 2
    (told,) = [each.content for each in world.chain if each.role == "user" and "missing" in each.content]
    assert told.splitlines()[0] == "- a.md is missing."
    assert told.splitlines()[-1] == "- b.md is missing."
    assert len(told.splitlines()) == 3


def test_two_checkers_that_look_have_names_of_their_own() -> None:
    with pytest.raises(BrokenDefinition) as found:
        clerk(completion=AllOf(checkers=(OnDisk(page="a.md"), OnDisk(page="b.md"))))

    assert found.value.code == "duplicate-checker"


def test_a_run_that_is_killed_is_not_checked() -> None:
    world = World(clerk(completion=OnDisk(page="a.md")), [say("Done.")])

    def killed(run: Run, step: loop.Step) -> Run:
        return stopped(run, "ada", "enough") if isinstance(step, CallModel) else run

    world.before = killed
    world.play()

    assert world.result().outcome == "cancelled"


def test_checkers_that_cannot_be_asked_send_the_agent_back() -> None:
    world = World(clerk(completion=OnDisk(page="a.md")), [])
    run = begin(world.definition, given_run())
    step = CheckWork(
        effect=run.effect(NOON), agent="a", run_id="r", subject="s", output="Done.", state=SerializedState()
    )
    waiting = run.with_state(checking=True, output="Done.", pins=Pins())

    after = loop.failed(waiting, step, Cause(code="step-timeout", message="no sign of life"), NOON)

    assert (after.state.checking, after.state.rounds) == (False, 1)
    assert "no sign of life" in after.state.new[-1].message.content


def test_the_last_turn_asks_no_checker() -> None:
    world = World(clerk(completion=Wrote()), [calls(READ), say("What I have.")])
    world.play(given_run(limits=limits(model_calls=2)))
    assert world.result().outcome == "budget"


# Feedback.


def test_feedback_follows_the_result_despite_a_broken_provider() -> None:
    providers = (
        Broken(name="broken", triggers=(EveryCalls(calls=1),)),
        Nudge(name="nudge", triggers=(EveryCalls(calls=2),)),
    )
    world = World(clerk(feedback=providers), [calls(READ), calls(READ), say("Done.")], files={"a.md": "d"})
    world.play()
    assert world.told()[0] == "page a.md: d"
    assert world.told()[1].startswith("page a.md: d\n\n<feedback")
    assert "2 calls so far" in world.told()[1]
    said = [(one.type, one.detail["provider"]) for one in world.entries if one.type.startswith("feedback")]
    assert said == [
        ("feedback-failed", "broken"),
        ("feedback-given", "nudge"),
        ("feedback-failed", "broken"),
    ]
    failed = next(one for one in world.entries if one.type == "feedback-failed")
    assert "out of words" in str(failed.detail["error"])


# Stopping.


@pytest.mark.parametrize("when", [CallModel, EndRun])
def test_a_killed_run_ends_cancelled_and_names_the_person(when: type) -> None:
    world = World(clerk(), [calls(READ), say("Done.")])
    world.before = lambda run, step: stopped(run, "ann", "lunch") if isinstance(step, when) else run
    world.play()
    expected = "cancelled" if when is CallModel else "completed"
    assert world.result().outcome == expected


def test_a_model_call_that_is_cut_off_leaves_nothing() -> None:
    world = World(clerk(), [say("Never heard.")])
    world.during = lambda run, step: stopped(run, "ann", "lunch")
    world.play()
    assert (world.result().outcome, world.result().message) == ("cancelled", "ann: lunch")
    assert [message.role for message in world.chain] == ["user"]


def test_a_write_under_way_is_awaited_when_the_run_is_stopped() -> None:
    world = World(clerk(), [calls(WRITE, WRITE)])
    world.during = lambda run, step: stopped(run, "ann", "lunch") if world.batches else run
    run = world.play()
    assert outcomes(run) == [("succeeded", ""), ("cancelled", "run-cancelled")]
    assert world.result().commit == "commit-run-1/call/1"


def test_a_stopped_run_is_no_longer_paused() -> None:
    run = begin(clerk(), given_run())
    assert not stopped(run.steered(control.paused), "ann", "lunch").state.control.paused


def test_a_deadline_during_tool_calls_interrupts_reads_only() -> None:
    deadline = NOON + timedelta(seconds=60)
    world = World(clerk(), [calls(READ, WRITE), say("As far as I came.")], tick=timedelta(seconds=1))

    def late(run: Run, step: object) -> Run:
        if world.batches and len(world.asked) == 1:
            world.now = deadline - timedelta(seconds=20)
            return timed_out(run, world.now)
        return run

    world.during = late
    run = world.play(given_run(limits=limits(deadline=deadline, last_turn_s=30)))
    assert outcomes(run) == [("cancelled", "deadline"), ("cancelled", "deadline")]
    assert (world.result().outcome, world.result().output) == ("deadline", "As far as I came.")


# Beginnings.


def test_parameters_that_do_not_fit_end_the_run_before_anything_is_asked() -> None:
    world = World(clerk(), [])
    world.play(given_run(params={"Nobody": {}}))
    assert (world.result().outcome, world.result().code) == ("failed", "parameter-unknown")
    assert world.asked == []


def test_a_run_without_a_task_asks_by_its_prompt_alone() -> None:
    world = World(clerk(), [say("Done.")])
    world.play(given_run(task=""))
    assert world.asked[0].new == ()
    assert world.result().outcome == "completed"


# Continuing as new.


def long_story() -> list[Any]:  # Any: lines of a scripted model
    reads = [calls(READ, call("nonsense"), WRITE, input_tokens=7) for _ in range(6)]
    return [*reads, calls(call("shut", '{"path": "a"}')), calls(call("fetch", '{"path": "a"}')), say("Done.")]


def played(rest_after: int) -> World:
    world = World(clerk(), long_story(), rest_after=rest_after, tick=timedelta())
    world.play(given_run(limits=limits(model_calls=50)))
    return world


def seen(result: AgentRunResult) -> dict[str, Any]:  # Any: JSON
    return result.model_dump(mode="json")


def told(entries: Sequence[TranscriptEntry]) -> list[dict[str, Any]]:  # Any: JSON
    """The entries without op ids: to rest is a step, too, so later steps have other positions."""
    told = [entry.model_dump(mode="json") for entry in entries]
    for entry in told:
        entry["detail"].pop("op_id", None)
    return told


@pytest.mark.parametrize("rest_after", [1, 2, 3, 7])
def test_a_run_ends_the_same_however_often_it_continues_as_new(rest_after: int) -> None:
    undisturbed, rested = played(0), played(rest_after)
    assert rested.segments > 1
    assert seen(rested.result()) == seen(undisturbed.result())
    assert rested.chain == undisturbed.chain
    assert told(rested.entries) == told(undisturbed.entries)
    assert rested.files == undisturbed.files
    assert rested.attempts == undisturbed.attempts


@pytest.mark.parametrize("rest_after", [0, 1, 4, 11])
def test_the_transcript_has_no_gap_however_often_a_run_continues_as_new(rest_after: int) -> None:
    world = played(rest_after)
    assert gaps(world.entries) == ()
    assert world.entries[-1].type == "run-ended"
    assert sum(entry.type == "call-ended" for entry in world.entries) == world.result().tool_calls


def test_continued_state_holds_no_messages_and_stays_small() -> None:
    world = World(clerk(), [calls(call("huge", '{"path": "a"}'))] * 50, rest_after=1)
    kept = []

    def note(run: Run, step: object) -> Run:
        if can_continue_as_new(run):
            kept.append(carried(run).model_dump_json())
        return run

    world.before = note
    world.lines.append(say("Done."))
    world.play()
    assert world.result().outcome == "completed"
    assert max(map(len, kept)) < 60_000
    assert all("xxxx" not in text for text in kept)
    assert json.loads(kept[-1])["state"]["new"] == []


def test_a_run_rests_only_when_nothing_is_under_way() -> None:
    run = begin(clerk(), given_run())
    assert not can_continue_as_new(run)
    effect = run.effect(NOON)
    resting = replace(run, continues_soon=True)
    assert next_step(run.given, resting, effect) == next_step(run.given, run, effect)


def test_progress_describes_every_stage() -> None:
    world = World(clerk(), [calls(READ), say("Done.")])
    told: list[tuple[str, str]] = []

    def note(run: Run, step: object) -> Run:
        told.append((progress(run).stage, progress(run).detail))
        return run

    world.before = note
    run = world.play()
    assert told == [
        ("prepare", "Preparing test/agent"),
        ("think", "Turn 1: asking the model"),
        ("call", "Turn 1: read_page"),
        ("think", "Turn 2: asking the model"),
        ("end", "Finishing"),
    ]
    assert progress(run).detail == "Ended completed"


def test_an_agent_without_tools_only_talks() -> None:
    bare = AgentDefinition(
        namespace="test", key="agent", title="Bare", sections=(Section(key="a", title="A", body="Say hi."),)
    )
    world = World(bare, [say("Hi.")])
    world.play()
    assert world.result().output == "Hi."
