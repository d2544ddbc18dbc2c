"""Every manuscript."""

from gateway.desk.manuscript.board import DocumentLine, board
from gateway.desk.principals import sees
from gateway.ui import addresses
from gateway.ui.frame import frame
from gateway.ui.parts.cards import cards
from gateway.ui.parts.html import box, link, text
from gateway.ui.parts.money import money
from gateway.ui.parts.states import state
from gateway.ui.visit import Visit


async def page(visit: Visit) -> None:
    """``/manuscripts``."""
    found = await visit.ask_engine(board)
    lines = [each for each in found.lines if sees(visit.principal, f"novel/{each.novel}")]
    with frame("Manuscripts", here="/manuscripts"):
        link("A new manuscript", addresses.page("manuscripts", "new"), classes="button")
        cards(
            lines,
            _card,
            missing=found.trouble,
            none="No manuscript is here yet. Agents write, cite and revise one from your instructions.",
            command='penwright manuscript new ~/papers/tides --title "Tides"',
        )


def _card(line: DocumentLine) -> None:
    with box("li", classes="card"):
        with box("h2"):
            link(line.title, addresses.subject("novel", f"{line.novel}/{line.scene}"))
        state(line.state)
        scene = "" if line.scene == "-" else f"{line.scene}: "
        score = "" if line.score is None else f", score {line.score:.2f}"
        text("p", f"{scene}{line.words:,} words{score}")
        text("p", f"{money(line.cost_micros)} so far", classes="soft")
