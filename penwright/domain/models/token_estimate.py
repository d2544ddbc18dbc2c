"""Estimate the tokens of a text without any vendor's tokenizer."""

import json
import re
from collections.abc import Iterable, Sequence
from typing import Any

from schemas.agent import AgentMessage, ToolCall, ToolOffer
from schemas.model import ModelRequest

_WIDE = re.compile("[\u2e80-\U0010ffff]+")
PER_MESSAGE = 6
"""Tokens that vendors add around one message."""

_RUNS = (
    (re.compile("[A-Za-z]+"), 6),
    (re.compile("[0-9]+"), 3),
    (re.compile("[\u0080-\u036f\u0400-\u052f\u1e00-\u1eff]+"), 2),
)
"""Runs, and how many of their characters make a token."""
_SIGNS = (
    (
        re.compile(
            "[!-/:-@\\[-`{-~]|[ \\n\\r\\t]{2,}|[\\n\\r\\t]|[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]"
        ),
        1,
    ),
    (re.compile("[\u0370-\u03ff\u0530-\u1dff\u1f00-\u203f\u2e80-\u2fff\u3040-\ud7ff\uf900-\ufaff]"), 1),
    (re.compile("[\u2040-\u2e7f\u3000-\u303f\ud800-\uf8ff\ufb00-\uffff]"), 2),
    (re.compile("[\U00010000-\U0010ffff]"), 3),
)
"""Signs, and how many tokens each of them is."""


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


def cautious_tokens(text: str) -> int:
    """Estimate the tokens of ``text`` for budgets, where too few would overflow a prompt.

    The rule, for any script. One token is: six ASCII letters of a word, three digits in a row, another sign
    of ASCII, a run of spaces or line ends; two letters of an accented Latin or Cyrillic word; a letter of
    another alphabet, an ideograph, a dash or quotation mark. What is begun counts whole. Another sign is two
    tokens, and an emoji, like all beyond U+FFFF, three.
    """
    runs = sum(-(-len(run) // size) for pattern, size in _RUNS for run in pattern.findall(text))
    return runs + sum(tokens * len(pattern.findall(text)) for pattern, tokens in _SIGNS)


def cautious_counts(texts: Sequence[str]) -> tuple[int, ...]:
    """Estimate each of several texts."""
    return tuple(map(cautious_tokens, texts))
