"""Facts that a book states of people, places and things: one of them at a time, corrected in place."""

from collections.abc import Callable
from functools import partial

from gateway.desk.book.continuity import CheckedStory, Verdicts
from gateway.desk.book.story import EntityFacts, facts_of
from gateway.desk.works.books import Book
from gateway.ui import addresses
from gateway.ui.elements.html import attribute, box, link, text
from gateway.ui.elements.tables import Column, table
from gateway.ui.frame import Frame
from gateway.ui.parts.acting import action
from gateway.ui.parts.book.story_findings import decided
from gateway.ui.parts.shared.words import Take, words
from gateway.ui.visit import Visit
from penwright.domain.continuity.known import KnownFact

_MOST_NAMES = 100
_MOST_FACTS = 100


class StoryFacts:
    """Names to choose from, and the facts of the chosen one; drawn anew when they have changed."""

    def __init__(self, visit: Visit, made: Frame, book: Book, checked: Callable[[], CheckedStory]) -> None:
        """``checked``: the story as the page shows it."""
        self._visit, self._made, self._book, self._checked = visit, made, book, checked

    def draw(self) -> None:
        """Build the names, the table and what was rejected."""
        story = self._checked().story
        listed = facts_of(story)
        if not listed:
            text("p", "No fact was read.", classes="soft")
        else:
            named = self._visit.query.get("about", "")
            chosen = next((each for each in listed if named in each.entity.names), listed[0])
            self._names(listed, chosen)
            self._facts(chosen)
        for fact in story.known.rejected:
            with box(classes="row-of"):
                text("p", f"Rejected: {fact.entity}, {fact.trait}: {fact.value}", classes="note")
                self._button("Not rejected", Verdicts(not_reject=(fact.number,)), "it counts again")

    def _names(self, listed: tuple[EntityFacts, ...], chosen: EntityFacts) -> None:
        with box("nav", label="People, places and things"), box("ul", classes="filters"):
            for each in listed[:_MOST_NAMES]:
                name = each.entity.name
                with box("li"):
                    shown = link(
                        f"{name} ({len(each.facts)})",
                        addresses.page("books", self._book.book_id, "story", about=name),
                    )
                if each is chosen:
                    attribute(shown, "aria-current", "page")
        if more := len(listed[_MOST_NAMES:]):
            text("p", f"{more} more, of whom less is told, are not shown.", classes="soft")

    def _facts(self, chosen: EntityFacts) -> None:
        also = f", also {', '.join(chosen.entity.names[1:])}" if len(chosen.entity.names) > 1 else ""
        text("h3", f"{chosen.entity.name}{also}")
        columns: tuple[Column[KnownFact], ...] = (
            Column("What", lambda each: each.trait),
            Column("Value", _value),
            Column("Chapter", lambda each: str(each.place.chapter), number=True),
            Column("Correct", self._correct),
        )
        table(columns, chosen.facts[:_MOST_FACTS], caption=f"Facts about {chosen.entity.name}")
        if more := len(chosen.facts[_MOST_FACTS:]):
            text("p", f"{more} later facts are not shown.", classes="soft")

    def _correct(self, fact: KnownFact) -> None:
        place = f"fact/{self._book.book_id}/{fact.entity}/{fact.trait}/{fact.place.quote}"
        words(
            self._made, f"Right value of {fact.trait}", "Correct", self._taken(fact), place=place, enter=True
        )
        with box(classes="row-of"):
            if fact.misread:
                clerks = Verdicts(not_correct=(fact.number,))
                self._button("Take the correction back", clerks, "the clerk's value counts again")
            self._button("Reject", Verdicts(reject=(fact.number,)), "it does not count any more")

    def _taken(self, fact: KnownFact) -> Take:
        async def take(said: str) -> str:
            return await self._decide("it is corrected", Verdicts(correct={fact.number: said}))

        return take

    def _button(self, shown: str, verdicts: Verdicts, said: str) -> None:
        action(self._made, shown, partial(self._decide, said, verdicts))

    async def _decide(self, said: str, verdicts: Verdicts) -> str:
        return await decided(self._visit, self._book, self._checked(), said, verdicts)


def _value(fact: KnownFact) -> None:
    """The value; its passage shows on hover."""
    mode = "" if fact.mode == "told" else f" ({fact.mode})"
    misread = f" (your word; the clerk read {fact.misread})" if fact.misread else ""
    attribute(text("span", f"{fact.value}{misread}{mode}"), "title", f"“{fact.place.quote}”")
