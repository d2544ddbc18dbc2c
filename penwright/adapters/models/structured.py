"""Structured output: the rungs of a ladder, the request for each of them, and the answer in a reply."""

import json
from collections.abc import Mapping
from typing import Any, Literal, get_args

from penwright.adapters.models.tool_wire import (
    calls_of,
    earlier_tools,
    readable,
    wire_choice,
    wire_name,
    wire_tool,
)
from schemas.agent import AgentMessage, ToolCall, ToolOffer
from schemas.model import ForcedTool, Message, ModelRequest
from schemas.model_catalog import StructuredRung

Finish = Literal["stop", "length", "refusal", "tool", "other"]
Calls = tuple[ToolCall, ...]
_FINISHES: Mapping[str, Finish] = {
    "stop": "stop",
    "length": "length",
    "content_filter": "refusal",
    "tool_calls": "tool",
}
LADDER: tuple[StructuredRung, ...] = get_args(StructuredRung)
"""From the strictest: a native schema, a forced tool, JSON in the text."""


# Any: a JSON schema has any shape.
def return_template(schema: dict[str, Any] | None, example: str = "") -> str:
    """Return the request for JSON that is added to a prompt, with the schema in words and an example."""
    parts = ["Answer with one JSON object and nothing else: no code fence, no comment."]
    if schema is not None:
        told = json.dumps(schema, ensure_ascii=False)
        parts.append(f"It must be valid against this JSON schema:\n{told}")
    if example:
        parts.append(f"An answer looks like this:\n{example}")
    return " ".join(parts[:2]) if not example else "\n".join(parts)


def messages_of(request: ModelRequest, rung: StructuredRung | None) -> tuple[AgentMessage, ...]:
    if request.output_schema is None or (rung != "json-in-text" and not request.output_example):
        return request.messages
    shown = request.output_schema if rung == "json-in-text" else None
    asked = return_template(shown, request.output_example)
    when = "Call tools as long as you need them. Then: " if request.tools else ""
    return (*request.messages, Message(role="user", content=when + asked))


def response_format(request: ModelRequest) -> dict[str, Any]:
    schema, strict = _closed(request.output_schema or {})
    named = {"name": wire_name(request.schema_name), "schema": schema, "strict": strict}
    return {"type": "json_schema", "json_schema": named}


def tools_of(request: ModelRequest, rung: StructuredRung | None) -> dict[str, Any]:
    """Return the tools of the request, plus on the rung ``tool`` one that takes the answer."""
    # Some vendors refuse a conversation that has calls but lists no tools.
    tools = [wire_tool(offer) for offer in request.tools or earlier_tools(request.messages)]
    choice = request.tool_choice if request.tools else "none"
    if rung == "tool":
        tools.append(
            wire_tool(
                ToolOffer(
                    name=_answer_tool(request),
                    description="Hand in the answer.",
                    parameters=request.output_schema or {},
                )
            )
        )
        if request.tools and choice in {"auto", "required"}:
            choice = "required"
        elif not isinstance(choice, ForcedTool):
            choice = ForcedTool(name=_answer_tool(request))
    if not tools:
        return {}
    return {"tools": tools} | ({} if choice == "auto" else {"tool_choice": wire_choice(choice)})


def _answer_tool(request: ModelRequest) -> str:
    return wire_name(request.schema_name, (offer.name for offer in request.tools))


def _closed(schema: dict[str, Any]) -> tuple[dict[str, Any], bool]:
    """Forbid additional properties in every object; also return whether strict modes accept the schema."""
    strict = True

    def close(node: Any) -> Any:
        nonlocal strict
        if isinstance(node, list):
            return [close(item) for item in node]
        if not isinstance(node, dict):
            return node
        closed = {key: close(value) for key, value in node.items()}
        if isinstance(closed.get("properties"), dict):
            strict = strict and set(closed["properties"]) == set(closed.get("required", ()))
            closed.setdefault("additionalProperties", False)
        elif closed.get("type") == "object":
            strict = False
        return closed

    return close(schema), strict


def read_choice(choice: Any, request: ModelRequest, rung: StructuredRung | None) -> tuple[str, Calls, Finish]:
    """Return text, calls and finish reason; an answer given through the answer tool becomes the text."""
    message = choice.message
    extra = getattr(message, "provider_specific_fields", None) or {}
    if extra.get("refusal"):
        return readable(extra["refusal"]), (), "refusal"
    text, calls = readable(message.content), calls_of(message)
    finish = _finish(str(choice.finish_reason), called=bool(calls))
    if rung != "tool":
        return text, calls, finish
    handed_in = [call for call in calls if call.name == _answer_tool(request)]
    if not request.tools:
        handed_in, calls = list(calls), ()
    rest = tuple(call for call in calls if call not in handed_in)
    return handed_in[-1].arguments if handed_in else text, rest, finish


def _finish(reason: str, *, called: bool) -> Finish:
    """Map the finish reason; correct vendors that report ``tool_calls`` without calls, or the reverse."""
    finish = _FINISHES.get(reason, "other")
    if called and finish in {"stop", "other"}:
        return "tool"
    return "stop" if finish == "tool" and not called else finish
