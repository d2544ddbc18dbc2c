"""Runs of every pipeline in one list, and one of them with its events and model calls."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import islice
from urllib.parse import quote

from activities.agents.transcripts import run_of
from gateway.desk.engine.pipelines import StepUnderWay
from gateway.desk.principals import Principal
from gateway.desk.run_records.unchanged import message_of
from gateway.desk.runs.listing import seen
from gateway.desk.runs.pipelines import PIPELINES
from gateway.desk.scene.events import numbered
from gateway.desk.services import CommandStore, Services
from gateway.desk.works import inspecting
from gateway.desk.works.inspecting import CallView, ModelCall
from penwright.domain.text.counted import counted
from penwright.errors import EngineUnavailable, NotFound
from penwright.ports.portions import Portion
from schemas.base import Progress
from schemas.records import Event, RunRow

AGENT_RUN = "agent-run"
"""Pipeline of the runs within the others, which lists leave out."""
_READ = 1_000
_EVENTS = 500
_CALLS = 200


@dataclass(frozen=True, slots=True)
class WorkRun:
    """One run of a pipeline."""

    run: str
    """Workflow id and session, ``book/<id>#<session>``."""
    pipeline: str
    kind: str
    """``book``, ``novel`` or ``scene``; empty for an agent's run of its own."""
    subject: str
    """As the store names it."""
    name: str
    """Id of the book or scene; of a document, ``<novel>/<scene>``."""
    title: str
    state: str
    """Present activity, or how it ended."""
    running: bool
    paused: bool
    detail: str
    words: int
    cost_micros: int
    unknown_prices: int
    """Model calls whose price is unknown; they are not in ``cost_micros``."""
    since: datetime | None
    """When it began."""
    ended_at: datetime | None
    code: str = ""


@dataclass(frozen=True, slots=True)
class ShownRun:
    """One run, with what happened in it."""

    found: WorkRun
    events: tuple[Event, ...]
    """Its own, oldest first; at most 500."""
    calls: tuple[ModelCall, ...]
    """Of its agents, oldest first; at most 200."""


async def listed(
    services: Services, principal: Principal, *, kind: str = "", state: str = "", limit: int = 50
) -> tuple[WorkRun, ...]:
    """Runs, newest first.

    Args:
        kind: ``book``, ``novel`` or ``scene``; empty: all.
        state: ``running``, ``failed`` or ``waiting``; empty: all.
    """
    running = await running_now(services)
    with services.open_store() as store:
        rows = (row for row in seen(store, principal) if row.pipeline != AGENT_RUN)
        found = (_run(row, running) for row in rows)
        kept = (each for each in found if kind in ("", each.kind) and _is(each, state))
        return _titled(store, tuple(islice(kept, limit)))


def shown(services: Services, run: str, running: Mapping[str, Progress]) -> ShownRun:
    """One run with its events and model calls.

    Raises:
        NotFound: ``unknown-run``.
    """
    with services.open_store() as store:
        row = store.records.run(run)
        if row is None:
            raise NotFound("unknown-run", f"no run is called {run!r}", hint="the board lists the runs")
        events = numbered(store, store.records.events_after(0, run=run, limit=_EVENTS))
        (titled,) = _titled(store, (_run(row, running),))
        return ShownRun(titled, events, _calls(store, row))


def call_of(services: Services, row: RunRow, number: int) -> CallView:
    """One model call of a run, with what the model was sent and what it said.

    Args:
        number: its place among the calls of ``shown``, from 1.

    Raises:
        NotFound: ``no-such-call``.
    """
    with services.open_store() as store:
        calls = _calls(store, row)
        if not 1 <= number <= len(calls):
            raise NotFound(
                "no-such-call", f"the run has {counted(len(calls), 'call')}, and none has the number {number}"
            )
        return inspecting.with_texts(store, calls[number - 1])


async def running_now(services: Services) -> Mapping[str, Progress]:
    """Progress of the running workflows, by id (``book/<id>``); empty without an engine."""
    try:
        async with services.engine() as engine:
            return {
                f"{first}/{name}": progress
                for first, pipeline in PIPELINES.items()
                for name, progress in (await pipeline.runs(engine).running()).items()
            }
    except EngineUnavailable:
        return {}


