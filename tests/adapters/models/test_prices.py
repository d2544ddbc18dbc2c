"""One place says what a model costs: the operator's setting first, then the data of a package."""

import socket

import pytest

from penwright.adapters.models.prices import cost_micros, price_of
from schemas.model_catalog import DEMO, ModelEntry, Price
from tests.support.each import for_each

OWN = Price(input_micros=1_000_000, output_micros=2_000_000)
SONNET = Price(
    input_micros=3_000_000, output_micros=15_000_000, cached_micros=300_000, written_micros=3_750_000
)


def entry(model: str, **fields: object) -> ModelEntry:
    """``fields`` are any of the entry's."""
    return ModelEntry.model_validate({"name": "m", "provider": "litellm", "model": model} | fields)


@for_each(
    "model, price",
    [
        (DEMO, Price(input_micros=0, output_micros=0)),
        (entry("", provider="scripted"), Price(input_micros=0, output_micros=0)),
        (entry("ollama_chat/qwen3", local=True), Price(input_micros=0, output_micros=0)),
        (entry("anthropic/claude-sonnet-4-5"), SONNET),
        (entry("claude-sonnet-4-5"), SONNET),
        (entry("vertex_ai/claude-sonnet-4-5@20250929"), SONNET),
        (entry("openrouter/anthropic/claude-sonnet-4.5"), SONNET),
        (
            entry("azure_ai/gpt-4o"),
            Price(input_micros=2_500_000, output_micros=10_000_000, cached_micros=1_250_000),
        ),
        (entry("openai/text-embedding-3-small"), Price(input_micros=20_000, output_micros=0)),
        (entry("anthropic/claude-sonnet-4-5", price=OWN), OWN),
        # A server of one's own may call its model anything; the name prices nothing.
        (entry("openai/gpt-4o", api_base="http://127.0.0.1:1/v1"), None),
        (entry("openai/gpt-4o", api_base="http://127.0.0.1:1/v1", price=OWN), OWN),
        (entry("azure/our-deployment"), None),
        (entry("openai/nobody-knows"), None),
        (entry("nope/gpt-4o"), None),
        (entry("openrouter/nope/claude-sonnet-4.5"), None),
        (entry("anthropic/gpt-4o"), None),
        (entry("openai/whisper-1"), None),
    ],
)
def test_the_operators_price_wins_and_an_unknown_price_is_not_zero(
    model: ModelEntry, price: Price | None
) -> None:
    assert price_of(model) == price
    cost = cost_micros(model, input_tokens=10, output_tokens=1)
    assert (cost is None) == (price is None)


@for_each(
    "model, tokens, micros",
    [
        # 2,000 at $2.50, 8,000 at $1.25, 100 at $10, each for a million.
        ("openai/gpt-4o", (10_000, 100, 8_000, 0), 5_000 + 10_000 + 1_000),
        # 1,000 at $3, 8,000 at $0.30, 2,000 at $3.75, 100 at $15.
        ("anthropic/claude-sonnet-4-5", (11_000, 100, 8_000, 2_000), 3_000 + 2_400 + 7_500 + 1_500),
        # Above 200,000 tokens all of the prompt costs more: 201,000 at $6, 100 at $22.50.
        ("anthropic/claude-sonnet-4-5", (201_000, 100, 0, 0), 1_206_000 + 2_250),
        # 2,000 at $0.30, 8,000 at $0.03, 100 at $2.50.
        ("gemini/gemini-2.5-flash", (10_000, 100, 8_000, 0), 600 + 240 + 250),
        # No price for the cache: 10,000 at $0.59, 100 at $0.79.
        ("groq/llama-3.3-70b-versatile", (10_000, 100, 8_000, 0), 5_900 + 79),
        # It also asks for $0.012 a request.
        ("perplexity/sonar", (1_000, 100, 0, 0), 1_000 + 100 + 12_000),
    ],
)
def test_what_the_cache_held_is_priced_apart(
    model: str, tokens: tuple[int, int, int, int], micros: int
) -> None:
    read, written, from_cache, into_cache = tokens
    cost = cost_micros(
        entry(model),
        input_tokens=read,
        output_tokens=written,
        cached_tokens=from_cache,
        written_tokens=into_cache,
    )

    assert cost == micros


def test_money_is_rounded_up() -> None:
    cheap = entry("any", price=Price(input_micros=1, output_micros=0))

    assert cost_micros(cheap, input_tokens=1, output_tokens=9) == 1
    assert cost_micros(entry("openai/text-embedding-3-small"), input_tokens=1, output_tokens=0) == 1


def test_finding_a_price_asks_no_server(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a price was looked up over the network")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)

    assert price_of(entry("openai/gpt-5")) is not None
    assert price_of(entry("openai/gpt-5-of-somebody")) is None
