"""The queue of a review: one card for each passage, decided by buttons or keys."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial

from nicegui import ui

from gateway.desk.book import findings, reviewing
from gateway.desk.book.reviewing import ReviewOutcome, WaitingReview
from gateway.desk.works.books import Book
from gateway.ui.elements.filters import filters
from gateway.ui.elements.html import box, text
from gateway.ui.frame import Frame
from gateway.ui.parts.acting import acted
from gateway.ui.parts.book.review_card import NOTES, lone_notes, pressed, write_address
from gateway.ui.parts.book.review_list import ReviewList
from gateway.ui.parts.shared.words import words
from gateway.ui.visit import Visit
from penwright.domain.book.review.passages import Decision, Passage, Verdict
from penwright.domain.prose.intended import decision_on
from penwright.domain.text.counted import counted
from penwright.errors import Refused
from schemas.prose import Finding

_FILTERS = {"": "all passages", "reworked": "reworked", "new": "new", "notes": "with a note"}
_HINTS = (
    ("j", "next"),
    ("a", "accept"),
    ("x", "reject"),
    ("c", "comment"),
    ("Esc", "leave the note"),
    ("e", "edit"),
    ("u", "undo"),
)
_SAID: dict[Verdict, str] = {
    "accept": "accepted",
    "reject": "rejected",
    "comment": "your note is in the text",
    "replace": "your words are in the text",
}


@dataclass(frozen=True, slots=True)
class _Step:
    """Result of one press: a commit, the mark on passages that are accepted, or both."""

    decided: ReviewOutcome | None
    """Result of the commit, if there was one."""
    accepted: frozenset[str] = frozenset()


class Queue:
    """The passages that wait, and the one that is selected."""

    def __init__(self, visit: Visit, made: Frame, book: Book, found: WaitingReview, *, only: str) -> None:
        self._visit, self._frame, self._book, self._found = visit, made, book, found
        self._only = only if only in _FILTERS else ""
        self._accepted: set[str] = set()
        self._done: list[_Step] = []
        self._busy = False
        self._accepting = asyncio.Lock()
        self._noting: Passage | None = None

    def build(self, place: ui.element) -> None:
        """Build the queue into ``place``, and bind its keys."""
        with place:
            filters("Passages", "only", _FILTERS, {"only": self._only}, "books", self._book.book_id, "review")
            with box(classes="row-of"):
                self._progress = text("p", "", classes="progress")
                self._all = pressed("Accept all shown", self._accept_all)
                self._undoing = pressed("Undo", self._undo, icon="undo")
            self._none = text(
                "p", "No passage waits here; the next session brings new ones.", classes="empty"
            )
            self._notes = box()
            self._frame.keys.hint(*_HINTS)
            acts = {"Accept": self._accept, "Reject": self._reject, "Comment": self._comment}
            self._list = ReviewList(self._book.book_id, acts, self._mean)
            self._note_field()
        self._renew()
        keys = self._frame.keys
        keys.on("j", "selects the next passage", self._next)
        keys.on("k", "selects the passage before", self._before)
        keys.on("a", "accepts the passage", self._accept)
        keys.on("x", "rejects it: a new passage goes, a reworked one gets its old text back", self._reject)
        keys.on("c", "comments: the next session answers your note", self._comment)
        keys.on("e", "edits it", self._edit)
        keys.on("u", "takes the last decision back", self._undo)

    def follow(self, found: WaitingReview) -> None:
        """Show what waits now; while a decision is made, that shows what it left."""
        if not self._busy and found != self._found:
            self._found = found
            self._renew()

    def _note_field(self) -> None:
        """The field of notes, always there: the browser gives it the key after ``c`` without the server."""
        with box(classes="noting") as self._noted:
            field = words(
                self._frame,
                "What should the next session do here? Your note to the selected passage",
                "Put it into the text",
                self._commented,
                place=f"{self._book.book_id}/review",
                enter=True,
            )
        field.focused_by(NOTES)
        field.on("focusin", self._comment, args=[])

    def _fits(self, passage: Passage) -> bool:
        if self._only == "notes":
            return bool(passage.notes)
        return self._only in ("", passage.kind)

    def _renew(self) -> frozenset[str]:
        new = self._list.renew([each for each in self._found.passages if self._fits(each)])
        self._told()
        return new

    def _told(self) -> None:
        """Say how far the review has come, and offer what can be done now."""
        waiting = self._list.waiting
        self._progress.set_text(
            f"{sum(each.id in self._accepted for each in waiting)} of {len(waiting)} accepted"
        )
        shown = {card.passage.id for card in self._list.cards}
        self._all.set_visibility(not shown <= self._accepted)
        self._undoing.set_visibility(bool(self._done))
        self._none.set_visibility(not waiting)
        self._noted.set_visibility(bool(self._list.cards))
        self._notes.clear()
        with self._notes:
            lone_notes(self._found.notes, self._book.book_id)

    async def _next(self) -> None:
        self._list.move(1)

    async def _before(self) -> None:
        self._list.move(-1)

    async def _accept(self, passage: Passage | None = None) -> None:
        async with self._accepting:
            passage = passage or self._list.selected
            if passage is None:
                return
            if passage.kind == "new":
                await acted(self._frame, partial(self._accept_new, passage))
            else:
                await self._decide([Decision(passage.id, "accept")])

    async def _accept_new(self, passage: Passage) -> str:
        await self._check([passage.id])
        self._mark(frozenset({passage.id}))
        self._list.move(1)
        return "accepted; it goes into the book with the next session; u takes it back"

    async def _check(self, wanted: Sequence[str]) -> None:
        """Show the waiting prose as it is now.

        Raises:
            Refused: ``review-changed``: a passage of ``wanted`` has another text now, or is gone.
        """
        found = await self._visit.ask(reviewing.review_of, self._book)
        if found.revision != self._found.revision:
            self._found = found
            self._renew()
        if not set(wanted) <= {each.id for each in found.passages}:
            raise Refused("review-changed", "this passage was changed meanwhile", hint="look at its new text")

    def _mark(self, passages: frozenset[str]) -> None:
        """Mark new passages as accepted; the book takes them with the next session anyway."""
        added = passages - self._accepted
        if added:
            self._done.append(_Step(None, added))
            self._marked(added, True)

    def _marked(self, passages: frozenset[str], yes: bool) -> None:
        self._accepted = self._accepted | passages if yes else self._accepted - passages
        self._list.mark(self._accepted)
        self._told()

    async def _accept_all(self) -> None:
        shown = [card.passage for card in self._list.cards]
        if not await acted(self._frame, partial(self._all_as_shown, [each.id for each in shown])):
            return
        self._mark(frozenset(each.id for each in shown if each.kind == "new"))
        await self._decide([Decision(each.id, "accept") for each in shown if each.kind == "reworked"])

    async def _all_as_shown(self, shown: Sequence[str]) -> str:
        await self._check(shown)
        return f"{counted(len(shown), 'passage')} accepted"

    async def _reject(self, passage: Passage | None = None) -> None:
        if (passage := passage or self._list.selected) is not None:
            await self._decide([Decision(passage.id, "reject")])

    async def _comment(self, passage: Passage | None = None) -> None:
        """The passage that the note in the field is about."""
        self._noting = passage or self._list.selected

    async def _commented(self, note: str) -> str:
        if self._busy:
            raise Refused("busy", "the decision before is being made", hint="press Enter again")
        passage, self._noting = self._noting or self._list.selected, None
        said = await self._made([Decision(passage.id, "comment", note)]) if passage else "nothing waits"
        self._noting = self._list.selected
        return said

    async def _mean(self, finding: Finding, yes: bool) -> None:
        await self._alone(partial(self._meant, finding, yes))

    async def _meant(self, finding: Finding, yes: bool) -> str:
        """Keep that a finding is intended, or that it counts again."""
        self._visit.require("write", f"book/{self._book.book_id}")
        wanted = {"intended" if yes else "not_intended": [decision_on(finding)]}
        who = self._visit.principal.name
        await self._visit.ask_engine(findings.decide, self._book, **wanted, who=who)
        self._found = await self._visit.ask(reviewing.review_of, self._book)
        self._renew()
        return "intended: it is silent while its quotes stand" if yes else "it counts again"

    async def _edit(self) -> None:
        if (passage := self._list.selected) is not None:
            ui.navigate.to(write_address(self._book.book_id, passage))

    async def _decide(self, decisions: list[Decision]) -> None:
        if decisions and not self._busy:
            await acted(self._frame, partial(self._made, decisions))

    async def _made(self, decisions: list[Decision]) -> str:
        """Make decisions, alone: the next is made on what the one before has left."""
        verdict = decisions[0].verdict
        self._busy = True
        try:
            self._visit.require("write", f"book/{self._book.book_id}")
            await self._check([each.passage for each in decisions])
            done = await self._visit.ask_engine(
                reviewing.decide, self._book, self._found, decisions, who=self._visit.principal.name
            )
            self._took(done, verdict)
        finally:
            self._busy = False
        many = f"{len(decisions)} passages " if len(decisions) > 1 else ""
        return f"{many}{_SAID[verdict]}; u takes it back"

    def _took(self, done: ReviewOutcome, verdict: Verdict) -> None:
        """Show what a decision left; a rework that was accepted is a new passage now, and stays accepted."""
        self._found = done.after
        new = self._renew()
        accepted = new if verdict == "accept" else frozenset[str]()
        self._done.append(_Step(done, accepted))
        self._marked(accepted, True)
        if accepted:
            self._list.move(1)

    async def _undo(self) -> None:
        if not self._done:
            self._frame.say("nothing to take back")
        elif (done := self._done[-1].decided) is None:
            self._unmark(self._done.pop().accepted)
        else:
            await self._take_back(done)

    def _unmark(self, passages: frozenset[str]) -> None:
        self._marked(passages, False)
        self._list.show(passages)
        self._frame.say("taken back: it is no longer marked as accepted")

    async def _take_back(self, done: ReviewOutcome) -> None:
        async def act() -> str:
            who = self._visit.principal.name
            back = await self._visit.ask_engine(reviewing.take_back, self._book, done, who=who)
            self._marked(self._done.pop().accepted, False)
            self._found = back.after
            self._list.show(self._renew())
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
