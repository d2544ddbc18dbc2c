"""Messages of a run for tests."""

from collections.abc import Sequence

from schemas.agent import AgentMessage, ToolCall


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
