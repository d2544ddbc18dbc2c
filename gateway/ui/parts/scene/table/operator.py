"""The tab Seats of a scene: invitations, who is at the table, and the order of turns."""

from datetime import timedelta

from nicegui import ui
from nicegui.events import ValueChangeEventArguments

from gateway.desk.scene import creating
from gateway.desk.scene.table import seats
from gateway.desk.scene.table.seats import Invitation, SeatShown
from gateway.ui.elements.html import box, text
from gateway.ui.elements.moments import moment
from gateway.ui.frame import Frame
from gateway.ui.parts.acting import Act, acted, action
from gateway.ui.parts.confirm import confirmed
from gateway.ui.parts.scene.playing import Playing
from gateway.ui.parts.sheets import close, sheet
from gateway.ui.visit import Visit

TURNS = {
    "free": "whoever likes",
    "initiative": "one after the other",
    "director": "as the director says",
}
_LASTS = {1: "a day", 7: "a week", 30: "a month", 366: "a year"}
_ENDED = {"left": "was left", "taken-away": "was taken away", "expired": "expired"}


class Seats:
    """People are invited by a link, and their seats taken away."""

    def __init__(self, visit: Visit, frame: Frame, playing: Playing) -> None:
        self._visit, self._frame, self._scene = visit, frame, playing.scene.id
        self._turns(playing)

    def _turns(self, playing: Playing) -> None:
        now = playing.scene.settings.turns

        async def chosen(event: ValueChangeEventArguments[str | None]) -> None:
            async def act() -> str:
                self._visit.require("write", f"scene/{self._scene}")
                wanted = {"turns": event.value or now}
                await self._visit.ask(creating.change_settings, self._scene, wanted)
                return f"who speaks: {TURNS[event.value or now]}"

            await acted(self._frame, act)

        ui.select(TURNS, value=now, label="Who of the people speaks", on_change=chosen).props(
            "outlined dense"
        ).classes("wide")

    def draw(self, playing: Playing) -> None:
        """Draw the form of an invitation, and the seats."""
        taken = {each.character for each in playing.seats if each.over is None}
        free = {each.id: each.name for each in playing.shown.view.cast if each.id not in taken}
        self._inviting(free)
        if not playing.seats:
            text("p", "Nobody was invited yet.", classes="empty")
        for each in playing.seats:
            self._seat(each)

    def _inviting(self, free: dict[str, str]) -> None:
        text("h3", "Invite somebody")
        if not free:
            text("p", "Every character has a seat.", classes="soft")
            return
        with box(classes="row-of adding"):
            who = ui.select(free, value=next(iter(free)), label="To play").props("outlined dense")
            lasts = ui.select(_LASTS, value=7, label="For").props("outlined dense")
            action(self._frame, "Invite", self._invited(who, lasts), look="main", icon="person_add")

    def _invited(self, who: ui.select, lasts: ui.select) -> Act:
        async def act() -> str:
            self._visit.require("admin", f"scene/{self._scene}")
            valid = timedelta(days=lasts.value)
            made = await self._visit.ask(seats.invite, self._scene, who.value, valid)
            self._shown_once(made)
            return f"the link is a seat as {made.seat.name}; it is shown this once"

        return act

    def _shown_once(self, made: Invitation) -> None:
        url = self._frame.client.request.url
        address = f"{url.scheme}://{url.netloc}{made.path}"
        with sheet(f"A seat as {made.seat.name}") as dialog:
            text("p", "Send this link to the one who is to play. It is shown this once and stored nowhere.")
            text("p", address, classes="code")
            if not made.is_in:
                text("p", f"{made.seat.name} is not in the scene now, and sees nothing before coming in.")
            with box(classes="row-of"):
                ui.button(
                    "Copy it",
                    on_click=lambda: ui.clipboard.write(address),
                    color=None,
                    icon="content_copy",
                ).props("no-caps unelevated").classes("main")
                close(dialog)

    def _seat(self, seat: SeatShown) -> None:
        now = self._visit.services.now()
        with box("article", classes="card"):
            text("h3", seat.name)
            if seat.over:
                with box("p", classes="soft"):
                    text("span", f"{_ENDED[seat.over]} ")
                    moment(seat.over_at, now)
                return
            with box("p"):
                if seat.present:
                    text("span", "at the table")
                elif seat.seen_at is None:
                    text("span", "has not come yet")
                else:
                    text("span", "was here ")
                    moment(seat.seen_at, now)
            with box("p", classes="soft"):
                text("span", "ends ")
                moment(seat.expires_at, now)
            ask = f"The link opens nothing any more, and the model plays {seat.name} again."
            confirmed(self._frame, f"Take {seat.name}’s seat away", ask, self._taken_away(seat))

    def _taken_away(self, seat: SeatShown) -> Act:
        async def act() -> str:
            self._visit.require("admin", f"scene/{self._scene}")
            await self._visit.ask(seats.take_away, self._scene, seat.character)
            return f"{seat.name}’s seat is taken away"

        return act


def seen(playing: Playing) -> object:
    """Return what of the seats is compared; when somebody was seen last is not."""
    cast = [(each.id, each.name) for each in playing.shown.view.cast]
    return cast, [(each.character, each.since, each.over, each.present) for each in playing.seats]
