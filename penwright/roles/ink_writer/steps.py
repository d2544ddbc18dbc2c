"""Results for the writer of the tool calls that its session runs as steps of its own."""

import json

from penwright.agents.calls.results import answer
from penwright.agents.guardrails.selected_intent import SelectedIntent
from penwright.agents.tools.tool import Failed, Ok, ToolResult
from penwright.errors import Refused
from penwright.roles.book_text import BookText
from penwright.roles.ink_writer.intent_lines import intent_lines
from penwright.roles.ink_writer.tools import ADVANCE, SELECT
from penwright.roles.outside_agent.telling import denial_of
from schemas.agent_run import RunToolCall, ToolCallResult
from schemas.base import Cause
from schemas.book_session import Advanced
from schemas.intents import Selected

_LONGEST = 6_000
"""Longest excerpt, in characters."""
_TOOLS = {tool.name: tool for tool in (SELECT, ADVANCE)}


def selected(order: RunToolCall, outcome: Selected) -> ToolCallResult:
    """The session writes under this intent from now on."""
    pin = outcome.pin
    text = "\n".join([f"You write under {pin.intent_id} now.", *intent_lines(outcome.context)])
    event = SelectedIntent(intent_id=pin.intent_id, digest=pin.digest)
    return _carried(order, Ok(text=text, events=(event,)))


def moved(order: RunToolCall, outcome: Advanced) -> ToolCallResult:
    """The result of `advance_chapter`: the next chapter, or what is missing."""
    report = outcome.report
    if report.status != "advanced":
        code = report.status.replace("_", "-") if report.status != "error" else "last-chapter"
        return denied(order, Cause(code=code, message=report.message))
    outline = BookText("current-outline", report.chapter_file or "", _shortened(report.chapter_content or ""))
    text = f"{report.message} What you write from here on belongs to it.\n{outline.fenced}"
    return _carried(order, Ok(text=text, commit=outcome.commit or ""))


def denied(order: RunToolCall, cause: Cause) -> ToolCallResult:
    """A denial, in the same form as for outside agents."""
    denial = denial_of(Refused(cause.code, cause.message, **cause.details))
    shown = denial.model_dump(mode="json", include={"error_type", "error_code", "message", "action_hint"})
    return _carried(order, Failed(code=cause.code, message=json.dumps(shown, ensure_ascii=False)))


def _carried(order: RunToolCall, result: ToolResult) -> ToolCallResult:
    return answer(_TOOLS[order.tool], order.number, result)


def _shortened(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}\n[…]"
