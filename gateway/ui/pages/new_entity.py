"""A new scene, world, character, persona or lorebook; what is told about it follows on its page."""

from nicegui import ui

from gateway.desk.scene import creating
from gateway.desk.scene.creating import NewScene
from gateway.desk.works.subjects import WORLDS
from gateway.desk.worlds import storing
from gateway.desk.worlds.kinds import CHARACTER, LOREBOOK, PERSONA, WORLD
from gateway.desk.worlds.storing import EntityFields
from gateway.ui import addresses
from gateway.ui.elements.html import box, link, text
from gateway.ui.frame import frame
from gateway.ui.parts.acting import action
from gateway.ui.parts.shared.choosing import Choosing
from gateway.ui.visit import Visit
from penwright.errors import NotFound, UsageMistake

MADE = {each.plural: each for each in (CHARACTER, LOREBOOK, PERSONA, WORLD)}
"""Kinds for which a name is enough, by their plural."""

_FIRST = "My world"


async def scene(visit: Visit) -> None:
    """``/scenes/new``."""
    visit.require("write", WORLDS)
    with frame("A new scene", here="/scenes", crumbs=(("Scenes", addresses.page("scenes")),)) as made:
        with box(classes="asked") as asked:
            title = ui.input("Title").props('outlined dense maxlength="200"')
            world = Choosing(visit, WORLD, "World", several=False)
            cast = Choosing(visit, CHARACTER, "Cast", several=True)
            hint = "none: you speak by your own name"
            persona = Choosing(visit, PERSONA, "Who you are in it", several=False, hint=hint)
            for each in (world, cast, persona):
                await each.offer()
            world.choose_only("none: a first world is made")

            async def begun() -> str:
                wish = NewScene(
                    title=_given(title.value, "a title is needed; a working title will do"),
                    world=next(iter(world.chosen), "") or await _first_world(visit, world.count),
                    cast=cast.chosen,
                    persona=next(iter(persona.chosen), ""),
                )
                done = await visit.ask(creating.create, wish, who=visit.principal.name)
                ui.navigate.to(addresses.page("scenes", done.scene.id))
                return f"{done.scene.title} is ready to be played"

            with box(classes="row-of"):
                action(made, "Begin it", begun, look="main", icon="add", reload=False)
        if not cast.count:
            asked.delete()
            _no_character()


def _no_character() -> None:
    with box(classes="empty"):
        text("p", "A scene needs at least one character to answer you.")
        with box("p"):
            link("A new character", addresses.page("worlds", "characters", "new"), classes="button")
            link("Drop a card", addresses.page("worlds"))


async def entity(visit: Visit) -> None:
    """``/worlds/{kind}/new``."""
    visit.require("write", WORLDS)
    kind = MADE.get(visit.params["kind"])
    if kind is None:
        raise NotFound("no-such-page", f"no new {visit.params['kind']!r} are made here")
    crumbs = (("Worlds", addresses.page("worlds", kind=kind.plural)),)
    with frame(f"A new {kind.word}", here="/worlds", crumbs=crumbs) as made, box(classes="asked"):
        name = ui.input("Name").props('outlined dense maxlength="200"')

        async def begun() -> str:
            named = _given(name.value, "a name is needed")
            new = await visit.ask(storing.create, kind, kind.type(id="", name=named), EntityFields())
            ui.navigate.to(addresses.page("worlds", kind.plural, new.id))
            return f"{named} is made; now tell about it"

        with box(classes="row-of"):
            action(made, "Make it", begun, look="main", icon="add", reload=False)


def _given(said: str | None, missing: str) -> str:
    if not (said := (said or "").strip()):
        raise UsageMistake("no-name", missing)
    return said


async def _first_world(visit: Visit, count: int) -> str:
    """Only where there is none: else a person chooses."""
    if count:
        raise UsageMistake("no-place", "choose the world that the scene plays in")
    made = await visit.ask(storing.create, WORLD, WORLD.type(id="", name=_FIRST), EntityFields())
    return str(made.id)
