"""Claude's signed thought goes back with the results of the tools that were called after it."""

from collections.abc import Sequence

import pytest

from penwright.adapters.models.litellm_provider import LitellmProvider
from penwright.adapters.models.signed_thought import LARGEST, goes_on_thinking, signed_thought, turn_of
from penwright.domain.models.token_estimate import estimate_request
from penwright.errors import ModelFinal
from schemas.agent import AgentMessage, SignedThought, ToolCall, ToolOffer
from schemas.model import ModelRequest, ModelResponse
from schemas.model_catalog import ModelEntry
from tests.support.agents.scripted_model import model_request
from tests.support.each import for_each
from tests.support.engine.messages_protocol import SIGNED
from tests.support.engine.provider_server import Behaviour, ProviderServer, called, calling

pytestmark = [
    pytest.mark.xdist_group("litellm"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::UserWarning"),
]
LAMP = ToolOffer(name="lamp", description="Look at the lamp.", parameters={"type": "object"})
CALL = ToolCall(id="call_1", name="lamp", arguments="{}")
THOUGHT = (SignedThought(text="Hm.", signature=SIGNED),)
ASKED = AgentMessage(role="user", content="Go on.")
CALLS = AgentMessage(role="assistant", tool_calls=(CALL,))
THINKS = CALLS.model_copy(update={"thought": THOUGHT})
UNSIGNED = CALLS.model_copy(update={"thought": (SignedThought(text="Hm."),)})
"""As a model of another vendor thinks, in whose place this one answers."""
RESULT = AgentMessage(role="tool", content="It is out.", tool_call_id="call_1")
SAID = AgentMessage(role="assistant", content="It went out.")


def claude(server: ProviderServer) -> LitellmProvider:
    entry = ModelEntry(
        name="quill",
        provider="litellm",
        model="anthropic/claude-sonnet-4-5",
        api_base=server.address.removesuffix("/v1"),
        local=True,
    )
    return LitellmProvider(entry, "")


def request(*messages: AgentMessage) -> ModelRequest:
    asked = model_request(reasoning=1_024, max_output_tokens=2_000, thought_tokens=1_024, tools=(LAMP,))
    return asked.model_copy(update={"messages": messages})


async def next_turn(server: ProviderServer, *before: AgentMessage) -> ModelResponse:
    """The answer to the result of the newest call."""
    return await claude(server).ask(request(ASKED, *before, RESULT))


async def test_thought_before_a_call_goes_back_unchanged_with_its_result(server: ProviderServer) -> None:
    server.behave(calling(called("lamp")), Behaviour())

    first = await claude(server).ask(request(ASKED))
    calls = AgentMessage(role="assistant", tool_calls=first.tool_calls, thought=first.thought)
    second = await next_turn(server, calls)

    sent = server.requests[-1]
    assert first.thought == THOUGHT
    assert sent["messages"][1]["content"][0] == {"type": "thinking", "thinking": "Hm.", "signature": SIGNED}
    assert sent["thinking"] == {"type": "enabled", "budget_tokens": 1_024}
    assert (second.text, second.thought) == ("The lamp went out.", ())
    assert "Hm." not in first.text + second.text


async def test_without_the_thought_before_a_call_the_model_goes_on_without_any(
    server: ProviderServer,
) -> None:
    answer = await next_turn(server, CALLS)

    assert answer.text == "The lamp went out."
    assert "thinking" not in server.requests[-1]


async def test_the_vendor_refuses_thought_that_it_did_not_sign(server: ProviderServer) -> None:
    forged = CALLS.model_copy(update={"thought": (SignedThought(text="Hm.", signature="forged"),)})

    with pytest.raises(ModelFinal, match="signature"):
        await next_turn(server, forged)


class Reply:
    """A message of litellm with blocks of thought."""

    def __init__(self, *blocks: object) -> None:
        self.thinking_blocks = blocks


def block(text: str, signature: str = SIGNED) -> dict[str, str]:
    return {"type": "thinking", "thinking": text, "signature": signature}


@for_each(
    "blocks, kept",
    [
        ((), ()),
        ((block("Hm."),), THOUGHT),
        (({"type": "redacted_thinking", "data": "x"},), (SignedThought(sealed="x"),)),
        ((block(""),), (SignedThought(signature=SIGNED),)),
        ((block("Hm.", ""),), ()),
        ((block("Hm."), block("And.", "")), ()),
        ((block("Hm. \ud800"),), ()),
        (("a word",), ()),
        (({"type": "redacted_thinking"},), ()),
        ((block("x" * LARGEST),), ()),
    ],
)
def test_blocks_are_kept_whole_or_not_at_all(
    blocks: Sequence[object], kept: tuple[SignedThought, ...]
) -> None:
    assert signed_thought(Reply(*blocks)) == kept


@for_each(
    "messages, begins, thinks",
    [
        ((ASKED,), 0, True),
        ((ASKED, THINKS, RESULT), 0, True),
        ((ASKED, CALLS, RESULT), 0, False),
        ((ASKED, THINKS, RESULT, CALLS, RESULT), 0, False),
        ((ASKED, UNSIGNED, RESULT), 0, False),
        ((ASKED, THINKS, RESULT, ASKED), 0, True),
        ((ASKED, THINKS, RESULT, SAID, ASKED), 4, False),
        ((ASKED, CALLS, RESULT, SAID, ASKED, THINKS, RESULT), 4, True),
    ],
)
def test_a_model_thinks_on_as_long_as_all_calls_of_its_turn_have_their_thought(
    messages: tuple[AgentMessage, ...], begins: int, thinks: bool
) -> None:
    assert (turn_of(messages), goes_on_thinking(messages)) == (begins, thinks)


def test_thought_counts_for_the_room_of_a_prompt() -> None:
    long = CALLS.model_copy(update={"thought": (SignedThought(text="x" * 4_000, signature=SIGNED),)})

    assert estimate_request(request(ASKED, long)) - estimate_request(request(ASKED, CALLS)) == 1_000
