"""A notification has a workflow of its own: retried, bounded, and visible when it was not delivered."""

from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import pytest
from temporalio import activity, workflow
from temporalio.client import WorkflowFailureError, WorkflowHandle
from temporalio.exceptions import ApplicationError
from temporalio.testing import WorkflowEnvironment
from temporalio.worker import Worker

from activities.notifying import NoticeRecords, TemporalOutbox
from penwright.adapters.clock import SystemClock
from penwright.errors import PassingError
from schemas.notices import Notice, NoticeResult
from tests.support.doubles.store import MemoryStore, memory_store
from tests.workflows.test_visibility import shown
from workers.temporal_plugin import WORKFLOWS
from workflows.notification import Notification
from workflows.options import RECORD, notice_queue


@dataclass
class Channel:
    """One channel that fails ``failures`` times."""

    failures: int = 0
    sent: list[str] = field(default_factory=list)
    attempts: int = 0

    @activity.defn
    async def send_notice(self, notice: Notice) -> None:
        self.attempts += 1
        if self.attempts <= self.failures:
            raise PassingError("notify-failed", "could not notify webhook; trying again")
        self.sent.append(notice.key)


@activity.defn
async def post_twice(notice: Notice) -> None:
    for _ in range(2):
        await TemporalOutbox().post(notice)


@workflow.defn(sandboxed=False)
class Posting:
    """A pipeline whose last step posts, and is repeated."""

    @workflow.run
    async def run(self, notice: Notice) -> None:
        await workflow.execute_activity(post_twice, notice, **RECORD)


def a_notice(key: str) -> Notice:
    return Notice(key=key, subject="tide", title="tide: session failed", body="why", at=datetime.now(UTC))


@asynccontextmanager
async def post_office(env: WorkflowEnvironment, channel: Channel, store: MemoryStore) -> AsyncIterator[str]:
    queue = f"q-{uuid4().hex[:8]}"
    activities: list[Callable[..., Any]] = [NoticeRecords(store.records).record_undelivered, post_twice]
    with ThreadPoolExecutor(1) as executor:
        async with (
            Worker(
                env.client,
                task_queue=queue,
                workflows=[*WORKFLOWS, Posting],
                activities=activities,
                activity_executor=executor,
            ),
            Worker(env.client, task_queue=notice_queue(queue), activities=[channel.send_notice]),
        ):
            yield queue


async def begin(env: WorkflowEnvironment, queue: str) -> WorkflowHandle[Notification, NoticeResult]:
    return await env.client.start_workflow(
        Notification.run, a_notice(queue), id=f"notice/{queue}", task_queue=queue
    )


async def test_a_channel_that_recovers_gets_the_notification(time_skipping_env: WorkflowEnvironment) -> None:
    channel, store = Channel(failures=4), memory_store(clock=SystemClock())

    async with post_office(time_skipping_env, channel, store) as queue:
        await (await begin(time_skipping_env, queue)).result()

    assert (channel.attempts, channel.sent) == (5, [queue])
    assert store.records.runs() == ()


async def test_a_channel_that_stays_silent_fails_visibly_in_temporal_and_in_the_store(
    time_skipping_env: WorkflowEnvironment,
) -> None:
    channel, store = Channel(failures=99), memory_store(clock=SystemClock())

    async with post_office(time_skipping_env, channel, store) as queue:
        handle = await begin(time_skipping_env, queue)
        with pytest.raises(WorkflowFailureError) as failed:
            await handle.result()

    assert isinstance(failed.value.cause, ApplicationError)
    assert failed.value.cause.type == "notify-failed"
    (row,) = store.records.runs()
    assert (row.pipeline, row.subject, row.outcome) == ("notification", "tide", "failed")
    assert row.detail["title"] == "tide: session failed"
    assert [event.kind for event in store.records.events_after(0)] == ["notification.failed"]
    assert channel.attempts == 10


async def test_a_notification_posted_twice_is_sent_once_and_found_by_its_book(
    temporal_env: WorkflowEnvironment,
) -> None:
    channel, store = Channel(), memory_store(clock=SystemClock())

    async with post_office(temporal_env, channel, store) as queue:
        await temporal_env.client.execute_workflow(
            Posting.run, a_notice(queue), id=f"posting/{queue}", task_queue=queue
        )
        handle = temporal_env.client.get_workflow_handle(f"notice/{queue}")
        await handle.result()
        attributes = await shown(handle)

    assert channel.sent == [queue]
    assert (attributes["Pipeline"], attributes["Subject"]) == ("notification", "tide")
    assert attributes["Outcome"] == "sent"
