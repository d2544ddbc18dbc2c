"""Contradictions of a book, both quotes side by side, each with what its author may decide."""

from collections.abc import Callable, Sequence
from functools import partial

from gateway.desk.book import continuity
from gateway.desk.book.continuity import CheckedStory, Verdicts
from gateway.desk.works.books import Book
from gateway.ui.elements.html import box, text
from gateway.ui.frame import Frame
from gateway.ui.parts.acting import action
from gateway.ui.parts.shared.words import Take, words
from gateway.ui.visit import Visit
from penwright.domain.book.files.layout import REVIEW
from penwright.domain.prose.rule_texts import of_rule
from penwright.domain.text.counted import counted
from schemas.continuity import Cited, ContinuityFinding

_MOST = 50


async def decided(visit: Visit, book: Book, checked: CheckedStory, said: str, verdicts: Verdicts) -> str:
    """Keep decisions on what the page shows; returns what to say."""
    visit.require("write", f"book/{book.book_id}")
    kept = await visit.ask_engine(continuity.decide, book, checked, verdicts, who=visit.principal.name)
    if not kept.noted:
        return said
    if REVIEW in kept.noted:
        return "the next session answers the note"
    return "noted; the passage is approved, so no session answers it: change it under Write"


class StoryFindings:
    """The list; drawn anew when something is decided, or the text has changed."""

    def __init__(self, visit: Visit, made: Frame, book: Book, checked: Callable[[], CheckedStory]) -> None:
        """``checked``: the story as the page shows it."""
        self._visit, self._made, self._book, self._checked = visit, made, book, checked

    def draw(self) -> None:
        """Build the cards."""
        checked = self._checked()
        found, counts = checked.found, checked.counts
        if not found.left:
            text("p", "Nothing in what was read contradicts itself.", classes="soft")
        for number, each in enumerate(found.left[:_MOST], 1):
            self._card(number, each, checked.notes.get(number, ""))
        if more := len(found.left[_MOST:]):
            text("p", f"{more} more; they are shown once some of these are decided.", classes="soft")
        first = len(found.left) + 1
        self._silent("You mean these so", found.intended, first, "Not intended", "not_intended")
        first += len(found.intended)
        self._silent("Silent until the next session", found.later, first, "Not later", "not_later")
        if any(counts.values()):
            told = ", ".join(f"{count} {kind}" for kind, count in counts.items() if count)
            text("p", f"Decided so far: {told}.", classes="soft")

    def _card(self, number: int, finding: ContinuityFinding, note: str) -> None:
        with box("section", classes="card", label=f"Contradiction {number}"):
            kind = "hard" if finding.hard else "soft"
            text("h3", f"{finding.about}, {finding.trait}: {of_rule(finding.rule)} ({kind})")
            _sides(finding)
            if note:
                text("p", f"Your note: {note}", classes="note")
            with box(classes="row-of"):
                if note:
                    self._button("Take the note out", Verdicts(not_fix=(number,)), "the note is out again")
                self._button("Intended", Verdicts(intended=(number,)), "you mean it so")
                self._button("Later", Verdicts(later=(number,)), "silent until the next session")
            if not note:
                place = f"story/{self._book.book_id}/{finding.rule}/{finding.later.quote}"
                asked = "What to do at the later passage"
                words(self._made, asked, "Leave a note", self._noted(number), place=place)

    def _noted(self, number: int) -> Take:
        async def take(said: str) -> str:
            return await self._decide("noted", Verdicts(fix=(number,), note=said))

        return take

    def _silent(
        self, title: str, found: Sequence[ContinuityFinding], first: int, shown: str, verdict: str
    ) -> None:
        if not found:
            return
        with box("details"):
            text("summary", f"{title}: {counted(len(found), 'contradiction')}")
            for number, each in enumerate(found[:_MOST], first):
                with box("section", classes="card", label=f"Contradiction {number}"):
                    text("h3", f"{each.about}, {each.trait}: {of_rule(each.rule)}")
                    _sides(each)
                    verdicts = Verdicts.model_validate({verdict: (number,)})
                    self._button(shown, verdicts, "it counts again")

    def _button(self, shown: str, verdicts: Verdicts, said: str) -> None:
        action(self._made, shown, partial(self._decide, said, verdicts))

    async def _decide(self, said: str, verdicts: Verdicts) -> str:
        return await decided(self._visit, self._book, self._checked(), said, verdicts)


def _sides(finding: ContinuityFinding) -> None:
    with box(classes="sides"):
        for side in (finding.earlier, finding.later):
            _side(side)


def _side(side: Cited) -> None:
    with box("figure"):
        text("blockquote", f"“{side.quote}”")
        where = side.file or f"chapter {side.chapter}"
        text("figcaption", f"{where}: {side.value}", classes="soft")
