"""An error as a page shows it: what is wrong, and what to do."""

from gateway.ui.elements.html import attribute, box, sentence, text
from gateway.ui.elements.next_steps import hint_of
from penwright.errors import PenwrightError


def problem(error: PenwrightError) -> None:
    """The message, the hint and the code of an error."""
    with box(classes="problem") as place:
        attribute(place, "role", "alert")
        sentence(_sentence(error.message), classes="what")
        if hint := hint_of(error):
            sentence(_sentence(hint))
        text("p", error.code, classes="code")


def _sentence(said: str) -> str:
    return f"{said[:1].upper()}{said[1:].removesuffix('.')}."


def trouble(said: str) -> None:
    """Say why a part of the page is not known, such as without an engine."""
    with box(classes="problem") as place:
        attribute(place, "role", "alert")
        sentence(_sentence(f"What runs now is not known: {said}"), classes="what")
