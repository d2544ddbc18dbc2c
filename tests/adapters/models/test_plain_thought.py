"""Thought of vendors that sign nothing goes back with the calls after it, to models that want it."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from penwright.adapters.models.lesson_files import LessonFiles
from penwright.adapters.models.litellm_provider import LitellmProvider
from penwright.adapters.models.parameters import lesson_in_words
from penwright.adapters.models.plain_thought import plain_thought
from penwright.adapters.models.signed_thought import LARGEST
from penwright.errors import ModelFinal
from schemas.agent import AgentMessage, SignedThought, ToolCall, ToolOffer
from schemas.model import ModelRequest
from schemas.model_catalog import ModelEntry
from tests.support.agents.scripted_model import model_request
from tests.support.each import for_each
from tests.support.engine.provider_server import Behaviour, ProviderServer, called, calling, error

pytestmark = [
    pytest.mark.xdist_group("litellm"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::UserWarning"),
]
FIELD = "reasoning_content"
MISSES = "The `reasoning_content` in the thinking mode must be passed back to the API."
LAMP = ToolOffer(name="lamp", description="Look at the lamp.", parameters={"type": "object"})
ASKED = AgentMessage(role="user", content="Go on.")
CALLS = AgentMessage(role="assistant", tool_calls=(ToolCall(id="call_1", name="lamp", arguments="{}"),))
RESULT = AgentMessage(role="tool", content="It is out.", tool_call_id="call_1")
THINKS = calling(called("lamp"), thinks=50)
WANTS = Behaviour(wants_thought=True)


def entry_of(server: ProviderServer, model: str = "openai/tiny") -> ModelEntry:
    return ModelEntry(name="quill", provider="litellm", model=model, api_base=server.address)


def provider(
    server: ProviderServer, kept: LessonFiles | None = None, model: str = "openai/tiny"
) -> LitellmProvider:
    return LitellmProvider(entry_of(server, model), "sk-secret", kept)


def request(*messages: AgentMessage) -> ModelRequest:
    return model_request(tools=(LAMP,)).model_copy(update={"messages": messages})


def thinking(text: str) -> AgentMessage:
    return CALLS.model_copy(update={"thought": (SignedThought(text=text),)})


@for_each("model", ["deepseek/deepseek-reasoner", "moonshot/kimi-k2-thinking"])
async def test_by_name_thought_goes_back_unchanged_with_the_result(model: str) -> None:
    with ProviderServer().running() as server:
        server.behave(THINKS, WANTS)
        quill = provider(server, model=model)

        first = await quill.ask(request(ASKED))
        calls = AgentMessage(role="assistant", tool_calls=first.tool_calls, thought=first.thought)
        second = await quill.ask(request(ASKED, calls, RESULT))

        assert first.thought == (SignedThought(text="Hm."),)
        assert [each.get(FIELD) for each in server.requests[-1]["messages"]] == [None, "Hm.", None]
        assert (second.text, len(server.requests)) == ("The lamp went out.", 2)


async def test_a_model_that_misses_it_is_asked_again_and_gets_it_from_then_on(
    server: ProviderServer, tmp_path: Path
) -> None:
    server.behave(THINKS, WANTS, WANTS, THINKS, WANTS)
    quill = provider(server, LessonFiles(tmp_path))

    first = await quill.ask(request(ASKED))
    await quill.ask(request(ASKED, CALLS, RESULT))
    later = await quill.ask(request(ASKED))
    await quill.ask(request(ASKED, thinking(later.thought[0].text), RESULT))
    await provider(server, LessonFiles(tmp_path)).ask(request(ASKED, CALLS, RESULT))

    assert first.thought == (), "nothing is kept for vendors that do not want it"
    assert [
        [each.get(FIELD) for each in sent["messages"] if "tool_calls" in each] for sent in server.requests
    ] == [[], [None], [" "], [], ["Hm."], [" "]]
    lessons = LessonFiles(tmp_path).of(entry_of(server))
    assert [lesson_in_words(*each) for each in lessons.items()] == ["reasoning_content is sent back"]


async def test_other_models_are_sent_none(server: ProviderServer) -> None:
    await provider(server).ask(request(ASKED, thinking("Hm."), RESULT))

    assert all(FIELD not in each for each in server.requests[-1]["messages"])


async def test_what_is_missed_though_it_was_sent_ends_the_call(
    server: ProviderServer, tmp_path: Path
) -> None:
    lessons = LessonFiles(tmp_path)
    lessons.keep(entry_of(server), FIELD, FIELD)
    server.behave(error(400, MISSES))

    with pytest.raises(ModelFinal, match="passed back"):
        await provider(server, lessons).ask(request(ASKED, thinking("Hm."), RESULT))

    assert len(server.requests) == 1


@for_each("text, kept", [(None, ""), ("", ""), ("Hm. \ud800", "Hm. \ufffd"), ("x" * (LARGEST + 1), "")])
def test_thought_is_kept_as_text_that_can_be_stored_unless_it_is_too_long(
    text: str | None, kept: str
) -> None:
    blocks = plain_thought(SimpleNamespace(reasoning_content=text))

    assert "".join(each.text for each in blocks) == kept
