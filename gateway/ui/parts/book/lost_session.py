"""A notice of what the remote lost, as after another's forced push, with both ways on."""

from gateway.desk.book import restoring
from gateway.desk.works.books import Book
from gateway.ui.elements.html import attribute, box, text
from gateway.ui.frame import Frame
from gateway.ui.parts.acting import Act, action
from gateway.ui.parts.confirm import confirmed
from gateway.ui.visit import Visit

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
            again = _decided(visit, book, "restore-session", "it is published again")
            action(made, "Publish it again", again, icon="publish")
            taken_out = _decided(visit, book, "accept-remote", "taken out here as well; it is archived")
            confirmed(made, "Take it out here as well", _TAKEN_OUT, taken_out)


def _decided(visit: Visit, book: Book, kind: restoring.Kind, said: str) -> Act:
    async def act() -> str:
        visit.require("write", f"book/{book.book_id}")
        await visit.ask_engine(restoring.restore, book, kind)
        return said

    return act
