"""The tab Pictures: those of the scene, each with its words, and taken away by a button."""

from gateway.desk.scene import picturing
from gateway.ui import addresses
from gateway.ui.elements.html import attribute, box, text
from gateway.ui.frame import Frame
from gateway.ui.parts.acting import Act, action
from gateway.ui.parts.scene.playing import Playing
from gateway.ui.visit import Visit
from schemas.worlds import Picture


def pictures(visit: Visit, frame: Frame, playing: Playing) -> None:
    """The newest first."""
    kept = playing.scene.pictures
    if not kept:
        text("p", "No picture was painted yet.", classes="empty")
    for number, each in reversed(list(enumerate(kept, 1))):
        with box("figure", classes="card"):
            shown = box("img")
            attribute(shown, "src", addresses.picture(playing.scene.id, number, each.image.sha256))
            attribute(shown, "alt", each.caption or each.prompt)
            attribute(shown, "loading", "lazy")
            text("figcaption", each.caption or each.prompt)
            text("p", f"by {each.model}", classes="soft")
            gone = action(frame, "Remove", _removed(visit, playing.scene.id, number, each), icon="delete")
            attribute(gone, "aria-label", f"Remove picture {number}")


def _removed(visit: Visit, scene: str, number: int, picture: Picture) -> Act:
    async def act() -> str:
        visit.require("write", f"scene/{scene}")
        await visit.ask(picturing.remove, scene, number, seen=picture)
        return f"picture {number} is taken away"

    return act
