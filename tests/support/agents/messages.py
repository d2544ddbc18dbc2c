"""Messages of a run for tests."""

from collections.abc import Iterable, Sequence

from penwright.agents.loop.messages import chained
from schemas.agent import AgentMessage, ToolCall
from schemas.agent_run import ChainHead


def a_turn(number: int, *, size: int = 0) -> tuple[AgentMessage, AgentMessage]:
    """A call of a tool and its result, ``size`` characters long."""
    call = ToolCall(id=f"call_{number}", name="read_chapter", arguments=f'{{"number": {number}}}')
    return (
        AgentMessage(role="assistant", tool_calls=(call,)),
        AgentMessage(role="tool", tool_call_id=call.id, content=f"Chapter {number}. ".ljust(size, "a")),
    )


def a_conversation(turns: int, *, size: int = 0) -> Sequence[AgentMessage]:
    """A user's message, followed by so many turns."""
    asked = AgentMessage(role="user", content="Write on.")
    return [asked, *(message for number in range(turns) for message in a_turn(number, size=size))]


def extended(head: ChainHead | None, messages: Iterable[AgentMessage]) -> ChainHead | None:
    """The head after appending all of ``messages`` to ``head``."""
    for message in messages:
        head = chained(head, message)
    return head
