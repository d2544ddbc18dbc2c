"""A model at home with a window of 8,192 tokens serves every pipeline, however much there is to tell."""

from pathlib import Path

import pytest
from temporalio.testing import WorkflowEnvironment

from penwright.adapters.clock import SystemClock
from penwright.adapters.models.demo.topics import claims_about
from penwright.adapters.models.router import ModelRouter
from penwright.adapters.scholarly.recorded import recorded_sources
from penwright.adapters.tokens import LitellmTokens
from penwright.domain.book.files.layout import REVIEW
from schemas.model_catalog import ModelCatalog
from tests.support.citations.desk import scan_desk
from tests.support.doubles.store import memory_store
from tests.support.engine.demo_vendor import WINDOW, demo_vendor
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
PAGE = "The tide took what was left on the causeway that night, and nobody counted the boats.\n\n"


async def test_a_session_leaves_out_lore_and_says_so(
    temporal_env: WorkflowEnvironment, tmp_path: Path
) -> None:
    async with library(temporal_env.client, tmp_path) as here:
        with demo_vendor(window=WINDOW) as vendor:
            model = vendor.router(here.store.ledger, context_tokens=WINDOW)
            async with study(here, tmp_path, model) as room:
                room.book.write("Global Material/Lore.md", f"# Lore\n\n{PAGE * 600}")
                room.book.write("Global Material/Soul.md", "# Soul\n\nDry, and close to the weather.\n")

                result = await room.run("s1")

                (told,) = [each for each in result.warnings if "no room" in each]
                sent = vendor.requests[0]["messages"][1]["content"]

    assert (result.outcome, vendor.rejected) == ("closed", [])
    assert told.startswith("the writer's prompt had no room for all of 'Lore.md'")
    assert "Dry, and close to the weather." in sent
    assert "words in all; cut to fit]" in sent
    assert room.book.text(REVIEW).count("INK:NEW:START") == 1
    (turn,) = [each for each in here.transcript(room.writer("s1")) if each.kind == "model-answered"]
    assert turn.data["cut"][0].startswith("Lore.md: ")


async def test_a_manuscript_leaves_out_its_oldest_text_and_says_so(
    temporal_env: WorkflowEnvironment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = f"# On tides\n\n## Introduction\n\n{PAGE * 300}The newest sentence of it.\n\n## Conclusion\n"
    async with studio(temporal_env.client, tmp_path, text) as here:
        with demo_vendor(window=WINDOW) as vendor:
            model = vendor.router(here.novel.store.ledger, context_tokens=WINDOW)
            monkeypatch.setattr(here.cast, "complete", model.complete)

            ended = await here.run(here.given("On tides"))

    assert vendor.rejected == []
    assert ended.outcome == "finished", ended.message
    assert "The newest sentence of it." in here.text
    assert any("no room for all of the current manuscript" in each for each in ended.warnings)


async def test_a_scan_looks_at_a_long_text_part_by_part(
    temporal_env: WorkflowEnvironment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    claims = claims_about("A paper on tides, 300 words")[:2]
    first, second = (f"## Part\n\n{PAGE * 140}It is a long story. {each.sentence}\n\n" for each in claims)
    complete, records = ModelRouter.complete, recorded_sources().records
    with demo_vendor(window=WINDOW) as vendor:
        small = vendor.router(memory_store(clock=SystemClock()).ledger, context_tokens=WINDOW)
        monkeypatch.setattr(ModelRouter, "complete", lambda _, request: complete(small, request))
        async with scan_desk(
            temporal_env.client, tmp_path, text=first + second, records=records, answers=()
        ) as desk:
            ended = await desk.run(auto_accept=True)
            sent = [str(each["messages"]) for each in vendor.requests]

    assert vendor.rejected == []
    assert (ended.outcome, ended.warnings) == ("done", ())
    assert ended.counts.applied >= len(claims)
    assert all(any(each.sentence in prompt for prompt in sent) for each in claims)


async def test_a_round_cuts_its_history_to_the_model(
    temporal_env: WorkflowEnvironment, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = memory_store(clock=SystemClock())
    with demo_vendor(window=WINDOW) as vendor:
        model = vendor.router(store.ledger, context_tokens=WINDOW)
        counter = LitellmTokens(ModelCatalog(models=(vendor.entry(context_tokens=WINDOW),), default="tiny"))
        async with playhouse(temporal_env.client, store=store, counter=counter) as house:
            monkeypatch.setattr(house.company, "complete", model.complete)
            house.set(context_tokens=64_000)

            ended = [await house.play(PAGE * 60) for _ in range(5)]
            house.describe(scenario=PAGE * 300)
            ended.append(await house.play("And now?"))
            kept = [house.round(number).warnings for number in range(1, 7)]

    assert vendor.rejected == []
    assert [each.outcome for each in ended] == ["completed"] * 6
    assert [each.warnings for each in ended] == kept
    assert kept[:5] == [()] * 5, "its history grows by itself, and nobody is warned of that"
    assert "had no room for all of the notes" in kept[5][0]
