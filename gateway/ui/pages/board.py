"""The operator's board: what waits for a person, then what runs."""

from gateway.desk import waiting as desk_waiting
from gateway.desk import work_runs
from gateway.desk.waiting import WaitingItem
from gateway.desk.work_runs import WorkRun
from gateway.ui import addresses
from gateway.ui.frame import Frame, frame
from gateway.ui.parts.filters import filters
from gateway.ui.parts.html import attribute, box, link, text
from gateway.ui.parts.moments import moment
from gateway.ui.parts.problem import trouble
from gateway.ui.parts.runs_table import runs_table
from gateway.ui.parts.steering import batch
from gateway.ui.visit import Visit

KINDS = {"": "everything", "book": "books", "novel": "manuscripts", "scene": "scenes"}
STATES = {"": "all", "running": "running", "waiting": "waiting", "failed": "failed"}
_SHOWN = 30


async def page(visit: Visit) -> None:
    """``/``: what waits for a person, then the runs."""
    waits = await visit.ask_engine(desk_waiting.waiting, visit.principal)
    runs = await visit.ask_engine(work_runs.listed, visit.principal, **_wanted(visit), limit=_SHOWN)
    with frame("Board", here="/", waiting=len(waits.items)) as made:
        if waits.trouble:
            trouble(waits.trouble)
        text("h2", "Waits for a person")
        _waits(visit, waits.items)
        text("h2", "Runs")
        _runs(visit, made, runs)


async def all_runs(visit: Visit) -> None:
    """``/runs``: the runs alone, and more of them."""
    runs = await visit.ask_engine(work_runs.listed, visit.principal, **_wanted(visit), limit=200)
    with frame("Runs", here="/runs") as made:
        _runs(visit, made, runs)


def _wanted(visit: Visit) -> dict[str, str]:
    """The filters of the address; a value that is none of ours is left out."""
    kind, state = visit.query.get("kind", ""), visit.query.get("state", "")
    return {"kind": kind if kind in KINDS else "", "state": state if state in STATES else ""}


def _waits(visit: Visit, items: tuple[WaitingItem, ...]) -> None:
    if not items:
        text("p", "Nothing waits for you.", classes="empty")
        return
    with box("ul", classes="waits"):
        for item in items:
            with box("li", classes="" if item.urgent else "calm"):
                link(item.title or item.name, _address(item))
                text("span", item.about, classes="what")
                moment(item.since, visit.services.now())
                if item.command:
                    attribute(text("code", item.command), "title", "the same on a terminal")


def _address(item: WaitingItem) -> str:
    if item.kind == "book" and not item.urgent:
        return addresses.page("books", item.name, "review")
    return addresses.subject(item.kind, item.name)


def _runs(visit: Visit, made: Frame, runs: tuple[WorkRun, ...]) -> None:
    wanted, path = _wanted(visit), ("runs",) if made.title == "Runs" else ()
    filters("Kind of work", "kind", KINDS, wanted, *path)
    filters("State of the run", "state", STATES, wanted, *path)
    if not runs:
        text("p", "No run fits these filters.", classes="empty")
        return
    batch(visit, made, [run for run in runs if run.running])
    runs_table(runs, visit.services.now())
