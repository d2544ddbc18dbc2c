"""One message of a scene: its alternatives, a new one, a branch."""

from gateway.desk.scene import changes, orders, rounds
from gateway.ui.frame import Frame
from gateway.ui.parts.acting import Act, action
from gateway.ui.parts.html import attribute, box, text
from gateway.ui.parts.prose import prose
from gateway.ui.visit import Visit
from schemas.scene import SceneMessage


def message(visit: Visit, made: Frame, scene: str, each: SceneMessage) -> None:
    """A message with the speaker's name, ``2 of 4`` alternatives, and what may be done with it."""
    count, number = len(each.alternatives), str(each.number)
    with box("li", classes=f"message {'own' if each.speaker == 'user' else ''}".strip()):
        with box("header"):
            text("h3", each.name)
            text("span", f"#{each.number}, round {each.round}", classes="soft")
        prose(each.text)
        with box(classes="row-of"):
            if count > 1:
                before = action(made, "‹", _chosen(visit, scene, number, each.chosen))
                attribute(before, "aria-label", "the alternative before")
                before.set_enabled(each.chosen > 0)
                text("span", f"{each.chosen + 1} of {count}")
                after = action(made, "›", _chosen(visit, scene, number, each.chosen + 2))
                attribute(after, "aria-label", "the next alternative")
                after.set_enabled(each.chosen + 1 < count)
            if each.speaker != "user":
                action(made, "Say it anew", _anew(visit, scene, number), icon="refresh")
            action(made, "Branch", _branched(visit, scene, each.round), icon="call_split", reload=False)


def _chosen(visit: Visit, scene: str, number: str, alternative: int) -> Act:
    async def act() -> str:
        visit.require("write", f"scene/{scene}")
        await visit.ask(changes.choose, scene, number, alternative, who=visit.principal.name)
        return "chosen; the others stay"

    return act


def _anew(visit: Visit, scene: str, number: str) -> Act:
    async def act() -> str:
        visit.require("run", f"scene/{scene}")
        wanted = orders.Wanted(kind="regenerate", message=number, who=visit.principal.name)
        await visit.ask_engine(rounds.begin, scene, wanted)
        return "the reply is made anew; the old one stays as an alternative"

    return act


def _branched(visit: Visit, scene: str, round: int) -> Act:
    async def act() -> str:
        visit.require("write", f"scene/{scene}")
        title = f"{scene}, after round {round}"
        made = await visit.ask(changes.branch, scene, round, title, who=visit.principal.name)
        return f"the branch “{made[1].title}” is among the scenes"

    return act
