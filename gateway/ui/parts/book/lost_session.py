"""A notice of what the remote lost, as after another's forced push, with both ways on."""

from gateway.desk.book import restoring
from gateway.desk.works.books import Book
from gateway.ui.elements.html import attribute, box, text
from gateway.ui.frame import Frame
from gateway.ui.parts.acting import Act, action
from gateway.ui.parts.confirm import confirmed
from gateway.ui.visit import Visit
from schemas.workspace import RestorePlan

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
