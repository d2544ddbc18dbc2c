"""OpenRouter through the real litellm, against a local server that speaks it: headers, cost, its faults."""

import json
from typing import Any

import pytest

from penwright.adapters.models.litellm_provider import LitellmProvider
from penwright.agents.definition.output import final_answer
from penwright.errors import ModelFinal, ModelMistake, ModelUnavailable, PenwrightError
from penwright.roles.manuscript.critic.definition import CritiqueReply
from schemas.model_catalog import ModelEntry, Price
from tests.support.agents.scripted_model import model_request
from tests.support.each import for_each
from tests.support.engine.provider_server import (
    FULL_USAGE,
    Behaviour,
    ProviderServer,
    broken_off,
    error,
    within,
)

pytestmark = [
    # litellm is slow to import: all of its tests share one process.
    pytest.mark.xdist_group("litellm"),
    # Its internals are not ours to fix.
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::UserWarning"),
]

ANSWER = {
    "id": "gen-1",
    "object": "chat.completion",
    "created": 1,
    "model": "vendor/tiny",
    "provider": "Some Host",
    "choices": [
        {"index": 0, "message": {"role": "assistant", "content": "Snow."}, "finish_reason": "stop"},
    ],
}


def provider(server: ProviderServer, **fields: Any) -> LitellmProvider:
    """``fields`` are any of the entry's."""
    entry: dict[str, Any] = {"name": "manuscripts", "provider": "litellm", "model": "openrouter/vendor/tiny"}
    return LitellmProvider(
        ModelEntry(**entry | {"api_base": server.address, "key_env": "OPENROUTER_API_KEY"} | fields),
        "sk-or-secret",
    )


def costing(cost: object) -> Behaviour:
    return Behaviour(usage=FULL_USAGE | {"cost": cost, "cost_details": {"upstream_inference_cost": None}})


async def test_a_call_says_who_we_are_and_asks_for_its_cost(server: ProviderServer) -> None:
    await provider(server).complete(model_request("Go on.", temperature=0.3, max_output_tokens=77))

    sent, headers = server.requests[0], server.headers[0]
    assert (sent["model"], sent["max_tokens"], sent["temperature"]) == ("vendor/tiny", 77, 0.3)
    assert sent["usage"] == {"include": True}
    assert sent["messages"] == [{"role": "user", "content": "Go on."}]
    assert (headers["x-title"], headers["authorization"]) == ("Penwright", "Bearer sk-or-secret")
    assert headers["http-referer"].startswith("https://")
    assert "litellm" not in headers["http-referer"]


@pytest.mark.parametrize(("cost", "micros"), [(0.00123, 1_230), (0, 0), (0.0000001, 1), (2, 2_000_000)])
async def test_the_cost_is_what_the_reply_says(server: ProviderServer, cost: float, micros: int) -> None:
    server.behave(costing(cost))

    usage = (await provider(server).complete(model_request())).usage

    assert (usage.input_tokens, usage.output_tokens, usage.cost_micros) == (11, 7, micros)


@pytest.mark.parametrize("cost", [None, -1, "1", True, 1e300])
async def test_a_cost_that_is_no_number_is_unknown_and_not_zero(server: ProviderServer, cost: object) -> None:
    server.behave(costing(cost))

    assert (await provider(server).complete(model_request())).usage.cost_micros is None


async def test_the_operators_price_comes_before_the_reply(server: ProviderServer) -> None:
    server.behave(costing(5))
    priced = provider(server, price=Price(input_micros=1_000_000, output_micros=2_000_000))

    assert (await priced.complete(model_request())).usage.cost_micros == 11 + 2 * 7


