"""Page of a seat: the scene as its character witnessed it, and a field to speak. It leads nowhere else."""

from functools import partial

from gateway.desk.scene.table.seats import seat_of
from gateway.ui.elements.html import attribute, box, text
from gateway.ui.frame import guest_frame
from gateway.ui.live import live
from gateway.ui.parts.scene.playing import Window
from gateway.ui.parts.scene.table import around, sitting
from gateway.ui.parts.scene.table.seat_chat import SeatChat
from gateway.ui.parts.scene.table.sitting import Sitting
from gateway.ui.parts.scene.table.speaking import Speaking
from gateway.ui.visit import Visit


async def page(visit: Visit) -> None:
    """``/seat/{mark}``."""
    seat = await visit.ask(seat_of, visit.seat)
    window = Window()
    known = await live(
        visit,
        partial(sitting.read, visit, window),
        subject=f"scene/{seat.scene}",
        mark=partial(sitting.mark, visit),
        told=False,
    )
    with guest_frame(known.value.title) as made:
        known.part(lambda now: now, around.turn, differs_by=_turn)
        known.part(lambda now: now.over, sitting.ended)
        with box(classes="at-table") as table:
            with box("section", label="Chat"):
                text("h2", "Chat")
                with box(classes="chat-place", label="Messages") as place, box():
                    attribute(place, "tabindex", "0")
                    attribute(place, "role", "region")
                    chat = SeatChat(made, window)
                    known.part(lambda now: now, chat.show, differs_by=_said)
                speaking = Speaking(visit, made, f"{visit.params['mark']}/say", known.value)
                known.on_change(lambda now: now, speaking.show, differs_by=_said)
                made.keys.hint(("w", "write"))
            with box("section", label="Here"):
                known.part(lambda now: now, around.here, differs_by=_here)
                known.part(lambda now: now, around.character, differs_by=_character)
        known.on_change(lambda now: now.over, lambda over: table.delete() if over else None)
        made.keys.on("w", "writes a message", speaking.field.focus)
        speaking.field.focused_by("w")
        known.follow(made)


def _turn(now: Sitting) -> object:
    return now.table and around.in_words(now.table)


def _said(now: Sitting) -> object:
    return now.table and (now.table.messages, now.table.older)


def _here(now: Sitting) -> object:
    return now.table and now.table.here


def _character(now: Sitting) -> object:
    return now.table and (now.table.character, now.table.place)
