"""An OTLP receiver gets the calls of a session as the ledger has them, in one trace, and no text."""

from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest
from opentelemetry.proto.metrics.v1.metrics_pb2 import Metric
from temporalio.client import Client
from temporalio.testing import WorkflowEnvironment

from penwright.adapters.models.router import ModelRouter
from schemas.model_catalog import ModelCatalog, ModelEntry
from tests.support.engine.otlp_receiver import OtlpReceiver, otlp_receiver, told
from tests.support.engine.provider_server import Behaviour, ProviderServer, called, calling, error
from tests.support.workflows.librarian import library
from tests.support.workflows.session_writers import study
from workers.gen_ai_spans import SpannedLedger, interceptors, providers

TINY = ModelEntry(name="tiny", provider="litellm", model="openai/tiny", local=True)
READS = called("read_chapter", '{"number": 1}')
pytestmark = [
    pytest.mark.xdist_group("litellm"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::UserWarning"),
]


@pytest.fixture
def receiver() -> Iterator[OtlpReceiver]:
    with otlp_receiver() as running:
        yield running


def sum_of(metric: Metric) -> int:
    """What a counter has counted."""
    return sum(each.as_int for each in metric.sum.data_points)


@pytest.mark.parametrize("texts", [False, True])
async def test_the_chats_of_a_session_are_the_rows_of_the_ledger(
    temporal_env: WorkflowEnvironment, tmp_path: Path, receiver: OtlpReceiver, *, texts: bool
) -> None:
    traces, meters = providers(receiver.address, "test")
    config = temporal_env.client.config()
    config["interceptors"] = [*config["interceptors"], *interceptors(traces, meters, texts=texts)]
    async with library(Client(**config), tmp_path) as here:
        spanned = SpannedLedger(
            here.store.ledger,
            traces.get_tracer("test"),
            meters.get_meter("test"),
            {"tiny": "openai/tiny"},
            texts=texts,
        )
        with ProviderServer().running() as server:
            server.behave(error(429, "slow down", Retry_After="0"), calling(READS), Behaviour(as_asked=True))
            tiny = TINY.model_copy(update={"api_base": server.address})
            model = ModelRouter(ModelCatalog(models=(tiny,), default="tiny"), ledger=spanned)
            async with study(here, tmp_path, model) as room:
                room.book.write("Global Material/Soul.md", "# Soul\n\nDry, and close to the weather.\n")
                ended = await room.run("s1")
        paid = here.store.ledger.grouped("model", since=date(2000, 1, 1))["tiny"]
    traces.shutdown()
    meters.shutdown()

    chats = [told(each) for each in receiver.named("chat")]
    assert ended.outcome == "closed"
    assert len(chats) == paid.calls == 2
    assert sum(each["gen_ai.usage.input_tokens"] for each in chats) == paid.input_tokens
    assert sum(each["gen_ai.usage.output_tokens"] for each in chats) == paid.output_tokens
    assert {each["penwright.subject"] for each in chats} == {room.book.book_id}
    assert {(each["gen_ai.provider.name"], each["gen_ai.request.model"]) for each in chats} == {
        ("openai", "tiny")
    }
    assert all(each["penwright.prompt_digest"] and each["penwright.run"] for each in chats)
    assert [told(each)["gen_ai.tool.name"] for each in receiver.named("execute_tool")] == ["read_chapter"]
    assert len({each.trace_id for each in receiver.spans}) == 1
    by_id = {each.span_id: each for each in receiver.spans}
    above = [by_id[each.parent_span_id].name for each in receiver.named("chat")]
    assert above == ["invoke_agent ink/writer"] * 2
    assert {by_id[each.parent_span_id].name for each in receiver.named("invoke_agent")} == {
        "RunActivity:call_model"
    }
    assert (b"close to the weather" in receiver.raw) is texts
    counted = {each.name: each for each in receiver.metrics}
    points = counted["gen_ai.client.token.usage"].histogram.data_points
    assert sum(each.sum for each in points) == paid.input_tokens + paid.output_tokens
    assert sum_of(counted["penwright.cost"]) == sum(each["penwright.cost_micros"] for each in chats)
    assert sum_of(counted["penwright.sessions"]) == 1
    assert ended.report is not None
    assert sum_of(counted["penwright.words"]) == ended.report.session_word_count > 0
    assert {name for name in counted if name.startswith("penwright.")} >= {
        *("penwright.refusals", "penwright.unpushed"),
    }
    assert sum(each.count for each in counted["gen_ai.client.operation.duration"].histogram.data_points) == 2
