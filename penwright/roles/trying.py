"""Try an answer out on a role's reader, without a store."""

import hashlib
from collections.abc import Sequence

from pydantic import BaseModel

from penwright.agents.definition.agent import AgentDefinition
from penwright.agents.definition.reply_reading import RawReply
from penwright.errors import ModelMistake
from schemas.base import BlobRef


def mistake_in(
    definition: AgentDefinition, answer: str, params: Sequence[BaseModel] = (), *, cut_off: bool = False
) -> ModelMistake | None:
    """The objection of the role's reader to an answer; None if it takes it."""
    assert definition.reads is not None, "every role that settings know reads its own replies"
    arrival = RawReply(
        text=answer,
        params=params,
        before=None,
        model="",
        demo=False,
        blobs=_Nowhere(),
        cut_off=cut_off,
    )
    try:
        definition.reads(arrival)
    except ModelMistake as mistake:
        return mistake
    return None


class _Nowhere:
    """Refers to texts that no agent will ask for."""

    def put(self, content: bytes) -> BlobRef:
        return BlobRef(sha256=hashlib.sha256(content).hexdigest(), size=len(content))

    def get(self, ref: BlobRef) -> bytes:
        raise KeyError(ref.sha256)
