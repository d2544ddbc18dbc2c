"""The chat of a scene: each message with its alternatives, and what may be done with it."""

from nicegui import ui

from gateway.desk.scene import changes, orders, rounds
from gateway.ui import addresses
from gateway.ui.elements.html import attribute, box, text
from gateway.ui.frame import Frame
from gateway.ui.parts.acting import Act, Linked, action
from gateway.ui.parts.editing.prose import prose
from gateway.ui.parts.scene.playing import Playing, Window
from gateway.ui.parts.shared.words import words
from gateway.ui.parts.sheets import close, sheet
from gateway.ui.visit import Visit
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
