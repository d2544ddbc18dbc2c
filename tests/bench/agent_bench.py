"""Overhead of the agent loop: time outside activity bodies, per activity.

The baseline is a bare workflow of the same activities, run in turn on the same worker, store and model.
"""

import asyncio
import statistics
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from uuid import uuid4

from temporalio.client import Client
from temporalio.worker import Worker

from activities.agent_run import AgentRunActivities
from activities.agents.conversation import Conversation
from activities.agents.tools import AgentToolActivities
from activities.agents.transcripts import Transcripts, run_of
from activities.agents.turn import AgentTurnActivities
from penwright.adapters.models.ledgered import LedgeredModel
from penwright.adapters.models.provider import Hear
from penwright.adapters.store import Store
from penwright.agents.definition.agent import AgentDefinition, Section
from penwright.agents.loop.run import begin
from penwright.roles import catalogue
from schemas.agent import ToolCall
from schemas.agent_run import AgentRunInput, RunLimits
from schemas.model import ModelRequest, ModelResponse, Usage
from tests.bench.bare_agent import BareAgent
from tests.bench.engine import BenchEngine, innermost, running_engine
from tests.bench.report import Row, milliseconds, percentile, say
from tests.bench.session_bench import Stopwatch
from tests.support.doubles.override_files import MemoryOverrideFiles
from tests.support.doubles.store import MemoryStore
from tests.support.workflows.librarian import READ, Bench, Shelf
from workers.processes.worker import worker_of
from workers.settings import WorkerSettings
from workers.temporal_plugin import WORKFLOWS
from workers.wiring import activity_methods
from workflows.agents.loop import AgentLoop

CALLS = 10
BUDGET = 1.15
NO_LIMITS = RunLimits(model_calls=None, tool_calls=None)

CLERK = AgentDefinition(
    namespace="bench",
    key="clerk",
    title="A clerk",
    sections=(Section(key="desk", title="Desk", body="Look things up.", tools=(READ,)),),
)
catalogue.register_agents(catalogue.Entry(CLERK))


@dataclass(frozen=True)
class Steady:
    """A provider that calls one tool a turn, ``calls`` times, with ``words`` beside each call."""

    calls: int
    words: str = ""

    async def ask(self, request: ModelRequest, hear: Hear | None = None) -> ModelResponse:
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


class Desk(Shelf):
    """A shelf with digests of real length."""

    def digest(self, path: str) -> str:
        return sha256(self.pages[path].encode()).hexdigest()


class SilentNotifier:
    """Drops every notification."""

    def notify(self, **_: object) -> tuple[str, ...]:
        return ()


@asynccontextmanager
async def working(
    client: Client, store: Store | MemoryStore, provider: Steady, page: str
) -> AsyncIterator[Worker]:
    """One worker for the loop, the bare workflow and all of their activities."""
    conversation, transcripts = Conversation(store.messages, store.blobs), Transcripts(store.records)
    activities = [
        *activity_methods(
            AgentRunActivities(MemoryOverrideFiles(), conversation, transcripts, SilentNotifier())
        ),
        *activity_methods(
            AgentTurnActivities(LedgeredModel(provider, store.ledger), conversation, transcripts)
        ),
        *activity_methods(AgentToolActivities(Bench(Desk({"a": page})), store.blobs)),
    ]
    options, queue = WorkerSettings(), f"bench-{uuid4().hex[:8]}"
    workflows = [*WORKFLOWS, BareAgent]
    async with worker_of(
        client, options, queue, activities, options.activities, workflows=workflows
    ) as worker:
        yield worker


def given(run_id: str) -> AgentRunInput:
    return AgentRunInput(agent=CLERK.name, run_id=run_id, subject="bench", task="Read it.", limits=NO_LIMITS)


@dataclass
class Found:
    """Milliseconds outside activities, round by round."""

    loops: list[float] = field(default_factory=list)
    bare: list[float] = field(default_factory=list)
    steps: int = 0
    """Activities of one run."""

    def row(self) -> Row:
        """Compare the medians."""
        loops, bare = ([cost / self.steps for cost in costs] for costs in (self.loops, self.bare))
        found, baseline = statistics.median(loops), statistics.median(bare)
        return Row(
            part="agent",
            measure="loop, a step outside activities; bare workflow",
            found=f"{milliseconds(found)}, p95 {milliseconds(percentile(loops, 0.95))}",
            baseline=milliseconds(baseline),
            ratio=found / baseline,
            budget=f"<= {BUDGET:.2f}x",
            within=found <= BUDGET * baseline,
        )


async def overhead(
    client: Client, store: Store | MemoryStore, rounds: int, *, calls: int = CALLS, warm_up: int = 2
) -> Found:
    """The loop and the bare workflow in turn; which is first alternates."""
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


async def _timed(run: Callable[[str], Awaitable[None]], watch: Stopwatch) -> float:
    watch.reset()
    began = time.perf_counter()
    await run(uuid4().hex)
    return (time.perf_counter() - began - watch.inside_s) * 1000


def run(rounds: int = 25) -> list[Row]:
    """Start an engine and measure."""
    say("agent: starting an engine")
    with running_engine() as engine:
        return asyncio.run(_measured(engine, rounds))


async def _measured(engine: BenchEngine, rounds: int) -> list[Row]:
    client, store = await engine.client(), engine.store()
    try:
        say(f"agent: {rounds} rounds of a run of {CALLS} calls and the bare workflow of its activities")
        return [(await overhead(client, store, rounds)).row()]
    finally:
        store.close()
