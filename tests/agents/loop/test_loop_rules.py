"""Invariants of every run, for any behaviour of model, tools and people."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from penwright.agents.loop.run import Run
from penwright.agents.loop.steps import Step
from penwright.agents.loop.transcript import gaps
from penwright.errors import ModelUnavailable
from schemas.agent_run import CallDecision
from tests.support.agents.clerk import Report, clerk
from tests.support.agents.loop import Line, Said, World, call, given_run, limits, say, stopped
from tests.support.sweeps import examples

NAMES = ("read_page", "write_page", "send", "fail", "flaky", "huge", "shut", "count", "break_down", "fetch")
ARGUMENTS = ('{"path": "a"}', '{"path": "b", "times": 2}', '{"to": "bob"}', "", "[]", '{"path": 1}', "{")

some_call = st.builds(
    call,
    st.sampled_from((*NAMES, "final_answer", "nonsense", "")),
    st.sampled_from((*ARGUMENTS, '{"words": 1}')),
    label=st.sampled_from(("c1", "c2", "")),
)
some_line = st.one_of(
    st.builds(
        Said,
        text=st.sampled_from(("", "Done.", '{"words": 2}', "x" * 2_000)),
        calls=st.lists(some_call, max_size=6).map(tuple),
        finish_reason=st.sampled_from(("stop", "length", "tool", "other")),
        input_tokens=st.integers(0, 50),
        output_tokens=st.integers(0, 50),
        cost_micros=st.none() | st.integers(0, 9),
    ),
    st.just(say("No.", finish_reason="refusal")),
    st.just(ModelUnavailable("model-unavailable", "nobody answers")),
)
some_limits = st.builds(
    limits,
    model_calls=st.integers(0, 9),
    tool_calls=st.none() | st.integers(0, 9),
    total_tokens=st.none() | st.integers(0, 300),
    calls_per_turn=st.integers(1, 6),
    parallel=st.integers(1, 4),
    completion_rounds=st.integers(0, 2),
    last_turn_tokens=st.integers(1, 50),
)


def deciding(answer: str) -> Any:  # Any: the world's approval callback
    def decide(step: Any) -> CallDecision | None:  # Any: an announcement
        if answer == "nobody":
            return None
        request = step.request
        return CallDecision(approval=request.id, digest=request.digest, decided=answer, by="ann")

    return decide


@settings(max_examples=examples(80), deadline=None)
@given(
    lines=st.lists(some_line, min_size=12, max_size=12),
    limit=some_limits,
    rest_after=st.sampled_from((0, 1, 3)),
    answer=st.sampled_from(("approved", "denied", "nobody")),
    stop_at=st.none() | st.integers(0, 12),
    typed=st.booleans(),
)
def test_every_run_ends_once_with_one_outcome_per_call(
    lines: list[Line], limit: Any, rest_after: int, answer: str, stop_at: int | None, typed: bool
) -> None:
    world = World(clerk(output=Report if typed else None), list(lines), rest_after=rest_after)
    world.decide = deciding(answer)
    steps: list[str] = []

    def watch(run: Run, step: Step) -> Run:
        steps.append(type(step).__name__)
        return stopped(run, "ann", "enough") if len(steps) - 1 == stop_at else run

    world.before = watch
    world.play(given_run(limits=limit), most=500)
    result = world.result()

    made = [call for message in world.chain for call in message.tool_calls]
    answers = [message for message in world.chain if message.role == "tool"]
    assert [message.tool_call_id for message in answers] == [call.id for call in made]
    assert all(message.content for message in answers)
    ends = [entry for entry in world.entries if entry.type == "call-ended"]
    assert [entry.detail["number"] for entry in ends] == list(range(1, len(made) + 1))
    assert gaps(world.entries) == ()
    assert world.entries[-1].detail["outcome"] == result.outcome
    assert result.spent.model_calls <= limit.model_calls
    assert max(world.attempts.values(), default=0) <= 3
    assert world.largest < 100_000
    assert (result.outcome == "completed") == (result.code == "")
    if limit.tool_calls is not None:
        assert result.spent.tool_calls <= limit.tool_calls
