"""The operator's board: what waits for a person, then what runs. It changes in place."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar

from activities.agents.transcripts import run_of
from gateway.desk.runs import waiting as desk_waiting
from gateway.desk.runs import work_runs
from gateway.desk.runs.waiting import IN_A_BROWSER, WaitingItem, Waits
from gateway.desk.runs.work_runs import WorkRun
from gateway.ui import addresses
from gateway.ui.elements.filters import SavedFilters, filters
from gateway.ui.elements.html import attribute, box, link, sentence, text
from gateway.ui.elements.moments import moment
from gateway.ui.elements.problem import trouble
from gateway.ui.frame import Frame, frame
from gateway.ui.live import Live, live
from gateway.ui.parts.portion import portion_of, rest
from gateway.ui.parts.runs_table import runs_table
from gateway.ui.parts.steering import batch
from gateway.ui.visit import Visit

KINDS = {"": "everything", "book": "books", "novel": "manuscripts", "scene": "scenes"}
STATES = {"": "all", "running": "running", "waiting": "waiting", "failed": "failed"}
_SHOWN = 30
_BEGINNINGS = {"A new book": "books", "A new manuscript": "manuscripts", "A new scene": "scenes"}

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _Board:
    waits: Waits
    runs: tuple[WorkRun, ...]


async def page(visit: Visit) -> None:
    """``/``: what waits for a person, then the runs."""

    async def read() -> _Board:
        waits = await visit.ask_engine(desk_waiting.waiting, visit.principal)
        return _Board(waits, await _read_runs(visit, _SHOWN))

    shown = await live(visit, read)
    with frame("Board", here="/", waiting=len(shown.value.waits.items)) as made:
        shown.part(lambda now: now.waits.trouble, lambda said: trouble(said) if said else None)
        text("h2", "Waits for a person")
        shown.part(lambda now: now.waits.items, partial(_waits, visit))
        shown.part(lambda now: not now.runs, partial(_first_steps, visit))
        text("h2", "Runs")
        _runs(visit, made, shown, lambda now: now.runs)
        shown.part(lambda now: len(now.waits.items), made.waiting)
        shown.follow(made)


async def all_runs(visit: Visit) -> None:
    """``/runs``: the runs alone, and more of them."""
    shown = await live(visit, lambda: _read_runs(visit, 200))
    with frame("Runs", here="/runs") as made:
        _runs(visit, made, shown, lambda now: now)
        shown.follow(made)


async def _read_runs(visit: Visit, limit: int) -> tuple[WorkRun, ...]:
    return await visit.ask_engine(work_runs.listed, visit.principal, **_wanted(visit), limit=limit)


def _wanted(visit: Visit) -> dict[str, str]:
    """The filters of the address; a value that is none of ours is left out."""
    kind, state = visit.query.get("kind", ""), visit.query.get("state", "")
    return {"kind": kind if kind in KINDS else "", "state": state if state in STATES else ""}


def _waits(visit: Visit, items: tuple[WaitingItem, ...]) -> None:
    if not items:
        text("p", "Nothing waits for you.", classes="empty")
        return
    portion = replace(portion_of(visit), named="")
    shown = items[portion.skip :][: portion.limit]
    with box("ul", classes="waits"):
        for item in shown:
            _wait(visit, item)
    rest(portion, len(shown), len(items), **_wanted(visit))


def _wait(visit: Visit, item: WaitingItem) -> None:
    with box("li", classes="" if item.urgent else "calm"):
        link(item.title or item.name, _address(item))
        sentence(item.about, classes="what", tag="span")
        if item.since:
            moment(item.since, visit.services.now())
        if item.command and item.command != IN_A_BROWSER:
            attribute(text("code", item.command), "title", "the same on a terminal")


def _first_steps(visit: Visit, nothing_ran: bool) -> None:
    """Draw where to begin, while nothing has run yet."""
    if not nothing_ran or any(_wanted(visit).values()) or "write" not in visit.principal.scopes:
        return
    with box("nav", label="First steps"):
        text("h2", "Begin with")
        with box(classes="row-of"):
            for shown, kind in _BEGINNINGS.items():
                link(shown, addresses.page(kind, "new"), classes="button")


def _address(item: WaitingItem) -> str:
    if item.kind == "book" and not item.urgent:
        return addresses.page("books", item.name, "review")
    if item.kind in ("memories", "store"):
        return addresses.page("health")
    if item.kind == "agent":
        return addresses.subject("run", run_of(item.name))
    return addresses.subject(item.kind, item.name)


def _runs(visit: Visit, made: Frame, shown: Live[T], of: Callable[[T], tuple[WorkRun, ...]]) -> None:
    wanted, path = _wanted(visit), ("runs",) if made.title == "Runs" else ()
    filters("Kind of work", "kind", KINDS, wanted, *path)
    filters("State of the run", "state", STATES, wanted, *path)
    SavedFilters(wanted, f"{KINDS[wanted['kind']]}, {STATES[wanted['state']]}", *path)
    # Words and cost grow all the time; a question that is being answered must not go away with them.
    shown.part(
        lambda now: [run for run in of(now) if run.running],
        partial(batch, visit, made),
        differs_by=lambda running: [(run.run, run.paused) for run in running],
    )
    shown.part(of, partial(_table, visit))


def _table(visit: Visit, runs: tuple[WorkRun, ...]) -> None:
    if runs:
        runs_table(runs, visit.services.now())
    else:
        filtered = any(_wanted(visit).values())
        text("p", "No run fits these filters." if filtered else "Nothing has run yet.", classes="empty")
