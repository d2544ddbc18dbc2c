"""A document that came back to a book: its changes as passages to be reviewed, its comments as INK notes."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace

from gateway.desk.book import editing
from gateway.desk.book.editing import NewText
from gateway.desk.services import Services
from gateway.desk.works.books import Book
from penwright.domain.book.files.layout import FULL_BOOK, REVIEW
from penwright.domain.book.review.markers import rework_block
from penwright.domain.book.review.passages import passages
from penwright.domain.text.returned import (
    Brought,
    Place,
    Returned,
    TakenIn,
    left_out,
    names_of,
    places,
    with_places,
)
from penwright.errors import Refused
from schemas.documents import Changes, DocumentComment, PassageEdit


async def take_in(services: Services, book: Book, returned: Returned, changes: Changes) -> TakenIn:
    """Take changes and comments in, each person's in that person's name.

    A change of text that waits for review waits there as a reworked passage; one of text that is in the book
    already is made with ``accept``, and otherwise named. A comment on such text is named, as no session
    answers notes there.

    Raises:
        Refused: ``book-busy``, ``review-changed``, or the gate's code.
        EngineUnavailable: saves need the engine.
    """
    done = TakenIn()
    returned = replace(returned, edits=()) if changes == "reject" else returned
    for person in returned.people:
        here = await asyncio.to_thread(_of_person, services, book, returned.by(person), changes)
        if here.texts:
            saved = await editing.save_texts(services, book, here.texts, who=person)
            if saved.outcome in ("conflict", "refused"):
                raise Refused(
                    saved.code or "review-changed", saved.message or "the text was changed meanwhile"
                )
        done = TakenIn(
            done.waiting + here.done.waiting,
            done.made + here.done.made,
            done.comments + here.done.comments,
            (*done.lost, *here.done.lost),
        )
    return done


@dataclass(frozen=True, slots=True)
class _Share:
    """The texts after one person's changes and comments."""

    texts: dict[str, NewText]
    done: TakenIn


def _of_person(services: Services, book: Book, own: Returned, changes: Changes) -> _Share:
    review, approved = (editing.shown_text(services, book, path) for path in (REVIEW, FULL_BOOK))
    waiting, elsewhere = places(review.text, own)
    blocks = [(each.start, each.end) for each in passages(review.text) if each.kind == "reworked"]
    held = [place for place in waiting if any(start <= place.start < end for start, end in blocks)]
    free = [place for place in waiting if place not in held]
    settled, lost = places(approved.text, _of(elsewhere))
    made = [place for place in settled if place.edit and changes == "accept"]
    texts = {
        shown.path: NewText(text, shown.revision)
        for shown, new in (
            (review, [(place, _words(place, changes) + place.notes) for place in free]),
            (approved, [(place, place.after) for place in made]),
        )
        if (text := with_places(shown.text, new)) != shown.text
    }
    named = [
        *(left_out(each, "waits for another decision") for place in held for each in _brought(place)),
        *(left_out(each, "is in the book already") for place in settled for each in _kept_out(place, made)),
        *(left_out(each, "is not in the text") for each in lost),
    ]
    edits = sum(place.edit is not None for place in free)
    waits, comments = edits if changes == "review" else 0, sum(len(place.comments) for place in free)
    return _Share(texts, TakenIn(waits, len(made) + edits - waits, comments, tuple(named)))


def _words(place: Place, changes: Changes) -> str:
    if changes == "review" and place.edit:
        return rework_block(f"Tracked change by {names_of(place.edit)}", place.after, place.before)
    return place.after


def _of(brought: Sequence[Brought]) -> Returned:
    """Those again that are not in the waiting prose."""
    return Returned(
        tuple(each for each in brought if isinstance(each, PassageEdit)),
        tuple(each for each in brought if isinstance(each, DocumentComment)),
    )


def _brought(place: Place) -> Sequence[Brought]:
    return (*([place.edit] if place.edit else ()), *place.comments)


def _kept_out(place: Place, made: Sequence[Place]) -> Sequence[Brought]:
    """Edits and comments left out at a place of the approved text; no session answers notes there."""
    return place.comments if place in made else _brought(place)
