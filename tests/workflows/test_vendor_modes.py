"""Each way of a vendor: a pipeline finishes, or ends with a reason and nothing lost, as a trial says."""

from collections.abc import Awaitable, Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from temporalio.client import Client, WorkflowFailureError
from temporalio.testing import WorkflowEnvironment

from penwright.adapters.clock import SystemClock
from penwright.adapters.models.demo.topics import claims_about
from penwright.adapters.models.probe import CatalogProbes
from penwright.adapters.models.router import ModelRouter
from penwright.adapters.scholarly.recorded import recorded_sources
from penwright.domain.book.files.layout import REVIEW
from penwright.errors import PenwrightError
from schemas.model_catalog import ModelCatalog
from tests.support.agents.scripted_model import model_request
from tests.support.citations.desk import scan_desk
from tests.support.doubles.store import memory_store
from tests.support.engine.provider_server import ProviderServer
from tests.support.engine.vendor_modes import MODES, Mode
from tests.support.manuscripts.studio import studio
from tests.support.scenes.playhouse import playhouse
from tests.support.workflows.librarian import library
from tests.support.workflows.session_writers import study

pytestmark = [
    pytest.mark.xdist_group("litellm"),
    pytest.mark.filterwarnings(
        "ignore::DeprecationWarning", "ignore::ResourceWarning", "ignore::UserWarning"
    ),
]
LINE = "Write a 400-word review of how deep learning changed the prediction of protein structures."
OWN = "We had written this before, and want to keep it."
SAID = "Is there a room left?"
CLAIMS = claims_about(LINE)[:2]


async def ending(work: Awaitable[Any]) -> str:  # any pipeline's result
    """The code of its failure, else its outcome."""
    try:
        ended = await work
    except WorkflowFailureError as failure:
        return getattr(failure.cause, "type", None) or ""
    return getattr(ended, "code", "") or str(ended.outcome)


async def written(client: Client, folder: Path, model: ModelRouter) -> str:
    """A session of a book."""
    async with library(client, folder) as here, study(here, folder, model) as room:
        before = room.book.read(REVIEW)
        ended = await ending(room.run("one"))
        assert (room.book.read(REVIEW) == before) is (ended != "closed")
    return ended


async def drafted(client: Client, folder: Path, model: ModelRouter) -> str:
    """A manuscript, of which a part was there before."""
    text = f"# On proteins\n\n## Introduction\n\n{OWN}\n\n## Conclusion\n"
    async with studio(client, folder, text) as here:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(here.cast, "complete", model.complete)
            ended = await ending(here.run(here.given(LINE, max_passes=1)))
        assert OWN in here.text
        assert (here.text == text.strip()) is (ended != "finished")
    return ended


async def cited(client: Client, folder: Path, model: ModelRouter) -> str:
    """A scan of two sentences that need a source."""
    text = "## What is known\n\nIt is a long story. " + " ".join(each.sentence for each in CLAIMS) + "\n"
    records, complete = recorded_sources().records, ModelRouter.complete
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ModelRouter, "complete", lambda _, request: complete(model, request))
        async with scan_desk(client, folder, text=text, records=records, answers=()) as desk:
            ended = await ending(desk.run(auto_accept=True))
            assert all(each.sentence.rstrip(".") in desk.novel.committed for each in CLAIMS)
            assert (desk.novel.committed == text.strip()) is (ended != "done")
    return ended


async def played(client: Client, folder: Path, model: ModelRouter) -> str:
    """A round of a scene."""
    async with playhouse(client, store=memory_store(clock=SystemClock())) as house:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(house.company, "complete", model.complete)
            ended = await ending(house.play(SAID))
        assert house.messages[0] == ("Mira", SAID)
        assert (len(house.messages) == 1) is (ended != "completed")
    return ended


Play = Callable[[Client, Path, ModelRouter], Awaitable[str]]
PIPELINES: Mapping[str, tuple[Play, str, str]] = {
    "book": (written, "closed", "writer"),
    "manuscript": (drafted, "finished", "manuscript-writer"),
    "scan": (cited, "done", "manuscript-citation-generator"),
    "round": (played, "completed", "director"),
}
"""How each is run, how it ends well, and the role that a trial takes the place of."""
AT_ONCE = {"thinks, counted", "refuses by field"}
"""The modes that `make test` has of the others, too."""
CASES = [
    pytest.param(
        pipeline, mode, id=f"{pipeline} {name}", marks=() if name in AT_ONCE else (pytest.mark.long,)
    )
    for pipeline in PIPELINES
    for name, mode in MODES.items()
]


@pytest.fixture
def server() -> Iterator[ProviderServer]:
    with ProviderServer().running() as running:
        yield running


def catalog_of(server: ProviderServer, mode: Mode) -> ModelCatalog:
    base = server.address.removesuffix("/v1") if mode.thinks else server.address
    return ModelCatalog(models=(mode.entry.model_copy(update={"api_base": base}),), default=mode.entry.name)


async def serves(catalog: ModelCatalog, role: str) -> bool:
    """Whether the trial finds that the model serves the role."""
    probes = CatalogProbes(catalog, {})
    try:
        report = await probes.probe("tiny", model_request().effect, timeout_s=2, roles=(role,))
    except PenwrightError:
        return False
    return report.roles[0].works


@pytest.mark.parametrize(("pipeline", "mode"), CASES)
async def test_a_pipeline_ends_as_it_must_and_the_trial_agrees(
    temporal_env: WorkflowEnvironment, server: ProviderServer, tmp_path: Path, pipeline: str, mode: Mode
) -> None:
    play, well, role = PIPELINES[pipeline]
    server.behave(*mode.answers)
    catalog = catalog_of(server, mode)
    model = ModelRouter(catalog, ledger=memory_store(clock=SystemClock()).ledger)

    ended = await play(temporal_env.client, tmp_path, model)

    assert ended == (mode.ends.get(pipeline, mode.code) or well)
    server.behave(*mode.answers[-1:])
    assert await serves(catalog, role) is not bool(mode.code)
