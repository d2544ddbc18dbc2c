"""Overhead of the session workflow: wall time less the time inside activity bodies.

The baseline is a bare workflow of as many activities that do nothing, on the same server, through workers
with the same settings but without our plugin: a line is fitted through the medians of 0 to 20 of them.
Rounds are interleaved, so that other load on the machine slows both alike.
"""

import asyncio
import statistics
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from itertools import cycle, islice
from typing import Any
from uuid import uuid4

from temporalio.client import Client
from temporalio.worker import (
    ActivityInboundInterceptor,
    ExecuteActivityInput,
    Interceptor,
)

from penwright.domain.book import session_status as status
from schemas.base import BookId
from schemas.book_session import BookSessionInput, BookSessionResult, BookSessionState
from schemas.workspace import Workspace
from tests.bench.bare import Bare, do_nothing
from tests.bench.engine import BenchEngine, innermost, running_engine
from tests.bench.report import Row, milliseconds, percentile, say
from tests.support.workflows.fake_activities import FakeActivities
from workers.processes.worker import worker_of
from workers.settings import WorkerSettings
from workers.temporal_plugin import WORKFLOWS
from workflows.book_session import BookSession
from workflows.options import TASK_TIMEOUT
from workflows.visibility import at_start

SWEEP = (0, 1, 5, 20)
SESSION = ("repo", "own", "own", "models", "own", "repo", "repo", "own")
"""Queues of a session's activities: open, brief, prepare, call the model, end the run, close, push, end."""
BUDGET = 1.10

Activity = Callable[..., Any]  # Any: an activity's own types


@dataclass
class Stopwatch(Interceptor):
    """Sums the time inside activity bodies; the innermost interceptor, so that ours count as overhead."""

    inside_s: float = 0.0
    calls: int = 0

    def intercept_activity(self, next: ActivityInboundInterceptor) -> ActivityInboundInterceptor:
        return _Timed(next, self)

    def reset(self) -> None:
        """Set the sums to zero."""
        self.inside_s, self.calls = 0.0, 0


class _Timed(ActivityInboundInterceptor):
    def __init__(self, next: ActivityInboundInterceptor, watch: Stopwatch) -> None:
        super().__init__(next)
        self._watch = watch

    async def execute_activity(self, input: ExecuteActivityInput) -> Any:  # any activity's own result
        began = time.perf_counter()
        try:
            return await super().execute_activity(input)
        finally:
            self._watch.inside_s += time.perf_counter() - began
            self._watch.calls += 1


@dataclass
class Sessions:
    """Sessions through workers like those of the engine."""

    client: Client
    watch: Stopwatch
    queue: str = field(default_factory=lambda: f"bench-{uuid4().hex[:8]}")

    @asynccontextmanager
    async def working(
        self, repository: Sequence[Activity], records: Sequence[Activity], writing: Sequence[Activity]
    ) -> AsyncIterator["Sessions"]:
        """Workers for the three queues, as in the engine's processes."""
        options = WorkerSettings()
        async with AsyncExitStack() as stack:
            for queue, activities, workflows in (
                (self.queue, records, WORKFLOWS),
                (f"{self.queue}-repo", repository, ()),
                (f"{self.queue}-models", writing, ()),
            ):
                worker = worker_of(
                    self.client, options, queue, activities, options.activities, workflows=workflows
                )
                await stack.enter_async_context(worker)
            yield self

    async def run(self, book: str) -> float:
        """One session; milliseconds it took outside its activities."""
        given = BookSessionInput(
            book_id=BookId(book),
            workspace=Workspace(path=f"/{book}"),
            session=uuid4().hex[:12],
            repo_queue=f"{self.queue}-repo",
            model_queue=f"{self.queue}-models",
        )
        self.watch.reset()
        began = time.perf_counter()
        handle = await self.client.start_workflow(
            BookSession.run,
            given,
            id=f"book/{book}",
            task_queue=self.queue,
            task_timeout=TASK_TIMEOUT,
            search_attributes=at_start(status.progress(given, BookSessionState())),
        )
        ending: BookSessionResult = await handle.result()
        wall_s = time.perf_counter() - began
        assert ending.outcome == "closed", ending
        return (wall_s - self.watch.inside_s) * 1000


