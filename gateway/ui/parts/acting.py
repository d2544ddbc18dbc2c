"""Buttons that ask the desk to do something, and say how it went."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from nicegui import ui

from gateway.ui.elements.next_steps import hint_of
from gateway.ui.frame import Crumb, Frame
from penwright.errors import PenwrightError


@dataclass(frozen=True, slots=True)
class Linked:
    """Message with a link to what was made."""

    said: str
    place: Crumb


Act = Callable[[], Awaitable[str | Linked]]
"""Does something and returns what to say."""


async def acted(frame: Frame, act: Act) -> bool:
    """Do it and say so; returns whether it was done. A refusal is said with what to do instead."""
    try:
        said = await act()
    except PenwrightError as error:
        hint = hint_of(error)
        frame.say(f"{error.message}; {hint}" if hint else error.message)
        return False
    if isinstance(said, Linked):
        frame.say(said.said, said.place)
    else:
        frame.say(said)
    return True


async def acted_once(frame: Frame, act: Act, *buttons: ui.button, renew: bool = True) -> None:
    """Do it with the buttons disabled, so that a double click is one, and show what was changed."""
    for button in buttons:
        button.disable()
    try:
        done = await acted(frame, act)
    finally:
        for button in buttons:
            button.enable()
    if done and renew:
        await frame.renew()


def action(
    frame: Frame, shown: str, act: Act, *, look: str = "plain", icon: str = "", reload: bool = True
) -> ui.button:
    """A button for one action.

    Args:
        look: ``plain``, ``main`` or ``danger``.
        reload: show afterwards what was changed.
    """

    async def pressed() -> None:
        await acted_once(frame, act, button, renew=reload)

    button = ui.button(shown, on_click=pressed, color=None, icon=icon or None).props("no-caps unelevated")
    return button.classes(look)
