"""Convert tools, calls and results to and from the OpenAI-compatible protocol."""

import json
import re
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from penwright.agents.definition.output import FINAL_ANSWER
from schemas.agent import AgentMessage, ToolCall, ToolOffer
from schemas.model import ForcedTool, ModelRequest, ToolChoice

_NAMEABLE = re.compile(r"[^A-Za-z0-9_-]")
_QUOTED = 2_000
_NO_TOOLS = "You cannot call tools here, whatever is said of them. Answer from what you are told."
_NOTHING = "(nothing)"
"""Replaces an empty answer: vendors refuse messages without content."""


def wire_messages(messages: Iterable[AgentMessage]) -> Iterator[dict[str, Any]]:
    """Yield the conversation in a form that vendors accept, even if a model made invalid calls.

    Vendors refuse missing and duplicate ids, names with other characters and arguments that are not a JSON
    object; a model's mistake would end its run. Results are matched to calls by position.
    """
    seen: set[str] = set()
    waiting: deque[str] = deque()
    for position, message in enumerate(messages):
        if message.role == "tool":
            answered = waiting.popleft() if waiting else message.tool_call_id
            yield {"role": "tool", "tool_call_id": answered, "content": message.content}
        elif message.tool_calls:
            waiting = deque(_ids(message.tool_calls, position, seen))
            calls = [_wire_call(call, id_) for call, id_ in zip(message.tool_calls, waiting, strict=True)]
            yield {"role": "assistant", "content": message.content or None, "tool_calls": calls}
        else:
            empty = message.role == "assistant" and not message.content.strip()
            yield {"role": message.role, "content": _NOTHING if empty else message.content}


def without_tools(request: ModelRequest) -> ModelRequest:
    """``request`` for a model that has no tools: the answer is asked for by its schema, results are told.

    A tool that takes the final answer carries the schema.
    """
    answer = next((offer for offer in request.tools if offer.name == FINAL_ANSWER), None)
    schema = {"output_schema": answer.parameters, "schema_name": answer.name} if answer else {}
    return request.model_copy(
        update={
            **schema,
            "messages": tuple(map(_told, request.messages)),
            "tools": (),
            "tool_choice": "auto",
        }
    )


def _told(message: AgentMessage) -> AgentMessage:
    """A message without calls: what was called and what came of it stand in its text."""
    match message.role:
        case "system":
            return message.model_copy(update={"content": f"{message.content}\n\n{_NO_TOOLS}"})
        case "tool":
            return AgentMessage(role="user", content=f"Result of a tool:\n{message.content}")
        case _:
            called = [f"(called {call.name} {call.arguments})" for call in message.tool_calls]
            content = "\n".join(filter(None, [message.content, *called]))
            return message.model_copy(update={"content": content, "tool_calls": (), "thought": ()})


def wire_tool(offer: ToolOffer) -> dict[str, Any]:
    """Convert an offered tool."""
    return {"type": "function", "function": offer.model_dump()}


def earlier_tools(messages: Iterable[AgentMessage]) -> Iterator[ToolOffer]:
    """Return placeholders for the tools that were called earlier, for a turn that offers none."""
    names = dict.fromkeys(_called_name(call) for message in messages for call in message.tool_calls)
    return (
        ToolOffer(name=name, description="Not available now.", parameters={"type": "object"})
        for name in names
    )


def wire_choice(choice: ToolChoice) -> str | dict[str, Any]:
    """Convert the tool choice."""
    if isinstance(choice, ForcedTool):
        return {"type": "function", "function": {"name": choice.name}}
    return choice


def wire_name(wanted: str, taken: Iterable[str] = ()) -> str:
    """Convert ``wanted`` to a name that vendors accept and that is not in ``taken``."""
    name = _NAMEABLE.sub("_", wanted)[:56] or "answer"
    return f"{name}_answer" if name in set(taken) else name


def calls_of(message: Any) -> tuple[ToolCall, ...]:  # Any: a vendor's message
    """Return the calls of a message, in order; missing parts are empty."""
    return tuple(_call(call.id, call.function) for call in getattr(message, "tool_calls", None) or ())


def readable(content: object) -> str:
    """Convert to storable text: replaces halves of surrogate pairs, which JSON allows."""
    return str(content or "").encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _call(label: object, function: Any) -> ToolCall:  # as above
    return ToolCall(id=readable(label), name=readable(function.name), arguments=readable(function.arguments))


def _ids(calls: Sequence[ToolCall], position: int, seen: set[str]) -> Iterator[str]:
    for number, call in enumerate(calls):
        wire_id = call.id or f"call_{position}_{number}"
        while wire_id in seen:
            wire_id = f"call_{position}_{number}_{len(seen)}"
        seen.add(wire_id)
        yield wire_id


def _wire_call(call: ToolCall, wire_id: str) -> dict[str, Any]:
    function = {"name": _called_name(call), "arguments": _wire_arguments(call.arguments)}
    return {"id": wire_id, "type": "function", "function": function}


def _called_name(call: ToolCall) -> str:
    return _NAMEABLE.sub("_", call.name)[:64] or "unnamed"


def _wire_arguments(arguments: str) -> str:
    """Return ``arguments`` if they are a JSON object, else an object that quotes them."""
    if not arguments.strip():
        return "{}"
    try:
        parsed = json.loads(arguments, parse_constant=_no_number)
    except (ValueError, RecursionError):
        parsed = None
    return arguments if isinstance(parsed, dict) else json.dumps({"not_an_object": arguments[:_QUOTED]})


def _no_number(constant: str) -> float:
    raise ValueError(f"{constant} is not JSON")