@asynccontextmanager
async def bare_runs(client: Client) -> AsyncIterator[Callable[[Sequence[str]], Awaitable[float]]]:
    """Runs a bare workflow, one activity on each of the named queues in turn; milliseconds.

    ``own`` is the workflow's queue; ``repo`` and ``models`` have workers of their own, as in a session.
    """
    name, options = f"bare-{uuid4().hex[:8]}", WorkerSettings()
    queues = {"own": name, "repo": f"{name}-repo", "models": f"{name}-models"}

    async def run(steps: Sequence[str]) -> float:
        asked = [queues[step] for step in steps]
        began = time.perf_counter()
        await client.execute_workflow(Bare.run, asked, id=f"{name}/{uuid4().hex}", task_queue=name)
        return (time.perf_counter() - began) * 1000

    async with AsyncExitStack() as stack:
        for key, queue in queues.items():
            workflows = [Bare] if key == "own" else []
            at_once = options.activities
            worker = worker_of(client, options, queue, [do_nothing], at_once, workflows=workflows)
            await stack.enter_async_context(worker)
        yield run


def spread(steps: int) -> tuple[str, ...]:
    """Queues of ``steps`` activities, in the proportions of a session."""
    return tuple(islice(cycle(SESSION), steps))


def line_through(medians: Mapping[int, float]) -> tuple[float, float]:
    """Fit a line to the medians: milliseconds of a workflow, and of each activity in it."""
    slope, intercept = statistics.linear_regression(list(medians), list(medians.values()))
    return intercept, slope


@dataclass
class Found:
    """Milliseconds, round by round."""

    swept: dict[int, list[float]]
    sessions: list[float] = field(default_factory=list)
    steps: int = 0
    """Activities of one session."""

    def row(self) -> Row:
        """Compare the median session with the line at as many activities."""
        intercept, slope = line_through({steps: statistics.median(v) for steps, v in self.swept.items()})
        expected = intercept + slope * self.steps
        overhead = statistics.median(self.sessions)
        return Row(
            part="session",
            measure=f"outside its {self.steps} activities; bare workflow",
            found=f"{milliseconds(overhead)}, p95 {milliseconds(percentile(self.sessions, 0.95))}",
            baseline=f"{milliseconds(expected)} = {intercept:.1f} + {self.steps} x {slope:.1f}",
            ratio=overhead / expected,
            budget=f"<= {BUDGET:.2f}x",
            within=overhead <= BUDGET * expected,
        )


async def measure(
    ours: Client, bare_client: Client, sweep: Sequence[int], rounds: int, *, warm_up: int = 3
) -> Found:
    """Sessions whose activities answer at once, and bare workflows, in turn."""
    fakes = FakeActivities()
    own = {activity.__name__: activity for activity in fakes.all()}
    writing = [own.pop("call_model")]
    records = [own.pop(name) for name in ("brief_writer", "prepare_run", "end_run", "end_session")]
    watch = Stopwatch()
    sessions = Sessions(innermost(ours, watch), watch)
    found = Found({steps: [] for steps in sweep})
    async with (
        sessions.working(list(own.values()), records, writing),
        bare_runs(bare_client) as bare,
    ):
        for number in range(warm_up + rounds):
            swept = {steps: await bare(spread(steps)) for steps in sweep}
            session = await sessions.run(f"bench-{uuid4().hex[:8]}")
            if number < warm_up:
                continue
            for steps, cost in swept.items():
                found.swept[steps].append(cost)
            found.sessions.append(session)
            found.steps = watch.calls
    return found


def run(rounds: int = 25) -> list[Row]:
    """Start an engine and measure."""
    say("session: starting an engine")
    with running_engine() as engine:
        say(f"session: {rounds} rounds of a sweep over {SWEEP} bare activities, and a session")
        return [asyncio.run(_measured(engine, rounds)).row()]


async def _measured(engine: BenchEngine, rounds: int) -> Found:
    return await measure(await engine.client(), await engine.bare_client(), SWEEP, rounds)
