"""The manuscripts, a part of them at once. The page changes in place."""

from functools import partial

from gateway.desk.manuscript.board import DocumentBoard, DocumentLine, board
from gateway.desk.principals import sees
from gateway.ui import addresses
from gateway.ui.elements.cards import cards
from gateway.ui.elements.html import box, link, text
from gateway.ui.elements.money import money
from gateway.ui.elements.states import state
from gateway.ui.frame import frame
from gateway.ui.live import live
from gateway.ui.parts.portion import cut, portion_of, rest, search
from gateway.ui.visit import Visit
from penwright.domain.text.counted import counted
from penwright.ports.portions import Portion


async def page(visit: Visit) -> None:
    """``/manuscripts?named=&skip=``."""
    shown = await live(visit, partial(visit.ask_engine, board))
    portion = portion_of(visit)
    with frame("Manuscripts", here="/manuscripts") as made:
        link("A new manuscript", addresses.page("manuscripts", "new"), classes="button")
        search(portion, len(_seen(visit, shown.value)), "manuscripts")
        shown.part(lambda found: found, partial(_cards, visit, portion))
        shown.follow(made)


def _seen(visit: Visit, found: DocumentBoard) -> list[DocumentLine]:
    return [each for each in found.lines if sees(visit.principal, f"novel/{each.novel}")]


def _cards(visit: Visit, portion: Portion, found: DocumentBoard) -> None:
    seen = _seen(visit, found)
    lines, count = cut(portion, seen, _name)
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
