"""Texts that people type into a book outside a session: its workflow saves them as a commit of theirs."""

from collections.abc import Mapping
from dataclasses import dataclass
from shlex import join

from gateway.desk.book import reading, texts
from gateway.desk.services import Services
from gateway.desk.works import books
from gateway.desk.works.books import Book
from penwright.domain.book.editing import as_lf, refused_path
from penwright.domain.book.files.layout import EDITABLE, FULL_BOOK, REVIEW, other_file
from penwright.domain.text.globs import only
from penwright.domain.text.merging.saving import gone_words
from penwright.domain.text.paragraphs import paragraphs
from penwright.domain.text.words import count_words
from penwright.domain.trailers import CONTRIBUTOR
from penwright.errors import NotFound, PermanentError, Refused, UsageMistake
from schemas.book_text import BookEdited, TextEdit
from schemas.workspace import Contributor

_LOOKED_BACK = 12
"""Commits of a file in which the version is sought that a text was made from."""


@dataclass(frozen=True, slots=True)
class NewText:
    """The whole new text of one file."""

    text: str
    base: str = ""
    """Git blob id of the text that the person saw; empty: there was no file."""
    removed: bool = False
    """The file goes; ``text`` is empty."""


@dataclass(frozen=True, slots=True)
class ShownText:
    """A text of a book at the tip, as a page shows it."""

    path: str
    text: str
    """With LF; empty without a file."""
    revision: str
    """Git blob id, the base of an edit; empty without a file."""


@dataclass(frozen=True, slots=True)
class RestoredText:
    """A text that was brought back."""

    path: str
    commit: str
    """The commit it was taken from."""
    words: int


def editable_paths(services: Services, book: Book) -> tuple[str, ...]:
    """The paths of the book's texts that people may edit, sorted."""
    listed = services.workspaces().snapshot(book.workspace, (), names=EDITABLE).names
    return tuple(sorted(path for path in listed if refused_path(path) is None))


def shown_text(services: Services, book: Book, path: str) -> ShownText:
    """Read a text of a book that people may edit.

    Raises:
        UsageMistake: ``not-editable``.
        Refused: ``not-text``.
    """
    if (refused := refused_path(path)) is not None:
        raise UsageMistake(refused.code, refused.message)
    snapshot = services.workspaces().snapshot(book.workspace, (only(path),))
    if path in snapshot.unreadable:
        raise Refused("not-text", f"{path!r} is not UTF-8 text", hint="save it as UTF-8, then try again")
    file = snapshot.files.get(path)
    return ShownText(path, as_lf(file.text), file.blob) if file else ShownText(path, "", "")


async def save_texts(services: Services, book: Book, texts: Mapping[str, NewText], *, who: str) -> BookEdited:
    """Save new texts by path, all in one commit of the person ``who``, or none of them.

    What others changed meanwhile is merged; see ``BookEdited.outcome`` for conflicts and refusals.

    Raises:
        Refused: ``book-busy`` while a session or another change holds the book.
    """
    with services.open_store() as store:
        books.register(store, services, book)
        edits = tuple(
            TextEdit(path=path, base=new.base, text=store.blobs.put(_utf8(new.text)), removed=new.removed)
            for path, new in texts.items()
        )
    given = books.errand_input(services, book, kind="edit", edits=edits, who=who)
    async with services.engine() as engine:
        report = (await engine.pipelines.errand(given)).edit
        if report is None:
            raise PermanentError("no-report", f"the change of {book.book_id!r} ended without a report")
        if not report.commit or not {REVIEW, FULL_BOOK} & texts.keys():
            return report
        return report.model_copy(update={"warnings": await reading.look_again(services, engine, book)})


def older_base(services: Services, book: Book, path: str, text: str) -> str:
    """The revision that a new text seems made from, if a session has changed the file since; else empty.

    The new text then holds none of the paragraphs that came since, and half or more of all that stood there.
    """
    current, new = _paragraphs(shown_text(services, book, path).text), _paragraphs(as_lf(text))
    by_session = False
    for version in services.workspaces().versions(book.workspace, path, limit=_LOOKED_BACK):
        if by_session and version.blob:
            older = texts.read(services, book, path, at=version.commit)
            if older and _is_made_from(_paragraphs(older.text), new, current):
                return version.blob
        by_session = by_session or version.trailers.get(CONTRIBUTOR, Contributor.HUMAN) != Contributor.HUMAN
    return ""


def _is_made_from(older: frozenset[str], new: frozenset[str], current: frozenset[str]) -> bool:
    came, gone = current - older, older - current
    if not older & new or not came or came & new:
        return False
    return 2 * len(gone & new) >= len(gone) and 2 * len(older & new) >= len(older)


def _paragraphs(text: str) -> frozenset[str]:
    return frozenset(each.strip() for each in paragraphs(text) if count_words(each))


async def restore_text(services: Services, book: Book, path: str, *, who: str) -> RestoredText:
    """Save the words that a text held before it was emptied last, as a commit of the person ``who``.

    What was written into it since stays.

    Raises:
        NotFound: ``nothing-emptied``.
        Refused: ``text-exists``: other words stand in their place now; ``book-busy``.
    """
    with_words, emptied = _emptied_last(services, book, path)
    words = count_words(with_words.text)
    new = NewText(with_words.text, emptied)
    saved = await save_texts(services, book, {path: new}, who=who)
    if saved.outcome not in ("saved", "merged"):
        show = join(["git", "-C", book.workspace.path, "show", f"{with_words.commit}:{path}"])
        raise Refused(
            "text-exists",
            f"other words stand in {path!r} now, in the place of the {words:,}; nothing was changed",
            hint=f"`{show}` prints what it held; put in what you want of it",
        )
    return RestoredText(path, with_words.commit, words)


def _emptied_last(services: Services, book: Book, path: str) -> tuple[texts.ReadText, str]:
    """A text as it was before it was emptied last, and the blob id of the emptied one."""
    there = (path, other_file(path))
    now = "\n".join(shown_text(services, book, each).text for each in there if each)
    emptied: str | None = None
    for version in services.workspaces().versions(book.workspace, path):
        text = texts.read(services, book, path, at=version.commit) if version.blob else None
        if text is None or not count_words(text.text):
            emptied = version.blob
        elif emptied is not None and gone_words(text.text, "", now):
            return text, emptied
        else:
            emptied = None
    raise NotFound(
        "nothing-emptied",
        f"no commit of the book took words out of {path!r} that are not in it, or in the book, now",
        hint="there is nothing to bring back; the log of git shows every version of the text",
    )


def _utf8(text: str) -> bytes:
    """Half surrogates pass here, and are refused by name where the text is read."""
    return text.encode("utf-8", "surrogatepass")
