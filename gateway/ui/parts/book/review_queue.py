"""The queue of a review: one card for each passage, decided by buttons or keys."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from nicegui import ui

from gateway.desk.book import reviewing
from gateway.desk.book.books import Book
from gateway.desk.book.reviewing import Decided, WaitingReview
from gateway.ui import addresses
from gateway.ui.frame import Frame
from gateway.ui.parts.acting import acted
from gateway.ui.parts.filters import filters
from gateway.ui.parts.html import attribute, box, link, text
from gateway.ui.parts.prose import difference, prose
from gateway.ui.visit import Visit
from penwright.domain.book.files.layout import REVIEW
from penwright.domain.book.review.passages import Decision, Passage, Verdict

_FILTERS = {"": "all passages", "reworked": "reworked", "new": "new", "notes": "with a note"}
_HINTS = (("j", "next"), ("a", "accept"), ("x", "reject"), ("c", "comment"), ("e", "edit"), ("u", "undo"))
_SAID: dict[Verdict, str] = {
    "accept": "accepted",
    "reject": "rejected",
    "comment": "your note is in the text",
    "replace": "your words are in the text",
}


@dataclass(frozen=True, slots=True)
class _Step:
    """What one press decided: a commit, or the mark on passages that are accepted."""

    decided: Decided | None
    """What the commit left."""
    accepted: frozenset[str] = frozenset()


class Queue:
    """The passages that wait, and the one that is selected."""

    def __init__(self, visit: Visit, made: Frame, book: Book, found: WaitingReview, *, only: str) -> None:
        self._visit, self._frame, self._book, self._found = visit, made, book, found
        self._only = only if only in _FILTERS else ""
        self._at = 0
        self._accepted: set[str] = set()
        self._done: list[_Step] = []
        self._busy = False
        self._cards: list[ui.element] = []
        self._place = ui.element()
        self._note, self._dialog = _note_dialog(self._commented)

    def build(self, place: ui.element) -> None:
        """Build the queue into ``place``, and bind its keys."""
        self._place = place
        self._rebuild()
        keys = self._frame.keys
        keys.on("j", "selects the next passage", self._next)
        keys.on("k", "selects the passage before", self._before)
        keys.on("a", "accepts the passage", self._accept)
        keys.on("x", "rejects it: a new passage goes, a reworked one gets its old text back", self._reject)
        keys.on("c", "comments: the next session answers your note", self._comment)
        keys.on("e", "edits it", self._edit)
        keys.on("u", "takes the last decision back", self._undo)

    @property
    def _shown(self) -> list[Passage]:
        return [each for each in self._found.passages if self._fits(each)]

    def _fits(self, passage: Passage) -> bool:
        if self._only == "notes":
            return bool(passage.notes)
        return self._only in ("", passage.kind)

    @property
    def _selected(self) -> Passage | None:
        shown = self._shown
        return shown[self._at] if self._at < len(shown) else None

    def _show(self) -> None:
        self._rebuild()
        if self._at < len(self._cards):
            self._cards[self._at].run_method("scrollIntoView", {"block": "nearest"})

    def _rebuild(self) -> None:
        self._place.clear()
        shown = self._shown
        self._at = max(0, min(self._at, len(shown) - 1))
        with self._place:
            filters("Passages", "only", _FILTERS, {"only": self._only}, "books", self._book.book_id, "review")
            self._head(shown)
            if shown:
                self._frame.keys.hint(*_HINTS)
            else:
                text("p", "No passage waits here; the next session brings new ones.", classes="empty")
            with box("ol", classes="queue"):
                self._cards = [self._card(number, each) for number, each in enumerate(shown)]

    def _head(self, shown: list[Passage]) -> None:
        decided = sum(each.id in self._accepted for each in shown)
        with box(classes="row-of"):
            text("p", f"{decided} of {len(shown)} accepted", classes="progress")
            if any(each.kind == "reworked" for each in shown):
                _button("Accept all shown", self._accept_all)
            if self._done:
                _button("Undo", self._undo, icon="undo")

    def _card(self, number: int, passage: Passage) -> ui.element:
        with box("li", classes="passage") as card:
            attribute(card, "id", f"passage-{passage.id}")
            if number == self._at:
                attribute(card, "aria-current", "true")
            with box("header"):
                text("h2", f"Passage {number + 1}, {passage.kind}")
                if passage.id in self._accepted:
                    text("span", "accepted", classes="state good")
            if passage.answered:
                text("p", f"Your note: {passage.answered}", classes="note")
            if passage.kind == "reworked":
                difference(passage.before, passage.text)
            else:
                prose(passage.text)
            for note in passage.notes:
                text("p", f"Waits for the next session: {note}", classes="note")
            with box(classes="row-of"):
                _button("Accept", lambda: self._at_card(number, self._accept), key="a")
                _button("Reject", lambda: self._at_card(number, self._reject), key="x")
                _button("Comment", lambda: self._at_card(number, self._comment), key="c")
                link("Edit", _write_address(self._book, passage))
        return card

    async def _at_card(self, number: int, act: Callable[[], Awaitable[None]]) -> None:
        self._at = number
        await act()

    async def _next(self) -> None:
        self._move(self._at + 1)

    async def _before(self) -> None:
        self._move(self._at - 1)

    def _move(self, to: int) -> None:
        if not 0 <= to < len(self._cards):
            return
        for card in (self._cards[self._at], self._cards[to]):
            card.props.pop("aria-current", None)
        self._at = to
        attribute(self._cards[to], "aria-current", "true")
        self._cards[to].run_method("scrollIntoView", {"block": "nearest"})

    async def _accept(self) -> None:
        if (passage := self._selected) is None:
            return
        if passage.kind == "new":
            self._mark(frozenset({passage.id}))
            self._at += 1
            self._show()
            self._frame.say("accepted; it goes into the book with the next session; u takes it back")
        else:
            await self._decide([Decision(passage.id, "accept")])

    def _mark(self, passages: frozenset[str]) -> None:
        """Mark new passages as accepted; the book takes them with the next session anyway."""
        added = passages - self._accepted
        if added:
            self._accepted |= added
            self._done.append(_Step(None, added))

    async def _accept_all(self) -> None:
        self._mark(frozenset(each.id for each in self._shown if each.kind == "new"))
        await self._decide([Decision(each.id, "accept") for each in self._shown if each.kind == "reworked"])

    async def _reject(self) -> None:
        if (passage := self._selected) is not None:
            await self._decide([Decision(passage.id, "reject")])

    async def _comment(self) -> None:
        if self._selected is not None:
            self._note.value = ""
            self._dialog.open()

    async def _commented(self) -> None:
        passage, note = self._selected, self._note.value
        if passage is not None and isinstance(note, str):
            self._dialog.close()
            await self._decide([Decision(passage.id, "comment", note)])

    async def _edit(self) -> None:
        if (passage := self._selected) is not None:
            ui.navigate.to(_write_address(self._book, passage))

    async def _decide(self, decisions: list[Decision]) -> None:
        async def act() -> str:
            self._visit.require("write", f"book/{self._book.book_id}")
            done = await self._visit.ask_engine(
                reviewing.decide, self._book, self._found, decisions, who=self._visit.principal.name
            )
            self._found = done.after
            self._done.append(_Step(done))
            many = f"{len(decisions)} passages " if len(decisions) > 1 else ""
            return f"{many}{_SAID[decisions[0].verdict]}; u takes it back"

        await self._alone(act)

    async def _undo(self) -> None:
        if not self._done:
            self._frame.say("nothing to take back")
        elif (done := self._done[-1].decided) is None:
            self._unmark(self._done.pop().accepted)
        else:
            await self._take_back(done)

    def _unmark(self, passages: frozenset[str]) -> None:
        self._accepted -= passages
        self._at = next((n for n, each in enumerate(self._shown) if each.id in passages), self._at)
        self._show()
        self._frame.say("taken back: it is no longer marked as accepted")

    async def _take_back(self, done: Decided) -> None:
        async def act() -> str:
            who = self._visit.principal.name
            newest = Decided(done.before, self._found, done.commit)
            back = await self._visit.ask_engine(reviewing.take_back, self._book, newest, who=who)
            self._done.pop()
            self._found = back.after
            return "taken back"

        await self._alone(act)

    async def _alone(self, act: Callable[[], Awaitable[str]]) -> None:
        """One decision at a time: the next is made on what the one before has left."""
        if self._busy:
            return
        self._busy = True
        try:
            await acted(self._frame, act)
        finally:
            self._busy = False
        self._show()


def _button(shown: str, act: Callable[[], Awaitable[None]], *, key: str = "", icon: str = "") -> None:
    button = ui.button(shown, on_click=act, color=None, icon=icon or None).props("no-caps unelevated dense")
    button.classes("plain")
    if key:
        attribute(button, "aria-keyshortcuts", key)


def _write_address(book: Book, passage: Passage) -> str:
    return addresses.page("books", book.book_id, "write", path=REVIEW, at=str(passage.start))


def _note_dialog(done: Callable[[], Awaitable[None]]) -> tuple[ui.input, ui.dialog]:
    with ui.dialog() as dialog, box(classes="sheet"):
        attribute(dialog, "aria-label", "Comment")
        text("h2", "What should the next session do here?")
        field = ui.input("Your note").props('outlined autofocus autogrow maxlength="2000"')
        field.on("keydown.enter", done)
        with box(classes="row-of"):
            ui.button("Put it into the text", on_click=done, color=None).props("no-caps unelevated").classes(
                "main"
            )
            ui.button("Leave it", on_click=dialog.close, color=None).props("no-caps unelevated").classes(
                "plain"
            )
    return field, dialog
