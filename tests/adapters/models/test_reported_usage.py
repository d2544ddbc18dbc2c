"""Tokens from a vendor's cache, into it and of thought are counted apart and priced apart."""

from typing import Any

import pytest

from penwright.adapters.models.litellm_provider import LitellmProvider
from penwright.adapters.models.prices import price_of
from schemas.model import Usage
from schemas.model_catalog import ModelEntry
from tests.support.agents.scripted_model import model_request
from tests.support.each import for_each
from tests.support.engine.provider_server import Behaviour, ProviderServer, content_answer, messages_answer

pytestmark = [
    # litellm is slow to import: all of its tests share one process.
    pytest.mark.xdist_group("litellm"),
    # Its internals are not ours to fix.
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::UserWarning"),
]


def behind(server: ProviderServer, model: str) -> LitellmProvider:
    """The vendor's model at its vendor's price, asked at ``server``."""
    entry = ModelEntry(name="m", provider="litellm", model=model)
    address = server.address.removesuffix("/v1") if model.startswith("anthropic/") else server.address
    return LitellmProvider(
        entry.model_copy(update={"price": price_of(entry), "api_base": address}), "sk-secret"
    )


def chat(prompt: int, completion: int, **details: Any) -> Behaviour:
    """An answer in OpenAI's protocol with these counts."""
    return Behaviour(usage={"prompt_tokens": prompt, "completion_tokens": completion, **details})


@for_each(
    "model, answer, usage",
    [
        (
            "openai/gpt-5",
            chat(
                10_000,
                600,
                prompt_tokens_details={"cached_tokens": 8_000},
                completion_tokens_details={"reasoning_tokens": 500},
            ),
            # 2,000 at $1.25, 8,000 at $0.125, 600 at $10, each for a million.
            Usage(
                input_tokens=10_000,
                output_tokens=600,
                cached_tokens=8_000,
                thought_tokens=500,
                cost_micros=2_500 + 1_000 + 6_000,
            ),
        ),
        (
            "anthropic/claude-sonnet-4-5",
            messages_answer(
                input_tokens=1_000,
                output_tokens=100,
                cache_read_input_tokens=8_000,
                cache_creation_input_tokens=2_000,
            ),
            # 1,000 at $3, 8,000 at $0.30, 2,000 at $3.75, 100 at $15.
            Usage(
                input_tokens=11_000,
                output_tokens=100,
                cached_tokens=8_000,
                written_tokens=2_000,
                cost_micros=3_000 + 2_400 + 7_500 + 1_500,
            ),
        ),
        (
            "gemini/gemini-2.5-flash",
            content_answer(
                promptTokenCount=10_000,
                cachedContentTokenCount=8_000,
                candidatesTokenCount=100,
                thoughtsTokenCount=400,
            ),
            # 2,000 at $0.30, 8,000 at $0.03, 500 at $2.50.
            Usage(
                input_tokens=10_000,
                output_tokens=500,
                cached_tokens=8_000,
                thought_tokens=400,
                cost_micros=600 + 240 + 1_250,
            ),
        ),
    ],
)
async def test_each_vendor_is_paid_for_what_it_counts(
    server: ProviderServer, model: str, answer: Behaviour, usage: Usage
) -> None:
    server.behave(answer)

    assert (await behind(server, model).complete(model_request("Go on."))).usage == usage


async def test_a_streamed_answer_tells_the_same(server: ProviderServer) -> None:
    server.behave(chat(10_000, 100, prompt_tokens_details={"cached_tokens": 8_000}))

    usage = (await behind(server, "openai/gpt-5").ask(model_request("Go on."), lambda _: None)).usage

    assert (usage.cached_tokens, usage.cost_micros) == (8_000, 2_500 + 1_000 + 1_000)


@for_each(
    "details",
    [{"cached_tokens": None}, {"cached_tokens": 90_000, "cache_creation_tokens": 5}, {"cached_tokens": -3}],
)
async def test_a_part_is_never_more_than_the_whole(server: ProviderServer, details: dict[str, Any]) -> None:
    server.behave(chat(1_000, 1, prompt_tokens_details=details))

    usage = (await behind(server, "openai/gpt-5").complete(model_request("Go on."))).usage

    assert 0 <= usage.cached_tokens + usage.written_tokens <= usage.input_tokens == 1_000


@pytest.mark.parametrize("count", [10**30, 2**63, -5])
async def test_a_count_that_no_call_has_is_estimated(server: ProviderServer, count: int) -> None:
    server.behave(chat(count, count))

    usage = (await behind(server, "openai/gpt-5").complete(model_request("Go on."))).usage

    assert 0 < usage.input_tokens < 1_000
    assert 0 < usage.output_tokens < 1_000
