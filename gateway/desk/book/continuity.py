"""Contradictions of a book, and its author's decisions on them and on what the clerk has read."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from gateway.desk.book import editing
from gateway.desk.book.editing import NewText
from gateway.desk.book.findings import keep
from gateway.desk.book.story import story_of
from gateway.desk.services import Services
from gateway.desk.works.books import Book
from penwright.domain.book.files.layout import FULL_BOOK, REVIEW
from penwright.domain.continuity.deciding import (
    SortedFindings,
    correcting,
    counts,
    decisions_on,
    on_fact,
    on_finding,
    sorted_by,
)
from penwright.domain.continuity.known import KnownFact
from penwright.domain.continuity.noting import note_on, noted, without
from penwright.domain.continuity.story import BookStory
from penwright.errors import Refused, UsageMistake
from schemas.base import Value
from schemas.continuity import Confirmed, ContinuityFinding, Decisions, Postponed

_Numbered = TypeVar("_Numbered")
"""A finding or a fact."""


@dataclass(frozen=True, slots=True)
class CheckedStory:
    """The contradictions of a book at one commit."""

    story: BookStory
    session: str
    """Tag of the last session; empty: there was none."""
    found: SortedFindings

    @property
    def counts(self) -> Mapping[str, int]:
        """The author's decisions by kind, those on contradictions that are gone too."""
        return counts(self.story.view.decisions)

    @property
    def notes(self) -> dict[int, str]:
        """Notes that ask for a change, by the number of the contradiction that is left."""
        asked = {each.pair: each.note for each in self.story.view.decisions.confirmed}
        return {
            number: note
            for number, each in enumerate(self.found.left, 1)
            if (note := asked.get(on_finding(each)))
        }


class Verdicts(Value):
    """Decisions of an author: on contradictions and on facts, each by its number."""

    fix: tuple[int, ...] = ()
    note: str = ""
    """Task there; empty: the note says only what is wrong."""
    earlier: bool = False
    """The note stands at the earlier passage instead of the later."""
    not_fix: tuple[int, ...] = ()
    intended: tuple[int, ...] = ()
    not_intended: tuple[int, ...] = ()
    later: tuple[int, ...] = ()
    not_later: tuple[int, ...] = ()
    correct: dict[int, str] = {}
    """The right value of facts."""
    not_correct: tuple[int, ...] = ()
    reject: tuple[int, ...] = ()
    not_reject: tuple[int, ...] = ()

    @property
    def any(self) -> bool:
        """Whether anything is decided."""
        return any(self.model_dump(exclude={"note", "earlier"}).values())


@dataclass(frozen=True, slots=True)
class KeptVerdicts:
    """Decisions that were kept."""

    commit: str
    """Empty if nothing had to be changed."""
    noted: tuple[str, ...] = ()
    """Files in which notes stand now, one for each."""


def checked_story(services: Services, book: Book, commit: str | None = None) -> CheckedStory:
    """Check the story at the tip, or at ``commit``.

    Raises:
        NotFound: ``no-such-commit``.
    """
    story = story_of(services, book, commit)
    session = next(iter(services.workspaces().tags(book.workspace)[-1:]), "")
    return CheckedStory(story, session, sorted_by(story.contradictions, story.view.decisions, session))


def continuity_value(checked: CheckedStory) -> dict[str, Any]:  # Any: JSON
    """Contradictions by what the author decided, as JSON; they are numbered in the order of the lists."""
    found = checked.found
    return {
        "commit": checked.story.view.tip,
        "contradictions": [each.model_dump(mode="json") for each in found.left],
        "intended": [each.model_dump(mode="json") for each in found.intended],
        "later": [each.model_dump(mode="json") for each in found.later],
        "notes": {str(number): note for number, note in checked.notes.items()},
        "decided": dict(checked.counts),
        "unread_words": checked.story.words_unread,
        "warnings": list(checked.story.warnings),
    }


async def decide(
    services: Services, book: Book, checked: CheckedStory, verdicts: Verdicts, *, who: str
) -> KeptVerdicts:
    """Keep an author's decisions, all in one commit of ``who``.

    Raises:
        UsageMistake: ``no-such-finding``; ``no-such-fact``; ``no-value``; ``bad-note``;
            ``not-in-the-book``: the note was to stand in a file of the author's.
        BrokenBook: what ``read_decisions`` names.
        Refused: ``book-busy``; ``edited-meanwhile``; ``stale-finding``: the passage is gone.
    """
    change = _Change(services, book, checked)
    change.on_findings(verdicts)
    change.on_facts(verdicts)
    more, gone = (Decisions.model_validate(each) for each in (change.more, change.gone))
    commit = await keep(services, book, more, gone, change.texts, who=who)
    return KeptVerdicts(commit, tuple(change.noted))


