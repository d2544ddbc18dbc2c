"""Every scene."""

from gateway.desk.principals import sees
from gateway.desk.scene.board import SceneLine, board
from gateway.ui import addresses
from gateway.ui.frame import frame
from gateway.ui.parts.html import box, link, text
from gateway.ui.parts.problem import trouble
from gateway.ui.parts.states import state
from gateway.ui.visit import Visit


async def page(visit: Visit) -> None:
    """``/scenes``."""
    found = await visit.ask_engine(board)
    lines = [each for each in found.lines if sees(visit.principal, f"scene/{each.scene}")]
    with frame("Scenes", here="/scenes"):
        if found.trouble:
            trouble(found.trouble)
        if not lines:
            with box(classes="empty"):
                text("p", "No scene has been created yet.")
                text("code", 'penwright scene create "Late guest" --world Tarn --cast "Nora Hale"')
            return
        with box("ul", classes="cards"):
            for line in lines:
                _card(line)


def _card(line: SceneLine) -> None:
    with box("li", classes="card"):
        with box("h2"):
            link(line.title, addresses.page("scenes", line.scene))
        state(line.state)
        text(
            "p",
            f"{line.rounds} rounds in {line.world or 'no world'}, with {', '.join(line.cast) or 'nobody'}",
        )
        if line.branched_from:
            text("p", f"branched from {line.branched_from}", classes="soft")
