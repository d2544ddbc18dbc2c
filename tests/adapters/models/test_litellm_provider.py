"""The real litellm against a local server: every fault gets its own name and one request."""

from typing import Any, Literal

import pytest
from pydantic import BaseModel

from penwright.adapters.models.litellm_provider import LitellmProvider
from penwright.errors import ModelFinal, ModelMistake, ModelUnavailable, PenwrightError
from schemas.model_catalog import ModelEntry, Price, Sampler, StructuredRung
from tests.support.agents.scripted_model import model_request
from tests.support.each import for_each
from tests.support.engine.provider_server import Behaviour, ProviderServer, error

pytestmark = [
    # litellm is slow to import: all of its tests share one process.
    pytest.mark.xdist_group("litellm"),
    # Its internals are not ours to fix.
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::UserWarning"),
]


class Verdict(BaseModel):
    score: int
    reason: str


GOOD = '{"score": 4, "reason": "clear"}'


def provider(server: ProviderServer, **fields: Any) -> LitellmProvider:
    """``fields`` are any of the entry's."""
    entry: dict[str, Any] = {"name": "local", "provider": "litellm", "model": "openai/tiny", "local": True}
    return LitellmProvider(ModelEntry(**entry | {"api_base": server.address} | fields), "sk-secret")


async def test_an_answer_carries_usage_and_an_explicit_zero_price(server: ProviderServer) -> None:
    response = await provider(server).complete(model_request("Go on."))

    assert response.text == "The lamp went out."
    assert (response.usage.input_tokens, response.usage.output_tokens) == (11, 7)
    assert response.usage.cost_micros == 0
    assert (response.provider, response.model, response.rung, response.demo) == (
        *("litellm", "local", "text"),
        False,
    )


async def test_the_request_reaches_the_server_unchanged(server: ProviderServer) -> None:
    await provider(server).complete(model_request("Go on.", temperature=0.3, max_output_tokens=77))

    sent = server.requests[0]
    assert sent["messages"] == [{"role": "user", "content": "Go on."}]
    assert (sent["model"], sent["max_tokens"], sent["temperature"]) == ("tiny", 77, 0.3)


async def test_the_sampler_of_a_profile_reaches_the_server(server: ProviderServer) -> None:
    sampler = Sampler(temperature=0.1, top_p=0.5, presence_penalty=0.2, stop=("###",), seed=7)

    await provider(server).complete(model_request("Go on.", temperature=0.9, sampler=sampler))

    sent = server.requests[0]
    assert (sent["temperature"], sent["top_p"], sent["presence_penalty"]) == (0.1, 0.5, 0.2)
    assert (sent["stop"], sent["seed"]) == (["###"], 7)
    assert "frequency_penalty" not in sent


async def test_in_the_mode_object_the_return_template_stands_in_the_prompt(server: ProviderServer) -> None:
    server.behave(Behaviour(text=GOOD))

    await provider(server).complete(
        model_request(
            "Judge.",
            output_schema=Verdict.model_json_schema(),
            output_mode="object",
            output_rung="json-in-text",
            output_example='{"score": 1, "reason": "thin"}',
        )
    )

    sent = server.requests[0]
    assert sent["response_format"] == {"type": "json_object"}
    asked = sent["messages"][-1]["content"]
    assert '"score"' in asked
    assert 'An answer looks like this:\n{"score": 1, "reason": "thin"}' in asked


async def test_with_a_native_schema_only_the_example_is_added(server: ProviderServer) -> None:
    server.behave(Behaviour(text=GOOD))

    await provider(server).complete(
        model_request("Judge.", output_schema=Verdict.model_json_schema(), output_example='{"score": 1}')
    )

    sent = server.requests[0]
    assert sent["response_format"]["type"] == "json_schema"
    assert "JSON schema" not in sent["messages"][-1]["content"]
    assert sent["messages"][-1]["content"].endswith('{"score": 1}')


async def test_the_operators_price_is_used_and_an_unknown_one_stays_unknown(server: ProviderServer) -> None:
    priced = provider(server, local=False, price=Price(input_micros=1_000_000, output_micros=2_000_000))
    # A server of one's own may call its model anything; the name prices nothing.
    unknown = provider(server, local=False, model="openai/gpt-4o")

    assert (await priced.complete(model_request())).usage.cost_micros == 11 + 2 * 7
    assert (await unknown.complete(model_request())).usage.cost_micros is None


@for_each(
    "fields, chosen, sent",
    [
        ({}, None, 0.8),
        ({"temperature": 1.0}, None, 1.0),
        ({"temperature": 1.0}, 0.3, 0.3),
        ({"temperature": "omit"}, None, None),
        ({"temperature": "omit"}, 0.3, 0.3),
        ({}, "omit", None),
        # Known to take none.
        ({"model": "openai/o3"}, None, None),
    ],
)
async def test_the_temperature_is_the_roles_the_models_or_omitted(
    fields: dict[str, Any], chosen: float | Literal["omit"] | None, sent: float | None
) -> None:
    with ProviderServer().running() as server:
        asked = model_request("Go on.", temperature=0.8, sampler=Sampler(temperature=chosen))

        await provider(server, **fields).complete(asked)

        assert server.requests[0].get("temperature") == sent


async def test_parameters_of_the_vendors_own_are_sent(server: ProviderServer) -> None:
    await provider(server, extra={"top_a": 0.2, "seed": 4}).complete(model_request("Go on."))

    assert (server.requests[0]["top_a"], server.requests[0]["seed"]) == (0.2, 4)


