"""One card of a review: a passage, what may be done with it, and its marks, which change in place."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial

from nicegui import ui

from gateway.ui import addresses
from gateway.ui.elements.html import attribute, box, link, text
from gateway.ui.parts.editing.prose import difference, prose
from penwright.domain.book.files.layout import REVIEW
from penwright.domain.book.review.passages import Passage
from penwright.domain.prose.rule_texts import described
from schemas.prose import Finding

Press = Callable[[], Awaitable[None]]
Act = Callable[[Passage], Awaitable[None]]
"""A decision on a passage."""
Mean = Callable[[Finding, bool], Awaitable[None]]
"""A decision on a finding: whether it is intended."""
NOTES = "c"
"""The key of the field for notes."""
_KEYS = {"Accept": "a", "Reject": "x", "Comment": NOTES}
_TO_NOTES = f"""() => document.querySelector('[data-key="{NOTES}"] textarea')?.focus()"""


class ReviewCard:
    """A card in the queue; built once, and taken away when its passage is gone."""

    def __init__(
        self, passage: Passage, number: int, book_id: str, acts: Mapping[str, Press], mean: Mean
    ) -> None:
        """``acts``: what a press of ``Accept``, ``Reject`` and ``Comment`` does; ``mean``: at a finding."""
        self.passage, self._mean = passage, mean
        with box("li", classes="passage") as self.element:
            attribute(self.element, "id", f"passage-{passage.id}")
            attribute(self.element, "tabindex", "-1")
            with box("header"):
                text("h2", f"Passage {number}, {passage.kind}")
                self._mark = text("span", "accepted", classes="state good")
                self._mark.set_visibility(False)
            _body(passage)
            self._findings = box()
            self._draw_findings()
            _waiting(passage.notes)
            with box(classes="row-of"):
                for shown, act in acts.items():
                    button = pressed(shown, act)
                    attribute(button, "aria-keyshortcuts", _KEYS[shown])
                    if _KEYS[shown] == NOTES:
                        button.on("click", js_handler=_TO_NOTES)
                link("Edit", write_address(book_id, passage))

    def follow(self, passage: Passage) -> None:
        """Show the findings of the same passage as they are now."""
        changed = (passage.found, passage.intended) != (self.passage.found, self.passage.intended)
        self.passage = passage
        if changed:
            self._findings.clear()
            self._draw_findings()

    def _draw_findings(self) -> None:
        with self._findings:
            for each in self.passage.found:
                self._finding(f"Found: {described(each)}", "Intended", each, yes=True)
            for each in self.passage.intended:
                self._finding(f"Intended: {described(each)}", "Not intended", each, yes=False)

    def _finding(self, said: str, shown: str, finding: Finding, *, yes: bool) -> None:
        with box(classes="row-of"):
            text("p", said, classes="note found")
            pressed(shown, partial(self._mean, finding, yes))

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
        """Give it the keyboard, after the card that had it is gone; not while a note is typed."""
        self.element.client.run_javascript(f'focusUnlessTyping("passage-{self.passage.id}")')


def pressed(shown: str, act: Press, *, icon: str = "") -> ui.button:
    """A small button."""
    button = ui.button(shown, on_click=act, color=None, icon=icon or None).props("no-caps unelevated dense")
    return button.classes("plain")


def write_address(book_id: str, passage: Passage) -> str:
    """Address at which the passage is edited."""
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
