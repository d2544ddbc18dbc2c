"""A new scene, world, character, persona or lorebook; what is told about it follows on its page."""

from collections import Counter
from collections.abc import Sequence

from nicegui import ui

from gateway.desk.scene import creating
from gateway.desk.scene.creating import NewScene
from gateway.desk.works.subjects import WORLDS
from gateway.desk.worlds import keeping, looking
from gateway.desk.worlds.keeping import Wanted
from gateway.desk.worlds.kinds import CHARACTER, LOREBOOK, PERSONA, WORLD
from gateway.desk.worlds.looking import Line
from gateway.ui import addresses
from gateway.ui.frame import frame
from gateway.ui.parts.acting import action
from gateway.ui.parts.html import box, link, text
from gateway.ui.visit import Visit
from penwright.errors import NotFound, UsageMistake

MADE = {each.plural: each for each in (CHARACTER, LOREBOOK, PERSONA, WORLD)}
"""What a name is enough for, by its plural."""

_FIRST = "My world"


async def scene(visit: Visit) -> None:
    """``/scenes/new``."""
    visit.require("write", WORLDS)
    worlds, people, personas = [
        await visit.ask(looking.listing, each) for each in (WORLD, CHARACTER, PERSONA)
    ]
    with frame("A new scene", here="/scenes", crumbs=(("Scenes", addresses.page("scenes")),)) as made:
        if not people:
            with box(classes="empty"):
                text("p", "A scene needs at least one character to answer you.")
                with box("p"):
                    link("A new character", addresses.page("worlds", "characters", "new"), classes="button")
                    link("Drop a card", addresses.page("worlds"))
            return
        with box(classes="asked"):
            title = ui.input("Title").props('outlined dense maxlength="200"')
            world = _choice(
                "World",
                worlds,
                first=worlds[0].thing.id if len(worlds) == 1 else None,
                hint="" if worlds else "none: a first world is made",
            )
            cast = ui.select(_named(people), label="Cast", multiple=True, value=[]).props(
                "outlined dense use-chips"
            )
            persona = _choice("Who you are in it", personas, hint="none: you speak by your own name")

            async def begun() -> str:
                wish = NewScene(
                    title=_given(title.value, "a title is needed; a working title will do"),
                    world=world.value or await _first_world(visit, worlds),
                    cast=tuple(cast.value),
                    persona=persona.value or "",
                )
                done = await visit.ask(creating.create, wish, who=visit.principal.name)
                ui.navigate.to(addresses.page("scenes", done.scene.id))
                return f"{done.scene.title} is ready to be played"

            with box(classes="row-of"):
                action(made, "Begin it", begun, look="main", icon="add", reload=False)


async def thing(visit: Visit) -> None:
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
            new = await visit.ask(keeping.create, kind, kind.type(id="", name=named), Wanted())
            ui.navigate.to(addresses.page("worlds", kind.plural, new.id))
            return f"{named} is made; now tell about it"

        with box(classes="row-of"):
            action(made, "Make it", begun, look="main", icon="add", reload=False)


def _given(said: str | None, missing: str) -> str:
    if not (said := (said or "").strip()):
        raise UsageMistake("no-name", missing)
    return said


async def _first_world(visit: Visit, worlds: Sequence[Line]) -> str:
    """Only where there is none: else a person chooses."""
    if worlds:
        raise UsageMistake("no-place", "choose the world that the scene plays in")
    made = await visit.ask(keeping.create, WORLD, WORLD.type(id="", name=_FIRST), Wanted())
    return str(made.id)


def _choice(label: str, lines: Sequence[Line], *, first: str | None = None, hint: str = "") -> ui.select:
    """One of the things, or none; ``first``: the id of the one that is chosen at first."""
    field = ui.select(_named(lines), label=label, value=first, clearable=True).props("outlined dense")
    if hint:
        field.props["hint"] = hint
    return field


def _named(lines: Sequence[Line]) -> dict[str, str]:
    """Names by id; those of one name are told apart by their ids."""
    names = Counter(each.thing.name for each in lines)
    return {
        each.thing.id: each.thing.name
        if names[each.thing.name] == 1
        else f"{each.thing.name} ({each.thing.id})"
        for each in lines
    }