async def test_missing_usage_is_estimated(server: ProviderServer) -> None:
    server.behave(Behaviour(text="word " * 100, usage=None))

    response = await provider(server).complete(model_request("Go on."))

    assert 100 <= response.usage.output_tokens <= 150


@for_each(
    "behaviour, code, kind",
    [
        (error(400, "bad parameter"), "model-bad-request", ModelFinal),
        (error(400, "maximum context length is 8192 tokens"), "context-too-long", ModelFinal),
        (error(400, "the request exceeds the available context size (4096)"), "context-too-long", ModelFinal),
        (error(400, "keep the first 9 tokens when context the overflows"), "context-too-long", ModelFinal),
        (error(400, "rejected by our content management policy"), "model-refused", ModelFinal),
        (error(401, "invalid key"), "model-auth", ModelFinal),
        (error(402, "no credit"), "model-payment", ModelFinal),
        (error(403, "not allowed"), "model-auth", ModelFinal),
        (error(404, "no such model"), "model-not-found", ModelFinal),
        (error(429, "insufficient_quota"), "model-payment", ModelFinal),
        (error(408, "slow"), "model-unavailable", ModelUnavailable),
        (error(409, "conflict"), "model-unavailable", ModelUnavailable),
        (error(425, "too early"), "model-unavailable", ModelUnavailable),
        (error(429, "slow down"), "model-rate-limited", ModelUnavailable),
        (error(500, "we hit a rate limit upstream"), "model-unavailable", ModelUnavailable),
        (error(502, "bad gateway"), "model-unavailable", ModelUnavailable),
        (error(503, "overloaded"), "model-unavailable", ModelUnavailable),
        (Behaviour(reset=True), "model-unavailable", ModelUnavailable),
        (Behaviour(cut=True), "model-unavailable", ModelUnavailable),
        (Behaviour(body=b'{"choices": [{"mess'), "model-unavailable", ModelUnavailable),
        (Behaviour(body=b'{"choices": []}'), "model-unavailable", ModelUnavailable),
        (Behaviour(body=b"<html>welcome to the hotel</html>"), "model-unavailable", ModelUnavailable),
        (Behaviour(text=""), "empty-reply", ModelMistake),
        (Behaviour(text=None), "empty-reply", ModelMistake),
        (Behaviour(text=" \n\n "), "empty-reply", ModelMistake),
        (Behaviour(text="x", finish="content_filter"), "model-refused", ModelFinal),
        (Behaviour(refusal="I will not."), "model-refused", ModelFinal),
        (Behaviour(huge=True), "reply-too-large", ModelFinal),
    ],
)
async def test_every_fault_has_its_name_and_is_asked_once(
    server: ProviderServer, behaviour: Behaviour, code: str, kind: type[PenwrightError]
) -> None:
    before = len(server.requests)
    server.behave(behaviour)

    with pytest.raises(PenwrightError) as caught:
        await provider(server).complete(model_request(timeout_s=20.0))

    assert (caught.value.code, type(caught.value)) == (code, kind)
    assert len(server.requests) == before + 1
    assert "sk-secret" not in str(caught.value)


@pytest.mark.parametrize("behaviour", [Behaviour(hang=True), Behaviour(drip=True)])
async def test_a_server_that_hangs_or_drips_is_left_at_the_timeout(
    server: ProviderServer, behaviour: Behaviour
) -> None:
    server.behave(behaviour)

    with pytest.raises(ModelUnavailable) as caught:
        await provider(server).complete(model_request(timeout_s=0.3))

    assert caught.value.code == "model-timeout"


async def test_retry_after_is_handed_on(server: ProviderServer) -> None:
    server.behave(error(429, "slow down", retry_after="17"))

    with pytest.raises(ModelUnavailable) as caught:
        await provider(server).complete(model_request())

    assert caught.value.retry_after_s == 17.0


async def test_a_closed_port_is_a_passing_failure(server: ProviderServer) -> None:
    with pytest.raises(ModelUnavailable):
        await provider(server, api_base="http://127.0.0.1:1/v1").complete(model_request())


async def test_a_missing_key_is_named_before_anything_is_sent(server: ProviderServer) -> None:
    entry = ModelEntry(
        name="sonnet", provider="litellm", model="openai/tiny", key_env="TINY_KEY", api_base=server.address
    )

    with pytest.raises(ModelFinal, match="TINY_KEY") as caught:
        await LitellmProvider(entry, "").complete(model_request())

    assert caught.value.code == "model-key-missing"
    assert server.requests == []


@pytest.mark.parametrize(
    ("first", "sent", "not_sent"),
    [("native", "response_format", "tools"), ("tool", "tools", "response_format")],
)
async def test_the_ladder_starts_where_the_operator_says(
    server: ProviderServer, first: StructuredRung, sent: str, not_sent: str
) -> None:
    server.behave(Behaviour(text=GOOD))

    await provider(server, structured=first).complete(
        model_request(output_schema=Verdict.model_json_schema())
    )

    assert sent in server.requests[0]
    assert not_sent not in server.requests[0]


async def test_on_the_last_rung_the_schema_is_in_the_prompt(server: ProviderServer) -> None:
    server.behave(Behaviour(text=GOOD))

    await provider(server, structured="json-in-text").complete(
        model_request(output_schema=Verdict.model_json_schema())
    )

    assert '"score"' in server.requests[0]["messages"][-1]["content"]
    assert "response_format" not in server.requests[0]
