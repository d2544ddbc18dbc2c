"""Estimate the tokens of a text without any vendor's tokenizer."""

import json
import re
from collections.abc import Iterable
from typing import Any

from schemas.agent import AgentMessage, ToolCall, ToolOffer
from schemas.model import ModelRequest

_WIDE = re.compile("[\u2e80-\U0010ffff]+")
PER_MESSAGE = 6
"""Tokens that vendors add around one message."""


def estimate_tokens(text: str) -> int:
    """Estimate the tokens of ``text``, rounded up.

    Four ASCII characters count as one token, two other letters (accents, Cyrillic, Greek) as one, and each
    ideograph as one. Good enough for reservations: the real usage is settled after the call.
    """
    # No loop over characters: the whole conversation is estimated before each call of a run.
    if text.isascii():
        return -(-len(text) // 4)
    ascii_count = len(text.encode("ascii", "ignore"))
    wide = sum(map(len, _WIDE.findall(text)))
    other = len(text) - ascii_count - wide
    return -(-ascii_count // 4) + -(-other // 2) + wide


def estimate_request(request: ModelRequest) -> int:
    """Estimate the tokens of everything a call sends: conversation, offered tools and output schema."""
    schema = 0 if request.output_schema is None else estimate_tokens(_json(request.output_schema))
    return schema + sum(map(_message, request.messages)) + sum(map(_offer, request.tools))


def estimate_answer(text: str, calls: Iterable[ToolCall] = ()) -> int:
    """Estimate the tokens of an answer and of its tool calls."""
    return estimate_tokens(text) + sum(_call(call) for call in calls)


def _message(message: AgentMessage) -> int:
    thought = "".join(each.text + each.sealed for each in message.thought)
    return estimate_answer(message.content + thought, message.tool_calls) + PER_MESSAGE


def _call(call: ToolCall) -> int:
    return estimate_tokens(call.name + call.arguments) + PER_MESSAGE


def _offer(offer: ToolOffer) -> int:
    return estimate_tokens(offer.name + offer.description + _json(offer.parameters)) + PER_MESSAGE


def _json(schema: dict[str, Any]) -> str:  # Any: a JSON schema has any shape
    return json.dumps(schema, ensure_ascii=False)
