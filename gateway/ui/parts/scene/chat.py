"""The chat of a scene: each message, what may be done with it, and replies as they come."""

import asyncio
from contextlib import aclosing

from nicegui import background_tasks, ui
from nicegui.elements.mixins.text_element import TextElement

from gateway.desk.scene import changes, orders, rounds
from gateway.hub import PATIENCE_S
from gateway.ui import addresses
from gateway.ui.elements.html import attribute, box, text
from gateway.ui.frame import Frame
from gateway.ui.parts.acting import Act, Linked, action
from gateway.ui.parts.editing.prose import prose
from gateway.ui.parts.scene.playing import Playing, Window
from gateway.ui.parts.shared.words import words
from gateway.ui.parts.sheets import close, sheet
from gateway.ui.visit import Visit
from penwright.domain.scene.resolving import name_of
from schemas.deltas import Delta
from schemas.scene import SceneMessage


class Chat:
    """The messages that stand, oldest first; what did not change stays on the page as it is."""

    def __init__(self, visit: Visit, frame: Frame, scene: str, window: Window) -> None:
        self._visit, self._frame, self._scene, self._window = visit, frame, scene, window
        self._drawn: dict[str, tuple[SceneMessage, str, ui.element]] = {}
        self._earlier = action(frame, "Show earlier messages", self._more, icon="expand_less", reload=False)
        self._none = text("p", "Nothing was said yet.", classes="empty")
        self._list = box("ol", classes="chat")

    def draw(self, playing: Playing) -> None:
        """Draw what came or was changed; while a round runs nothing is done with messages."""
        said = [each for each in playing.shown.messages if not each.undone]
        self._earlier.set_visibility(len(said) >= self._window.messages)
        self._none.set_visibility(not said)
        running = playing.shown.view.running is not None
        self._list.classes(add="quiet") if running else self._list.classes(remove="quiet")
        remarks = playing.remarks
        now = {each.id: (each, remarks.get(each.id, "")) for each in said}
        for id, (*drawn, element) in list(self._drawn.items()):
            if now.get(id) != tuple(drawn):
                element.delete()
                del self._drawn[id]
        for place, each in enumerate(said):
            if each.id not in self._drawn:
                self._put(*now[each.id], place)

    def _put(self, each: SceneMessage, remark: str, place: int) -> None:
        with self._list:
            element = self._message(each, remark)
        if place < len(self._drawn):
            element.move(self._list, place)
        self._drawn[each.id] = (each, remark, element)

    async def _more(self) -> str:
        self._window.messages += self._window.step
        await self._frame.renew()
        self._earlier.set_visibility(len(self._drawn) >= self._window.messages)
        return f"the newest {len(self._drawn):,} messages are shown"

    def _message(self, each: SceneMessage, remark: str) -> ui.element:
        with box("li", classes="message own" if each.speaker == "user" else "message") as shown:
            with box("header"):
                text("h3", each.name)
                stopped = ", stopped" if each.stopped else ""
                text("span", f"#{each.number}, round {each.round}{stopped}", classes="soft")
            prose(each.text)
            if remark:
                text("p", remark, classes="needs")
            with box(classes="row-of"):
                self._alternatives(each)
                self._acts(each)
        return shown

    def _alternatives(self, each: SceneMessage) -> None:
        count = len(each.alternatives)
        if count < 2:
            return
        for shown, named, index in (
            ("‹", "the alternative before", each.chosen - 1),
            ("", "", 0),
            ("›", "the next alternative", each.chosen + 1),
        ):
            if not shown:
                text("span", f"{each.chosen + 1}/{count}", classes="soft")
                continue
            button = action(self._frame, shown, self.chosen(each, index))
            attribute(button, "aria-label", f"Message {each.number}: {named}")
            button.set_enabled(0 <= index < count)

    def _acts(self, each: SceneMessage) -> None:
        acts: tuple[tuple[str, str, Act, bool], ...] = (
            ("Edit", "edit", self._edit(each), False),
            ("Say it anew", "refresh", self.anew(each), True),
            ("Branch", "call_split", self._branched(each), False),
        )
        for shown, icon, act, reload in acts:
            if shown == "Say it anew" and each.speaker == "user":
                continue
            button = action(self._frame, shown, act, icon=icon, reload=reload)
            attribute(button, "aria-label", f"{shown}: message {each.number}")

    def chosen(self, each: SceneMessage, index: int) -> Act:
        """Take the alternative with this index, from 0."""

        async def act() -> str:
            self._visit.require("write", f"scene/{self._scene}")
            who = self._visit.principal.name
            await self._visit.ask(changes.choose, self._scene, each.id, index + 1, who=who)
            return f"alternative {index + 1} of {len(each.alternatives)}; the others stay"

        return act

    def anew(self, each: SceneMessage) -> Act:
        """Have the reply be made once more."""

        async def act() -> str:
            self._visit.require("run", f"scene/{self._scene}")
            wanted = orders.RoundOptions(kind="regenerate", message=each.id, who=self._visit.principal.name)
            await self._visit.ask_engine(rounds.begin, self._scene, wanted)
            return "the reply is made anew; the old one stays as an alternative"

        return act

    def _edit(self, each: SceneMessage) -> Act:
        async def act() -> str:
            with sheet(f"Message {each.number}, {each.name}") as dialog:

                async def save(said: str) -> str:
                    self._visit.require("write", f"scene/{self._scene}")
                    who = self._visit.principal.name
                    await self._visit.ask(changes.edit, self._scene, each.id, said, who=who)
                    dialog.close()
                    return "kept as a new alternative; the old text stays"

                place = f"{each.id}/{len(each.alternatives)}"
                with words(self._frame, "Its words", "Save", save, place=place, text=each.text):
                    close(dialog)
            return "Ctrl+Enter saves"

        return act

    def _branched(self, each: SceneMessage) -> Act:
        async def act() -> Linked:
            self._visit.require("write", f"scene/{self._scene}")
            title = f"{self._frame.title}, after round {each.round}"
            who = self._visit.principal.name
            _, made = await self._visit.ask(changes.branch, self._scene, each.round, title, who=who)
            said = f"the branch “{made.title}” is among the scenes"
            return Linked(said, ("Open it", addresses.page("scenes", made.id)))

        return act


