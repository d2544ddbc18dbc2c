"""A long run of an agent has short histories, for any amount of text."""

import asyncio
from collections.abc import Sequence
from uuid import uuid4

import pytest
from temporalio.client import Client
from temporalio.testing import WorkflowEnvironment

from activities.agents.transcripts import run_of
from gateway.desk.engine.temporal.agent_runs import TemporalAgentRuns
from penwright.adapters.clock import SystemClock
from tests.bench.agent_bench import Steady, given, working
from tests.support.doubles.store import memory_store
from tests.support.workflows.run_histories import Segment, segments_of
from workflows.agents.loop import AgentLoop
from workflows.options import TASK_TIMEOUT

CALLS = 150
LONG = 1_000
"""Calls of the run for which the limit of all histories holds."""
WHOLE_CHAIN = 10 * 1024 * 1024
"""Bytes of all histories of such a run together."""
WARNED_BYTES, WARNED_EVENTS = 10 * 1024 * 1024, 10 * 1024
"""Where the server begins to warn about one history."""
LARGEST_EVENT = 16 * 1024


@pytest.mark.long
async def test_a_thousand_calls_stay_below_ten_megabytes_of_history(
    temporal_env: WorkflowEnvironment,
) -> None:
    segments = await long_run(temporal_env.client)

    assert sum(segment.size for segment in segments) <= WHOLE_CHAIN * CALLS / LONG
    assert all(segment.size < WARNED_BYTES and segment.events < WARNED_EVENTS for segment in segments)
    # One that grew with the run would have reached this long before the end.
    assert max(segment.largest for segment in segments) < LARGEST_EVENT


async def test_a_run_is_listed_under_its_agent_after_it_continued_as_new(
    temporal_env: WorkflowEnvironment,
) -> None:
    store, wanted = memory_store(clock=SystemClock()), given(uuid4().hex)
    wanted = wanted.model_copy(
        update={"subject": wanted.run_id, "limits": wanted.limits.model_copy(update={"segment_steps": 2})}
    )
    async with working(temporal_env.client, store, Steady(4, "word"), "A page.") as worker:
        runs = TemporalAgentRuns(temporal_env.client, worker.task_queue)
        await runs.start(wanted)
        first = await temporal_env.client.get_workflow_handle(run_of(wanted.run_id)).describe()
        await temporal_env.client.get_workflow_handle(run_of(wanted.run_id)).result()
        ended = await temporal_env.client.get_workflow_handle(run_of(wanted.run_id)).describe()
        async with asyncio.timeout(30):
            # The server lists a run a moment after it began.
            while not await runs.listed(subject=wanted.subject):  # noqa: ASYNC110
                await asyncio.sleep(0.1)
        found = await runs.listed(subject=wanted.subject)

    assert ended.run_id != first.run_id
    assert [(each.run_id, each.agent) for each in found] == [(wanted.run_id, wanted.agent)]


async def long_run(client: Client) -> Sequence[Segment]:
    """The histories of a run of ``CALLS`` calls, with a page of 4 KB for each and 1 KB said beside it."""
    words, page = "word " * 200, "A line of the page.\n" * 200
    store, run_id = memory_store(clock=SystemClock()), uuid4().hex
    async with working(client, store, Steady(CALLS, words), page) as worker:
        handle = await client.start_workflow(
            AgentLoop.run,
            given(run_id),
            id=run_of(run_id),
            task_queue=worker.task_queue,
            task_timeout=TASK_TIMEOUT,
        )
        result = await handle.result()
        assert (result.outcome, result.tool_calls) == ("completed", CALLS), result
        return await segments_of(client, run_of(run_id), handle.first_execution_run_id)
