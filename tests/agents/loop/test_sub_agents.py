"""Sub-agents: runs started by a call, within the remaining budget of the caller."""

from typing import Any

from penwright.agents.loop.transcript import gaps
from penwright.agents.tools.sub_agent import SubAgent
from penwright.agents.tools.tool import Tool
from penwright.errors import ModelUnavailable
from schemas.agent_run import RunLimits, StartChild
from tests.support.agents.clerk import Page, Report, clerk, tool
from tests.support.agents.loop import World, call, calls, given_run, limits, outcomes, say

DELEGATE = call("delegate", '{"path": "a.md"}')
FREE = RunLimits(model_calls=None, tool_calls=None)


def delegate(**more: Any) -> Tool:  # Any: parts of the sub-agent
    agent = SubAgent(agent="test/child", task=lambda page: f"Look at {getattr(page, 'path', '')}.", **more)
    return tool("delegate", agent, params=Page)


def parent(*lines: Any, child: World, **more: Any) -> World:  # Any: scripted lines, parts of the sub-agent
    return World(clerk(delegate(**more)), list(lines), children={"test/child": child})


def test_a_sub_agents_answer_is_the_result_of_the_call() -> None:
    child = World(clerk(output=Report), [say('{"words": 7, "title": "A"}')])
    world = parent(calls(DELEGATE), say("Done."), child=child)
    run = world.play()
    assert outcomes(run) == [("succeeded", "")]
    assert world.told() == ['{"words": 7, "title": "A"}']
    assert child.chain[0].content == "Look at a.md."


def test_a_sub_agent_is_named_by_the_position_of_its_call() -> None:
    child = World(clerk(), [calls(call("read_page", '{"path": "b"}')), say("Seen.")])
    world = parent(calls(DELEGATE), say("Done."), child=child)
    world.play()
    assert list(child.attempts) == ["run-1/call/1/call/1"]
    assert {entry.source for entry in world.entries} == {"main", "run-1/call/1"}
    assert gaps(world.entries) == ()


def test_usage_of_a_sub_agent_counts_for_its_caller() -> None:
    child = World(
        clerk(), [calls(call("read_page", '{"path": "b"}'), input_tokens=100), say("x", input_tokens=50)]
    )
    world = parent(calls(DELEGATE), say("Done."), child=child)
    world.play()
    spent = world.result().spent
    assert (spent.model_calls, spent.tool_calls, spent.input_tokens) == (4, 2, 170)


def test_an_incomplete_sub_agent_is_a_failed_call_with_partial_output() -> None:
    child = World(clerk(), [calls(call("read_page", '{"path": "b"}')), say("Half of it.")])
    world = parent(calls(DELEGATE), say("Done."), child=child, limits=limits(model_calls=2))
    run = world.play()
    assert outcomes(run) == [("failed", "model-calls-spent")]
    assert "Half of it." in world.told()[0]


def test_a_sub_agent_that_fails_does_not_fail_its_caller() -> None:
    child = World(clerk(), [ModelUnavailable("model-unavailable", "nobody answers")])
    world = parent(calls(DELEGATE), say("Done without."), child=child)
    run = world.play()
    assert outcomes(run) == [("failed", "model-unavailable")]
    assert world.result().outcome == "completed"


def test_sub_agents_at_once_share_what_is_left_evenly() -> None:
    child = World(clerk(), [say("a"), say("b"), say("c")])
    world = parent(calls(DELEGATE, DELEGATE, DELEGATE), say("Done."), child=child, limits=FREE)
    started: list[RunLimits] = []

    def note(run: Any, step: Any) -> Any:  # Any: a run and its step
        started.extend(order.given.limits for order in run.state.batch if isinstance(order, StartChild))
        return run

    world.during = note
    world.play(given_run(limits=limits(model_calls=10, output_tokens=100)))
    assert [one.model_calls for one in started] == [3, 3, 3]
    assert all(one.output_tokens is not None and one.output_tokens * 3 <= 95 for one in started)


def test_a_sub_agent_that_could_not_take_a_single_turn_is_not_started() -> None:
    child = World(clerk(), [])
    world = parent(calls(DELEGATE), child=child)
    run = world.play(given_run(limits=limits(model_calls=1)))
    assert outcomes(run) == [("over-budget", "budget-spent")]
    assert child.asked == []


def test_the_nesting_of_sub_agents_is_limited() -> None:
    child = World(clerk(), [])
    world = parent(calls(DELEGATE), say("Done."), child=child)
    run = world.play(given_run(limits=limits(depth=0)))
    assert outcomes(run) == [("over-budget", "too-deep")]
