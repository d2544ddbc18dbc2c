"""A model is tried once, by the process that has its key; its error is the caller's answer."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from uuid import uuid4

import pytest
from temporalio.testing import WorkflowEnvironment
from temporalio.worker import Worker

from activities.model_trial import ModelTrialActivities
from gateway.desk.engine.temporal.model_trials import TemporalTrials
from penwright.adapters.models.probe import CatalogProbes
from penwright.errors import ModelFinal, ModelUnavailable, PenwrightError
from schemas.base import Effect, OpId
from schemas.model_catalog import DEMO, ModelCatalog
from schemas.model_trial import ModelTrialOrder, ProbeReport
from workers.temporal_plugin import WORKFLOWS
from workers.wiring import activity_methods

DEMO_ONLY = CatalogProbes(ModelCatalog(models=(DEMO,), default=DEMO.name), {})


@dataclass
class Silent:
    """Models none of which answers."""

    asked: list[str] = field(default_factory=list)

    async def probe(self, name: str, effect: Effect, *, timeout_s: float) -> ProbeReport:
        self.asked.append(name)
        raise ModelUnavailable("model-unreachable", "no answer from the vendor's address")


@asynccontextmanager
async def serving(env: WorkflowEnvironment, models: CatalogProbes | Silent) -> AsyncIterator[TemporalTrials]:
    queue = f"trials-{uuid4()}"
    activities = activity_methods(ModelTrialActivities(models))
    async with Worker(env.client, task_queue=queue, workflows=WORKFLOWS, activities=activities):
        yield TemporalTrials(env.client, queue)


def an_order(name: str = "demo", queue: str = "") -> ModelTrialOrder:
    effect = Effect(op_id=OpId(f"trial/{uuid4()}"), issued_at=datetime.now(UTC))
    return ModelTrialOrder(effect=effect, name=name, timeout_s=5, model_queue=queue)


async def test_the_report_comes_back(temporal_env: WorkflowEnvironment) -> None:
    async with serving(temporal_env, DEMO_ONLY) as trials:
        report = await trials.tried(an_order())

    assert (report.name, report.demo, report.roles[0].works) == ("demo", True, True)


async def test_a_model_that_was_added_to_the_settings_meanwhile_is_tried(
    temporal_env: WorkflowEnvironment,
) -> None:
    started = ModelCatalog(models=(DEMO,), default=DEMO.name)
    added = DEMO.model_copy(update={"name": "quill"})
    now = started.model_copy(update={"models": (DEMO, added)})

    async with serving(temporal_env, CatalogProbes(started, {}, newest=lambda: now)) as trials:
        new, old = await trials.tried(an_order("quill")), await trials.tried(an_order())
        with pytest.raises(ModelFinal, match="Configured: demo, quill") as raised:
            await trials.tried(an_order("pen"))

    assert (new.name, new.in_use) == ("quill", False)
    assert (old.name, old.in_use) == ("demo", True)
    assert raised.value.code == "unknown-model"


async def test_a_vendor_that_does_not_answer_is_asked_once_and_named(
    temporal_env: WorkflowEnvironment,
) -> None:
    silent = Silent()
    async with serving(temporal_env, silent) as trials:
        with pytest.raises(ModelUnavailable, match="no answer from the vendor") as raised:
            await trials.tried(an_order())

    assert raised.value.code == "model-unreachable"
    assert silent.asked == ["demo"]


@pytest.mark.long
async def test_without_a_process_that_asks_models_the_caller_is_told(
    temporal_env: WorkflowEnvironment,
) -> None:
    async with serving(temporal_env, DEMO_ONLY) as trials:
        with pytest.raises(PenwrightError, match="penwright status") as raised:
            await trials.tried(an_order(queue=f"nobody-{uuid4()}"))

    assert raised.value.code == "step-timeout"
