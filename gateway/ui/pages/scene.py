"""One scene: the cast, the chat, and what happens backstage."""

from gateway.desk.book.sessions import quietly
from gateway.desk.scene import looking, orders, rounds
from gateway.desk.scene.looking import Shown
from gateway.ui import addresses
from gateway.ui.frame import Frame, frame
from gateway.ui.parts.acting import Act, action
from gateway.ui.parts.backstage import TABS, backstage
from gateway.ui.parts.chat import message
from gateway.ui.parts.figures import facts
from gateway.ui.parts.filters import filters
from gateway.ui.parts.following import reload_after
from gateway.ui.parts.html import box, text
from gateway.ui.parts.saying import saying
from gateway.ui.parts.states import state
from gateway.ui.visit import Visit
from schemas.scene import CharacterState

_NEWEST = 60
_FIELDS = ("mood", "location", "activity", "clothing", "intentions")


async def page(visit: Visit) -> None:
    """``/scenes/{scene}?tab=``."""
    scene = visit.params["scene"]
    visit.require("read", f"scene/{scene}")
    shown = await visit.ask(looking.look, scene, newest=_NEWEST, rounds=20)
    tab = visit.query.get("tab", "")
    title = shown.view.located.scene.title
    with frame(title, here="/scenes", crumbs=(("Scenes", addresses.page("scenes")),)) as made:
        _line(shown)
        with box(classes="playing"):
            with box("section", label="Cast"):
                _cast(shown)
            with box("section", label="Chat"):
                _chat(visit, made, scene, shown)
            with box("section", label="Backstage"):
                text("h2", "Backstage")
                filters("Backstage", "tab", TABS, {"tab": tab if tab in TABS else ""}, "scenes", scene)
                await backstage(visit, scene, shown, tab)


def _line(shown: Shown) -> None:
    with box("p", classes="lead"):
        state("writing" if shown.view.running else "idle")
        running = f"Round {shown.view.running} is being played." if shown.view.running else ""
        text("span", f" {running or f'{shown.view.rounds} rounds so far.'}")


def _cast(shown: Shown) -> None:
    text("h2", "Cast")
    states = {each.id: each for each in shown.view.state.characters}
    for member in shown.view.cast:
        with box("article", classes="card"):
            text("h3", member.name)
            text("p", "present" if member.present else "not here", classes="soft")
            facts(_told(states.get(member.id)))
    world = {**shown.view.state.world, **shown.view.state.trackers}
    if world:
        text("h2", "World and trackers")
        facts(world)


def _told(now: CharacterState | None) -> dict[str, str]:
    return {} if now is None else {name: str(getattr(now, name)) for name in _FIELDS}


def _chat(visit: Visit, made: Frame, scene: str, shown: Shown) -> None:
    text("h2", "Chat")
    if not shown.messages:
        text("p", "Nothing was said yet.", classes="empty")
    with box("ol", classes="chat"):
        for each in shown.messages:
            if not each.undone:
                message(visit, made, scene, each)
    if shown.view.running:
        reload_after(rounds.watch(visit.services, scene, quietly))
        action(made, "Stop", _stopped(visit, scene), look="danger", icon="stop")
        return

    async def say(said: str) -> None:
        visit.require("run", f"scene/{scene}")
        wanted = orders.Wanted(kind="message" if said else "continue", text=said, who=visit.principal.name)
        await visit.ask_engine(rounds.begin, scene, wanted)

    saying(made, say)


def _stopped(visit: Visit, scene: str) -> Act:
    async def act() -> str:
        visit.require("run", f"scene/{scene}")
        await visit.ask_engine(rounds.stop, scene, "stopped in the workspace", who=visit.principal.name)
        return "stopped; what was said stays"

    return act
