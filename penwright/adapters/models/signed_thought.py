"""Thought that Claude signs: it goes back with the results of tools in the turn in which it was thought."""

from collections.abc import Sequence
from typing import Any, Final

from penwright.adapters.models.tool_wire import readable
from schemas.agent import AgentMessage, SignedThought

LARGEST: Final = 512 * 1024
"""Characters of one reply's blocks; of more than that none is kept, and the model goes on without thought."""


def signed_thought(message: Any) -> tuple[SignedThought, ...]:  # Any: litellm has no types
    """The blocks of a reply that calls tools; none if one of them could not be sent back as it came."""
    blocks = tuple(map(_block, getattr(message, "thinking_blocks", None) or ()))
    kept = [each for each in blocks if each is not None]
    size = sum(len(each.text) + len(each.signature) + len(each.sealed) for each in kept)
    return tuple(kept) if len(kept) == len(blocks) and size <= LARGEST else ()


def turn_of(messages: Sequence[AgentMessage]) -> int:
    """Position at which the present turn begins: what was thought before it is not sent any more."""
    begins = 0
    for at, message in enumerate(messages):
        if message.role == "user" and (at == 0 or messages[at - 1].role != "tool"):
            begins = at
    return begins


def goes_on_thinking(messages: Sequence[AgentMessage]) -> bool:
    """Whether the model may think: after calls, only with the thought before each call of its turn."""
    calling = [message for message in messages[turn_of(messages) :] if message.tool_calls]
    if not calling:
        return not any(message.role == "tool" for message in messages)
    return all(any(each.signature or each.sealed for each in message.thought) for message in calling)


def with_thought(messages: Sequence[dict[str, Any]], spoken: Sequence[AgentMessage]) -> list[dict[str, Any]]:
    """``messages`` of the protocol, those of the present turn with what was thought before their calls."""
    begins = turn_of(spoken)
    thoughts = [each.thought if at >= begins else () for at, each in enumerate(spoken)]
    thoughts += [()] * (len(messages) - len(spoken))
    return [
        {**message, "thinking_blocks": [_wire(each) for each in thought]} if thought else message
        for message, thought in zip(messages, thoughts, strict=True)
    ]


def _block(block: Any) -> SignedThought | None:  # as above
    said = block if isinstance(block, dict) else {}
    if said.get("type") == "redacted_thinking":
        made = SignedThought(sealed=readable(said.get("data")))
        return made if made.sealed and made.sealed == said["data"] else None
    made = SignedThought(text=readable(said.get("thinking")), signature=readable(said.get("signature")))
    return made if made.signature and made.text == (said.get("thinking") or "") else None


def _wire(block: SignedThought) -> dict[str, str]:
    if block.sealed:
        return {"type": "redacted_thinking", "data": block.sealed}
    return {"type": "thinking", "thinking": block.text, "signature": block.signature}
