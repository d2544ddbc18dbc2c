"""How many tokens a text is likely to be, without any vendor's tokenizer."""

import json
import re
from collections.abc import Iterable
from typing import Any

from schemas.agent import AgentMessage, ToolCall, ToolOffer
from schemas.model import ModelRequest

_WIDE = re.compile("[\u2e80-\U0010ffff]+")
PER_MESSAGE = 6
"""What vendors add around one message."""


def estimate_tokens(text: str) -> int:
    """Tokens of ``text``, rounded up.

    Four ASCII characters make a token in English prose; other letters (accents, Cyrillic, Greek) are
    counted as two to a token and ideographs as one each. A rule of thumb, meant for reservations: what a
    call really used is settled afterwards.
    """
    # Nothing here looks at characters one by one: a long run is estimated before each of its calls.
    if text.isascii():
        return -(-len(text) // 4)
    ascii_count = len(text.encode("ascii", "ignore"))
    wide = sum(map(len, _WIDE.findall(text)))
    other = len(text) - ascii_count - wide
    return -(-ascii_count // 4) + -(-other // 2) + wide


def estimate_messages(contents: Iterable[str]) -> int:
    """Tokens of a conversation in plain words, with what surrounds each message."""
    return sum(estimate_tokens(content) + PER_MESSAGE for content in contents)


def estimate_request(request: ModelRequest) -> int:
    """Tokens of everything a call sends: the conversation, the tools it offers and the wanted schema."""
    schema = 0 if request.output_schema is None else estimate_tokens(_json(request.output_schema))
    return schema + sum(map(_message, request.messages)) + sum(map(_offer, request.tools))


def estimate_answer(text: str, calls: Iterable[ToolCall] = ()) -> int:
    """Tokens of an answer and of the calls it makes."""
    return estimate_tokens(text) + sum(_call(call) for call in calls)


def _message(message: AgentMessage) -> int:
    return estimate_answer(message.content, message.tool_calls) + PER_MESSAGE


def _call(call: ToolCall) -> int:
    return estimate_tokens(call.name + call.arguments) + PER_MESSAGE


def _offer(offer: ToolOffer) -> int:
    return estimate_tokens(offer.name + offer.description + _json(offer.parameters)) + PER_MESSAGE


def _json(schema: dict[str, Any]) -> str:  # a JSON schema is open by nature
    return json.dumps(schema, ensure_ascii=False)
