"""A model that has no tools serves every pipeline: it is asked without them once it has rejected them."""

from pathlib import Path

import pytest
from temporalio.testing import WorkflowEnvironment

from penwright.adapters.clock import SystemClock
from penwright.adapters.models.demo.topics import claims_about
from penwright.adapters.models.litellm_provider import LitellmProvider
from penwright.adapters.models.scripted import ScriptedProvider
from penwright.adapters.scholarly.recorded import recorded_sources
from tests.support.citations.desk import scan_desk
from tests.support.doubles.store import memory_store
from tests.support.engine.demo_vendor import DemoVendor, demo_vendor
from tests.support.manuscripts.studio import studio
from tests.support.scenes.playhouse import playhouse
from tests.support.workflows.librarian import library
from tests.support.workflows.session_writers import study

pytestmark = [
    pytest.mark.xdist_group("litellm"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::UserWarning"),
]
LINE = "Write a 400-word review of how deep learning changed the prediction of protein structures."


def check_asked(vendor: DemoVendor) -> None:
    """The model rejected tools once, and was never offered any again."""
    assert vendor.rejected == ["registry.local/tiny does not support tools"]
    assert ["tools" in each for each in vendor.requests].count(True) == 1


async def test_a_session_is_written_without_tools(temporal_env: WorkflowEnvironment, tmp_path: Path) -> None:
    async with library(temporal_env.client, tmp_path) as here:
        with demo_vendor(tools=False) as vendor:
            async with study(here, tmp_path, vendor.router(here.store.ledger)) as room:
                result = await room.run("s1")

    assert result.outcome == "closed"
    assert "You cannot call tools here" in vendor.requests[-1]["messages"][0]["content"]
    check_asked(vendor)


async def test_a_manuscript_is_written_without_tools(
    temporal_env: WorkflowEnvironment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with studio(temporal_env.client, tmp_path) as here:
        with demo_vendor(tools=False) as vendor:
            model = vendor.router(here.novel.store.ledger, structured="tool")
            monkeypatch.setattr(here.cast, "complete", model.complete)

            ended = await here.run(here.given(LINE))

    assert ended.outcome == "finished", ended.message
    check_asked(vendor)


async def test_a_round_is_played_without_tools(
    temporal_env: WorkflowEnvironment, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = memory_store(clock=SystemClock())
    with demo_vendor(tools=False) as vendor:
        model = vendor.router(store.ledger, structured="tool")
        async with playhouse(temporal_env.client, store=store) as house:
            monkeypatch.setattr(house.company, "complete", model.complete)

            ended = await house.play("Hello there.")

    assert ended.outcome == "completed"
    check_asked(vendor)


async def test_a_scan_cites_without_tools(
    temporal_env: WorkflowEnvironment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    claims = claims_about(LINE)[:2]
    text = "## What is known\n\nIt is a long story. " + " ".join(each.sentence for each in claims) + "\n"
    with demo_vendor(tools=False) as vendor:
        model = LitellmProvider(vendor.entry(structured="tool"), "")
        monkeypatch.setattr(ScriptedProvider, "ask", lambda _, request, hear=None: model.ask(request, hear))
        records = recorded_sources().records
        async with scan_desk(temporal_env.client, tmp_path, text=text, records=records, answers=()) as desk:
            ended = await desk.run(auto_accept=True)

    assert (ended.outcome, ended.counts.applied) == ("done", len(claims))
    check_asked(vendor)
