"""The story of a book as its clerk read it: at the tip, or at an earlier commit."""

from dataclasses import dataclass

from gateway.desk.book.config_advice import naming_restore
from gateway.desk.services import Services
from gateway.desk.works.books import Book
from penwright.domain.book.files.layout import FULL_BOOK, SESSION_PATTERNS, names_at
from penwright.domain.book.view import BookView, read_book
from penwright.domain.continuity.files import READINGS, load_readings
from penwright.domain.continuity.known import KnownEntity, KnownFact
from penwright.domain.continuity.story import BookStory
from penwright.domain.text.nearest import meant
from penwright.errors import NotFound


def story_of(services: Services, book: Book, commit: str | None = None) -> BookStory:
    """The story at the tip of the book's branch, or at ``commit``.

    Raises:
        NotFound: ``unknown-commit``.
    """
    view = whole_book(services, book, commit)
    return BookStory(view, view.text(FULL_BOOK), load_readings(view.files, view.unreadable))


def whole_book(services: Services, book: Book, commit: str | None = None) -> BookView:
    """The book with its text and its readings, at the tip of its branch or at ``commit``.

    Raises:
        NotFound: ``unknown-commit``.
    """
    patterns = (*SESSION_PATTERNS, FULL_BOOK, READINGS)
    snapshot = services.workspaces().snapshot(
        book.workspace, patterns, names=names_at(services.now()), at=commit
    )
    with naming_restore(book):
        return read_book(snapshot)


@dataclass(frozen=True, slots=True)
class EntityFacts:
    """A person, place or thing, and what the book states of it."""

    entity: KnownEntity
    facts: tuple[KnownFact, ...]


def facts_of(story: BookStory, about: str = "", chapter: int | None = None) -> tuple[EntityFacts, ...]:
    """Facts by whom they are about, the most told of first.

    Args:
        about: any name of one of them; empty: all.
        chapter: only facts that stand in it; None: all.

    Raises:
        NotFound: ``not-in-story``, with the nearest name.
    """
    known_facts = story.known.by_entity
    wanted = [each for each in story.known.entities if not about or _is(each, about)]
    if about and not wanted:
        names = [name for each in story.known.entities for name in each.names]
        raise NotFound(
            "not-in-story",
            f"what was read names no {about!r}{meant(about, names)}",
            hint="`penwright book facts BOOK` lists everybody",
        )
    found = (
        EntityFacts(each, tuple(fact for fact in known_facts.get(each.name, ()) if _in(fact, chapter)))
        for each in wanted
    )
    kept = [each for each in found if each.facts or (about and chapter is None)]
    return tuple(sorted(kept, key=lambda each: -len(each.facts)))


def _is(entity: KnownEntity, about: str) -> bool:
    return about.casefold() in (name.casefold() for name in entity.names)


def _in(fact: KnownFact, chapter: int | None) -> bool:
    return chapter is None or fact.place.chapter == chapter
