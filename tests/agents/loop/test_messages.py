"""A head names every message in front of it, and nothing else."""

from hypothesis import given
from hypothesis import strategies as st

from penwright.agents.loop.messages import chained, message_line, read_lines
from schemas.agent import AgentMessage, ToolCall
from schemas.agent_run import ChainHead
from tests.support.agents.messages import extended

calls = st.builds(ToolCall, id=st.text(max_size=5), name=st.text(max_size=5), arguments=st.text(max_size=9))
messages = st.builds(
    AgentMessage,
    role=st.sampled_from(["user", "assistant", "tool"]),
    content=st.text(st.characters(codec=None), max_size=20),
    tool_calls=st.lists(calls, max_size=2).map(tuple),
    tool_call_id=st.text(max_size=5),
)
conversations = st.lists(messages, min_size=1, max_size=6)


def test_a_digest_of_today_is_the_digest_of_tomorrow() -> None:
    call = ToolCall(id="a", name="read", arguments="{}")
    said = AgentMessage(role="assistant", content="Würde\n", tool_calls=(call,))

    assert message_line(said) == (
        '{"content":"Würde\\n","role":"assistant","tool_calls":[{"arguments":"{}","id":"a","name":"read"}]}'
    )
    assert extended(None, (AgentMessage(role="user", content="Go."), said)) == ChainHead(
        digest="cb14814878f54e8fe871c2812407d5c1160a7921772a04839087e3724ec994da", count=2
    )


def test_appending_no_messages_keeps_the_head() -> None:
    head = chained(None, AgentMessage(role="user", content="Go."))

    assert (extended(None, ()), extended(head, ())) == (None, head)


@given(conversations, st.integers(0, 6))
def test_a_chain_may_be_extended_in_any_portions(said: list[AgentMessage], cut: int) -> None:
    assert extended(extended(None, said[:cut]), said[cut:]) == extended(None, said)


@given(conversations, conversations)
def test_other_messages_have_another_head(one: list[AgentMessage], other: list[AgentMessage]) -> None:
    assert (extended(None, one) == extended(None, other)) is (one == other)


@given(conversations)
def test_messages_are_read_as_they_were_written_each_on_a_line(said: list[AgentMessage]) -> None:
    lines = [message_line(message) for message in said]

    assert all("\n" not in line for line in lines)
    assert list(read_lines(lines)) == said
