"""The scenes, a part of them at once. The page changes in place."""

from functools import partial

from gateway.desk.principals import ids_seen
from gateway.desk.scene.board import SceneBoard, SceneLine, part
from gateway.desk.worlds import views
from gateway.desk.worlds.kinds import SCENE
from gateway.ui import addresses
from gateway.ui.elements.cards import cards
from gateway.ui.elements.html import box, link, text
from gateway.ui.elements.states import state
from gateway.ui.frame import frame
from gateway.ui.live import live
from gateway.ui.parts.portion import portion_of, rest, search
from gateway.ui.visit import Visit
from penwright.domain.text.counted import counted
from penwright.ports.portions import Portion


async def page(visit: Visit) -> None:
    """``/scenes?named=&skip=``."""
    portion = portion_of(visit, ids_seen(visit.principal, "scene"))
    mark = partial(visit.ask, views.part, SCENE, portion)
    shown = await live(visit, partial(visit.ask_engine, part, portion), mark=mark)
    with frame("Scenes", here="/scenes") as made:
        link("A new scene", addresses.page("scenes", "new"), classes="button")
        search(portion, shown.value.count, "scenes")
        shown.part(lambda found: found, partial(_cards, portion))
        shown.follow(made)


def _cards(portion: Portion, found: SceneBoard) -> None:
    if found.lines or not (found.count or portion.named):
        cards(
            found.lines,
            _card,
            missing=found.trouble,
            none="No scene has been created yet. It needs a title, and a character to answer you.",
            command="penwright scene create TITLE --world WORLD --cast NAME",
        )
    rest(portion, len(found.lines), found.count, "scenes")


def _card(line: SceneLine) -> None:
    with box("li", classes="card"):
        with box("h2"):
            link(line.title, addresses.page("scenes", line.scene))
        state(line.state)
        names, rounds = line.names, counted(line.rounds, "round")
        text("p", f"{rounds} in {names.world or 'no world'}, with {', '.join(names.cast) or 'no cast'}")
        if line.state == "importing":
            text("p", line.detail)
        if line.branched_from:
            text("p", f"branched from {names.branched_from}", classes="soft")
