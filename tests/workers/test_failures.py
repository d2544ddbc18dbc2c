"""Deliberate errors cross Temporal with their code, and permanent ones are attempted once."""

import asyncio
from dataclasses import dataclass, field
from datetime import timedelta

import pytest
from temporalio import activity
from temporalio.client import WorkflowFailureError, WorkflowUpdateFailedError
from temporalio.exceptions import ApplicationError
from temporalio.testing import WorkflowEnvironment
from temporalio.worker import Worker

from penwright.errors import (
    BrokenBook,
    BudgetSpent,
    ModelUnavailable,
    NotFound,
    PassingError,
    PenwrightError,
    PermanentError,
    Refused,
    WorkspaceBusy,
    error_of,
)
from tests.workers.probes import Refusing, Troubled
from workers.failures import MESSAGE_LIMIT, as_error, as_failure

QUEUE = "failures"


@dataclass
class Troubles:
    """An activity that fails as scripted and counts its attempts."""

    error: Exception
    heals_at: int = 1_000
    attempts: list[int] = field(default_factory=list)

    @activity.defn
    async def trouble(self) -> str:
        self.attempts.append(activity.info().attempt)
        if activity.info().attempt >= self.heals_at:
            return "healed"
        raise self.error


async def outcome(env: WorkflowEnvironment, troubles: Troubles, name: str) -> str | PenwrightError | None:
    """The result of a ``Troubled`` run."""
    async with Worker(env.client, task_queue=QUEUE, workflows=[Troubled], activities=[troubles.trouble]):
        try:
            return await env.client.execute_workflow(Troubled.run, id=name, task_queue=QUEUE)
        except WorkflowFailureError as failure:
            return as_error(failure)


async def test_a_permanent_error_is_attempted_once_and_keeps_its_code(
    time_skipping_env: WorkflowEnvironment,
) -> None:
    troubles = Troubles(BrokenBook("config-broken", "'Config.yml' is broken; mend it", file="Config.yml"))

    error = await outcome(time_skipping_env, troubles, "permanent")

    assert isinstance(error, BrokenBook)
    assert (error.code, error.message) == ("config-broken", "'Config.yml' is broken; mend it")
    assert error.details == {"file": "Config.yml"}
    assert troubles.attempts == [1]


async def test_a_passing_error_is_tried_again(time_skipping_env: WorkflowEnvironment) -> None:
    troubles = Troubles(WorkspaceBusy("workspace-busy", "somebody holds it; wait"), heals_at=3)

    assert await outcome(time_skipping_env, troubles, "passing") == "healed"
    assert troubles.attempts == [1, 2, 3]


async def test_an_exhausted_passing_error_stays_a_passing_one(time_skipping_env: WorkflowEnvironment) -> None:
    troubles = Troubles(WorkspaceBusy("workspace-busy", "somebody holds it; wait"))

    error = await outcome(time_skipping_env, troubles, "exhausted")

    assert isinstance(error, WorkspaceBusy)
    assert error.code == "workspace-busy"
    assert troubles.attempts == [1, 2, 3, 4, 5]


async def test_a_fault_of_ours_with_a_long_text_enters_the_history_short(
    time_skipping_env: WorkflowEnvironment,
) -> None:
    troubles = Troubles(RuntimeError("x" * 50_000), heals_at=5)

    await outcome(time_skipping_env, troubles, "long")
    history = await time_skipping_env.client.get_workflow_handle("long").fetch_history()

    assert len(history.to_json()) < 20_000


async def test_a_workflow_fails_with_the_code_of_its_own_error(
    time_skipping_env: WorkflowEnvironment,
) -> None:
    async with Worker(time_skipping_env.client, task_queue=QUEUE, workflows=[Refusing]):
        with pytest.raises(WorkflowFailureError) as caught:
            await time_skipping_env.client.execute_workflow(
                Refusing.run, True, id="refusing", task_queue=QUEUE
            )

    assert isinstance(caught.value.cause, ApplicationError)
    assert caught.value.cause.type == "config-broken"
    error = as_error(caught.value)
    assert error is not None
    assert error.details == {"file": "Config.yml"}


async def test_a_refused_update_returns_its_code_and_the_run_continues(
    temporal_env: WorkflowEnvironment,
) -> None:
    async with Worker(temporal_env.client, task_queue=QUEUE, workflows=[Refusing]):
        handle = await temporal_env.client.start_workflow(Refusing.run, False, id="updated", task_queue=QUEUE)

        with pytest.raises(WorkflowUpdateFailedError) as caught:
            await handle.execute_update(Refusing.ask, "sealed")
        await handle.execute_update(Refusing.ask, "end")
        await asyncio.wait_for(handle.result(), 10)

    error = as_error(caught.value)
    assert isinstance(error, Refused)
    assert error.code == "sealed"


class _BrokenRegistry(Refused):
    """An error of a room of its own."""


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (_BrokenRegistry("registry-missing", "make one", path="a.yaml"), Refused),
        (NotFound("no-such-tag", "list them"), NotFound),
        (BudgetSpent("cap", "raise it"), BudgetSpent),
        (ModelUnavailable("rate-limited", "wait"), ModelUnavailable),
    ],
)
def test_an_error_arrives_as_one_of_its_family(error: PenwrightError, kind: type[PenwrightError]) -> None:
    arrived = as_error(as_failure(error))

    assert type(arrived) is kind
    assert (arrived.code, arrived.message, arrived.details) == (error.code, error.message, error.details)


@pytest.mark.parametrize(("final", "kind"), [(True, PermanentError), (False, PassingError)])
def test_a_failure_without_a_family_says_only_if_a_retry_may_help(
    final: bool, kind: type[PenwrightError]
) -> None:
    assert type(as_error(ApplicationError("boom", type="boom", non_retryable=final))) is kind


def test_every_error_of_the_tree_has_a_family_of_its_own() -> None:
    kinds: list[type[PenwrightError]] = [PenwrightError, *_below(PenwrightError, "penwright.errors")]
    families = [kind.family for kind in kinds]

    assert len(set(families)) == len(families)
    assert all(type(error_of(kind.family, "c", "m", {})) is kind for kind in kinds[1:])


def _below(kind: type[PenwrightError], module: str) -> list[type[PenwrightError]]:
    own = [each for each in kind.__subclasses__() if each.__module__ == module]
    return own + [deeper for each in own for deeper in _below(each, module)]


def test_a_provider_that_asks_us_to_wait_sets_the_next_attempt() -> None:
    failure = as_failure(ModelUnavailable("rate-limited", "wait", retry_after_s=7.5))

    assert failure.next_retry_delay == timedelta(seconds=7.5)
    assert not failure.non_retryable


def test_long_messages_and_details_are_cut() -> None:
    failure = as_failure(BrokenBook("broken", "m" * 90_000, text="d" * 90_000))

    assert len(failure.message) == MESSAGE_LIMIT
    assert len(str(failure.details)) < 600


def test_a_failure_that_is_not_ours_is_left_to_the_caller() -> None:
    assert as_error(RuntimeError("boom")) is None
    assert as_error(ApplicationError("boom")) is None


def test_a_failure_with_the_code_of_a_result_is_still_an_error() -> None:
    result = {"outcome": "failed", "code": "model-auth", "message": "no key"}

    error = as_error(ApplicationError("no key", result, type="model-auth", non_retryable=True))

    assert error is not None
    assert (error.code, error.message, dict(error.details)) == ("model-auth", "no key", {"outcome": "failed"})
