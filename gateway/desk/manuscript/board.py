"""Every document of every registered novel: what runs, how the last run ended."""

from collections import defaultdict
from collections.abc import Mapping, Set
from dataclasses import dataclass, field
from datetime import datetime

from gateway.desk.services import CommandStore, Services
from penwright.domain.citations.scanning.status import PIPELINE as CITATION_SCAN
from penwright.domain.manuscript.profile import MANUSCRIPT_PROFILE
from penwright.errors import EngineUnavailable
from schemas.agent_state import LOCAL, WHOLE_NOVEL
from schemas.base import BookId, Progress
from schemas.records import BookRow, RunTally

_NO_RUNS = RunTally(words=0, cost_micros=0, ended=None)


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
    words: int | None
    """As of its newest run; None: that has counted none, and the repository is not read."""
    score: float | None
    """The last one of its newest ended run."""
    outcome: str
    """Of that run; empty if none has ended."""
    ended_at: datetime | None
    cost_micros: int
    """Of all its runs and scans."""
    unknown_prices: int = 0
    """Model calls of these whose price is unknown."""
    trouble: str = ""
    """Reason why a stuck or paused run goes no further, or the attempt of a step that failed."""
    scan: str = ""
    """Stage of a citation scan that goes on, as ``state``; empty: none does."""
    scan_detail: str = ""
    """Present step of the scan, or the reason why it goes no further."""
    scan_outcome: str = ""
    """Outcome of the newest citation scan that ended."""
    scan_ended_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class DocumentBoard:
    """Every document."""

    lines: tuple[DocumentLine, ...]
    trouble: str = ""
    """Reason why it is not known what runs now, empty if it is."""


@dataclass(frozen=True, slots=True)
class _Engine:
    running: Mapping[str, Progress] = field(default_factory=dict)
    scans: Mapping[str, Progress] = field(default_factory=dict)
    trouble: str = ""


async def board(services: Services, novel: str | None = None) -> DocumentBoard:
    """Every document that agents have worked on, and every novel without one; or those of one novel."""
    engine = await _asked(services)
    with services.open_store() as store:
        rows = _novels(store, novel)
        known = defaultdict[str, set[str]](set)
        for name, scene in store.agent_states.documents(LOCAL, novel):
            known[name].add(scene)
        found = [(row, scene) for row in rows for scene in _scenes(known[row.book_id], row, engine)]
        names = [f"{row.book_id}/{scene}" for row, scene in found]
        runs = store.records.tallies(MANUSCRIPT_PROFILE.name, names)
        scans = store.records.tallies(CITATION_SCAN, names)
    return DocumentBoard(tuple(_line(*one, runs, scans, engine) for one in found), engine.trouble)


def _novels(store: CommandStore, novel: str | None) -> tuple[BookRow, ...]:
    if novel is None:
        return store.records.books("novel")
    row = store.records.book(BookId(novel))
    return (row,) if row is not None and row.kind == "novel" else ()


async def _asked(services: Services) -> _Engine:
    try:
        async with services.engine() as engine:
            return _Engine(await engine.manuscripts.running(), await engine.scans.running())
    except EngineUnavailable as error:
        return _Engine(trouble=error.message)


def _scenes(known: Set[str], row: BookRow, engine: _Engine) -> list[str]:
    prefix = f"{row.book_id}/"
    busy = {*engine.running, *engine.scans}
    known = known | {name.removeprefix(prefix) for name in busy if name.startswith(prefix)}
    return sorted(known) or [WHOLE_NOVEL]


def _line(
    row: BookRow, scene: str, runs: Mapping[str, RunTally], scans: Mapping[str, RunTally], engine: _Engine
) -> DocumentLine:
    name = f"{row.book_id}/{scene}"
    tally, scanned = runs.get(name, _NO_RUNS), scans.get(name, _NO_RUNS)
    ended = tally.ended
    running = engine.running.get(name)
    last = ended.detail.get("last") if ended else None
    scan = engine.scans.get(name)
    return DocumentLine(
        novel=row.book_id,
        scene=scene,
        title=row.title,
        path=row.path,
        state="idle" if running is None else _state(running),
        words=running.words if running else tally.words or None,
        score=float(last["score"]) if last else None,
        outcome=ended.outcome if ended else "",
        ended_at=ended.ended_at if ended else None,
        cost_micros=tally.cost_micros + scanned.cost_micros,
        unknown_prices=tally.unknown_prices + scanned.unknown_prices,
        trouble=_trouble(running) if running else "",
        scan=_state(scan) if scan else "",
        scan_detail=_why_held(scan) if scan else "",
        scan_outcome=scanned.ended.outcome if scanned.ended else "",
        scan_ended_at=scanned.ended.ended_at if scanned.ended else None,
    )


def _trouble(running: Progress) -> str:
    """The reason for which a run stands still or tries again; empty while it goes on."""
    return _why_held(running) if running.paused or running.code or running.stage == "stuck" else ""


def _why_held(running: Progress) -> str:
    """The detail, of a paused run its reason alone."""
    return running.detail.removeprefix("Paused: ") if running.paused else running.detail


def _state(running: Progress) -> str:
    if running.paused:
        return "paused"
    return "waits for approval" if running.stage == "approval" else running.stage
