"""A question before something that cannot be undone."""

from collections.abc import Awaitable, Callable

from nicegui import ui

from gateway.ui.elements.html import attribute, box, text
from gateway.ui.frame import Frame
from gateway.ui.parts.acting import Act, acted, acted_once


def confirmed(
    frame: Frame,
    shown: str,
    question: str,
    act: Act,
    *,
    typed: str = "",
    look: Callable[[], Awaitable[str]] | None = None,
) -> ui.button:
    """A button that asks first.

    Args:
        look: reads what there is to know, when the button is pressed; shown as it is, beside the question.
        typed: a word that has to be typed, for what takes much away; empty: a second button suffices.
    """
    with ui.dialog() as dialog, box(classes="sheet"):
        attribute(dialog, "aria-label", shown)
        text("h2", shown)
        text("p", question)
        known = text("pre", "", classes="lines")
        known.set_visibility(False)
        field = ui.input(f"Type {typed} to confirm").props("outlined dense") if typed else None

        async def go() -> None:
            if field is not None and field.value != typed:
                frame.say(f"type {typed} to confirm; nothing was done")
                return
            dialog.close()
            await acted_once(frame, act, sure, button)

        with box(classes="row-of"):
            sure = ui.button(shown, on_click=go, color=None).props("no-caps unelevated").classes("danger")
            ui.button("Leave it", on_click=dialog.close, color=None).props("no-caps unelevated").classes(
                "plain"
            )

    async def ask() -> None:
        if look is None or await acted(frame, show_known):
            dialog.open()

    async def show_known() -> str:
        assert look is not None, "asked without anything to look for"
        known.text = await look()
        known.set_visibility(True)
        return ""

    button = ui.button(shown, on_click=ask, color=None).props("no-caps unelevated")
    return button.classes("asks")
