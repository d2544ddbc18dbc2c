"""Timetables: what runs next, what was skipped and why, and their pauses."""

from datetime import datetime
from functools import partial

from gateway.desk.engine.pipelines import ScheduledRun
from gateway.desk.operator import schedules
from gateway.desk.operator.schedules import ScheduledBook
from gateway.desk.works import schedules as of_books
from gateway.ui import addresses
from gateway.ui.elements.html import box, link, text
from gateway.ui.elements.moments import moment
from gateway.ui.elements.rhythm import RunTimes, rhythm_in_words
from gateway.ui.elements.states import state
from gateway.ui.elements.tables import Column, table
from gateway.ui.frame import Frame, frame
from gateway.ui.live import live
from gateway.ui.parts.acting import Act, action
from gateway.ui.parts.confirm import confirmed
from gateway.ui.parts.plots.figures import facts
from gateway.ui.visit import Visit
from schemas.base import BookId


async def page(visit: Visit) -> None:
    """``/schedules``."""
    shown = await live(visit, lambda: visit.ask_engine(schedules.listed, visit.principal))
    with frame("Schedules", here="/schedules") as made:
        shown.part(lambda now: now, partial(_cards, visit, made))
        shown.follow(made)


def _cards(visit: Visit, made: Frame, found: tuple[ScheduledBook, ...]) -> None:
    if not found:
        with box(classes="empty"):
            text("p", "Nothing is written on a timetable. The page of a book sets one.")
            text("span", "On a terminal: ")
            text("code", "penwright book schedule BOOK --every 6h")
        return
    with box("ul", classes="cards"):
        for each in found:
            _card(visit, made, each)


def _card(visit: Visit, made: Frame, each: ScheduledBook) -> None:
    scheduled, now = each.scheduled, visit.services.now()
    coming = scheduled.next_runs[:3]
    title = each.title or each.book_id
    with box("li", classes="card"):
        with box("h2"):
            link(title, addresses.subject("book", each.book_id))
        state("paused" if scheduled.paused else "scheduled")
        facts(
            {
                "Rhythm": f"{rhythm_in_words(scheduled.rhythm)} ({scheduled.time_zone})",
                "Next": partial(RunTimes, coming, scheduled.time_zone, now) if coming else "",
                "Why paused": scheduled.note if scheduled.paused else "",
                "Last result": scheduled.last_result,
                "On failure": "pauses" if scheduled.pause_on_failure else "",
                "Skipped": _left_out(scheduled.skipped, "another run was going on"),
                "Missed": _left_out(scheduled.missed, "the engine was down for too long"),
            }
        )
        _runs(title, scheduled.runs, now)
        with box(classes="row-of"):
            said = "Resume" if scheduled.paused else "Pause"
            action(made, said, _paused(visit, each, paused=not scheduled.paused))
            question = "Delete this timetable? What it has written stays; a new one can be made at any time."
            confirmed(made, "Delete", question, _removed(visit, each))


def _left_out(count: int, why: str) -> str:
    return f"{count}: {why}" if count else ""


def _runs(title: str, runs: tuple[ScheduledRun, ...], now: datetime) -> None:
    if not runs:
        return

    def began(run: ScheduledRun) -> None:
        moment(run.at, now)

    columns: tuple[Column[ScheduledRun], ...] = (
        Column("Began", began),
        Column("Outcome", lambda run: f"{run.outcome} ({run.code})" if run.code else run.outcome),
    )
    table(columns, runs, caption=f"Latest runs of {title}")


def _paused(visit: Visit, each: ScheduledBook, *, paused: bool) -> Act:
    async def act() -> str:
        visit.require("run", f"book/{each.book_id}")
        await visit.ask_engine(of_books.pause, BookId(each.book_id), paused=paused)
        return "paused" if paused else "it runs again by its timetable"

    return act


def _removed(visit: Visit, each: ScheduledBook) -> Act:
    async def act() -> str:
        visit.require("run", f"book/{each.book_id}")
        await visit.ask_engine(of_books.remove, BookId(each.book_id))
        return "deleted"

    return act
