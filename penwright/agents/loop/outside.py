"""Calls of an outside harness: each is a turn of its own, under the rules for a model's calls."""

from datetime import datetime

from pydantic import JsonValue

from penwright.agents.definition.output import FINAL_ANSWER, final_answer
from penwright.agents.loop import turns
from penwright.agents.loop.finishing import concluded, is_answer
from penwright.agents.loop.reporting import ending_of
from penwright.agents.loop.run import Run
from penwright.agents.loop.stopping import apply_limits, is_over
from penwright.domain.text.strict_json import read_json
from schemas.agent import AgentMessage, ToolCall, ToolOffer
from schemas.agent_run import ModelAnswered, OutsideAnswer, OutsideCall
from schemas.base import Cause

CONTINUES = "run-continues"
"""The code of a call that came while the run continues as new; it was not made, and is to be repeated."""
TEXT_ANSWER = ToolOffer(
    name=FINAL_ANSWER,
    description="Give the final answer of the task. Call it once, when everything else is done.",
    parameters={
        "type": "object",
        "properties": {"answer": {"type": "string", "description": "The answer, in words."}},
        "required": ["answer"],
        "additionalProperties": False,
    },
)
"""Tool for an answer in plain text."""


def offered(run: Run) -> tuple[ToolOffer, ...]:
    """The tools that can be called in the present state, that of the final answer last."""
    kind = run.definition.output
    return (*run.shown.offers, final_answer(kind) if kind is not None else TEXT_ANSWER)


def unanswerable(run: Run) -> Cause | None:
    """Cause for which the run takes no call of an outside harness; None if it takes them."""
    if not run.given.outside:
        message = f"a model thinks in the run {run.given.run_id!r}; it takes no calls from outside"
        return Cause(code="run-not-outside", message=message)
    if is_over(run) or run.state.control.ended:
        return Cause(code="run-ended", message=f"the run {run.given.run_id!r} is over; the call was not made")
    if run.continues_soon:
        # It waits until no caller does, and a client that calls without a pause would hold it up for ever.
        return Cause(code=CONTINUES, message="the run begins a new history; send the call again in a moment")
    return None


def called(run: Run, call: OutsideCall, now: datetime) -> Run:
    """Take a call: record it, carry it on as far as nothing of the world is needed, or take the answer."""
    asked = ToolCall(id=call.id, name=call.tool, arguments=call.arguments)
    turn = run.state.turns + 1
    run = run.after_step(turns=turn).with_message(AgentMessage(role="assistant", tool_calls=(asked,)))
    run = run.with_entry("call-received", now, turn=turn, tool=call.tool, who=call.who)
    run = turns.opened(run, (asked,), ())
    if not is_answer(run, asked):
        return apply_limits(turns.advanced(run, now), now)
    said = ModelAnswered(head=run.state.head, text=_words(run, asked), calls=(asked,))
    return apply_limits(concluded(run, said, now), now)


def _words(run: Run, asked: ToolCall) -> str:
    """The answer in words; empty where the arguments hold none, which is asked for again."""
    if run.definition.output is not None:
        return ""
    try:
        given: JsonValue = read_json(asked.arguments.encode())
    except ValueError:
        return ""
    words = given.get("answer") if isinstance(given, dict) else None
    return words if isinstance(words, str) else ""


def answer_to(run: Run, call_id: str) -> OutsideAnswer | None:
    """The outcome of a call, from its end until its messages are stored."""
    outcome = next((each for each in reversed(run.state.outcomes) if each.call_id == call_id), None)
    said = next((new for new in run.state.new if new.message.tool_call_id == call_id), None)
    if outcome is None or said is None:
        return None
    return OutsideAnswer(
        number=outcome.number,
        kind=outcome.kind,
        code=outcome.code,
        text=said.message.content,
        text_at=said.text,
        commit=outcome.commit,
        tools=run.shown.tools_digest,
        ended=ending_of(run).outcome if is_over(run) else None,
    )
