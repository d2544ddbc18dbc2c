"""The library: every book, and how each stands."""

from functools import partial

from gateway.desk.waiting import boards, waits_of
from gateway.ui import addresses
from gateway.ui.frame import frame
from gateway.ui.parts.cards import cards
from gateway.ui.parts.html import box, link, text
from gateway.ui.parts.moments import moment
from gateway.ui.parts.money import money
from gateway.ui.parts.states import state
from gateway.ui.visit import Visit
from schemas.board import BoardLine


async def page(visit: Visit) -> None:
    """``/books``."""
    found = await visit.ask_engine(boards, visit.principal)
    waits = await visit.ask(waits_of, found)
    with frame("Books", here="/books", waiting=len(waits.items)) as made:
        for line in found.books.lines:
            made.keys.lead_to(f"Book: {line.title}", addresses.page("books", line.book_id))
        cards(
            found.books.lines,
            partial(_card, visit),
            missing=found.books.trouble,
            none="No book is registered yet.",
            command='penwright book init ~/books/tide --title "Tide"',
        )


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
        text("p", f"{line.words:,} of {line.target:,} words")
        if line.waiting:
            with box("p"):
                link(
                    f"{line.waiting:,} words wait for your review",
                    addresses.page("books", line.book_id, "review"),
                )
        for one in line.attention:
            text("p", one.reason, classes="needs")
        with box("p", classes="soft"):
            text("span", f"{money(line.cost_micros, line.unknown_prices)} so far")
            if line.next_run:
                text("span", ", next run ")
                moment(line.next_run, now)
