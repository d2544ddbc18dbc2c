"""One book: how it stands, what waits, its chapters and sessions."""

from gateway.desk import registered
from gateway.desk.book import sessions
from gateway.desk.book.books import Book
from gateway.desk.book.session_log import LogEntry
from gateway.desk.book.standing import BookStanding, standing
from gateway.ui import addresses
from gateway.ui.frame import Frame, frame
from gateway.ui.parts.acting import action
from gateway.ui.parts.approval import approval
from gateway.ui.parts.book.book_tabs import book_tabs
from gateway.ui.parts.book.chapters import chapters
from gateway.ui.parts.charts import Series, chart
from gateway.ui.parts.confirm import confirmed
from gateway.ui.parts.figures import figures
from gateway.ui.parts.following import reload_after
from gateway.ui.parts.html import box, link, text
from gateway.ui.parts.moments import told
from gateway.ui.parts.money import money
from gateway.ui.parts.problem import trouble
from gateway.ui.parts.book.sessions_table import sessions_table
from gateway.ui.parts.states import state
from gateway.ui.visit import Visit
from schemas.control import KillRequest

_PLOTTED = 40


async def page(visit: Visit) -> None:
    """``/books/{book_id}``."""
    book_id = visit.params["book_id"]
    visit.require("read", f"book/{book_id}")
    book = await visit.ask(registered.book, book_id)
    stands = await visit.ask_engine(standing, book)
    with frame(book.title, here="/books", crumbs=(("Books", addresses.page("books")),)) as made:
        book_tabs(book_id, "")
        if stands.trouble:
            trouble(stands.trouble)
        _sentence(visit, stands)
        _waits(visit, made, book, stands)
        _acts(visit, made, book, stands)
        _figures(stands)
        text("h2", "Chapters")
        chapters(stands.chapters)
        text("h2", "Sessions")
        _plot(stands.sessions, stands.status.words_per_session)
        sessions_table(book_id, stands.sessions, visit.services.now())


def _sentence(visit: Visit, stands: BookStanding) -> None:
    line, status, now = stands.line, stands.status, visit.services.now()
    parts = [f"Chapter {status.current_chapter}, {line.words:,} of {line.target:,} words."]
    if line.detail:
        parts.append(f"{line.detail[:1].upper()}{line.detail[1:]}.")
    elif line.last:
        parts.append(f"The last session {line.last.outcome} {told(line.last.at, now)}.")
    if line.next_run:
        parts.append(f"The next begins {told(line.next_run, now)}.")
    with box("p", classes="lead"):
        state(line.state)
        text("span", f" {' '.join(parts)}")


def _waits(visit: Visit, made: Frame, book: Book, stands: BookStanding) -> None:
    line, status = stands.line, stands.status
    if stands.approval:
        approval(visit, made, book, stands.approval)
    with box("ul", classes="waits"):
        if line.waiting:
            with box("li", classes="calm"):
                link(
                    f"{line.waiting:,} new words wait for your review",
                    addresses.page("books", line.book_id, "review"),
                )
        if status.open_instructions:
            with box("li", classes="calm"):
                text("span", f"{status.open_instructions} of your notes are answered by the next session")
        for one in line.attention:
            with box("li"):
                text("span", one.reason, classes="what")
                text("code", one.command)
        for warning in status.warnings:
            with box("li"):
                text("span", warning, classes="what")


def _acts(visit: Visit, made: Frame, book: Book, stands: BookStanding) -> None:
    subject = f"book/{book.book_id}"

    async def write() -> str:
        visit.require("run", subject)
        given = await visit.ask(sessions.session_of, book, "")
        await visit.ask_engine(sessions.write, given, None)
        return "a session has begun"

    async def pause() -> str:
        visit.require("run", subject)
        await visit.ask_engine(sessions.send, book, "pause")
        return "paused at its next safe edge"

    async def resume() -> str:
        visit.require("run", subject)
        await visit.ask_engine(sessions.send, book, "resume")
        return "it goes on"

    async def kill() -> str:
        visit.require("run", subject)
        request = KillRequest(who=visit.principal.name, reason="killed in the workspace")
        await visit.ask_engine(sessions.send, book, request)
        return "the session ends; what was written stays"

    if stands.line.state in ("open", "writing", "paused", "waits for approval"):
        reload_after(sessions.watch(visit.services, book, sessions.quietly, lambda: None))
    with box(classes="row-of"):
        if stands.line.state == "paused":
            action(made, "Resume", resume, look="main", icon="play_arrow")
        elif stands.line.state in ("open", "writing", "waits for approval"):
            action(made, "Pause", pause, icon="pause")
        elif stands.line.state != "sealed":
            action(made, "Write the next pages", write, look="main", icon="edit_note")
            return
        if stands.line.state != "sealed":
            confirmed(made, "Kill", "End this session? What is written so far stays.", kill)


def _figures(stands: BookStanding) -> None:
    line = stands.line
    share = f" ({100 * line.words // line.target} %)" if line.target else ""
    last = next((each["words"] for each in stands.sessions if each["words"]), None)
    figures(
        {
            "Words": f"{line.words:,}{share}",
            "Waiting": f"{line.waiting:,}",
            "Last session": f"{last:,}" if last else "–",
            "Cost": money(line.cost_micros, line.unknown_prices),
            "Push": line.push or "–",
        }
    )


def _plot(log: tuple[LogEntry, ...], target: int) -> None:
    written = [each for each in reversed(log[:_PLOTTED]) if each["words"]]
    if len(written) > 1:
        words = tuple(float(each["words"] or 0) for each in written)
        goal = Series("Words per session aimed at", tuple(float(target) for _ in written), "line")
        labels = [each["at"][:16].replace("T", " ") for each in written]
        chart("Words per session", labels, (Series("Words", words), goal))
