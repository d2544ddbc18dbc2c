"""The story of a book as its clerk read it: at the tip, or at an earlier commit."""

from dataclasses import dataclass
from functools import cached_property

from gateway.desk.book.config_advice import naming_restore
from gateway.desk.services import Services
from gateway.desk.works.books import Book
from penwright.domain.book.files.layout import CHARACTERS, FULL_BOOK, LORE, SESSION_PATTERNS, names_at
from penwright.domain.book.prose_so_far import earlier_prose
from penwright.domain.book.view import BookView, read_book
from penwright.domain.continuity.checking import contradictions
from penwright.domain.continuity.files import READINGS, Read, load_readings
from penwright.domain.continuity.known import Known, KnownEntity, KnownFact, known
from penwright.domain.continuity.passages import Passage, ToldBlock, told_blocks, unread_passages
from penwright.domain.continuity.telling import tell_writer
from penwright.domain.text.nearest import meant
from penwright.errors import NotFound
from schemas.continuity import ContinuityFinding, ContinuityTold


@dataclass(frozen=True)
class BookStory:
    """A book at one commit, with what was read of it."""

    view: BookView
    text: str
    """Of the validated book."""
    read: Read
    told: tuple[ToldBlock, ...]

    @cached_property
    def known(self) -> Known:
        """What the readings say of the text as it is there."""
        return known(self.read.readings, self.told)

    @cached_property
    def unread(self) -> tuple[Passage, ...]:
        """Passages without a reading."""
        return unread_passages(self.told, self.known.read)

    @property
    def words_unread(self) -> int:
        return sum(each.words for each in self.unread)

    @cached_property
    def contradictions(self) -> tuple[ContinuityFinding, ...]:
        """Where the book contradicts itself or the author's files, intended or not."""
        files = {path: self.view.text(path) for path in (CHARACTERS, LORE)}
        return contradictions(self.known, self.view.state.current_chapter, files)

    @property
    def brief(self) -> ContinuityTold:
        """What the next session's writer is told of it."""
        return tell_writer(self.known, self.view, earlier_prose(self.text, self.view))

    @property
    def warnings(self) -> tuple[str, ...]:
        """Files of readings that are damaged, and passages that the clerk could not read."""
        damaged = (f"{place}: this is damaged, and is left out" for place in self.read.damaged)
        failed = (f"a passage has no reading: {why}" for why in self.known.failures)
        return (*damaged, *failed)


def story_of(services: Services, book: Book, commit: str | None = None) -> BookStory:
    """The story at the tip of the book's branch, or at ``commit``.

    Raises:
        NotFound: ``unknown-commit``.
    """
    patterns = (*SESSION_PATTERNS, FULL_BOOK, READINGS)
    snapshot = services.workspaces().snapshot(
        book.workspace, patterns, names=names_at(services.now()), at=commit
    )
    with naming_restore(book):
        view = read_book(snapshot)
    text = view.text(FULL_BOOK)
    return BookStory(view, text, load_readings(snapshot.files, snapshot.unreadable), told_blocks(text, view))


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
