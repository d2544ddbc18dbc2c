"""An override set that the settings name for a role reaches the pipelines' agents, and is noted."""

from dataclasses import replace
from pathlib import Path

import pytest
from temporalio.testing import ActivityEnvironment, WorkflowEnvironment

from activities.agent_run import AgentRunActivities
from activities.agents.conversation import Conversation
from activities.agents.transcripts import Transcripts
from gateway.desk.works import inspecting
from penwright.adapters.clock import SystemClock
from penwright.agents.definition.agent import AgentDefinition
from penwright.agents.prompt.overridable import descriptor
from penwright.agents.prompt.overrides import amended, seeded
from penwright.errors import NotFound
from penwright.roles.citations.citation_generator.definition import CITATION_GENERATOR
from penwright.roles.ink_writer.definition import INK_WRITER
from penwright.roles.manuscript.cast import ROLES as MANUSCRIPT
from penwright.roles.scene.cast import ROLES as SCENE
from schemas.agent_run import PrepareRun
from schemas.model_catalog import ModelCatalog
from schemas.overrides import Override, OverrideSet
from tests.support.agents.scripted_model import model_request
from tests.support.doubles.override_files import MemoryOverrideFiles
from tests.support.doubles.store import memory_store
from tests.support.each import for_each
from tests.support.engine.demo_vendor import demo_vendor
from tests.support.manuscripts.studio import Deaf
from tests.support.workflows.librarian import library
from tests.support.workflows.session_writers import study
from workers.model_catalog import catalog
from workers.settings import load

BOLD = "You write like the sea, and say so."


def bold(definition: AgentDefinition, tag: str = "bold") -> OverrideSet:
    """A set in which the body of the first section is another."""
    target = next(each for each in descriptor(definition).values() if each.field == "body")
    changed = Override(path=target.path, field="body", expected=target.digest, text=BOLD)
    return amended(definition, seeded(definition, tag), changed)


async def test_a_session_writes_with_the_set_that_its_role_names(
    temporal_env: WorkflowEnvironment, tmp_path: Path
) -> None:
    async with library(temporal_env.client, tmp_path) as here:
        here.overrides.keep(bold(INK_WRITER))
        here.tags["writer"] = "bold"
        with demo_vendor() as vendor:
            async with study(here, tmp_path, vendor.router(here.store.ledger)) as room:
                result = await room.run("s1")
                trailers = room.book.git("log", "--format=%(trailers:key=Penwright-Overrides,valueonly)")

    (prepared,) = [each for each in here.transcript(room.writer("s1")) if each.kind == "run-prepared"]
    assert result.outcome == "closed"
    assert BOLD in vendor.requests[0]["messages"][0]["content"]
    assert trailers.split() == ["bold"]
    assert prepared.data["override_tag"] == "bold"


async def test_the_tag_of_a_session_comes_before_the_one_of_its_profile(
    temporal_env: WorkflowEnvironment, tmp_path: Path
) -> None:
    async with library(temporal_env.client, tmp_path) as here:
        for tag in ("bold", "plain"):
            here.overrides.keep(bold(INK_WRITER, tag))
        here.tags["writer"] = "plain"
        with demo_vendor() as vendor:
            async with study(here, tmp_path, vendor.router(here.store.ledger)) as room:
                await (await room.start("s1", override_tag="bold")).result()
                trailers = room.book.git("log", "--format=%(trailers:key=Penwright-Overrides,valueonly)")

    (prepared,) = [each for each in here.transcript(room.writer("s1")) if each.kind == "run-prepared"]
    shown = inspecting.calls_of(here.store, room.writer("s1"))
    assert trailers.split() == ["bold"]
    assert [each.answered_by for each in shown] == ["tiny, overrides bold"]
    assert prepared.data["override_tag"] == "bold"


@for_each(
    "role, definition",
    [
        ("writer", INK_WRITER),
        ("manuscript-critic", MANUSCRIPT["critic"].definition),
        ("manuscript-citation-generator", CITATION_GENERATOR),
        ("director", SCENE["director"]),
    ],
)
async def test_the_roles_of_every_pipeline_take_the_set_of_their_profile(
    role: str, definition: AgentDefinition, tmp_path: Path
) -> None:
    file = tmp_path / "penwright.toml"
    file.write_text(f'[profiles.{role}]\noverrides = "bold"\n')
    models = catalog(load({"HOME": str(tmp_path), "PENWRIGHT_CONFIG": str(file)}).settings)
    here = preparing(models)
    asked = PrepareRun(
        effect=model_request().effect,
        agent=definition.name,
        run_id="r",
        subject="s",
        params={},
        override_tag="",
        flags={},
        model_role=role,
    )

    with pytest.raises(NotFound, match="bold"):
        await ActivityEnvironment().run(here.prepare_run, asked)
    here.overrides.keep(bold(definition))
    prepared = await ActivityEnvironment().run(here.prepare_run, asked)
    other = asked.model_copy(update={"model_role": "somebody"})

    assert (prepared.override_tag, [each.text for each in prepared.overrides.texts]) == ("bold", [BOLD])
    assert (await ActivityEnvironment().run(here.prepare_run, other)).override_tag == ""


async def test_an_agent_without_a_set_of_its_pipelines_tag_works_as_its_profile_says() -> None:
    here = preparing(ModelCatalog())
    for tag in ("bold", "plain"):
        here.overrides.keep(bold(INK_WRITER, tag))
    asked = PrepareRun(
        effect=model_request().effect,
        agent=INK_WRITER.name,
        run_id="r",
        subject="s",
        params={},
        override_tag="",
        flags={},
        model_role="writer",
    )
    here = replace(here, tags={"writer": "plain"})
    tags = [
        (await ActivityEnvironment().run(here.prepare_run, given)).override_tag
        for shared in ("bold", "gone")
        for given in [asked.model_copy(update={"shared_tag": shared})]
    ]

    assert tags == ["bold", "plain"]


def preparing(models: ModelCatalog) -> AgentRunActivities:
    store = memory_store(clock=SystemClock())
    tags = {role: each.overrides for role, each in models.profiles.items()}
    talk, told = Conversation(store.messages, store.blobs), Transcripts(store.records)
    return AgentRunActivities(MemoryOverrideFiles(), talk, told, Deaf(), tags)
