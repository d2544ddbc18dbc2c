"""The field in which a user speaks to a scene."""

from collections.abc import Awaitable, Callable

from nicegui import ui

from gateway.ui.frame import Frame
from gateway.ui.parts.acting import acted
from gateway.ui.parts.html import box

Say = Callable[[str], Awaitable[None]]


def saying(made: Frame, say: Say) -> None:
    """A field and a button; an empty field lets the cast go on. What was typed stays until it is taken."""
    field = ui.input("What you say").props('outlined autocomplete="off"')

    async def sent() -> None:
        said = field.value.strip() if isinstance(field.value, str) else ""

        async def act() -> str:
            await say(said)
            return "the round has begun"

        if await acted(made, act):
            field.value = ""
            await made.renew()

    field.on("keydown.enter", sent)
    with box(classes="row-of"):
        ui.button("Say it", on_click=sent, color=None, icon="send").props("no-caps unelevated").classes(
            "main"
        )