LONGEST = 20_000
"""Characters of one reply that are shown before it is stored."""


class Replies:
    """Follows pieces of replies while a round runs and the page is open; a lost piece is shown as a gap."""

    def __init__(self, visit: Visit, scene: str) -> None:
        self._visit, self._scene = visit, scene
        self._client = ui.context.client
        self._task: asyncio.Task[None] | None = None
        self._written: dict[str, str] = {}
        self._shown: dict[str, TextElement] = {}
        self._playing: Playing | None = None
        self._place = box("ol", classes="chat writing-now", label="Being written")

    def show(self, playing: Playing) -> None:
        """Begin, go on or end, as the scene stands now; what is stored by now is no longer shown here."""
        self._playing = playing
        played = playing.running
        done = {each.character for each in played.turns} if played else set(self._written)
        for who in done & set(self._written):
            self._forget(who)
        if played is None and self._task is not None:
            self._task.cancel()
            self._task = None
        elif played is not None and self._task is None:
            self._task = background_tasks.create(self._follow())
            self._client.on_delete(self._task.cancel)

    async def _follow(self) -> None:
        async with aclosing(self._visit.hub.typing.of(self._scene, PATIENCE_S)) as pieces:
            async for delta in pieces:
                if delta is not None:
                    self._heard(delta)

    def _heard(self, delta: Delta) -> None:
        before = self._written.get(delta.character, "")
        if delta.position == 0:
            written = delta.piece
        elif delta.position > len(before):
            written = f"{before.rstrip(' …')} … {delta.piece}"
        else:
            written = before[: delta.position] + delta.piece
        self._written[delta.character] = written[:LONGEST]
        self._reply(delta.character).set_text(self._written[delta.character])

    def _reply(self, who: str) -> TextElement:
        if who not in self._shown:
            cast = self._playing.shown.view.cast if self._playing else ()
            with self._client, self._place, box("li", classes="message coming"):
                text("h3", f"{name_of(who, cast)} …")
                self._shown[who] = text("p", "", classes="prose")
        return self._shown[who]

    def _forget(self, who: str) -> None:
        self._written.pop(who)
        element = self._shown.pop(who, None)
        if element is not None and element.parent_slot is not None:
            element.parent_slot.parent.delete()
