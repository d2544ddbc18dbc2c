"""The messages of a run as a hash chain: each digest covers all messages before it."""

import json
from collections.abc import Iterable, Iterator

from penwright.agents.digests import canonical_json, text_digest
from schemas.agent import AgentMessage
from schemas.agent_run import ChainHead


def begun(run_id: str) -> ChainHead:
    """The head of a run's chain before its first message. No two runs share one, nor any message after it."""
    return ChainHead(digest=text_digest(f"run\n{run_id}"), count=0)


def chained(head: ChainHead | None, message: AgentMessage) -> ChainHead:
    """The head after appending ``message`` to ``head``; None is the empty chain."""
    return linked(head, message_line(message))


def linked(head: ChainHead | None, line: str) -> ChainHead:
    """Like ``chained``, for a message that is already serialized."""
    digest, count = (head.digest, head.count) if head else ("", 0)
    return ChainHead(digest=text_digest(f"{digest}\n{line}"), count=count + 1)


def message_line(message: AgentMessage) -> str:
    """``message`` as canonical JSON on one line.

    Fields with default values are left out, so that a new field does not change existing digests.
    """
    return canonical_json(message.model_dump(mode="python", exclude_defaults=True))


def read_lines(lines: Iterable[str]) -> Iterator[AgentMessage]:
    """Parse lines that ``message_line`` wrote."""
    # Not by pydantic's own parser: it refuses the half surrogate pairs that a tool may have read from a file.
    return (AgentMessage.model_validate(json.loads(line)) for line in lines)
