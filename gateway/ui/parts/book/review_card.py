"""One card of a review: a passage, what may be done with it, and its marks, which change in place."""

from collections.abc import Awaitable, Callable, Mapping, Sequence

from nicegui import ui

from gateway.ui import addresses
from gateway.ui.elements.html import attribute, box, link, text
from gateway.ui.parts.editing.prose import difference, prose
from penwright.domain.book.files.layout import REVIEW
from penwright.domain.book.review.passages import Passage

Press = Callable[[], Awaitable[None]]
Act = Callable[[Passage], Awaitable[None]]
"""A decision on a passage."""
NOTES = "c"
"""The key of the field for notes."""
_KEYS = {"Accept": "a", "Reject": "x", "Comment": NOTES}
_TO_NOTES = f"""() => document.querySelector('[data-key="{NOTES}"] textarea')?.focus()"""


class ReviewCard:
    """A card in the queue; built once, and taken away when its passage is gone."""

    def __init__(self, passage: Passage, number: int, book_id: str, acts: Mapping[str, Press]) -> None:
        """``acts``: what a press of ``Accept``, ``Reject`` and ``Comment`` does."""
        self.passage = passage
        with box("li", classes="passage") as self.element:
            attribute(self.element, "id", f"passage-{passage.id}")
            attribute(self.element, "tabindex", "-1")
            with box("header"):
                text("h2", f"Passage {number}, {passage.kind}")
                self._mark = text("span", "accepted", classes="state good")
                self._mark.set_visibility(False)
            _body(passage)
            with box(classes="row-of"):
                for shown, act in acts.items():
                    button = pressed(shown, act)
                    attribute(button, "aria-keyshortcuts", _KEYS[shown])
                    if _KEYS[shown] == NOTES:
                        button.on("click", js_handler=_TO_NOTES)
                link("Edit", write_address(book_id, passage))

    def accepted(self, yes: bool) -> None:
        """Show whether the passage is marked as accepted."""
        if self._mark.visible != yes:
            self._mark.set_visibility(yes)

    def select(self, *, scroll: bool) -> None:
        """Mark the card as the selected one, and bring it in sight."""
        attribute(self.element, "aria-current", "true")
        if scroll:
            self.element.run_method("scrollIntoView", {"block": "nearest"})

    def leave(self) -> None:
        """Another card is selected."""
        if "aria-current" in self.element.props:
            self.element.props.pop("aria-current")

    def focus(self) -> None:
        """Give it the keyboard, after the card that had it is gone."""
        self.element.run_method("focus", {"preventScroll": True})


def pressed(shown: str, act: Press, *, icon: str = "") -> ui.button:
    """A small button."""
    button = ui.button(shown, on_click=act, color=None, icon=icon or None).props("no-caps unelevated dense")
    return button.classes("plain")


def write_address(book_id: str, passage: Passage) -> str:
    """Where the passage is edited."""
    return addresses.page("books", book_id, "write", path=REVIEW, at=str(passage.start))


def lone_notes(notes: Sequence[str], book_id: str) -> None:
    """The author's notes where there is no passage at which they could stand."""
    _waiting(notes)
    if notes:
        link("Edit", addresses.page("books", book_id, "write", path=REVIEW))


def _waiting(notes: Sequence[str]) -> None:
    for note in notes:
        text("p", f"Waits for the next session: {note}", classes="note")


def _body(passage: Passage) -> None:
    if passage.answered:
        text("p", f"Your note: {passage.answered}", classes="note")
    if passage.kind == "reworked":
        difference(passage.before, passage.text)
    else:
        prose(passage.text)
    for each in passage.found:
        text("p", f"Found: {each}", classes="note found")
    _waiting(passage.notes)
