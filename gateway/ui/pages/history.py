"""The history of a book: its time line, two versions compared, and going back."""

from gateway.desk.book import restoring, timeline
from gateway.desk.book.books import Book
from gateway.desk.book.timeline import Comparison, Moment
from gateway.desk.works import registered
from gateway.ui import addresses
from gateway.ui.frame import Frame, frame
from gateway.ui.parts.acting import Act
from gateway.ui.parts.book.book_tabs import book_tabs
from gateway.ui.parts.confirm import confirmed
from gateway.ui.parts.html import attribute, box, link, text
from gateway.ui.parts.moments import moment
from gateway.ui.visit import Visit
from penwright.errors import UsageMistake


async def page(visit: Visit) -> None:
    """``/books/{book_id}/history?from=&to=``."""
    book_id = visit.params["book_id"]
    visit.require("read", f"book/{book_id}")
    book = await visit.ask(registered.book, book_id)
    found = await visit.ask(lambda _: timeline.moments(book))
    before, after = visit.query.get("from", ""), visit.query.get("to", "")
    compared = await visit.ask(lambda _: timeline.compare(book, before, after)) if before and after else None
    crumbs = (("Books", addresses.page("books")), (book.title, addresses.page("books", book_id)))
    with frame("History", here="/books", crumbs=crumbs) as made:
        book_tabs(book_id, "history")
        if compared:
            _comparison(book, compared)
        elif before:
            with box("p", classes="note"):
                text("span", f"Choose what to compare {before[:8]} with. ")
                link("Leave it", addresses.page("books", book_id, "history"))
        _back(visit, made, book, found, undo=await visit.ask(restoring.can_undo, book))
        with box("ol", classes="timeline"):
            for number, each in enumerate(found):
                older = found[number + 1] if number + 1 < len(found) else None
                _moment(visit, made, book, each, older, chosen=before if not after else "")


def _moment(
    visit: Visit, made: Frame, book: Book, each: Moment, before: Moment | None, *, chosen: str
) -> None:
    with box("li"):
        moment(each.at, visit.services.now())
        with box():
            text("p", each.subject, classes="what")
            with box("p", classes="soft"):
                text("span", f"{each.author}, ")
                text("code", each.commit[:8])
                for tag in each.tags:
                    text("span", f", restore point {tag}")
            with box(classes="row-of"):
                _comparing(book, each, before, chosen)
                if each.tags:
                    _restore(visit, made, book, each.tags[0])


def _comparing(book: Book, each: Moment, before: Moment | None, chosen: str) -> None:
    """Links to what a commit changed, and to the choice of any two."""

    def to(shown: str, wanted: dict[str, str]) -> None:
        address = addresses.page("books", book.book_id, "history", **wanted)
        attribute(link(shown, address), "aria-label", f"{shown}: {each.subject}, {each.commit[:8]}")

    if chosen and chosen != each.commit:
        to("compare with this", {"from": chosen, "to": each.commit})
    elif not chosen:
        if before:
            to("what it changed", {"from": before.commit, "to": each.commit})
        to("compare …", {"from": each.commit})


def _restore(visit: Visit, made: Frame, book: Book, tag: str) -> None:
    question = (
        f"Take the book back to {tag}? What was written since then is archived, and “Undo the last restore” "
        "brings it back."
    )
    confirmed(made, "Restore", question, _act(visit, book, "rollback", tag))


def _comparison(book: Book, compared: Comparison) -> None:
    with box("section", classes="card", label="Comparison"):
        text("h2", f"From {compared.before[:8]} to {compared.after[:8]}")
        text("p", ", ".join(compared.files) or "No text of the book changed.", classes="soft")
        if compared.lines:
            block = text("pre", compared.lines, classes="lines scrolled-down")
            attribute(block, "tabindex", "0")
        if compared.shortened:
            text("p", "The rest is left out; `git diff` in the book's folder shows it.")
        link("Close", addresses.page("books", book.book_id, "history"))


def _back(visit: Visit, made: Frame, book: Book, found: tuple[Moment, ...], *, undo: bool) -> None:
    tags = [tag for each in found for tag in each.tags]
    with box(classes="row-of"):
        if tags:
            question = (
                f"Take the book back to the restore point {tags[0]}, where its last session began? What is "
                "discarded is archived, and “Undo the last restore” brings it back."
            )
            confirmed(made, "Take the last session back", question, _act(visit, book, "rollback", tags[0]))
        if undo:
            question = "Bring back what was discarded last?"
            confirmed(made, "Undo the last restore", question, _act(visit, book, "undo"))


def _act(visit: Visit, book: Book, kind: restoring.Kind, target: str | None = None) -> Act:
    async def act() -> str:
        visit.require("write", f"book/{book.book_id}")
        if kind == "reset":
            raise UsageMistake("not-here", "a book is reset on a terminal", hint="`penwright book reset`")
        await visit.ask_engine(restoring.restore, book, kind, target)
        return "done; nothing was lost, the time line shows it"

    return act
