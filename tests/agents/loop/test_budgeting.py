"""Caps: one rule for all, the reserve for the last turn, and the share of a sub-agent."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penwright.agents.loop.budgeting import (
    CAPS,
    Cap,
    add_usage,
    budget_level,
    cap_cause,
    has_room,
    is_empty,
    output_room,
    reserve_for_last_turn,
    share,
    used_of,
)
from penwright.errors import ModelUnavailable
from schemas.agent_run import BudgetLevel, RunLimits, RunUsage
from tests.support.agents.clerk import clerk
from tests.support.agents.loop import NOON, World, call, calls, given_run, limits, outcomes, say
from tests.support.each import for_each

FIELDS: dict[Cap, str] = {
    "model-calls": "model_calls",
    "input-tokens": "input_tokens",
    "output-tokens": "output_tokens",
    "total-tokens": "total_tokens",
    "cost": "cost_micros",
}
READ = call("read_page", '{"path": "a.md"}')
FREE = RunLimits(model_calls=None, tool_calls=None)


def capped(cap: Cap, at: int) -> RunLimits:
    return FREE.model_copy(update={FIELDS[cap]: at, "last_turn_tokens": 5})


@for_each("cap", CAPS)
@for_each("above, expected", [(0, "spent"), (-1, "spent"), (1, "free")])
def test_usage_equal_to_any_cap_spends_it(cap: Cap, above: int, expected: BudgetLevel) -> None:
    spent = RunUsage(model_calls=3, input_tokens=30, output_tokens=20, cost_micros=7)
    limit = capped(cap, used_of(spent, cap) + above)
    assert budget_level(limit, spent, RunUsage()) == (expected, None if expected == "free" else cap)


@pytest.mark.parametrize("cap", CAPS)
def test_a_cap_equal_to_the_use_after_a_turn_lets_no_other_turn_start(cap: Cap) -> None:
    line = calls(READ, input_tokens=10, output_tokens=5, cost_micros=3)
    used = used_of(RunUsage(model_calls=2, input_tokens=20, output_tokens=10, cost_micros=6), cap)
    # The second turn is the last one: only the reserve is left for it.
    world = World(clerk(), [line, line, say("never asked")])
    world.play(given_run(limits=capped(cap, used)))
    assert [step.kind for step in world.asked] == ["work", "last"]
    assert (world.result().outcome, world.result().code) == ("budget", f"{cap}-spent")


@pytest.mark.parametrize("cap", CAPS)
def test_a_cap_reached_by_the_first_turn_ends_the_run_at_once(cap: Cap) -> None:
    line = calls(READ, input_tokens=10, output_tokens=5, cost_micros=3)
    used = used_of(RunUsage(model_calls=1, input_tokens=10, output_tokens=5, cost_micros=3), cap)
    world = World(clerk(), [line, say("never asked")])
    run = world.play(given_run(limits=capped(cap, used)))
    assert len(world.asked) == 1
    assert outcomes(run) == [("succeeded", "")]
    assert (world.result().outcome, world.result().code) == ("budget", f"{cap}-spent")
    assert "raise the limit" in world.result().message


@pytest.mark.parametrize("cap", CAPS)
def test_a_cap_of_zero_starts_no_turn(cap: Cap) -> None:
    world = World(clerk(), [])
    world.play(given_run(limits=capped(cap, 0)))
    assert (world.result().outcome, world.asked) == ("budget", [])


def test_a_last_turn_answer_is_kept_with_the_end_reason() -> None:
    world = World(clerk(), [calls(READ), say("What I have.")])
    world.play(given_run(limits=limits(model_calls=2)))
    result = world.result()
    assert (result.outcome, result.code, result.output) == ("budget", "model-calls-spent", "What I have.")
    assert "This is your last turn" in world.chain[-2].content


def test_calls_in_the_last_turn_are_not_made_and_each_is_recorded() -> None:
    world = World(clerk(), [calls(READ), calls(READ, READ)])
    run = world.play(given_run(limits=limits(model_calls=2)))
    assert outcomes(run) == [("succeeded", ""), ("over-budget", "last-turn"), ("over-budget", "last-turn")]
    assert len(world.orders) == 1


def test_tool_calls_beyond_the_cap_are_refused_and_the_run_continues() -> None:
    world = World(clerk(), [calls(READ, READ, READ), say("Done.")])
    run = world.play(given_run(limits=limits(tool_calls=2)))
    assert outcomes(run) == [("succeeded", ""), ("succeeded", ""), ("over-budget", "tool-calls-spent")]
    assert world.result().outcome == "completed"


def test_output_of_a_turn_is_bounded_by_what_is_left_beside_the_last_turn() -> None:
    limit = RunLimits(output_tokens=3_000, turn_tokens=8_000, last_turn_tokens=1_000)
    held = reserve_for_last_turn(limit, RunUsage(input_tokens=10))
    assert output_room(limit, RunUsage(), limit.turn_tokens, held) == 2_000
    assert output_room(limit, RunUsage(output_tokens=2_500), limit.last_turn_tokens, RunUsage()) == 500


def test_no_budget_is_reserved_before_the_first_turn() -> None:
    world = World(clerk(), [say("Done.")])
    world.play(given_run(limits=limits(model_calls=1)))
    assert world.result().outcome == "completed"


def test_the_deadline_leaves_time_for_a_last_turn_and_then_ends_the_run() -> None:
    deadline = NOON + timedelta(seconds=100)
    world = World(clerk(), [calls(READ), say("In time.")], tick=timedelta(seconds=30))
    world.play(given_run(limits=limits(deadline=deadline, last_turn_s=40)))
    assert [step.kind for step in world.asked] == ["work", "last"]
    assert (world.result().outcome, world.result().output) == ("deadline", "In time.")


def test_a_deadline_in_the_past_asks_no_model() -> None:
    world = World(clerk(), [])
    world.play(given_run(limits=limits(deadline=NOON - timedelta(days=1))))
    assert (world.result().outcome, world.result().code, world.asked) == ("deadline", "deadline", [])


caps = st.none() | st.integers(0, 1_000)
some_limits = st.builds(
    RunLimits, model_calls=caps, tool_calls=caps, input_tokens=caps, output_tokens=caps, total_tokens=caps
)
use = st.integers(0, 500)
some_use = st.builds(RunUsage, model_calls=use, tool_calls=use, input_tokens=use, output_tokens=use)


@given(some_limits, some_limits, some_use, st.integers(1, 10))
def test_children_together_never_get_more_than_is_left(
    limit: RunLimits, wanted: RunLimits, spent: RunUsage, children: int
) -> None:
    one = share(limit, wanted, spent, among=children)
    for field in ("model_calls", "tool_calls", "input_tokens", "output_tokens"):
        cap, part, wish = getattr(limit, field), getattr(one, field), getattr(wanted, field)
        assert (part is None) == (cap is None and wish is None)
        if cap is not None:
            assert part * children <= max(0, cap - getattr(spent, field))
        if wish is not None:
            assert part <= wish


@given(some_limits, some_use)
def test_a_reservation_does_not_change_a_spent_cap(limit: RunLimits, spent: RunUsage) -> None:
    free, _ = budget_level(limit, spent, RunUsage())
    held, _ = budget_level(limit, spent, reserve_for_last_turn(limit, spent))
    assert (free == "spent") == (held == "spent")
    assert is_empty(limit) == (budget_level(limit, RunUsage(), RunUsage())[0] == "spent")


@given(some_use, some_use)
def test_use_adds_up(one: RunUsage, other: RunUsage) -> None:
    assert add_usage(one, other) == add_usage(other, one)
    assert add_usage(one, other).input_tokens == one.input_tokens + other.input_tokens


def test_a_cap_that_is_not_set_always_has_room() -> None:
    assert has_room(None, 10**12)


def test_a_turn_whose_attempts_all_failed_counts_as_estimated() -> None:
    gone = ModelUnavailable(
        "model-timeout", "Gone.", input_tokens="40", output_tokens="100", cost_micros="7", attempts="8"
    )
    world = World(clerk(), [gone])
    world.play()
    expected = RunUsage(model_calls=8, input_tokens=320, output_tokens=800, cost_micros=56)
    assert (world.result().code, world.result().spent) == ("model-timeout", expected)


def test_a_spent_cap_on_money_is_told_in_dollars() -> None:
    told = cap_cause("cost", RunLimits(cost_micros=1_250_000)).message

    assert told == "the run may cost at most $1.2500; raise the limit to let it go on"
