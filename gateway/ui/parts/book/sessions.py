"""The sessions of a book: buttons by its state, and a row for each that ended."""

from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial

from gateway.desk.book import restoring, seal_review, sessions
from gateway.desk.book.session_log import LogEntry
from gateway.desk.works.books import Book
from gateway.ui import addresses
from gateway.ui.elements.html import attribute, box, link, text
from gateway.ui.elements.moments import moment
from gateway.ui.elements.money import money
from gateway.ui.elements.states import state
from gateway.ui.elements.tables import Column, table
from gateway.ui.frame import Frame
from gateway.ui.parts.acting import Act, action
from gateway.ui.parts.confirm import confirmed
from gateway.ui.parts.steering import sent
from gateway.ui.parts.tag_choice import tag_choice
from gateway.ui.visit import Visit
from penwright.domain.book.files.changelog import shown_minute
from schemas.control import KillRequest
from schemas.workspace import RestorePlan

RUNNING = ("open", "writing", "waits for approval", "stuck")
"""States of a book of which a session runs and is not paused."""


def steering(visit: Visit, made: Frame, book: Book, state: str) -> None:
    """Write, pause, resume and kill: the buttons that fit ``state``; none for a sealed book."""
    told = partial(sent, visit, f"book/{book.book_id}", f"book/{book.book_id}")
    with box(classes="row-of"):
        if state == "paused":
            action(made, "Resume", told("resume", "it goes on"), look="main", icon="play_arrow")
        elif state in RUNNING:
            action(made, "Pause", told("pause", "paused at its next safe edge"), icon="pause")
        elif state != "sealed":
            tag = tag_choice(visit, "session")
            action(made, "Write the next pages", _begun(visit, book, tag), look="main", icon="edit_note")
        if state == "paused" or state in RUNNING:
            killed = KillRequest(who=visit.principal.name, reason="killed in the workspace")
            act = told(killed, "the session ends; what was written stays")
            confirmed(made, "Kill", "End this session? What is written so far stays.", act)


def sealed(visit: Visit, made: Frame, book: Book, waits: bool) -> None:
    """The button that takes what the sealing of a book told off the board, if a sealed book ``waits``."""

    async def act() -> str:
        visit.require("write", f"book/{book.book_id}")
        await visit.ask(seal_review.mark_seal_reviewed, book)
        return "it waits for you no longer; the words stay as they are"

    if waits:
        action(made, "I have seen what was sealed", act, icon="done")


def _begun(visit: Visit, book: Book, tag: Callable[[], str]) -> Act:
    async def act() -> str:
        visit.require("run", f"book/{book.book_id}")
        given = await visit.ask(sessions.session_of, book, "", tag())
        await visit.ask_engine(sessions.write, given, None)
        return "a session has begun"

    return act


def sessions_table(book_id: str, log: Sequence[LogEntry], now: datetime) -> None:
    """One row for each session, newest first."""
    if not log:
        text("p", "No session has ended yet.", classes="empty")
        return

    def when(each: LogEntry) -> None:
        moment(datetime.fromisoformat(each["at"]) if each["at"] else None, now)

    def ended(each: LogEntry) -> None:
        state(each["outcome"])

    def run(each: LogEntry) -> None:
        began = shown_minute(datetime.fromisoformat(each["at"])) if each["at"] else each["session"]
        shown = link(began, addresses.page("runs", f"book/{book_id}#{each['session']}"))
        attribute(shown, "title", each["session"])

    columns: tuple[Column[LogEntry], ...] = (
        Column("Session", run),
        Column("When", when),
        Column("Outcome", ended),
        Column("Words", lambda each: f"{each['words']:,}" if each["words"] else "–", number=True),
        Column("Model", lambda each: each["model"] or "–"),
        Column(
            "Cost",
            lambda each: "–" if each["cost_micros"] is None else money(each["cost_micros"]),
            number=True,
        ),
        Column("Why", lambda each: each["message"] or each["code"] or "–"),
    )
    table(columns, log, caption="Sessions, newest first")


_TAKEN_OUT = (
    "Take out of the book here what the remote no longer has? What was committed here since, and unsaved "
    "edits, stay. All of it is archived, and “Undo the last restore” in the history brings it back."
)


def lost_session(visit: Visit, made: Frame, book: Book, lost: str) -> None:
    """The notice and its two buttons; nothing while ``lost``, which names the commits, is empty."""
    if not lost:
        return
    with box(classes="problem") as place:
        attribute(place, "role", "status")
        text(
            "p",
            f"{lost[:1].upper()}{lost[1:]}. Nothing is merged or pushed until you decide.",
            classes="what",
        )
        with box(classes="row-of"):
            action(made, "Publish it again", _published(visit, book), icon="publish")
            _taken_out(visit, made, book)


def _published(visit: Visit, book: Book) -> Act:
    async def act() -> str:
        visit.require("write", f"book/{book.book_id}")
        await visit.ask_engine(restoring.restore, book, "restore-session")
        return "it is published again"

    return act


def _taken_out(visit: Visit, made: Frame, book: Book) -> None:
    """A button that lists what it would do, and does nothing else."""
    listed: list[RestorePlan] = []

    async def look() -> str:
        listed[:] = [await visit.ask(restoring.planned_acceptance, book)]
        return "\n".join(restoring.plan_lines(*listed))

    async def act() -> str:
        visit.require("write", f"book/{book.book_id}")
        await visit.ask_engine(restoring.take_back, book, *listed)
        return "taken out here as well; it is archived"

    confirmed(made, "Take it out here as well", _TAKEN_OUT, act, look=look)
