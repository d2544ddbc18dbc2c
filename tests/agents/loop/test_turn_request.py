"""A turn request follows from the state: equal turns make equal requests."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from penwright.agents.loop.turn_request import Turn, turn_request
from penwright.errors import UsageMistake
from schemas.agent import AgentMessage, ToolCall, ToolOffer
from schemas.base import Effect, OpId
from schemas.model import BudgetScope, ForcedTool
from tests.support.agents.messages import a_conversation
from tests.support.each import for_each

READ = ToolOffer(name="read_chapter", description="Read.", parameters={"type": "object"})
ANSWER = ToolOffer(name="final_answer", description="Hand in.", parameters={"title": "Verdict"})
ASKED = AgentMessage(role="user", content="Write on.")
TWINS = AgentMessage(
    role="assistant", tool_calls=tuple(ToolCall(id="twin", name="read", arguments="{}") for _ in range(2))
)
RESULT = AgentMessage(role="tool", tool_call_id="twin", content="Text.")
TURN = Turn(
    effect=Effect(op_id=OpId("agent/lamp#7"), issued_at=datetime(2026, 3, 1, tzinfo=UTC)),
    role="writer",
    scope=BudgetScope(run="agent/lamp", subject="lamp"),
    system="You write.",
    messages=a_conversation(2),
    offers=(READ,),
    max_output_tokens=900,
)


def test_the_prompt_precedes_the_message_chain() -> None:
    request = turn_request(TURN)

    assert request.messages == (AgentMessage(role="system", content="You write."), *TURN.messages)
    assert (request.effect, request.role, request.max_output_tokens) == (TURN.effect, "writer", 900)
    assert request.within_loop


def test_the_same_turn_asks_the_same() -> None:
    assert turn_request(replace(TURN)) == turn_request(TURN)


@for_each(
    "role, temperature",
    [
        ("writer", 0.8),
        ("character", 0.8),
        ("manuscript-writer", 0.8),
        ("manuscript-reviser", 0.8),
        ("an-agent-of-ones-own", 0.8),
        ("director", 0.0),
        ("manuscript-planner", 0.0),
        ("manuscript-critic", 0.0),
        ("manuscript-citation-orchestrator", 0.0),
    ],
)
def test_roles_that_judge_are_asked_at_temperature_zero(role: str, temperature: float) -> None:
    assert turn_request(replace(TURN, role=role)).temperature == temperature


def test_a_working_turn_offers_the_tools_and_the_answer_tool() -> None:
    request = turn_request(replace(TURN, answer=ANSWER))

    assert (request.tools, request.tool_choice, request.output_schema) == ((READ, ANSWER), "auto", None)


def test_in_the_last_turn_the_answer_is_forced() -> None:
    request = turn_request(replace(TURN, answer=ANSWER, kind="last"))

    assert (request.tools, request.tool_choice) == ((READ, ANSWER), ForcedTool(name="final_answer"))


def test_in_the_last_turn_of_a_plain_agent_no_tool_may_be_called() -> None:
    request = turn_request(replace(TURN, kind="last"))

    assert (request.tools, request.tool_choice) == ((READ,), "none")


@pytest.mark.parametrize("kind", ["work", "last"])
def test_an_agent_without_tools_is_asked_for_its_schema(kind: str) -> None:
    turn = replace(TURN, offers=(), messages=(ASKED,), answer=ANSWER)

    request = turn_request(replace(turn, kind="last") if kind == "last" else turn)

    assert (request.tools, request.tool_choice) == ((), "auto")
    assert (request.output_schema, request.schema_name) == ({"title": "Verdict"}, "final_answer")


def test_without_other_tools_the_answer_tool_is_forced() -> None:
    request = turn_request(replace(TURN, offers=(), answer=ANSWER))

    assert (request.tools, request.tool_choice) == ((ANSWER,), ForcedTool(name="final_answer"))


def test_a_plain_text_agent_without_tools_gets_no_schema() -> None:
    request = turn_request(replace(TURN, offers=(), messages=(ASKED,)))

    assert (request.tools, request.tool_choice, request.output_schema) == ((), "auto", None)


@pytest.mark.parametrize(
    "chain",
    [
        (),
        (ASKED,),
        (ASKED, TWINS, RESULT, RESULT),
        (ASKED, TWINS, RESULT, RESULT, ASKED, TWINS, RESULT, RESULT),
        (ASKED, TWINS, RESULT, RESULT, TWINS, RESULT, RESULT),
    ],
)
def test_a_chain_with_all_calls_answered_is_accepted(chain: tuple[AgentMessage, ...]) -> None:
    assert turn_request(replace(TURN, messages=chain)).messages[1:] == chain


@for_each(
    "chain, position",
    [
        ((ASKED, TWINS), 2),
        ((ASKED, TWINS, RESULT), 3),
        ((ASKED, TWINS, RESULT, ASKED, RESULT), 3),
        ((ASKED, RESULT), 1),
        ((ASKED, TWINS, RESULT, RESULT, RESULT), 4),
        ((ASKED, TWINS, RESULT, RESULT.model_copy(update={"tool_call_id": "other"})), 3),
    ],
)
def test_a_chain_that_vendors_would_refuse_is_named_before_it_is_sent(
    chain: tuple[AgentMessage, ...], position: int
) -> None:
    with pytest.raises(UsageMistake, match=f"Message {position} ") as caught:
        turn_request(replace(TURN, messages=chain))

    assert caught.value.code == "unpaired-results"
