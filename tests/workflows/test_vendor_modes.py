"""Each way of a vendor: a session finishes, or ends with a reason and nothing lost, as a trial says."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from temporalio.client import WorkflowFailureError, WorkflowHandle
from temporalio.testing import WorkflowEnvironment

from penwright.adapters.clock import SystemClock
from penwright.adapters.models.probe import CatalogProbes
from penwright.adapters.models.router import ModelRouter
from penwright.domain.book.files.layout import REVIEW
from penwright.errors import PenwrightError
from schemas.book_session import BookSessionResult
from schemas.model_catalog import ModelCatalog, ModelEntry
from tests.support.agents.scripted_model import model_request
from tests.support.doubles.store import memory_store
from tests.support.engine.provider_server import FULL_USAGE, Behaviour, ProviderServer, called, calling, error
from tests.support.workflows.librarian import library
from tests.support.workflows.session_writers import study
from workflows.book_session import BookSession

pytestmark = [
    pytest.mark.long,
    pytest.mark.xdist_group("litellm"),
    pytest.mark.filterwarnings(
        "ignore::DeprecationWarning", "ignore::ResourceWarning", "ignore::UserWarning"
    ),
]
TINY = ModelEntry(name="tiny", provider="litellm", model="openai/tiny", timeout_s=2, local=True)
CLAUDE = TINY.model_copy(update={"model": "anthropic/claude-sonnet-4-5", "reasoning": 1_024})
"""A model that thinks, and wants its thought back with the results of tools."""
GOOD = Behaviour(as_asked=True)
BUSY = "Wed, 21 Oct 2015 07:28:00 GMT"
READS = called("read_chapter", '{"number": 1}')
FINISHES = {
    "thinks, counted": [Behaviour(as_asked=True, thinks=2_500)],
    "thinks in its text": [Behaviour(as_asked=True, thinks=2_500, thinks_aloud=True)],
    "rejects a limit's name": [Behaviour(as_asked=True, rejects="max_tokens")],
    "rejects temperature": [Behaviour(as_asked=True, rejects="temperature")],
    "answers from a cache": [
        Behaviour(as_asked=True, usage=FULL_USAGE | {"prompt_tokens_details": {"cached_tokens": 8}})
    ],
    "tells no usage": [Behaviour(as_asked=True, usage=None)],
    "cuts the connection once": [Behaviour(as_asked=True, cut=True), GOOD],
    "is silent once": [Behaviour(hang=True), GOOD],
    "sends a page for once": [Behaviour(body=b"<html><body>Sign in</body></html>"), GOOD],
    "is busy, with seconds": [error(429, "slow down", Retry_After="0.1"), GOOD],
    "is busy, with a date": [error(429, "slow down", Retry_After=BUSY), GOOD],
    "is overloaded once": [error(529, "overloaded", Retry_After="0"), GOOD],
    "gives two calls one id": [calling(READS, READS), GOOD],
    "wants its thought back": [
        replace(calling(READS), thinks=50),
        replace(calling(READS), thinks=50, wants_thought=True),
        Behaviour(as_asked=True, wants_thought=True),
    ],
    "gives arguments as an object": [calling(called("read_chapter", {"number": 1})), GOOD],
    "refuses in words once": [Behaviour(text="I'm sorry, but I can't help with that."), GOOD],
    "says nothing once": [Behaviour(text=""), GOOD],
}
ENDS = {
    "thinks without an end": ([Behaviour(as_asked=True, thinks=90_000)], "thought-past-limit"),
    "is stopped by a filter": ([Behaviour(finish="content_filter", text="")], "model-refused"),
    "refuses by field": ([Behaviour(refusal="I can't.")], "model-refused"),
    "refuses in words": ([Behaviour(text="I'm sorry, but I can't help with that.")], "model-refused"),
    "does not know the key": ([error(401, "bad key")], "model-auth"),
    "does not know the model": ([error(404, "no such model")], "model-not-found"),
    "wants money": ([error(402, "no credit")], "model-payment"),
    "says nothing": ([Behaviour(text="")], "unusable-reply"),
    "takes short answers": ([Behaviour(as_asked=True, window=600)], "model-bad-request"),
}
CACHED = FULL_USAGE | {"prompt_tokens_details": {"cached_tokens": 8}}
CLAUDE_FINISHES = {
    "thinks": [GOOD],
    "thinks between calls": [calling(READS), calling(READS), GOOD],
    "answers from a cache": [Behaviour(as_asked=True, usage=CACHED)],
    "cuts the connection once": [Behaviour(as_asked=True, cut=True), GOOD],
    "is busy, with seconds": [error(429, "slow down", Retry_After="0.1"), GOOD],
    "is overloaded once": [error(529, "overloaded", Retry_After="0"), GOOD],
    "refuses in words once": [Behaviour(text="I'm sorry, but I can't help with that."), GOOD],
    "says nothing once": [Behaviour(text=""), GOOD],
}
CLAUDE_ENDS = {
    "thinks without an end": ([Behaviour(as_asked=True, thinks=90_000)], "thought-past-limit"),
    "refuses": ([Behaviour(refusal="I can't.")], "model-refused"),
    "does not know the key": ([error(401, "bad key")], "model-auth"),
    "wants another thought back": ([error(400, "Invalid `signature`")], "model-bad-request"),
}
MODES = [
    *(pytest.param(TINY, how, "", id=name) for name, how in FINISHES.items()),
    *(pytest.param(TINY, how, code, id=name) for name, (how, code) in ENDS.items()),
    *(pytest.param(CLAUDE, how, "", id=f"claude {name}") for name, how in CLAUDE_FINISHES.items()),
    *(pytest.param(CLAUDE, how, code, id=f"claude {name}") for name, (how, code) in CLAUDE_ENDS.items()),
]


@pytest.fixture
def server() -> Iterator[ProviderServer]:
    with ProviderServer().running() as running:
        yield running


def catalog_of(server: ProviderServer, entry: ModelEntry) -> ModelCatalog:
    base = server.address.removesuffix("/v1") if entry is CLAUDE else server.address
    return ModelCatalog(models=(entry.model_copy(update={"api_base": base}),), default=entry.name)


async def serves(catalog: ModelCatalog) -> bool:
    """Whether the trial finds that the model serves the writer."""
    probes = CatalogProbes(catalog, {})
    try:
        report = await probes.probe("tiny", model_request().effect, timeout_s=2, roles=("writer",))
    except PenwrightError:
        return False
    return report.roles[0].works


async def ending(session: WorkflowHandle[BookSession, BookSessionResult]) -> str:
    """Its outcome, or the code of its failure."""
    try:
        return (await session.result()).outcome
    except WorkflowFailureError as failure:
        return getattr(failure.cause, "type", None) or ""


@pytest.mark.parametrize(("entry", "how", "code"), MODES)
async def test_a_session_ends_as_it_must_and_the_trial_agrees(
    temporal_env: WorkflowEnvironment,
    server: ProviderServer,
    tmp_path: Path,
    entry: ModelEntry,
    how: list[Behaviour],
    code: str,
) -> None:
    server.behave(*how)
    catalog = catalog_of(server, entry)
    model = ModelRouter(catalog, ledger=memory_store(clock=SystemClock()).ledger)
    async with library(temporal_env.client, tmp_path) as here, study(here, tmp_path, model) as room:
        before = room.book.read(REVIEW)
        ended = await ending(await room.start("one"))

    assert ended == (code or "closed")
    assert (room.book.read(REVIEW) == before) is bool(code)
    assert all("thinking" in request for request in server.requests) is (entry is CLAUDE)
    server.behave(*how[-1:])
    assert await serves(catalog) is not bool(code)
