"""The history of a book: its time line, two versions compared, and going back. It changes in place."""

from dataclasses import dataclass
from functools import partial

from gateway.desk.book import restoring, timeline
from gateway.desk.book.timeline import Moment
from gateway.desk.services import Services
from gateway.desk.works import registered, works
from gateway.desk.works.books import Book
from gateway.ui import addresses
from gateway.ui.elements.html import box
from gateway.ui.frame import Frame, frame
from gateway.ui.live import live
from gateway.ui.parts.acting import Act
from gateway.ui.parts.book.book_tabs import book_tabs
from gateway.ui.parts.comparison import Compared, compared
from gateway.ui.parts.confirm import confirmed
from gateway.ui.parts.plots.timeline import Timeline, Version
from gateway.ui.visit import Visit
from penwright.errors import UsageMistake

_REST = "The rest is left out; `git diff` in the book's folder shows it."


@dataclass(frozen=True, slots=True)
class _Past:
    moments: tuple[Moment, ...]
    undo: bool
    """Whether there is a restore to undo."""
    since: tuple[str, ...]
    """Subjects of the commits since the last restore."""


async def page(visit: Visit) -> None:
    """``/books/{book_id}/history?from=&to=``."""
    book_id = visit.params["book_id"]
    visit.require("read", f"book/{book_id}")
    book = await visit.ask(registered.book, book_id)
    known = await live(
        visit,
        lambda: visit.ask(_read, book),
        subject=f"book/{book_id}",
        mark=lambda: visit.ask(lambda _: works.refs(book)),
    )
    before, after = visit.query.get("from", ""), visit.query.get("to", "")
    lies_between = await visit.ask(lambda _: _between(book, before, after)) if before and after else None
    crumbs = (("Books", addresses.page("books")), (book.title, addresses.page("books", book_id)))
    address = partial(addresses.page, "books", book_id, "history")
    shown = Timeline(address, before, after, visit.services.now(), _REST)
    with frame("History", here="/books", crumbs=crumbs) as made:
        book_tabs(book_id, "history")
        known.part(lambda past: past, lambda past: _draw(visit, made, book, shown, past, lies_between))
        known.follow(made)


def _read(services: Services, book: Book) -> _Past:
    undo = restoring.can_undo(services, book)
    return _Past(timeline.moments(book), undo, restoring.written_since(book) if undo else ())


def _draw(
    visit: Visit, made: Frame, book: Book, shown: Timeline, past: _Past, lies_between: Compared | None
) -> None:
    def restorable(number: int) -> None:
        if tags := past.moments[number].tags:
            _restore(visit, made, book, tags[0])

    rows = [Version(each.commit, each.at, each.subject, each.author, each.tags) for each in past.moments]
    shown.draw(rows, lies_between, restorable, lambda: _back(visit, made, book, past))


def _between(book: Book, before: str, after: str) -> Compared:
    changed = timeline.changed_texts(book, before, after)
    return compared((each.path, each.before, each.after) if each.read else each.path for each in changed)


def _restore(visit: Visit, made: Frame, book: Book, tag: str) -> None:
    question = (
        f"Take the book back to {tag}? What was written since then is archived, and “Undo the last restore” "
        "brings it back."
    )
    confirmed(made, "Restore", question, _act(visit, book, "rollback", tag))


def _gone(since: tuple[str, ...]) -> str:
    """What an undo would take away."""
    if not since:
        return ""
    first = since[0] if len(since) == 1 else f"{since[0]}, and {len(since) - 1} more"
    return (
        f" What was written since then goes out of the book: {first}. It is archived in git, and no page "
        "brings it back."
    )


def _back(visit: Visit, made: Frame, book: Book, past: _Past) -> None:
    tags = [tag for each in past.moments for tag in each.tags]
    with box(classes="row-of"):
        if tags:
            question = (
                f"Take the book back to the restore point {tags[0]}, where its last session began? What "
                "people changed since stays, except in passages that the session wrote. All of it is "
                "archived, and “Undo the last restore” brings it back."
            )
            confirmed(made, "Take the last session back", question, _act(visit, book, "rollback", tags[0]))
        if past.undo:
            question = f"Bring back what was discarded last?{_gone(past.since)}"
            confirmed(made, "Undo the last restore", question, _act(visit, book, "undo"))


def _act(visit: Visit, book: Book, kind: restoring.Kind, target: str | None = None) -> Act:
    async def act() -> str:
        visit.require("write", f"book/{book.book_id}")
        if kind == "reset":
            raise UsageMistake(
                "not-here", "a book is reset on a terminal", hint=f"`penwright book reset {book.book_id}`"
            )
        await visit.ask_engine(restoring.restore, book, kind, target)
        return "done; nothing was lost, the time line shows it"

    return act
