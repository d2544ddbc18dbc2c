"""The review of a book: the prose that waits, passage by passage, by keyboard."""

from collections.abc import Sequence

from gateway.desk.book import reviewing
from gateway.ui.elements.html import box, text
from gateway.ui.live import live
from gateway.ui.parts.book.book_tabs import book_frame, book_of
from gateway.ui.parts.book.review_queue import Queue
from gateway.ui.visit import Visit


async def page(visit: Visit) -> None:
    """``/books/{book_id}/review``."""
    book = await book_of(visit)
    known = await live(visit, lambda: visit.ask(reviewing.review_of, book), subject=f"book/{book.book_id}")
    with book_frame(book, "review") as made:
        text(
            "p",
            "What you leave goes into the book with the next session. A comment holds its passage back until "
            "the session has answered it.",
            classes="soft",
        )
        known.part(lambda found: (found.plan, found.told, found.edits), lambda lists: _last_session(*lists))
        known.part(lambda found: found.trouble, _trouble)
        queue = Queue(visit, made, book, known.value, only=visit.query.get("only", ""))
        queue.build(box("section", label="Passages"))
        known.part(lambda found: found, queue.follow)
        known.look_while(lambda _: True)  # an editor outside leaves no event
        known.follow(made)


def _trouble(why: str) -> None:
    """The fault by which the author's decisions on findings do not count; nothing if they do."""
    if why:
        text("p", why, classes="note")


def _last_session(plan: Sequence[str], told: Sequence[str], edits: Sequence[str]) -> None:
    """Plan, told beats and edits of the last session, without those that it has not."""
    lists = (
        ("What the session planned", plan),
        ("What it told of that", told),
        ("Before its close", edits),
    )
    for title, lines in lists:
        if lines:
            with box("details"):
                text("summary", title)
                with box("ul"):
                    for line in lines:
                        text("li", line)