@for_each(
    "behaviour, code, kind",
    [
        (error(400, "vendor/tiny is not a valid model ID"), "model-bad-request", ModelFinal),
        (error(401, "No auth credentials found"), "model-auth", ModelFinal),
        (error(402, "Insufficient credits"), "model-payment", ModelFinal),
        (error(403, "flagged by moderation"), "model-auth", ModelFinal),
        (error(404, "No endpoints found"), "model-not-found", ModelFinal),
        (error(408, "timed out"), "model-unavailable", ModelUnavailable),
        (error(429, "Rate limit exceeded"), "model-rate-limited", ModelUnavailable),
        (error(500, "Internal Server Error"), "model-unavailable", ModelUnavailable),
        (error(502, "Provider returned error"), "model-unavailable", ModelUnavailable),
        (error(503, "No available model provider"), "model-unavailable", ModelUnavailable),
        (within(402, "Insufficient credits"), "model-payment", ModelFinal),
        (within(429, "Rate limited upstream"), "model-rate-limited", ModelUnavailable),
        (
            within(502, "Provider returned error", provider_name="Some Host"),
            "model-unavailable",
            ModelUnavailable,
        ),
        (broken_off(502, "Upstream died", "Half a sen"), "model-unavailable", ModelUnavailable),
        (broken_off(429, "Upstream is full"), "model-rate-limited", ModelUnavailable),
        (Behaviour(reset=True), "model-unavailable", ModelUnavailable),
        (Behaviour(cut=True), "model-unavailable", ModelUnavailable),
        (Behaviour(body=b'{"choices": [{"mess'), "model-unavailable", ModelUnavailable),
        (Behaviour(body=b'{"choices": []}'), "model-unavailable", ModelUnavailable),
        (Behaviour(body=b"<html>we are moving house</html>"), "model-unavailable", ModelUnavailable),
        (Behaviour(text=""), "empty-reply", ModelMistake),
        (Behaviour(text="x", finish="content_filter"), "model-refused", ModelFinal),
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
    assert "sk-or-secret" not in str(caught.value)


async def test_retry_after_is_handed_on(server: ProviderServer) -> None:
    server.behave(error(429, "slow down", retry_after="17"))

    with pytest.raises(ModelUnavailable) as caught:
        await provider(server).complete(model_request())

    assert caught.value.retry_after_s == 17.0


@pytest.mark.parametrize("behaviour", [Behaviour(hang=True), Behaviour(drip=True)])
async def test_a_host_that_hangs_or_drips_is_left_at_the_timeout(
    server: ProviderServer, behaviour: Behaviour
) -> None:
    server.behave(behaviour)

    with pytest.raises(ModelUnavailable) as caught:
        await provider(server).complete(model_request(timeout_s=0.3))

    assert caught.value.code == "model-timeout"


async def test_a_closed_port_is_a_passing_failure(server: ProviderServer) -> None:
    with pytest.raises(ModelUnavailable):
        await provider(server, api_base="http://127.0.0.1:1/v1").complete(model_request())


async def test_blank_lines_that_keep_the_connection_alive_are_no_part_of_the_answer(
    server: ProviderServer,
) -> None:
    server.behave(
        Behaviour(body=b"\n \n\n          \n" + json.dumps(ANSWER | {"usage": FULL_USAGE}).encode())
    )

    assert (await provider(server).complete(model_request())).text == "Snow."


async def test_a_reply_that_reached_the_token_limit_says_so(server: ProviderServer) -> None:
    server.behave(Behaviour(text='{"score": 0.', finish="length"))

    assert (await provider(server).complete(model_request())).finish_reason == "length"


async def test_a_role_is_asked_with_the_schema_of_its_answer(server: ProviderServer) -> None:
    asked = final_answer(CritiqueReply)
    request = model_request("Review the manuscript.").model_copy(
        update={"output_schema": asked.parameters, "schema_name": asked.name, "within_loop": True}
    )

    await provider(server).complete(request)

    sent = server.requests[0]["response_format"]["json_schema"]
    assert sent["strict"]
    assert sent["schema"]["$defs"]["AspectReply"]["properties"]["score"] == {
        "maximum": 1,
        "minimum": 0,
        "title": "Score",
        "type": "number",
    }
