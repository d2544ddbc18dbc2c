"""Sheets above a page: a form or a text that is opened, and gone once it is closed."""

from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager

from nicegui import ui

from gateway.ui.elements.html import attribute, box, text
from gateway.ui.frame import Frame
from gateway.ui.parts.acting import acted_once

Save = Callable[[dict[str, str]], Awaitable[str]]
"""Stores the values of a form and returns what to say."""


@contextmanager
def sheet(title: str) -> Iterator[ui.dialog]:
    """Open a sheet with what the ``with`` block builds; it stays when the part it was opened from changes."""
    with ui.context.client.content, ui.dialog(value=True) as dialog, box(classes="sheet"):
        attribute(dialog, "aria-label", title)
        text("h2", title)
        yield dialog
    dialog.on("hide", dialog.delete)


def form(frame: Frame, title: str, fields: Mapping[str, tuple[str, str]], save: Save) -> None:
    """Open a form of short values.

    Args:
        fields: by name what each is called and what stands in it.
        save: is given the values that were changed.
    """
    with sheet(title) as dialog:
        shown = {
            name: ui.input(called, value=value).props('outlined dense maxlength="2000"')
            for name, (called, value) in fields.items()
        }

        async def saved() -> None:
            values = {name: each.value for name, each in shown.items() if isinstance(each.value, str)}
            changed = {name: value for name, value in values.items() if value != fields[name][1]}

            async def act() -> str:
                said = await save(changed) if changed else "nothing was changed"
                dialog.close()
                return said

            await acted_once(frame, act, button)

        with box(classes="row-of"):
            button = ui.button("Save", on_click=saved, color=None).props("no-caps unelevated").classes("main")
            close(dialog)


def close(dialog: ui.dialog) -> None:
    """The button that closes a sheet."""
    ui.button("Close", on_click=dialog.close, color=None).props("no-caps unelevated").classes("plain")
