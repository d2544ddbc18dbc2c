"""The cast of a scene, its world and its trackers: shown, and changed between rounds."""

from collections.abc import Mapping

from nicegui import ui

from gateway.desk.scene import casting, changes
from gateway.desk.worlds import views
from gateway.desk.worlds.kinds import CHARACTER
from gateway.ui.elements.html import attribute, box, text
from gateway.ui.frame import Frame
from gateway.ui.parts.acting import Act, action
from gateway.ui.parts.plots.figures import facts
from gateway.ui.parts.scene.playing import Playing
from gateway.ui.parts.sheets import Save, close, form, sheet
from gateway.ui.visit import Visit
from schemas.director import FIELDS, CastMember
from schemas.scene import CharacterState

_TOLD = {"world": "World", "tracker": "Trackers"}


class Cast:
    """The column of the cast."""

    def __init__(self, visit: Visit, frame: Frame, scene: str) -> None:
        self._visit, self._frame, self._scene = visit, frame, scene

    def draw(self, playing: Playing) -> None:
        """Draw who is present, who else may come, and the state of the world."""
        view = playing.shown.view
        states = {each.id: each for each in view.state.characters}
        may_change = view.running is None
        text("h2", "Cast")
        if not any(each.present for each in view.cast):
            text("p", "Nobody is present.", classes="empty")
        for member in view.cast:
            if member.present:
                now = states.get(member.id, CharacterState(id=member.id))
                self._present(member, now, view.located.scene.models.get(member.id, ""), may_change)
        absent = [each for each in view.cast if not each.present]
        self._absent(absent, playing.shown.absent)
        scene = view.located.scene
        named = {each.id: each.name for each in view.cast}
        for ids, when in ((scene.coming, "comes in"), (scene.going, "goes")):
            for id in ids:
                text("p", f"{named.get(id, id)} {when} when the round ends", classes="soft")
        for subject, kept in (("world", view.state.world), ("tracker", view.state.trackers)):
            self._kept(subject, kept, may_change)

    def _present(self, member: CastMember, now: CharacterState, model: str, may_change: bool) -> None:
        with box("article", classes="card"):
            text("h3", member.name)
            if now.entered:
                text("p", "came in this round", classes="soft")
            if member.taken:
                text("p", "played by a person", classes="soft")
            elif model:
                text("p", f"played by {model}", classes="soft")
            facts({name: str(getattr(now, name)) for name in FIELDS})
            with box(classes="row-of"):
                action(self._frame, "Secrets", self._secrets(member), reload=False)
                verb = "Give back" if member.taken else "Take over"
                taken = action(self._frame, verb, self._played_by(member))
                attribute(taken, "aria-label", f"{verb}: {member.name}")
                if may_change:
                    action(self._frame, "Change", self._edit(member, now), reload=False)
                gone = action(self._frame, "Send out", self._cast(member, comes=False))
                attribute(gone, "aria-label", f"Send {member.name} out")

    def _absent(self, others: list[CastMember], count: int) -> None:
        if not others:
            return
        with box("details", classes="others"):
            text("summary", f"{count:,} who may come")
            if count > len(others):
                self._another()
            for member in others:
                with box(classes="row-of"):
                    text("span", member.name)
                    come = action(self._frame, "Bring in", self._cast(member, comes=True))
                    attribute(come, "aria-label", f"Bring {member.name} in")

    def _another(self) -> None:
        """A field for those of a long list who are not offered below it."""
        with box(classes="row-of"):
            field = ui.input("Another, by name or id").props('outlined dense maxlength="300"')

            async def come() -> str:
                named = (field.value or "").strip()
                return await self._change((named,), (), f"{named} is present", f"{named} comes in")

            action(self._frame, "Bring this one in", come)

    def _kept(self, subject: str, kept: Mapping[str, str], may_change: bool) -> None:
        text("h2", _TOLD[subject])
        if not kept:
            text("p", "Nothing is kept yet.", classes="soft")
        facts(kept)
        if may_change:
            with box(classes="row-of"):
                change = action(self._frame, "Change", self._edit_kept(subject, kept), reload=False)
                attribute(change, "aria-label", f"Change {_TOLD[subject].lower()}")

    def _secrets(self, member: CastMember) -> Act:
        async def act() -> str:
            found = await self._visit.ask(views.sight, CHARACTER, member.id)
            with sheet(f"What {member.name} hides") as dialog:
                text("p", found.thing.secrets or "Nothing is written down.")
                close(dialog)
            return f"known to {member.name} and the director only"

        return act

    def _edit(self, member: CastMember, now: CharacterState) -> Act:
        fields: dict[str, tuple[str, str]] = {
            name: (name.capitalize(), str(getattr(now, name))) for name in FIELDS
        }

        async def act() -> str:
            form(self._frame, f"{member.name} now", fields, self._set(member.id))
            return "what you change holds from the next round on"

        return act

    def _edit_kept(self, subject: str, kept: Mapping[str, str]) -> Act:
        fields = {f"={name}": (name, value) for name, value in kept.items()}
        fields |= {"name": ("Name of a new one", ""), "value": ("Its value", "")}
        stored = self._set(subject)

        async def save(values: dict[str, str]) -> str:
            name, value = values.pop("name", "").strip(), values.pop("value", "")
            changed = {each.removeprefix("="): new for each, new in values.items()}
            return await stored(changed | ({name: value} if name else {}))

        async def act() -> str:
            form(self._frame, _TOLD[subject], fields, save)
            return "what you change holds from the next round on"

        return act

    def _set(self, subject: str) -> Save:
        async def save(values: dict[str, str]) -> str:
            self._visit.require("write", f"scene/{self._scene}")
            who = self._visit.principal.name
            await self._visit.ask(changes.set_state, self._scene, subject, values, who=who)
            return "changed"

        return save

    def _played_by(self, member: CastMember) -> Act:
        async def act() -> str:
            self._visit.require("run", f"scene/{self._scene}")
            change = casting.give_back if member.taken else casting.take_over
            await self._visit.ask(change, self._scene, member.id)
            who = "the model plays" if member.taken else "you play"
            return f"{who} {member.name} from the next round on"

        return act

    def _cast(self, member: CastMember, *, comes: bool) -> Act:
        async def act() -> str:
            come, go = ((member.id,), ()) if comes else ((), (member.id,))
            done = f"{member.name} {'is' if comes else 'is no longer'} present"
            return await self._change(come, go, done, f"{member.name} {'comes in' if comes else 'goes'}")

        return act

    async def _change(self, come: tuple[str, ...], go: tuple[str, ...], done: str, later: str) -> str:
        self._visit.require("write", f"scene/{self._scene}")
        changed = await self._visit.ask(casting.change, self._scene, come, go)
        waits = changed.scene.coming or changed.scene.going
        return f"{later} when the round ends" if waits else done
