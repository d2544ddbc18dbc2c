"""The manuscripts, a part of them at once."""

from gateway.desk.manuscript.board import DocumentLine, board
from gateway.desk.principals import sees
from gateway.ui import addresses
from gateway.ui.frame import frame
from gateway.ui.parts.cards import cards
from gateway.ui.parts.html import box, link, text
from gateway.ui.parts.money import money
from gateway.ui.parts.portion import cut, portion_of, rest, search
from gateway.ui.parts.states import state
from gateway.ui.visit import Visit
from penwright.domain.text.counted import counted


async def page(visit: Visit) -> None:
    """``/manuscripts?named=&skip=``."""
    found = await visit.ask_engine(board)
    seen = [each for each in found.lines if sees(visit.principal, f"novel/{each.novel}")]
    portion = portion_of(visit)
    lines, count = cut(portion, seen, _name)
    with frame("Manuscripts", here="/manuscripts"):
        link("A new manuscript", addresses.page("manuscripts", "new"), classes="button")
        search(portion, len(seen), "manuscripts")
        if lines or not seen:
            cards(
                lines,
                _card,
                missing=found.trouble,
                none="No manuscript is here yet. Agents write, cite and revise one from your instructions.",
                command='penwright manuscript new ~/papers/tides --title "Tides"',
            )
        rest(portion, len(lines), count, "manuscripts")


def _name(line: DocumentLine) -> str:
    return f"{line.title} {line.novel}/{line.scene}"


def _card(line: DocumentLine) -> None:
    with box("li", classes="card"):
        with box("h2"):
            link(line.title, addresses.subject("novel", f"{line.novel}/{line.scene}"))
        state(line.state)
        scene = "" if line.scene == "-" else f"{line.scene}: "
        score = "" if line.score is None else f", score {line.score:.2f}"
        words = "not written by agents yet" if line.words is None else counted(line.words, "word")
        text("p", f"{scene}{words}{score}")
        text("p", f"{money(line.cost_micros, line.unknown_prices)} so far", classes="soft")
