"""Calls a person must allow: asked for, decided, remembered, expired, and judged again after the wait."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any, Literal

from penwright.agents.definition.agent import Section
from penwright.agents.guardrails.known_files import FileSeen
from penwright.agents.guardrails.policies import IntentSelected
from penwright.agents.loop.reporting import progress
from penwright.agents.loop.run import Run
from penwright.agents.loop.steering import unanswerable
from penwright.agents.loop.steps import AwaitDecision, Step
from penwright.agents.state import apply
from schemas.agent_run import AnnounceCall, CallDecision
from tests.support.agents.clerk import Door, clerk, read_page, tool, write_page
from tests.support.agents.loop import NOON, World, call, calls, given_run, limits, outcomes, say, stopped

SEND = call("send", '{"to": "bob", "text": "hello"}')


def deciding(
    decided: Literal["approved", "denied"],
    **more: Any,  # Any: parts of a decision
) -> Callable[[AnnounceCall], CallDecision]:
    def decide(step: AnnounceCall) -> CallDecision:
        request = step.request
        return CallDecision(approval=request.id, digest=request.digest, decided=decided, by="ann", **more)

    return decide


def test_an_external_call_asks_first_and_is_made_once_allowed() -> None:
    world = World(clerk(), [calls(SEND), say("Sent.")], decide=deciding("approved"))
    run = world.play()
    assert outcomes(run) == [("succeeded", "")]
    (asked,) = world.announced
    assert (asked.request.tool, asked.request.id) == ("send", "run-1/call/1")
    assert '"to":"bob"' in asked.request.arguments
    assert [entry.type for entry in world.entries if entry.type.startswith("approval")] == [
        "approval-asked",
        "approval-decided",
    ]


def test_nobody_is_asked_to_allow_a_write_before_an_intent_is_selected() -> None:
    """Wherever the write stands: the section that selects an intent may be another."""
    select = tool("select_active_intent", read_page, events=(FileSeen,))
    workspace = Section(
        key="workspace", title="Book", body="Read.", tools=(select,), policies=(IntentSelected(),)
    )
    careful = tool("careful", write_page, "workspace-write", approval=True)
    definition = clerk(careful)
    definition = clerk(sections=(*definition.sections, workspace))
    world = World(definition, [calls(call("careful", '{"path": "a.md"}')), say("No.")])
    assert outcomes(world.play()) == [("denied", "intent-not-selected")]
    assert world.announced == []


def test_every_call_asks_again_unless_the_decision_is_to_be_remembered() -> None:
    twice = World(clerk(), [calls(SEND), calls(SEND), say("Sent.")], decide=deciding("approved"))
    twice.play()
    once = World(
        clerk(), [calls(SEND), calls(SEND), say("Sent.")], decide=deciding("approved", remember=True)
    )
    once.play()
    assert (len(twice.announced), len(once.announced)) == (2, 1)
    assert len(once.orders) == 2


def test_a_remembered_decision_outlives_continuing_as_new() -> None:
    world = World(clerk(), [calls(SEND), calls(SEND), say("Sent.")], rest_after=1)
    world.decide = deciding("approved", remember=True)
    world.play()
    assert world.segments > 1
    assert len(world.announced) == 1


def test_a_run_that_waits_for_a_person_may_continue_as_new() -> None:
    world = World(clerk(), [calls(call("read_page", '{"path": "a"}'), SEND), say("Sent.")], rest_after=1)
    waited = []

    def wait(run: Run, step: Step) -> Run:
        if isinstance(step, AwaitDecision):
            waited.append(run.given.state is not None and run.given.state.approval is not None)
            request = run.state.approval
            assert request is not None
            decision = CallDecision(approval=request.id, digest=request.digest, decided="approved", by="ann")
            return run.with_state(decision=decision)
        return run

    world.before = wait
    run = world.play()
    assert waited == [True]
    assert outcomes(run) == [("succeeded", ""), ("succeeded", "")]
    assert [m.role for m in world.chain] == ["user", "assistant", "tool", "tool", "assistant"]


def test_an_unanswered_approval_expires_as_a_refusal() -> None:
    world = World(clerk(), [calls(SEND), say("Not sent.")])
    run = world.play(given_run(limits=limits(approval_s=3_600)))
    assert outcomes(run) == [("refused", "approval-expired")]
    assert world.now >= NOON + timedelta(hours=1)
    assert world.orders == []


def test_a_deadline_cancels_a_pending_approval() -> None:
    world = World(clerk(), [calls(SEND), say("Not sent.")])
    run = world.play(given_run(limits=limits(deadline=NOON + timedelta(minutes=10))))
    assert outcomes(run) == [("cancelled", "deadline")]
    assert (world.result().outcome, world.result().output) == ("deadline", "Not sent.")


def test_a_run_stopped_while_it_waits_makes_no_call() -> None:
    world = World(clerk(), [calls(SEND)])
    world.before = lambda run, step: stopped(run, "ann", "no") if isinstance(step, AwaitDecision) else run
    run = world.play()
    assert outcomes(run) == [("cancelled", "run-cancelled")]
    assert world.result().outcome == "cancelled"


def test_a_yes_holds_only_if_the_state_still_allows_the_call() -> None:
    careful = tool("careful", read_page, approval=True)
    world = World(clerk(hidden=(careful,)), [calls(call("careful", '{"path": "a"}')), say("Done.")])

    world.decide = deciding("approved")
    world.before = lambda run, step: (
        run.with_slices(apply(run.slices, [Door(open=False)])) if isinstance(step, AwaitDecision) else run
    )
    run = world.play()
    assert outcomes(run) == [("unavailable", "tool-unavailable")]
    assert world.orders == []


def test_a_decision_must_match_the_digest_of_the_waiting_call() -> None:
    refusals: dict[str, str] = {}

    def probe(run: Run, step: Step) -> Run:
        if isinstance(step, AwaitDecision) and run.state.approval is not None:
            request = run.state.approval
            right = CallDecision(approval=request.id, digest=request.digest, decided="approved", by="ann")
            later = request.expires_at + timedelta(seconds=1)
            found = {
                "right": unanswerable(run, right, world.now),
                "other": unanswerable(run, right.model_copy(update={"approval": "x"}), world.now),
                "changed": unanswerable(run, right.model_copy(update={"digest": "x"}), world.now),
                "late": unanswerable(run, right, later),
                "twice": unanswerable(run.with_state(decision=right), right, world.now),
            }
            refusals.update({name: one.code if one else "" for name, one in found.items()})
            assert progress(run).stage == "approval"
            return run.with_state(decision=right)
        return run

    world = World(clerk(), [calls(SEND), say("Sent.")], before=probe)
    world.play()
    assert refusals == {
        "right": "",
        "other": "no-such-approval",
        "changed": "approval-mismatch",
        "late": "approval-expired",
        "twice": "already-decided",
    }
