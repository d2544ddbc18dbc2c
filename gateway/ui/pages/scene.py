"""One scene: the cast, the chat, and what happens backstage. It changes in place."""

from collections.abc import Awaitable, Callable
from functools import partial

from gateway.ui import addresses
from gateway.ui.elements.filters import filters
from gateway.ui.elements.html import attribute, box, text
from gateway.ui.frame import Frame, frame
from gateway.ui.live import Live, live
from gateway.ui.parts.acting import Act, Linked, acted
from gateway.ui.parts.scene import playing as desk
from gateway.ui.parts.scene.cast import Cast
from gateway.ui.parts.scene.chat import Chat, Replies
from gateway.ui.parts.scene.playing import Playing, Window
from gateway.ui.parts.scene.round_bar import round_bar, stopped
from gateway.ui.parts.scene.saying import Saying
from gateway.ui.parts.scene.scene_tabs import TABS, scene_tabs
from gateway.ui.parts.shared.words import WordsField
from gateway.ui.visit import Visit
from schemas.scene import SceneMessage


async def page(visit: Visit) -> None:
    """``/scenes/{scene}?tab=``."""
    scene = visit.params["scene"]
    visit.require("read", f"scene/{scene}")
    tab = visit.query.get("tab", "")
    window = Window()
    known = await live(visit, partial(desk.read, visit, scene, tab, window), subject=f"scene/{scene}")
    title = known.value.scene.title
    with frame(title, here="/scenes", crumbs=(("Scenes", addresses.page("scenes")),)) as made:
        known.part(lambda now: now, partial(round_bar, visit, made), differs_by=_round)
        with box(classes="playing"):
            with box("section", label="Cast"):
                known.part(lambda now: now, Cast(visit, made, scene).draw, differs_by=_people)
            with box("section", label="Chat"):
                text("h2", "Chat")
                with box(classes="chat-place", label="Messages") as place, box():
                    attribute(place, "tabindex", "0")
                    attribute(place, "role", "region")
                    chat = Chat(visit, made, scene, window)
                    known.part(lambda now: now, chat.draw, differs_by=_said)
                    replies = Replies(visit, scene)
                    known.part(lambda now: now, replies.show, differs_by=_round)
                saying = Saying(visit, made, scene)
                known.part(lambda now: now, saying.show, differs_by=_said)
                made.keys.hint(("w", "write"), ("r", "reply anew"), ("[ ]", "alternatives"), ("s", "stop"))
            with box("section", label="Backstage"):
                text("h2", "Backstage")
                filters("Backstage", "tab", TABS, {"tab": tab if tab in TABS else ""}, "scenes", scene)
                scene_tabs(visit, made, known, tab)
        _keys(visit, made, known, chat, saying.field)
        # Who is at the table leaves no event.
        known.look_while(lambda now: now.running is not None or tab == "seats")
        known.follow(made)


def _round(now: Playing) -> object:
    return now.running, now.paused, now.shown.view.rounds, now.shown.rounds[-1:], now.scene.settings


def _people(now: Playing) -> object:
    return now.shown.view.cast, now.shown.view.state, now.shown.view.running is None


def _said(now: Playing) -> object:
    return now.shown.messages, now.remarks, now.shown.view.running is None


def _keys(visit: Visit, made: Frame, known: Live[Playing], chat: Chat, field: WordsField) -> None:
    made.keys.on("w", "writes a message", field.focus)
    field.focused_by("w")
    made.keys.on("s", "stops the round", _pressed(made, stopped(visit, known.value.scene.id)))

    def newest() -> SceneMessage | None:
        said = [each for each in known.value.shown.messages if not each.undone and each.speaker != "user"]
        return said[-1] if said else None

    async def anew() -> str | Linked:
        reply = newest()
        return await chat.anew(reply)() if reply else "nothing was said yet"

    def alternative(by: int) -> Act:
        async def act() -> str | Linked:
            reply = newest()
            index = reply.chosen + by if reply else -1
            if reply is None or not 0 <= index < len(reply.alternatives):
                return "there is no other alternative"
            return await chat.chosen(reply, index)()

        return act

    made.keys.on("r", "makes the newest reply anew", _pressed(made, anew))
    made.keys.on("[", "takes the alternative before of the newest reply", _pressed(made, alternative(-1)))
    made.keys.on("]", "takes the next alternative of the newest reply", _pressed(made, alternative(1)))


def _pressed(made: Frame, act: Act) -> Callable[[], Awaitable[None]]:
    async def pressed() -> None:
        if await acted(made, act):
            await made.renew()

    return pressed
