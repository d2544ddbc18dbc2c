"""The story of a book as its clerk read it: at the tip, or at an earlier commit."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from gateway.desk.book import editing
from gateway.desk.book.editing import NewText
from gateway.desk.book.folder_edits import edited_in_folder
from gateway.desk.book.lost_config import naming_restore
from gateway.desk.services import Services
from gateway.desk.works.books import Book
from penwright.domain.book.files.layout import (
    CHARACTERS,
    CONFIG,
    DECISIONS,
    FULL_BOOK,
    LORE,
    REVIEW,
    SESSION_PATTERNS,
    names_at,
)
from penwright.domain.book.view import BookView, read_book
from penwright.domain.continuity.changed import ChangedFact, ReadText, changed_facts, with_notes
from penwright.domain.continuity.files import READINGS, load_readings
from penwright.domain.continuity.known import KnownEntity, KnownFact, KnownThread
from penwright.domain.continuity.story import BookStory
from penwright.domain.text.nearest import meant
from penwright.errors import NotFound, Refused

_WITHOUT_PROSE = 10
"""Commits in a row that may have changed no prose."""
_FILES = (REVIEW, FULL_BOOK, CHARACTERS, LORE, CONFIG, DECISIONS)


def story_of(services: Services, book: Book, commit: str | None = None) -> BookStory:
    """The story at the tip of the book's branch, or at ``commit``.

    Raises:
        NotFound: ``no-such-commit``.
    """
    view = whole_book(services, book, commit)
    return BookStory(view, view.text(FULL_BOOK), load_readings(view.files, view.unreadable))


def whole_book(services: Services, book: Book, commit: str | None = None) -> BookView:
    """The book with its text and its readings, at the tip of its branch or at ``commit``.

    Raises:
        NotFound: ``no-such-commit``.
    """
    patterns, names = (*SESSION_PATTERNS, FULL_BOOK, READINGS), names_at(services.now())
    try:
        snapshot = services.workspaces().snapshot(book.workspace, patterns, names=names, at=commit)
    except NotFound as error:
        if commit is None:
            raise
        raise NotFound(
            "no-such-commit",
            f"the book has no commit {commit!r}",
            hint="`git log --oneline` in the book's folder lists them; a tag of a session is one, too",
        ) from error
    with naming_restore(book):
        return read_book(snapshot)


@dataclass(frozen=True, slots=True)
class ChangedStory:
    """Changes of the story by a commit, for the passages after it."""

    facts: tuple[ChangedFact, ...]
    unread: int
    """Words of the book that have no reading: of those the facts are not known."""


def changed_by(services: Services, book: Book, commit: str) -> ChangedStory:
    """The facts that ``commit`` changed and on which later passages rest, by all that was read until now.

    A commit that changed no prose, such as that of a reading, stands for the newest one before it that did.

    Raises:
        NotFound: ``no-such-commit``.
    """
    tip = story_of(services, book)
    after = _read_text(services, book, tip, commit)
    for steps in range(1, _WITHOUT_PROSE + 1):
        before = _read_text(services, book, tip, f"{commit}~{steps}")
        if before.told != after.told:
            break
    facts = changed_facts(before, after, ReadText(tip.told_blocks, tip.known))
    return ChangedStory(facts, tip.words_unread)


def _read_text(services: Services, book: Book, tip: BookStory, at: str) -> ReadText:
    view = whole_book(services, book, at)
    story = BookStory(view, view.text(FULL_BOOK), tip.read)
    return ReadText(story.told_blocks, story.known)


async def note_later(services: Services, book: Book, changed: ChangedStory, *, who: str) -> tuple[int, str]:
    """Put a note behind each passage that rests on a changed fact; returns how many, and the commit.

    Raises:
        Refused: ``book-busy``; ``edited-meanwhile``: a text was changed meanwhile.
    """
    texts: dict[str, NewText] = {}
    notes = 0
    for path in (FULL_BOOK, REVIEW):
        shown = editing.shown_text(services, book, path)
        text, put = with_notes(shown.text, changed.facts)
        if put:
            texts[path] = NewText(text, shown.revision)
            notes += put
    if not texts:
        return 0, ""
    saved = await editing.save_texts(services, book, texts, who=who)
    if saved.commit is None:
        raise Refused(saved.code or "edited-meanwhile", saved.message or "it was changed meanwhile")
    return notes, saved.commit


def unsaved(services: Services, book: Book) -> tuple[str, ...]:
    """Files of the story that were edited in the folder since the last commit."""
    return edited_in_folder(services, book.workspace, _FILES)


def open_threads(services: Services, book: Book) -> tuple[str, ...]:
    """Names of the questions that the story leaves open, as far as it was read."""
    return tuple(each.name for each in story_of(services, book).known.threads if each.is_open)


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


# Any, below: JSON.
Json = dict[str, Any]


def story_value(at: BookStory) -> Json:
    """JSON of the events in each chapter."""
    return {**_read(at), "chapters": [asdict(each) for each in at.known.chapters]}


def facts_value(at: BookStory, listed: Sequence[EntityFacts]) -> Json:
    """Facts that were listed, and the author's word, as JSON."""
    return {
        **_read(at),
        "entities": [asdict(each) for each in listed],
        "rejected": [asdict(each) for each in at.known.rejected],
        "throughout": [each.model_dump() for each in at.known.throughout],
    }


def threads_of(at: BookStory, *, paid: bool) -> tuple[KnownThread, ...]:
    """Questions of the story; ``paid``: also those that are answered."""
    return tuple(each for each in at.known.threads if paid or each.is_open)


def threads_value(at: BookStory, listed: Sequence[KnownThread]) -> Json:
    """Threads that were listed, as JSON."""
    return {**_read(at), "threads": [{**asdict(each), "open": each.is_open} for each in listed]}


def brief_value(at: BookStory) -> Json:
    """JSON of what the next session's writer is told."""
    return {**_read(at), **at.brief.model_dump(mode="json"), "told": at.view.config.continuity != "off"}


def _read(at: BookStory) -> Json:
    """JSON of how far the book was read."""
    known = at.known
    return {
        "commit": at.view.tip,
        "unread_words": at.words_unread,
        "stated": known.stated,
        "lost": known.lost,
        "warnings": list(at.warnings),
    }
