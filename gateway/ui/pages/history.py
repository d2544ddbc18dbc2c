"""The history of a book: its time line, two versions compared, and going back. It changes in place."""

from dataclasses import dataclass
from functools import partial

from gateway.desk.book import restoring, timeline
from gateway.desk.book.timeline import Moment
from gateway.desk.services import Services
from gateway.desk.works.books import Book
from gateway.ui import addresses
from gateway.ui.elements.html import box
from gateway.ui.frame import Frame
from gateway.ui.parts.book.book_tabs import book_frame, book_of, followed
from gateway.ui.parts.comparison import Compared, compared
from gateway.ui.parts.confirm import confirmed
from gateway.ui.parts.plots.timeline import Timeline, Version
from gateway.ui.visit import Visit
from schemas.workspace import RestorePlan


@dataclass(frozen=True, slots=True)
class _Past:
    moments: tuple[Moment, ...]
    undo: bool
    """Whether there is a restore to undo."""


async def page(visit: Visit) -> None:
    """``/books/{book_id}/history?from=&to=``."""
    book = await book_of(visit)
    known = await followed(visit, book, _read)
    before, after = visit.query.get("from", ""), visit.query.get("to", "")
    lies_between = await visit.ask(_between, book, before, after) if before and after else None
    address = partial(addresses.page, "books", book.book_id, "history")
    rest = f"The rest is left out; `git diff {before[:8]} {after[:8]}` in the book's folder shows it."
    shown = Timeline(address, before, after, visit.services.now(), rest)
    with book_frame(book, "history") as made:
        known.part(lambda past: past, lambda past: _draw(visit, made, book, shown, past, lies_between))
        known.follow(made)


def _read(services: Services, book: Book) -> _Past:
    return _Past(timeline.moments(services, book), restoring.can_undo(services, book))


def _draw(
    visit: Visit, made: Frame, book: Book, shown: Timeline, past: _Past, lies_between: Compared | None
) -> None:
    def restorable(number: int) -> None:
        if tags := past.moments[number].tags:
            _taken_back(visit, made, book, "Restore", to=tags[0])

    rows = [Version(each.commit, each.at, each.subject, each.author, each.tags) for each in past.moments]
    shown.draw(rows, lies_between, restorable, lambda: _back(visit, made, book, past))


def _between(services: Services, book: Book, before: str, after: str) -> Compared:
    changed = timeline.changed_texts(services, book, before, after)
    return compared((each.path, each.before, each.after) if each.read else each.path for each in changed)


def _back(visit: Visit, made: Frame, book: Book, past: _Past) -> None:
    tags = [tag for each in past.moments for tag in each.tags]
    with box(classes="row-of"):
        if tags:
            _taken_back(visit, made, book, "Take the last session back", to=tags[0])
        if past.undo:
            _taken_back(visit, made, book, "Undo the last restore", undo=True)


def _taken_back(
    visit: Visit, made: Frame, book: Book, shown: str, *, to: str | None = None, undo: bool = False
) -> None:
    """A button that lists what it would do, and does nothing else."""
    listed: list[RestorePlan] = []

    async def look() -> str:
        listed[:] = [await visit.ask(restoring.planned, book, to=to, undo=undo)]
        held = await visit.ask_engine(restoring.in_the_way, book)
        return "\n".join([*restoring.plan_lines(*listed), held])

    async def act() -> str:
        visit.require("write", f"book/{book.book_id}")
        await visit.ask_engine(restoring.take_back, book, *listed)
        return "done; nothing was lost, the time line shows it"

    back = "" if undo else " “Undo the last restore” brings it back."
    confirmed(made, shown, f"Everything is archived first.{back}", act, look=look)
