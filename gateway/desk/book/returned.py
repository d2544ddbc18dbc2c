"""A document that came back to a book: its changes as passages to be reviewed, its comments as INK notes."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace

from gateway.desk.book import editing
from gateway.desk.book.editing import NewText
from gateway.desk.services import Services
from gateway.desk.works.books import Book
from gateway.desk.works.changes import require_saved
from penwright.domain.book.files.layout import FULL_BOOK, REVIEW
from penwright.domain.book.review.markers import rework_block
from penwright.domain.book.review.passages import Passage, passages
from penwright.domain.text.returned import (
    Brought,
    Place,
    Returned,
    TakenIn,
    change_note,
    left_out,
    names_of,
    not_found,
    not_yet_in,
    places,
    together,
    with_places,
)
from schemas.documents import Changes, DocumentComment, PassageEdit


async def take_in(services: Services, book: Book, returned: Returned, changes: Changes) -> TakenIn:
    """Take changes and comments in, each person's in that person's name.

    A change of text that waits for review waits there as a reworked passage; one of text that is in the book
    already is made with ``accept``, and otherwise an INK note at its passage. No session answers notes there:
    the book's status names each, for a person to make the change, and to delete the note.

    Raises:
        Refused: ``book-busy``, ``review-changed``, or the gate's code.
        EngineUnavailable: saves need the engine.
    """
    shares: list[TakenIn] = []
    returned = replace(returned, edits=()) if changes == "reject" else returned
    for person in returned.people:
        here = await asyncio.to_thread(_of_person, services, book, returned.by(person), changes)
        if here.texts:
            saved = await editing.save_texts(services, book, here.texts, who=person)
            require_saved(saved, "review-changed")
        shares.append(here.done)
    return together(shares)


@dataclass(frozen=True, slots=True)
class _Share:
    """The texts after one person's changes and comments."""

    texts: dict[str, NewText]
    done: TakenIn


def _of_person(services: Services, book: Book, own: Returned, changes: Changes) -> _Share:
    review, approved = (editing.shown_text(services, book, path) for path in (REVIEW, FULL_BOOK))
    new = not_yet_in(f"{review.text}\n\n{approved.text}", own)
    waiting, elsewhere = places(review.text, new)
    blocks = [each for each in passages(review.text) if each.kind == "reworked"]
    held = [(place, block) for place in waiting for block in blocks if block.start <= place.start < block.end]
    free = [place for place in waiting if place not in (each for each, _ in held)]
    settled, lost = places(approved.text, _of(elsewhere))
    texts = {
        shown.path: NewText(text, shown.revision)
        for shown, words in (
            (review, [(place, _waiting(place, changes) + place.notes) for place in free]),
            (approved, [(place, _approved(place, changes) + place.notes) for place in settled]),
        )
        if (text := with_places(shown.text, words)) != shown.text
    }
    again = sum(_is_its_card(place, block) for place, block in held)
    others = [place for place, block in held if not _is_its_card(place, block)]
    named = [left_out(each, "waits for another decision") for place in others for each in _brought(place)]
    free_edits, settled_edits = (sum(place.edit is not None for place in each) for each in (free, settled))
    done = TakenIn(
        waiting=free_edits if changes == "review" else 0,
        made=free_edits + settled_edits if changes == "accept" else 0,
        comments=sum(len(place.comments) for place in (*free, *settled)),
        noted=settled_edits if changes == "review" else 0,
        again=again + _count(own) - _count(new),
        lost=(*named, *map(not_found, lost)),
    )
    return _Share(texts, done)


def _waiting(place: Place, changes: Changes) -> str:
    """A passage of the waiting prose by now."""
    if changes == "review" and place.edit:
        return rework_block(_answered(place.edit), place.after, place.before)
    return place.after


def _approved(place: Place, changes: Changes) -> str:
    """A passage of the book by now; a change that was not accepted yet is a note, which a person answers."""
    if changes == "review" and place.edit:
        return f"{place.before}\n\n{change_note(place.edit)}"
    return place.after


def _answered(edit: PassageEdit) -> str:
    return f"Tracked change by {names_of(edit)}"


def _is_its_card(place: Place, block: Passage) -> bool:
    """Whether the change at a place waits for its decision in the block already."""
    return place.edit is not None and (block.answered, block.text) == (_answered(place.edit), place.after)


def _count(returned: Returned) -> int:
    return len(returned.edits) + len(returned.comments)


def _of(brought: Sequence[Brought]) -> Returned:
    """Those again that are not in the waiting prose."""
    return Returned(
        tuple(each for each in brought if isinstance(each, PassageEdit)),
        tuple(each for each in brought if isinstance(each, DocumentComment)),
    )


def _brought(place: Place) -> Sequence[Brought]:
    return (*([place.edit] if place.edit else ()), *place.comments)
