"""One book: how it stands, what waits, its chapters and sessions. It changes in place."""

from functools import partial

from gateway.desk.book import sessions
from gateway.desk.book.session_log import LogEntry, grown_text, written_sessions
from gateway.desk.book.status import BookDetails, book_details
from gateway.desk.engine.pipelines import Scheduled, Timetable
from gateway.desk.works import registered, schedules
from gateway.desk.works.approvals import AskedChange
from gateway.desk.works.books import Book
from gateway.ui import addresses
from gateway.ui.elements.html import box, link, sentence, text
from gateway.ui.elements.moments import relative_time
from gateway.ui.elements.money import money
from gateway.ui.elements.problem import trouble
from gateway.ui.elements.states import state
from gateway.ui.frame import Frame, frame
from gateway.ui.live import Live, live
from gateway.ui.parts.approval import approval
from gateway.ui.parts.book.book_tabs import book_tabs
from gateway.ui.parts.book.chapters import chapters, proposed_outlines
from gateway.ui.parts.book.exporting import exporting
from gateway.ui.parts.book.sessions import RUNNING, lost_session, sealed, sessions_table, steering
from gateway.ui.parts.plots.charts import picture
from gateway.ui.parts.plots.figures import figures
from gateway.ui.parts.timetable import TimetableForm
from gateway.ui.visit import Visit
from penwright.domain.book.board import waiting_words
from penwright.domain.book.session_warnings import needs_person
from penwright.domain.charts.made import words_per_session, words_so_far
from penwright.domain.text.counted import counted
from schemas.board import BoardLine
from schemas.book import BookStatus

_PUSHES = {"pushed": "up to date", "pending": "behind", "local": "none"}


async def page(visit: Visit) -> None:
    """``/books/{book_id}``."""
    book_id = visit.params["book_id"]
    visit.require("read", f"book/{book_id}")
    book = await visit.ask(registered.book, book_id)
    shown = await live(visit, lambda: visit.ask_engine(book_details, book), subject=f"book/{book_id}")
    with frame(book.title, here="/books", crumbs=(("Books", addresses.page("books")),)) as made:
        book_tabs(book_id, "")
        shown.part(lambda now: now.trouble, lambda said: trouble(said) if said else None)
        shown.part(lambda now: (now.line, now.status), partial(_sentence, visit))
        shown.part(lambda now: now.approval, partial(_approval, visit, made, book))
        shown.part(lambda now: (now.line, now.status), _waits)
        shown.part(lambda now: now.status.remote_lost, partial(lost_session, visit, made, book))
        shown.part(lambda now: now.outlines, partial(proposed_outlines, visit, made, book))
        shown.part(_is_sealed_and_waits, partial(sealed, visit, made, book))
        shown.part(lambda now: now.line.state, partial(_steering, visit, made, book, shown))
        if shown.value.line.state != "sealed":
            _timetable(visit, made, book)
        shown.part(lambda now: (now.line, now.sessions), _figures)
        text("h2", "Chapters")
        shown.part(lambda now: now.chapters, chapters)
        text("h2", "Sessions")
        shown.part(lambda now: (now.line, now.sessions, now.status), _plot)
        shown.part(lambda now: now.sessions, lambda log: sessions_table(book_id, log, visit.services.now()))
        exporting(book_id)
        shown.look_while(lambda now: now.line.state == "writing")
        shown.follow(made)


def _timetable(visit: Visit, made: Frame, book: Book) -> None:
    async def put(when: Timetable) -> Scheduled:
        visit.require("run", f"book/{book.book_id}")
        return await visit.ask_engine(schedules.put, book, when, "")

    TimetableForm(visit, made, lambda: visit.ask_engine(schedules.of, book.book_id), put)


def _sentence(visit: Visit, known: tuple[BoardLine, BookStatus]) -> None:
    (line, status), now = known, visit.services.now()
    parts = [f"Chapter {status.current_chapter}, {line.words:,} of {line.target:,} {line.unit}."]
    if line.detail:
        parts.append(f"{line.detail[:1].upper()}{line.detail[1:]}.")
    elif line.last:
        parts.append(f"The last session {line.last.outcome} {relative_time(line.last.at, now)}.")
    if line.next_run:
        parts.append(f"The next begins {relative_time(line.next_run, now)}.")
    with box("p", classes="lead"):
        state(line.state)
        text("span", f" {' '.join(parts)}")


def _approval(visit: Visit, made: Frame, book: Book, asked: AskedChange | None) -> None:
    if asked is not None:
        approval(visit, made, book, asked)


def _waits(known: tuple[BoardLine, BookStatus]) -> None:
    line, status = known
    with box("ul", classes="waits"):
        if line.waiting:
            with box("li", classes="calm"):
                link(waiting_words(line), addresses.page("books", line.book_id, "review"))
        if status.open_instructions:
            with box("li", classes="calm"):
                notes = counted(status.open_instructions, "of your notes is", "of your notes are")
                text("span", f"{notes} answered by the next session")
        for one in line.attention:
            with box("li"):
                sentence(one.reason, classes="what", tag="span")
                text("code", one.command)
        for warning in status.warnings:
            with box("li"):
                sentence(warning, classes="what", tag="span")


def _is_sealed_and_waits(now: BookDetails) -> bool:
    last = now.line.last
    return now.line.state == "sealed" and last is not None and any(map(needs_person, last.warnings))


def _steering(visit: Visit, made: Frame, book: Book, shown: Live[BookDetails], stands: str) -> None:
    if stands in RUNNING or stands == "paused":
        shown.again_after(sessions.watch(visit.services, book))
    steering(visit, made, book, stands)


def _figures(known: tuple[BoardLine, tuple[LogEntry, ...]]) -> None:
    line, log = known
    share = f" ({100 * line.words // line.target} %)" if line.words and line.target else ""
    last = next((each["words"] for each in log if each["words"]), None)
    figures(
        {
            line.unit.capitalize(): f"{line.words:,}{share}",
            "Waiting": f"{line.waiting:,}",
            "Last session": f"{last:,}" if last else "–",
            "Cost": money(line.cost_micros, line.unknown_prices),
            "Remote copy": _PUSHES.get(line.push, "–"),
        }
    )


def _plot(known: tuple[BoardLine, tuple[LogEntry, ...], BookStatus]) -> None:
    line, log, status = known
    if len(written := written_sessions(log)) > 1:
        with box(classes="pictures"):
            picture(words_per_session(written, status.words_per_session, line.unit))
            picture(words_so_far(grown_text(log), line.target, line.unit))
