"""The real litellm against a local server that makes vectors, or fails to."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from penwright.adapters.clock import SystemClock
from penwright.adapters.embeddings.ledgered_embeddings import LedgeredEmbeddings
from penwright.adapters.embeddings.litellm_embeddings import LitellmEmbeddings
from penwright.errors import ModelFinal, ModelUnavailable
from schemas.base import Effect, OpId
from schemas.memory import Charge
from schemas.model import BudgetScope
from schemas.model_catalog import ModelEntry
from tests.support.doubles.store import memory_store
from tests.support.engine.provider_server import Behaviour, ProviderServer, error

pytestmark = [
    # litellm is slow to import: all of its tests share one process.
    pytest.mark.xdist_group("litellm"),
    # Its internals are not ours to fix.
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::UserWarning"),
]

CHARGE = Charge(
    effect=Effect(op_id=OpId("scene/harbour#s1:4"), issued_at=datetime(2026, 5, 4, 12, tzinfo=UTC)),
    scope=BudgetScope(run="scene/harbour#s1", subject="scene/harbour"),
)


def answering(*vectors: Any) -> Behaviour:
    """The vectors in reverse, each with the index of its text."""
    rows = [{"object": "embedding", "index": at, "embedding": each} for at, each in enumerate(vectors)]
    answer = {
        "object": "list",
        "model": "tiny",
        "data": rows[::-1],
        "usage": {"prompt_tokens": 3, "total_tokens": 3},
    }
    return Behaviour(body=json.dumps(answer).encode())


def embeddings(server: ProviderServer, key: str = "sk-secret", **fields: Any) -> LedgeredEmbeddings:
    """Of the memory ledger; the ledger's own part is in ``test_ledgered_embeddings``."""
    entry: dict[str, Any] = {"name": "near", "provider": "litellm", "model": "openai/tiny", "local": True}
    vendor = LitellmEmbeddings(ModelEntry(**entry | {"api_base": server.address} | fields), key)
    return LedgeredEmbeddings(vendor, memory_store(clock=SystemClock()).ledger)


def test_each_text_gets_its_vector(server: ProviderServer) -> None:
    server.behave(answering([1, 0.5], [0.25, -1]))

    found = embeddings(server).embed(["one", "two"], CHARGE)

    assert found.vectors == ((1.0, 0.5), (0.25, -1.0))
    assert (found.model, found.dimensions) == ("openai/tiny", 2)
    assert server.requests[0]["input"] == ["one", "two"]
    assert server.headers[0]["authorization"] == "Bearer sk-secret"


def test_many_texts_are_sent_in_parts_and_long_ones_cut(server: ProviderServer) -> None:
    server.behave(answering(*([1.0],) * 64), answering([2.0]))

    found = embeddings(server).embed(["word " * 5_000] * 65, CHARGE)

    assert [len(each["input"]) for each in server.requests] == [64, 1]
    assert found.vectors == ((1.0,),) * 64 + ((2.0,),)
    assert max(len(text) for text in server.requests[0]["input"]) == 8_000


def test_nothing_is_asked_for_no_texts(server: ProviderServer) -> None:
    assert embeddings(server).embed([], CHARGE).vectors == ()
    assert server.requests == []


@pytest.mark.parametrize(
    "answer",
    [
        answering([1.0]),
        answering([1.0], "text"),
        answering([1.0], []),
        answering([1.0], [1.0, None]),
        answering([1.0], [1.0, 2.0]),
        Behaviour(text="I am a chat model."),
        Behaviour(body=b"<html>"),
        Behaviour(reset=True),
        Behaviour(huge=True),
        error(500, "down"),
        error(429, "slow down"),
    ],
)
def test_an_answer_without_usable_vectors_is_tried_again_later(
    server: ProviderServer, answer: Behaviour
) -> None:
    server.behave(answer)

    with pytest.raises(ModelUnavailable) as raised:
        embeddings(server).embed(["one", "two"], CHARGE)

    assert "near" in raised.value.message
    assert len(server.requests) == 1, "Temporal retries, not the library"


@pytest.mark.parametrize("slow", [Behaviour(hang=True), Behaviour(drip=True)])
def test_a_server_that_hangs_or_drips_ends_with_the_timeout(server: ProviderServer, slow: Behaviour) -> None:
    server.behave(slow)

    with pytest.raises(ModelUnavailable):
        embeddings(server, timeout_s=0.5).embed(["one"], CHARGE)


def test_a_refused_key_is_final_and_never_shown(server: ProviderServer) -> None:
    server.behave(error(401, "bad key sk-secret"))

    with pytest.raises(ModelFinal) as raised:
        embeddings(server, key_env="NEAR_KEY").embed(["one"], CHARGE)

    assert "NEAR_KEY" in raised.value.message
    assert "sk-secret" not in raised.value.message


def test_a_missing_key_is_named_before_anything_is_sent(server: ProviderServer) -> None:
    with pytest.raises(ModelFinal) as raised:
        embeddings(server, key="", key_env="NEAR_KEY").embed(["one"], CHARGE)

    assert raised.value.code == "model-key-missing"
    assert server.requests == []