async def under_way(services: Services, run: str) -> tuple[StepUnderWay, ...]:
    """List the steps a run waits for now, with their attempts; none without an engine, or after its end."""
    try:
        async with services.engine() as engine:
            return await engine.pipelines.under_way(run.partition("#")[0])
    except (EngineUnavailable, NotFound):
        return ()


def _calls(store: CommandStore, row: RunRow) -> tuple[ModelCall, ...]:
    """Those of its agents' runs, whose names begin with the run's own."""
    inner = row.run if row.pipeline == AGENT_RUN else run_of(row.run.replace("#", "/", 1))
    names = [each.run for each in store.records.runs(subject=row.subject, pipeline=AGENT_RUN, limit=_READ)]
    # A session's writer is noted under the session's own name.
    wanted = [name for name in reversed(names) if name == inner or name.startswith(f"{inner}/")] or [inner]
    found = (call for name in wanted for call in inspecting.calls_of(store, name.removeprefix(run_of(""))))
    return tuple(found)[:_CALLS]


def titles(services: Services, works: Collection[str]) -> Mapping[str, str]:
    """The title of each of these books, novels and scenes, by its id."""
    with services.open_store() as store:
        return _titles(store, works)


def _titles(store: CommandStore, works: Collection[str]) -> dict[str, str]:
    from schemas.worlds import Scene  # a second of models that only this list needs

    if not works:
        return {}
    scenes, _ = store.worlds.part(Scene, Portion(len(works), among=works))
    rows = (row for kind in ("book", "novel") for row in store.records.books(kind))
    titled = {str(row.book_id): row.title for row in rows if row.book_id in works}
    return titled | {scene.id: scene.title for scene in scenes}


def _titled(store: CommandStore, runs: tuple[WorkRun, ...]) -> tuple[WorkRun, ...]:
    """The runs, their works called by their titles instead of their ids."""
    known = _titles(store, {each.title for each in runs})
    return tuple(replace(each, title=known.get(each.title, each.title)) for each in runs)


def _run(row: RunRow, running: Mapping[str, Progress]) -> WorkRun:
    workflow = row.run.partition("#")[0]
    first = workflow.partition("/")[0]
    now = None if _has_ended(row) else running.get(workflow)
    name = row.subject.removeprefix("scene/")
    work = name.partition("/")[0]
    return WorkRun(
        run=row.run,
        pipeline=row.pipeline,
        kind=PIPELINES[first].kind if first in PIPELINES else "",
        subject=row.subject,
        name=name,
        title=work,
        state=_state(row, now),
        running=now is not None,
        paused=now is not None and now.paused,
        detail=now.detail if now else message_of(row),
        words=max(row.words, now.words if now else 0),
        cost_micros=max(row.cost_micros, now.cost_micros if now else 0),
        unknown_prices=max(row.unknown_prices, now.unknown_prices if now else 0),
        since=row.started_at,
        ended_at=row.ended_at,
        code=str(row.detail.get("code", "")),
    )


def _has_ended(row: RunRow) -> bool:
    """A change by a person has no end noted: its push is the last step; later runs share its workflow id."""
    pushed = row.stage == "pushed" and row.outcome != ""
    return row.ended_at is not None or row.stage == "ended" or pushed


def _state(row: RunRow, now: Progress | None) -> str:
    if now is None:
        return row.outcome or row.stage
    return "paused" if now.paused else now.stage


def _is(run: WorkRun, state: str) -> bool:
    if state == "running":
        return run.running
    if state == "failed":
        return run.state in ("failed", "refused", "stopped", "killed")
    if state == "waiting":
        return run.paused or run.state in ("approval", "waiting")
    return True


def temporal_address(services: Services, run: str) -> str:
    """Address of a run's workflow in the Temporal UI; empty if its place is not known."""
    status = services.engine_status()
    place, namespace = status.get("ui"), status.get("namespace")
    if not place or not namespace:
        return ""
    return f"{place}/namespaces/{quote(str(namespace))}/workflows/{quote(run.partition('#')[0], safe='')}"
