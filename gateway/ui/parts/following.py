"""A page that shows something running is built anew once that has ended."""

from collections.abc import Coroutine
from contextlib import suppress
from typing import Any

from nicegui import background_tasks, ui

from penwright.errors import PenwrightError


def reload_after(ended: Coroutine[Any, Any, object]) -> None:
    """Await ``ended`` while the page is open, then load it again. Any: what coroutines are typed with."""
    client = ui.context.client

    async def wait() -> None:
        with suppress(PenwrightError):
            await ended
            with client:
                ui.navigate.reload()

    task = background_tasks.create(wait())
    client.on_delete(task.cancel)
