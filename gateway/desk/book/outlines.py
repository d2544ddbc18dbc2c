"""Outlines that the planner proposes for a book's chapters, and a person's answers."""

from dataclasses import dataclass
from difflib import unified_diff

from gateway.desk.book import editing
from gateway.desk.book.editing import NewText
from gateway.desk.book.overview import read_view
from gateway.desk.services import Services
from gateway.desk.works.books import Book
from penwright.domain.book.editing import as_lf
from penwright.domain.book.files.layout import outline_path, outlined, proposed_path
from penwright.domain.book.planning import lacks_outline, proposed_chapters
from penwright.domain.book.view import BookView
from penwright.errors import NotFound, Refused


@dataclass(frozen=True, slots=True)
class ProposedOutline:
    """An outline that waits for a person."""

    chapter: int
    """0: the whole book."""
    of: str
    """The same in words, such as ``chapter 2``."""
    text: str
    before: str
    """The text in its place, such as a template; empty if there is none."""
    path: str
    """The file that it lies in, which a person may edit before it is accepted."""
    target: str
    """The outline that it becomes."""

    @property
    def diff(self) -> str:
        """Compare it with the text in its place; empty if there is none."""
        if not self.before.strip():
            return ""
        texts = self.before.splitlines(), self.text.splitlines()
        return "\n".join(unified_diff(*texts, self.target, self.path, lineterm=""))


@dataclass(frozen=True, slots=True)
class AnsweredOutlines:
    """Proposals that a person has answered, and the commit of that."""

    outlines: tuple[ProposedOutline, ...]
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
    path, target = proposed_path(chapter), outline_path(chapter)
    before = as_lf(view.text(target))
    return ProposedOutline(chapter, outlined(chapter), as_lf(view.text(path)), before, path, target)


async def answer(
    services: Services,
    book: Book,
    chapter: int | None,
    *,
    accept: bool,
    who: str,
    every: bool = False,
    text: str | None = None,
) -> AnsweredOutlines:
    """Make a proposal the outline of its chapter, or take it out, as one commit of ``who``.

    Args:
        chapter: None is the first one for which an outline is proposed; 0 is the book.
        every: answers all that are proposed, whatever ``chapter`` says.
        text: is accepted in place of the proposal.

    Raises:
        NotFound: ``no-proposed-outline``.
        Refused: ``book-busy``; ``edited-meanwhile``: the proposal or the outline was changed meanwhile.
    """
    view = read_view(services, book)
    proposed = [_proposed(view, each) for each in proposed_chapters(view)]
    asked = [each for each in proposed if every or chapter in (None, each.chapter)]
    if not asked:
        which = "any chapter" if chapter is None else outlined(chapter)
        raise NotFound(
            "no-proposed-outline",
            f"no outline is proposed for {which} of {book.book_id!r}",
            hint=f"`penwright book plan {book.words}` lists those that are",
        )
    answered = asked if every else asked[:1]
    texts = {each.path: NewText("", view.blobs[each.path], removed=True) for each in answered}
    for each in answered if accept else ():
        new = each.text if text is None else as_lf(text)
        texts[each.target] = NewText(new, view.blobs.get(each.target, ""))
    saved = await editing.save_texts(services, book, texts, who=who)
    if saved.commit is None:
        hint = f"`penwright book plan {book.words}` shows it as it is now"
        raise Refused(
            saved.code or "edited-meanwhile", saved.message or "it was changed meanwhile", hint=hint
        )
    return AnsweredOutlines(tuple(answered), saved.commit)
