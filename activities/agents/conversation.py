"""The messages of a run, each stored once."""

from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import TypeAdapter

from penwright.agents.loop.messages import begun
from penwright.ports.agents import MessageChains
from penwright.ports.blobs import Blobs
from schemas.agent import AgentMessage, SignedThought
from schemas.agent_run import ChainHead, NewMessage
from schemas.base import BlobRef

_THOUGHT = TypeAdapter(tuple[SignedThought, ...])


@dataclass(frozen=True)
class Conversation:
    """Stores the messages of runs; each is written once."""

    chains: MessageChains
    blobs: Blobs

    def append(self, run_id: str, head: ChainHead | None, new: Sequence[NewMessage]) -> ChainHead | None:
        """The chain of a run with ``new`` appended to ``head``; None for the empty chain."""
        if not new:
            return head
        return self.chains.append(head or begun(run_id), [self.whole(each) for each in new])

    def whole(self, new: NewMessage) -> AgentMessage:
        """The message with what was kept of it elsewhere."""
        if new.text is None:
            return new.message
        front = self.text(new.text)
        return new.message.model_copy(update={"content": front + new.message.content})

    def text(self, kept: BlobRef) -> str:
        """A text that was too long to be carried."""
        return self.blobs.get(kept).decode("utf-8", "surrogatepass")

    def kept_thought(self, thought: tuple[SignedThought, ...]) -> BlobRef | None:
        """Store thought that its vendor wants back, apart from the texts; None of no thought."""
        return self.blobs.put(_THOUGHT.dump_json(thought)) if thought else None

    def thought(self, kept: BlobRef | None) -> tuple[SignedThought, ...]:
        """Read thought that ``kept_thought`` stored."""
        return _THOUGHT.validate_json(self.blobs.get(kept)) if kept else ()