class _Change:
    """Decisions that come and go, and texts with their notes, until all is kept in one commit."""

    def __init__(self, services: Services, book: Book, checked: CheckedStory) -> None:
        self.more: dict[str, list[Value]] = defaultdict(list)
        self.gone: dict[str, list[Value]] = defaultdict(list)
        self.texts: dict[str, NewText] = {}
        self.noted: list[str] = []
        self._services, self._book, self._checked = services, book, checked
        self._kept = checked.story.view.decisions
        self._read: dict[str, NewText] = {}

    def on_findings(self, verdicts: Verdicts) -> None:
        for finding in self._findings(verdicts.fix):
            self._fix(finding, verdicts)
        for finding in self._findings(verdicts.not_fix):
            self._not_fix(finding)
        self._refuse_others(verdicts.not_intended, self._checked.found.intended, "meant so")
        self._refuse_others(verdicts.not_later, self._checked.found.later, "put off")
        self.more["intended"] += map(on_finding, self._findings(verdicts.intended))
        self.gone["intended"] += map(on_finding, self._findings(verdicts.not_intended))
        for finding in self._findings((*verdicts.later, *verdicts.not_later)):
            pair = on_finding(finding)
            self.gone["later"] += (each for each in self._kept.later if each.pair == pair)
        self.more["later"] += (
            Postponed(**on_finding(each).model_dump(), session=self._checked.session)
            for each in self._findings(verdicts.later)
        )

    def on_facts(self, verdicts: Verdicts) -> None:
        story, right = self._checked.story.known, verdicts.correct
        if not all(map(str.strip, right.values())):
            raise UsageMistake("no-value", "a correction needs the right value", hint="or reject the fact")
        for fact in self._facts((*right, *verdicts.not_correct)):
            self.gone["corrected"] += decisions_on(story, fact, self._kept).corrected
        for fact in self._facts(verdicts.not_reject):
            self.gone["rejected"] += decisions_on(story, fact, self._kept).rejected
        self.more["corrected"] += (correcting(each, right[each.number]) for each in self._facts(tuple(right)))
        self.more["rejected"] += map(on_fact, self._facts(verdicts.reject))

    def _findings(self, numbers: Iterable[int]) -> list[ContinuityFinding]:
        return list(self._numbered_findings(numbers).values())

    def _numbered_findings(self, numbers: Iterable[int]) -> dict[int, ContinuityFinding]:
        book = self._book.words
        return _chosen(
            self._checked.found.numbered,
            numbers,
            lambda number: UsageMistake(
                "no-such-finding",
                f"there is no finding {number} to decide on; nothing was changed",
                hint=f"`penwright book continuity {book}` lists them with their numbers",
            ),
        )

    def _refuse_others(
        self, numbers: Iterable[int], those: Sequence[ContinuityFinding], decided: str
    ) -> None:
        """Refuse numbers of findings that are not among ``those``; numbers change as decisions are made."""
        for number, finding in self._numbered_findings(numbers).items():
            if finding not in those:
                raise UsageMistake(
                    "not-decided",
                    f"finding {number} is not {decided}; nothing was changed",
                    hint="the numbers change with each decision: look at the list again",
                )

    def _facts(self, numbers: Iterable[int]) -> list[KnownFact]:
        known, book = self._checked.story.known, self._book.words
        return list(
            _chosen(
                {each.number: each for each in (*known.facts, *known.rejected)},
                numbers,
                lambda number: UsageMistake(
                    "no-such-fact",
                    f"there is no fact {number}; nothing was changed",
                    hint=f"`penwright book facts {book}` lists them with their numbers",
                ),
            ).values()
        )

    def _fix(self, finding: ContinuityFinding, verdicts: Verdicts) -> None:
        """Put a note at one of its passages."""
        at, other = finding.later, finding.earlier
        if verdicts.earlier:
            at, other = other, at
        if at.file:
            raise UsageMistake(
                "not-in-the-book",
                f"that quote stands in {at.file!r}, which no session rewrites; nothing was changed",
                hint="edit the file yourself, or have the passage of the book noted",
            )
        note = note_on(finding, other, verdicts.note)
        found = noted(self._now(), at.block, note)
        if found is None:
            raise Refused(
                "stale-finding", "its passage is not in the book any more", hint="look at the list again"
            )
        self._put(*found)
        self.noted.append(found[0])
        self.more["confirmed"].append(Confirmed(**on_finding(finding).model_dump(), note=note))

    def _not_fix(self, finding: ContinuityFinding) -> None:
        """Take its notes out, as far as no session has answered them."""
        pair = on_finding(finding)
        for each in (each for each in self._kept.confirmed if each.pair == pair):
            self.gone["confirmed"].append(each)
            if found := without(self._now(), each.note):
                self._put(*found)

    def _now(self) -> Mapping[str, str]:
        """The texts in which notes stand, with what this change has done to them."""
        if not self._read:
            shown = [editing.shown_text(self._services, self._book, path) for path in (REVIEW, FULL_BOOK)]
            self._read = {each.path: NewText(each.text, each.revision) for each in shown}
        return {path: each.text for path, each in (self._read | self.texts).items()}

    def _put(self, path: str, text: str) -> None:
        self.texts[path] = replace(self._read[path], text=text)


def _chosen(
    numbered: Mapping[int, _Numbered], numbers: Iterable[int], refusal: Callable[[int], UsageMistake]
) -> dict[int, _Numbered]:
    """Return what has these numbers, each once, in their order; raises ``refusal`` for an unknown number."""
    chosen: dict[int, _Numbered] = {}
    for number in numbers:
        if number not in numbered:
            raise refusal(number)
        chosen[number] = numbered[number]
    return chosen
