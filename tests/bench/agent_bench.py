"""What the loop of an agent costs beside its activities, and what a run of a thousand calls leaves behind.

The loop and a bare workflow of the same activities run in turn, on the same worker, store and model. What
counts is the time outside activity bodies, per activity; the whole time stands beside it.
"""

import asyncio
import statistics
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from uuid import uuid4

from temporalio.client import Client
from temporalio.worker import Worker

from activities.agent_conversation import Conversation
from activities.agent_run import AgentRunActivities, Transcripts, run_of
from activities.agent_tools import AgentToolActivities
from activities.agent_turn import AgentTurnActivities
from penwright.adapters.memory_store import MemoryStore
from penwright.adapters.models.ledgered import LedgeredModel
from penwright.adapters.models.prices import FREE
from penwright.adapters.overrides.memory import MemoryOverrideFiles
from penwright.adapters.store import Store
from penwright.agents.definition.agent import AgentDefinition, Section
from penwright.agents.loop.run import begin
from penwright.roles import catalogue
from schemas.agent import ToolCall
from schemas.agent_run import AgentRunInput, RunLimits
from schemas.model import ModelRequest, ModelResponse, Usage
from schemas.model_catalog import Price
from tests.bench.bare_agent import BareAgent
from tests.bench.engine import BenchEngine, innermost, running_engine
from tests.bench.report import Row, milliseconds, say
from tests.bench.session_bench import Stopwatch
from tests.support.agents_running import READ, Bench, Shelf
from tests.support.run_histories import Segment, segments_of
from workers.settings import WorkerSettings
from workers.temporal_plugin import WORKFLOWS
from workers.wiring import asks_of
from workers.worker import worker_of
from workflows.agent_loop import AgentLoop
from workflows.options import TASK_TIMEOUT

CALLS = 10
LONG = 1_000
GOAL = 1.15
WHOLE_CHAIN = 10 * 1024 * 1024
"""Bytes of all histories of a run together."""
WARNED_BYTES, WARNED_EVENTS = 10 * 1024 * 1024, 10 * 1024
"""Where the server begins to warn about one history."""
NO_LIMITS = RunLimits(model_calls=None, tool_calls=None)

CLERK = AgentDefinition(
    namespace="bench",
    key="clerk",
    title="A clerk",
    sections=(Section(key="desk", title="Desk", body="Look things up.", tools=(READ,)),),
)
catalogue.hire(catalogue.Entry(CLERK))


@dataclass(frozen=True)
class Steady:
    """A provider that calls one tool a turn, so many times, and says something beside each call."""

    calls: int
    words: str = ""

    async def ask(self, request: ModelRequest) -> ModelResponse:
        made = sum(message.role == "tool" for message in request.messages)
        call = ToolCall(id=f"call-{made}", name="read_page", arguments='{"path": "a"}')
        return ModelResponse(
            text=self.words or "Done.",
            model="steady",
            provider="steady",
            finish_reason="tool" if made < self.calls else "stop",
            usage=Usage(input_tokens=1, output_tokens=1, cost_micros=0),
            tool_calls=(call,) if made < self.calls else (),
        )

    async def price(self) -> Price | None:
        return FREE


class Desk(Shelf):
    """A shelf whose digests are as short as real ones."""

    def digest(self, path: str) -> str:
        return sha256(self.pages[path].encode()).hexdigest()


class Nobody:
    """Takes every notice."""

    def notify(self, **_: object) -> tuple[str, ...]:
        return ()


@asynccontextmanager
async def working(
    client: Client, store: Store | MemoryStore, provider: Steady, page: str
) -> AsyncIterator[Worker]:
    """One worker for the loop, the bare workflow and all of their activities."""
    conversation, transcripts = Conversation(store.messages, store.blobs), Transcripts(store.records)
    activities = [
        *asks_of(AgentRunActivities(MemoryOverrideFiles(), conversation, transcripts, Nobody())),
        *asks_of(AgentTurnActivities(LedgeredModel(provider, store.ledger), conversation, transcripts)),
        *asks_of(AgentToolActivities(Bench(Desk({"a": page})), store.blobs)),
    ]
    options, queue = WorkerSettings(), f"bench-{uuid4().hex[:8]}"
    workflows = [*WORKFLOWS, BareAgent]
    async with worker_of(
        client, options, queue, activities, options.activities, workflows=workflows
    ) as worker:
        yield worker


def given(run_id: str) -> AgentRunInput:
    return AgentRunInput(agent=CLERK.name, run_id=run_id, subject="bench", task="Read it.", limits=NO_LIMITS)


# Overhead.


