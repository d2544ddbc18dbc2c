"""The library: the books, a part of them at once, and how each stands. It changes in place."""

from functools import partial

from gateway.desk.book.board import Board
from gateway.desk.runs.waiting import boards, waits_of
from gateway.ui import addresses
from gateway.ui.elements.cards import cards
from gateway.ui.elements.html import box, link, sentence, text
from gateway.ui.elements.moments import moment
from gateway.ui.elements.money import money
from gateway.ui.elements.states import state
from gateway.ui.frame import frame
from gateway.ui.live import live
from gateway.ui.parts.portion import cut, portion_of, rest, search
from gateway.ui.visit import Visit
from penwright.domain.book.board import waiting_words
from penwright.domain.text.counted import counted
from penwright.ports.portions import Portion
from schemas.board import BoardLine


async def page(visit: Visit) -> None:
    """``/books?named=&skip=``."""
    portion = portion_of(visit)

    async def read() -> tuple[Board, int]:
        found = await visit.ask_engine(boards, visit.principal)
        waits = await visit.ask(waits_of, found)
        return found.books, len(waits.items)

    shown = await live(visit, read)
    books, waiting = shown.value
    with frame("Books", here="/books", waiting=waiting) as made:
        for line in cut(portion, books.lines, _name)[0]:
            made.keys.lead_to(f"Book: {line.title}", addresses.page("books", line.book_id))
        link("A new book", addresses.page("books", "new"), classes="button")
        search(portion, len(books.lines), "books")
        shown.part(lambda now: now[0], partial(_cards, visit, portion))
        shown.part(lambda now: now[1], made.waiting)
        shown.follow(made)


def _name(line: BoardLine) -> str:
    return f"{line.title} {line.book_id}"


def _cards(visit: Visit, portion: Portion, found: Board) -> None:
    lines, count = cut(portion, found.lines, _name)
    if lines or not found.lines:
        cards(
            lines,
            partial(_card, visit),
            missing=found.trouble,
            none="No book is here yet. The first one needs a title; a session then writes its first pages.",
            command='penwright book init ~/books/tide --title "Tide"',
        )
    rest(portion, len(lines), count, "books")


def _card(visit: Visit, line: BoardLine) -> None:
    now = visit.services.now()
    with box("li", classes="card"):
        with box("h2"):
            link(line.title, addresses.page("books", line.book_id))
        state(line.state)
        share = min(100, 100 * line.words // line.target) if line.target else 0
        with box(classes="bar", label=f"{share} % of the target") as bar:
            bar.props('role="img"')
            fill = box()
            # A number that was computed here, never a text.
            fill.props["style"] = f"width:{share:d}%"
        text("p", f"{line.words:,} of {line.target:,} {line.unit}")
        if line.waiting:
            with box("p"):
                link(
                    waiting_words(line),
                    addresses.page("books", line.book_id, "review"),
                )
        for one in line.attention:
            sentence(one.reason, classes="needs")
        with box("p", classes="soft"):
            text("span", f"{money(line.cost_micros, line.unknown_prices)} so far")
            if line.next_run:
                text("span", ", next run ")
                moment(line.next_run, now)
            if line.sessions_left:
                text("span", f", {counted(line.sessions_left, 'session')} left")
            if line.last_run:
                text("span", ", the last about ")
                moment(line.last_run, now)
