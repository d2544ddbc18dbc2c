"""Every scene."""

from gateway.desk.principals import sees
from gateway.desk.scene.board import SceneLine, board
from gateway.ui import addresses
from gateway.ui.frame import frame
from gateway.ui.parts.cards import cards
from gateway.ui.parts.html import box, link, text
from gateway.ui.parts.states import state
from gateway.ui.visit import Visit


async def page(visit: Visit) -> None:
    """``/scenes``."""
    found = await visit.ask_engine(board)
    lines = [each for each in found.lines if sees(visit.principal, f"scene/{each.scene}")]
    with frame("Scenes", here="/scenes"):
        link("A new scene", addresses.page("scenes", "new"), classes="button")
        cards(
            lines,
            _card,
            missing=found.trouble,
            none="No scene has been created yet. It needs a title, and a character to answer you.",
            command='penwright scene create "Late guest" --world Tarn --cast "Nora Hale"',
        )


def _card(line: SceneLine) -> None:
    with box("li", classes="card"):
        with box("h2"):
            link(line.title, addresses.page("scenes", line.scene))
        state(line.state)
        text(
            "p",
            f"{line.rounds} rounds in {line.world or 'no world'}, with {', '.join(line.cast) or 'no cast'}",
        )
        if line.branched_from:
            text("p", f"branched from {line.branched_from}", classes="soft")
