"""A model refuses in several ways; each of them is a refusal, and its fallback is asked."""

from dataclasses import dataclass

import pytest

from penwright.adapters.clock import SystemClock
from penwright.adapters.models.router import ModelRouter
from penwright.errors import ModelFinal, ModelMistake, PenwrightError
from schemas.model_catalog import ModelCatalog, ModelEntry, Profile
from tests.support.agents.scripted_model import model_request
from tests.support.doubles.store import memory_store
from tests.support.each import for_each
from tests.support.engine.provider_server import Behaviour, ProviderServer, error, messages_answer, within

pytestmark = [
    pytest.mark.xdist_group("litellm"),
    # Its internals are not ours to fix.
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::UserWarning"),
]


@dataclass(frozen=True)
class Way:
    """One way to refuse, and what is told if nothing else answers."""

    behaviour: Behaviour
    quote: str
    kind: type[PenwrightError] = ModelFinal
    model: str = "openai/tiny"


WORDS = "I'm sorry, but I can't help with that."
WAYS = [
    Way(Behaviour(text="The lamp", finish="content_filter"), "The lamp"),
    Way(Behaviour(refusal="I will not."), "I will not."),
    Way(Behaviour(text=WORDS), WORDS, ModelMistake),
    Way(Behaviour(text=f"<think>A lamp?</think>{WORDS}"), WORDS, ModelMistake),
    Way(error(400, "rejected by our content management policy"), "rejected by our content management policy"),
    Way(within(403, "flagged: content policy"), "flagged: content policy"),
    Way(messages_answer("No.", stop="refusal", input_tokens=3), "No.", model="anthropic/claude-tiny"),
]


def router(server: ProviderServer, way: Way, fallback: str) -> ModelRouter:
    first = ModelEntry(
        # Not in a stream, where no vendor of these tests has a field for it.
        **{"name": "first", "provider": "litellm", "model": way.model, "local": True, "streams": False},
        api_base=server.address,
    )
    second = first.model_copy(update={"name": "second", "model": "openai/other"})
    catalog = ModelCatalog(
        models=(first, second), default="first", profiles={"writer": Profile(fallback=fallback)}
    )
    return ModelRouter(catalog, ledger=memory_store(clock=SystemClock()).ledger)


@for_each("way", WAYS)
async def test_without_a_fallback_a_refusal_is_told_by_name_and_asked_once(
    server: ProviderServer, way: Way
) -> None:
    asked = len(server.requests)
    server.behave(way.behaviour)
    playing = router(server, way, fallback="")

    for _ in range(2):
        with pytest.raises(way.kind) as caught:
            await playing.complete(model_request("Go on."))
        assert caught.value.code == "model-refused"
        assert way.quote in caught.value.message

    assert len(server.requests) - asked == 1


@for_each("way", WAYS)
async def test_with_a_fallback_a_refusal_is_answered_by_it_and_says_so(
    server: ProviderServer, way: Way
) -> None:
    asked = len(server.requests)
    server.behave(way.behaviour, Behaviour())
    playing = router(server, way, fallback="second")

    answers = [await playing.complete(model_request("Go on.")) for _ in range(2)]

    told = {(each.text, each.model, each.instead_of) for each in answers}
    assert told == {("The lamp went out.", "second", "first")}
    assert len(server.requests) - asked == 2


async def test_prose_that_begins_like_a_refusal_needs_no_fallback(server: ProviderServer) -> None:
    server.behave(Behaviour(text="I can't help it, she said."))
    way = Way(Behaviour(), "")

    answer = await router(server, way, fallback="second").complete(model_request("Go on."))

    assert (answer.text, answer.instead_of) == ("I can't help it, she said.", "")
