"""What was said in a run, kept once."""

from collections.abc import Sequence
from dataclasses import dataclass

from penwright.ports import Blobs, MessageChains
from schemas.agent import AgentMessage
from schemas.agent_run import ChainHead, NewMessage
from schemas.base import BlobRef


@dataclass(frozen=True)
class Conversation:
    """Where the messages of runs are kept; a message is written once, whoever asks."""

    chains: MessageChains
    blobs: Blobs

    def append(self, head: ChainHead | None, new: Sequence[NewMessage]) -> ChainHead | None:
        """The chain with ``new`` behind ``head``; None while nothing was ever said."""
        return self.chains.append(head, [self.whole(each) for each in new]) if new else head

    def whole(self, new: NewMessage) -> AgentMessage:
        """The message with what was kept of it elsewhere."""
        if new.text is None:
            return new.message
        front = self.text(new.text)
        return new.message.model_copy(update={"content": front + new.message.content})

    def text(self, kept: BlobRef) -> str:
        """A text that was too long to be carried."""
        return self.blobs.get(kept).decode("utf-8", "surrogatepass")