@dataclass
class Found:
    """Milliseconds, round by round: whole, and outside of activities."""

    loops: list[tuple[float, float]] = field(default_factory=list)
    bare: list[tuple[float, float]] = field(default_factory=list)
    steps: int = 0
    """Activities of one run."""

    def rows(self) -> list[Row]:
        named = ("per step outside of activities", "per step, activities included")
        (whole, bare_whole), (outside, bare_outside) = (
            [statistics.median(each[part] for each in runs) / self.steps for runs in (self.loops, self.bare)]
            for part in (0, 1)
        )
        return [
            _row(f"loop, {named[0]}", outside, bare_outside, goal=True),
            _row(f"loop, {named[1]}", whole, bare_whole, goal=False),
        ]


def _row(measure: str, found: float, baseline: float, *, goal: bool) -> Row:
    return Row(
        part="agent",
        measure=measure,
        found=milliseconds(found),
        baseline=f"{milliseconds(baseline)} of a bare workflow",
        ratio=found / baseline,
        goal=f"<= {GOAL:.2f}x" if goal else "",
        within=found <= GOAL * baseline if goal else None,
    )


async def overhead(
    client: Client, store: Store | MemoryStore, rounds: int, *, calls: int = CALLS, warm_up: int = 2
) -> Found:
    """The loop and the bare workflow in turn; which of them is first changes from round to round."""
    watch, found = Stopwatch(), Found()
    client = innermost(client, watch)
    digest = begin(CLERK, given("digest")).shown.digest
    async with working(client, store, Steady(calls), "A page.") as worker:

        async def loop(run_id: str) -> None:
            await client.execute_workflow(
                AgentLoop.run, given(run_id), id=run_of(run_id), task_queue=worker.task_queue
            )

        async def bare(run_id: str) -> None:
            await client.execute_workflow(
                BareAgent.run,
                args=[given(run_id), digest, calls],
                id=run_of(run_id),
                task_queue=worker.task_queue,
            )

        for number in range(warm_up + rounds):
            pair = [(loop, found.loops), (bare, found.bare)]
            for run, kept in pair if number % 2 else reversed(pair):
                cost = await _timed(run, watch)
                assert found.steps in (0, watch.calls), "both do the same"
                found.steps = watch.calls
                kept.extend([cost] if number >= warm_up else [])
    return found


async def _timed(run: Callable[[str], Awaitable[None]], watch: Stopwatch) -> tuple[float, float]:
    watch.reset()
    began = time.perf_counter()
    await run(uuid4().hex)
    whole = time.perf_counter() - began
    return whole * 1000, (whole - watch.inside_s) * 1000


# A long run.


async def long_run(client: Client, store: Store | MemoryStore, calls: int) -> Sequence[Segment]:
    """The histories of a run of so many calls, with a page of 4 KB for each and 1 KB said beside it."""
    words, page = "word " * 200, "A line of the page.\n" * 200
    run_id = uuid4().hex
    async with working(client, store, Steady(calls, words), page) as worker:
        handle = await client.start_workflow(
            AgentLoop.run,
            given(run_id),
            id=run_of(run_id),
            task_queue=worker.task_queue,
            task_timeout=TASK_TIMEOUT,
        )
        result = await handle.result()
        assert (result.outcome, result.tool_calls) == ("completed", calls), result
        return await segments_of(client, run_of(run_id), handle.first_execution_run_id)


def history_rows(calls: int, segments: Sequence[Segment]) -> list[Row]:
    """The chain as a whole, and the largest of its segments."""
    total = sum(segment.size for segment in segments)
    most_bytes = max(segment.size for segment in segments)
    most_events = max(segment.events for segment in segments)
    return [
        Row(
            part="agent",
            measure=f"histories of {calls} calls, {len(segments)} segments",
            found=f"{total / 1024 / 1024:.2f} MB, {sum(segment.events for segment in segments)} events",
            goal="<= 10 MB",
            within=total <= WHOLE_CHAIN,
        ),
        Row(
            part="agent",
            measure="the largest of these segments",
            found=f"{most_bytes / 1024 / 1024:.2f} MB, {most_events} events",
            goal="no warning",
            within=most_bytes < WARNED_BYTES and most_events < WARNED_EVENTS,
        ),
    ]


def run(rounds: int = 25) -> list[Row]:
    """Start an engine and measure."""
    say("agent: starting an engine")
    with running_engine() as engine:
        return asyncio.run(_measured(engine, rounds))


async def _measured(engine: BenchEngine, rounds: int) -> list[Row]:
    client, store = await engine.client(), engine.store()
    try:
        say(f"agent: {rounds} rounds of a run of {CALLS} calls and the bare workflow of its activities")
        found = await overhead(client, store, rounds)
        say(f"agent: a run of {LONG} calls")
        return [*found.rows(), *history_rows(LONG, await long_run(client, store, LONG))]
    finally:
        store.close()
