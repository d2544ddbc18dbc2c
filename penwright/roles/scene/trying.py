"""Try an answer out on a role's reader, without a store."""

import hashlib

from penwright.agents.definition.agent import AgentDefinition
from penwright.agents.definition.reply_reading import RawReply
from penwright.errors import ModelMistake
from schemas.base import BlobRef


def problem_with(definition: AgentDefinition, answer: str) -> str:
    """What the role's reader says against an answer; empty if it takes it."""
    assert definition.reads is not None, "every role of a scene reads its own replies"
    arrival = RawReply(text=answer, params=(), before=None, model="", demo=False, blobs=_Nowhere())
    try:
        definition.reads(arrival)
    except ModelMistake as mistake:
        return mistake.message
    return ""


class _Nowhere:
    """Refers to texts that no agent will ask for."""

    def put(self, content: bytes) -> BlobRef:
        return BlobRef(sha256=hashlib.sha256(content).hexdigest(), size=len(content))

    def get(self, ref: BlobRef) -> bytes:
        raise KeyError(ref.sha256)
