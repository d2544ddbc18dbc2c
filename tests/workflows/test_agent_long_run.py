"""A long run of an agent leaves short histories behind, however much is said in it."""

from temporalio.testing import WorkflowEnvironment

from penwright.adapters.clock import SystemClock
from penwright.adapters.memory_store import memory_store
from tests.bench.agent_bench import LONG, WARNED_BYTES, WARNED_EVENTS, WHOLE_CHAIN, long_run

CALLS = 150
LARGEST_EVENT = 16 * 1024


async def test_a_call_adds_so_little_that_a_thousand_of_them_stay_below_ten_megabytes(
    temporal_env: WorkflowEnvironment,
) -> None:
    segments = await long_run(temporal_env.client, memory_store(clock=SystemClock()), CALLS)

    assert sum(segment.size for segment in segments) <= WHOLE_CHAIN * CALLS / LONG
    assert all(segment.size < WARNED_BYTES and segment.events < WARNED_EVENTS for segment in segments)
    # One that grew with the run would have reached this long before the end.
    assert max(segment.largest for segment in segments) < LARGEST_EVENT
