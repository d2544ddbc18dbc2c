"""The cards of a review that are shown, the selected one, and the way to the others.

A change touches only the cards that it concerns, and never more are shown than a browser draws at once.
"""

from collections.abc import Collection, Mapping, Sequence

from gateway.ui.elements.html import box, text
from gateway.ui.parts.book.review_card import Act, Mean, Press, ReviewCard, pressed
from penwright.domain.book.review.passages import Passage

SHOWN = 50
"""Cards at once: what a browser draws anew in a moment after each press."""


class ReviewList:
    """Passages in story order, of which a part is shown."""

    def __init__(self, book_id: str, acts: Mapping[str, Act], mean: Mean) -> None:
        """``acts``: what a press of ``Accept``, ``Reject`` and ``Comment`` does with the selected passage;
        ``mean``: what one at a finding does."""
        self._book_id, self._acts, self._mean = book_id, acts, mean
        self.waiting: Sequence[Passage] = ()
        self.cards: list[ReviewCard] = []
        self._accepted: Collection[str] = ()
        self._numbers: dict[str, int] = {}
        self._first = self._at = 0
        self._list = box("ol", classes="queue")
        with box("nav", classes="row-of", label="More of the queue") as self._more:
            self._portion = text("span", "")
            self._earlier = pressed("Those before", self._before)
            self._later = pressed("Show more", self._after)

    @property
    def selected(self) -> Passage | None:
        """The passage that keys are about."""
        return self.cards[self._at].passage if self._at < len(self.cards) else None

    def renew(self, waiting: Sequence[Passage]) -> frozenset[str]:
        """Show what waits now; returns the ids of those that did not before."""
        known, first_time = {each.id for each in self.waiting}, not self.cards
        selected = self.selected.id if self.selected else ""
        self._number(waiting)
        self.waiting = waiting
        if self._first >= len(waiting):
            self._first = max(0, len(waiting) - 1) // SHOWN * SHOWN
        self._draw()
        at = next((at for at, card in enumerate(self.cards) if card.passage.id == selected), self._at)
        self._select(at, scroll=not first_time and at != self._at)
        return frozenset({each.id for each in waiting} - known)

    def mark(self, accepted: Collection[str]) -> None:
        """Show which passages are accepted."""
        self._accepted = accepted
        for card in self.cards:
            card.accepted(card.passage.id in accepted)

    def move(self, by: int) -> None:
        """Select the next passage or the one before; beyond those shown, show another part."""
        to = self._at + by
        if to < 0 and self._first:
            self._turn(self._first - SHOWN, SHOWN - 1)
        elif to >= len(self.cards) and self._first + len(self.cards) < len(self.waiting):
            self._turn(self._first + SHOWN, 0)
        else:
            self._select(to, scroll=True)

    def show(self, passages: Collection[str]) -> None:
        """Select the first of these that waits."""
        at = next((at for at, each in enumerate(self.waiting) if each.id in passages), None)
        if at is None:
            return
        first = at // SHOWN * SHOWN
        if first != self._first:
            self._turn(first, at - first)
        else:
            self._select(at - first, scroll=True)

    def _number(self, waiting: Sequence[Passage]) -> None:
        """A passage keeps its number; one that took the place of another has its number."""
        there = {each.id for each in waiting}
        gone = {at: self._numbers[each.id] for at, each in enumerate(self.waiting) if each.id not in there}
        newest = max(self._numbers.values(), default=0)
        for at, each in enumerate(waiting):
            if each.id not in self._numbers:
                newest += at not in gone
                self._numbers[each.id] = gone.get(at, newest)

    def _draw(self) -> None:
        shown = self.waiting[self._first : self._first + SHOWN]
        ids = {each.id for each in shown}
        for card in self.cards:
            if card.passage.id not in ids:
                card.element.delete()
        self.cards = [card for card in self.cards if card.passage.id in ids]
        there = {card.passage.id for card in self.cards}
        for at, passage in enumerate(shown):
            if passage.id in there:
                self.cards[at].follow(passage)
            else:
                self.cards.insert(at, self._card(passage, at))
        self._told()

    def _card(self, passage: Passage, at: int) -> ReviewCard:
        acts = {shown: self._at_card(passage, act) for shown, act in self._acts.items()}
        with self._list:
            card = ReviewCard(passage, self._numbers[passage.id], self._book_id, acts, self._mean)
        if at < len(self.cards):
            card.element.move(self._list, at)
        card.accepted(passage.id in self._accepted)
        return card

    def _at_card(self, passage: Passage, act: Act) -> Press:
        """The act as a button of one card does it; if the card is gone then, the next has the keyboard."""

        async def done() -> None:
            self.show((passage.id,))
            if self.selected is not None and self.selected.id == passage.id:
                card = self.cards[self._at]
                await act(self.selected)
                if card.element.is_deleted and self._at < len(self.cards):
                    self.cards[self._at].focus()

        return done

    def _told(self) -> None:
        count, last = len(self.waiting), self._first + len(self.cards)
        self._more.set_visibility(count > SHOWN)
        self._portion.set_text(f"{self._first + 1:,} to {last:,} of {count:,}")
        self._earlier.set_visibility(self._first > 0)
        self._later.set_visibility(last < count)

    async def _before(self) -> None:
        self._turn(self._first - SHOWN, 0)

    async def _after(self) -> None:
        self._turn(self._first + SHOWN, 0)

    def _turn(self, first: int, at: int) -> None:
        self._first = first
        self._draw()
        self._select(at, scroll=True)

    def _select(self, at: int, *, scroll: bool) -> None:
        for card in self.cards:
            card.leave()
        self._at = max(0, min(at, len(self.cards) - 1))
        if self.cards:
            self.cards[self._at].select(scroll=scroll)
