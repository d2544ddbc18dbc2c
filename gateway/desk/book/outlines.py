"""Outlines that the planner proposes for a book's chapters, and a person's answers."""

from dataclasses import dataclass

from gateway.desk.book import editing
from gateway.desk.book.editing import NewText
from gateway.desk.book.overview import read_view
from gateway.desk.services import Services
from gateway.desk.works.books import Book
from penwright.domain.book.editing import as_lf
from penwright.domain.book.files.layout import chapter_path, proposed_path
from penwright.domain.book.planning import lacks_outline, proposed_chapters
from penwright.domain.book.view import BookView
from penwright.errors import NotFound, Refused


@dataclass(frozen=True, slots=True)
class ProposedOutline:
    """An outline that waits for a person."""

    chapter: int
    text: str
    path: str
    """The file that it lies in, which a person may edit before it is accepted."""
    target: str
    """The outline that it becomes."""


@dataclass(frozen=True, slots=True)
class AnsweredOutline:
    """A proposal that a person has answered, and the commit of that."""

    outline: ProposedOutline
    commit: str


@dataclass(frozen=True, slots=True)
class Planning:
    """Plans of a book."""

    planning: str
    """As in ``Config.yml``: ``off``, ``propose`` or ``auto``."""
    chapter: int
    """The current one."""
    chapters: int
    missing: tuple[int, ...]
    """Chapters from the current one on that have no outline."""
    proposed: tuple[ProposedOutline, ...]


def planning_of(services: Services, book: Book) -> Planning:
    """The plans of a book at the tip."""
    view = read_view(services, book)
    chapter, chapters = view.state.current_chapter, view.config.chapter_count
    return Planning(
        view.config.planning,
        chapter,
        chapters,
        missing=tuple(each for each in range(chapter, chapters + 1) if lacks_outline(view, each)),
        proposed=tuple(_proposed(view, each) for each in proposed_chapters(view)),
    )


def _proposed(view: BookView, chapter: int) -> ProposedOutline:
    path = proposed_path(chapter)
    return ProposedOutline(chapter, as_lf(view.text(path)), path, chapter_path(chapter))


async def answer(
    services: Services, book: Book, chapter: int | None, *, accept: bool, who: str
) -> AnsweredOutline:
    """Make a proposal the outline of its chapter, or take it out, as a commit of ``who``.

    ``chapter``: None is the first one for which an outline is proposed.

    Raises:
        NotFound: ``no-proposed-outline``.
        Refused: ``book-busy``; ``edited-meanwhile``: the proposal or the outline was changed meanwhile.
    """
    view = read_view(services, book)
    outline = next(
        (_proposed(view, each) for each in proposed_chapters(view) if chapter in (None, each)), None
    )
    if outline is None:
        which = f"chapter {chapter}" if chapter else "any chapter"
        raise NotFound(
            "no-proposed-outline",
            f"no outline is proposed for {which} of {book.book_id!r}",
            hint=f"`penwright book plan {book.words}` lists those that are",
        )
    texts = {outline.path: NewText("", view.blobs[outline.path], removed=True)}
    if accept:
        texts[outline.target] = NewText(outline.text, view.blobs.get(outline.target, ""))
    saved = await editing.save_texts(services, book, texts, who=who)
    if saved.commit is None:
        hint = f"`penwright book plan {book.words}` shows it as it is now"
        raise Refused(
            saved.code or "edited-meanwhile", saved.message or "it was changed meanwhile", hint=hint
        )
    return AnsweredOutline(outline, saved.commit)
