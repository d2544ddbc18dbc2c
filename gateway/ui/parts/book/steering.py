"""Buttons for a book's session, by its state."""

from collections.abc import Callable
from functools import partial

from gateway.desk.book import seal_review, sessions
from gateway.desk.works.books import Book
from gateway.ui.elements.html import box
from gateway.ui.frame import Frame
from gateway.ui.parts.acting import Act, action
from gateway.ui.parts.confirm import confirmed
from gateway.ui.parts.steering import sent
from gateway.ui.parts.tag_choice import tag_choice
from gateway.ui.visit import Visit
from schemas.control import KillRequest

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
