"""The review of a book's waiting prose, passage by passage; each decision is a commit of the person."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from gateway.desk.book import editing
from gateway.desk.book.editing import NewText
from gateway.desk.book.findings import CheckedProse, checked_prose
from gateway.desk.services import Services
from gateway.desk.works.books import Book
from penwright.domain.book.files.changelog import PLAN, TOLD, edits_told, listed
from penwright.domain.book.files.layout import REVIEW
from penwright.domain.book.review.passages import (
    Decision,
    Passage,
    decided,
    notes_without_prose,
    passages,
)
from penwright.domain.text.merging.three_way import merge
from penwright.errors import Refused
from schemas.book_text import BookEdited
from schemas.patching import Conflicting
from schemas.prose import Finding


@dataclass(frozen=True, slots=True)
class WaitingReview:
    """The waiting prose of a book."""

    passages: tuple[Passage, ...]
    text: str
    """The whole file, with LF."""
    revision: str
    """Git blob id that the passages were read from."""
    notes: tuple[str, ...] = ()
    """Those of the author where no passage waits; otherwise they stand at the passages."""
    plan: tuple[str, ...] = ()
    """Lines of the plan that the last session made; empty if it made none."""
    told: tuple[str, ...] = ()
    """Beats of the plan that it told, each with the words that tell it."""
    edits: tuple[str, ...] = ()
    """In words, what its writer mended and its editor changed, or why nothing."""
    trouble: str = ""
    """The fault by which the author's decisions on findings cannot be read; empty if they can."""


@dataclass(frozen=True, slots=True)
class ReviewOutcome:
    """Decisions that were carried out."""

    before: WaitingReview
    after: WaitingReview
    made: str
    """The file as the decisions alone made it of ``before``."""
    commit: str
    """Empty if nothing had to be changed."""


def review_of(services: Services, book: Book) -> WaitingReview:
    """The passages that wait, in story order."""
    shown = editing.shown_text(services, book, REVIEW)
    notes = notes_without_prose(shown.text)
    checked = checked_prose(services, book)
    return WaitingReview(
        tuple(_with_findings(passages(shown.text), checked)),
        shown.text,
        shown.revision,
        notes,
        listed(checked.entry, PLAN),
        listed(checked.entry, TOLD),
        edits_told(checked.entry),
        checked.trouble,
    )


def _with_findings(waiting: Sequence[Passage], checked: CheckedProse) -> Iterator[Passage]:
    """The passages, each with the findings that begin in it."""
    end = 0
    for passage in waiting:
        start = checked.prose.find(passage.text, end)
        end = end if start < 0 else start + len(passage.text)
        found, intended = (_within(each, start, end) for each in (checked.found, checked.intended))
        yield replace(passage, found=found, intended=intended)


def _within(found: Sequence[Finding], start: int, end: int) -> tuple[Finding, ...]:
    """Findings that begin there, those with the same quotes once."""
    here = (each for each in found if each.quote and start <= each.start < end)
    return tuple({(each.rule, each.quote, each.other): each for each in here}.values())


async def decide(
    services: Services, book: Book, seen: WaitingReview, decisions: Sequence[Decision], *, who: str
) -> ReviewOutcome:
    """Carry decisions on passages of ``seen`` out, all in one commit of the person ``who``.

    Raises:
        UsageMistake: as ``passages.decided``.
        Refused: ``book-busy``, ``review-changed``: the same words were changed meanwhile; or the gate's code.
    """
    return await _saved(services, book, seen, decided(seen.text, decisions), who)


async def take_back(services: Services, book: Book, done: ReviewOutcome, *, who: str) -> ReviewOutcome:
    """Undo decisions by a new commit; what others changed since stays. Raises as ``decide``."""
    newest = review_of(services, book)
    merged = merge(done.made, done.before.text, newest.text)
    if isinstance(merged, Conflicting):
        raise _changed()
    return await _saved(services, book, newest, merged.text, who)


async def _saved(services: Services, book: Book, seen: WaitingReview, text: str, who: str) -> ReviewOutcome:
    if text == seen.text:
        return ReviewOutcome(seen, seen, text, "")
    saved = await editing.save_texts(services, book, {REVIEW: NewText(text, seen.revision)}, who=who)
    if saved.outcome in ("conflict", "refused"):
        raise _refused(saved)
    return ReviewOutcome(seen, review_of(services, book), text, saved.commit or "")


def _refused(saved: BookEdited) -> Refused:
    if saved.outcome == "conflict":
        return _changed()
    return Refused(saved.code, saved.message)


def _changed() -> Refused:
    return Refused(
        "review-changed", "the same words were changed meanwhile", hint="look at them as they are now"
    )
