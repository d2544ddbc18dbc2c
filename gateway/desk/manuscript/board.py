"""Every document of every registered novel: what runs, how the last run ended, when the next one begins."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from gateway.desk.services import CommandStore, Services
from penwright.domain.manuscript.profile import MANUSCRIPT_PROFILE
from penwright.errors import EngineUnavailable
from schemas.agent_state import LOCAL, WHOLE_NOVEL
from schemas.base import Progress
from schemas.board import Timetabled
from schemas.records import BookRow

_RUNS = 1_000
"""Runs of a document whose cost is added up."""


@dataclass(frozen=True, slots=True)
class DocumentLine:
    """One document, as the store and the engine know it; its repository is not read."""

    novel: str
    scene: str
    title: str
    path: str
    state: str
    """Stage of the run that goes on: ``write``, ``paused``, ``waits for approval``, ``stuck``, …; else
    ``idle``."""
    words: int
    """As of its newest run."""
    score: float | None
    """The last one of its newest ended run."""
    outcome: str
    """Of that run; empty if none has ended."""
    ended_at: datetime | None
    cost_micros: int
    """Of all its runs."""
    next_run: datetime | None
    scheduled: str
    """``on``, ``paused``, or empty without a schedule."""
    trouble: str = ""
    """Why a stuck run goes no further, and what ends it."""


@dataclass(frozen=True, slots=True)
class DocumentBoard:
    """Every document."""

    lines: tuple[DocumentLine, ...]
    trouble: str = ""
    """Why it is not known what runs now, and which schedules there are; empty if it is."""


@dataclass(frozen=True, slots=True)
class _Engine:
    running: Mapping[str, Progress] = field(default_factory=dict)
    schedules: Mapping[str, Timetabled] = field(default_factory=dict)
    trouble: str = ""


async def board(services: Services, novel: str | None = None) -> DocumentBoard:
    """Every document that agents have worked on, and every novel without one; or those of one novel."""
    engine = await _asked(services)
    with services.open_store() as store:
        lines = tuple(
            _line(store, row, scene, engine)
            for row in store.records.books("novel")
            if novel in (None, row.book_id)
            for scene in _scenes(store, row, engine)
        )
    return DocumentBoard(lines, engine.trouble)


async def _asked(services: Services) -> _Engine:
    try:
        async with services.manuscripts() as engine:
            return _Engine(await engine.runs.running(), await engine.schedules.upcoming())
    except EngineUnavailable as error:
        return _Engine(trouble=error.message)


def _scenes(store: CommandStore, row: BookRow, engine: _Engine) -> list[str]:
    prefix = f"{row.book_id}/"
    known = {state.key.scene for state in store.agent_states.of(LOCAL, row.book_id)}
    busy = {*engine.running, *engine.schedules}
    known |= {name.removeprefix(prefix) for name in busy if name.startswith(prefix)}
    return sorted(known) or [WHOLE_NOVEL]


def _line(store: CommandStore, row: BookRow, scene: str, engine: _Engine) -> DocumentLine:
    name = f"{row.book_id}/{scene}"
    runs = store.records.runs(subject=name, pipeline=MANUSCRIPT_PROFILE.name, limit=_RUNS)
    ended = next((run for run in runs if run.ended_at is not None), None)
    running, schedule = engine.running.get(name), engine.schedules.get(name)
    last = ended.detail.get("last") if ended else None
    return DocumentLine(
        novel=row.book_id,
        scene=scene,
        title=row.title,
        path=row.path,
        state="idle" if running is None else _state(running),
        words=running.words if running else runs[0].words if runs else 0,
        score=float(last["score"]) if last else None,
        outcome=ended.outcome if ended else "",
        ended_at=ended.ended_at if ended else None,
        cost_micros=sum(run.cost_micros for run in runs),
        next_run=schedule.next_run if schedule else None,
        scheduled="" if schedule is None else "paused" if schedule.paused else "on",
        trouble=running.detail if running and running.stage == "stuck" else "",
    )


def _state(running: Progress) -> str:
    if running.paused:
        return "paused"
    return "waits for approval" if running.stage == "approval" else running.stage
