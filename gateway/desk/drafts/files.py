"""The file behind a draft: a text of a book, or a scene of a novel."""

from dataclasses import dataclass

from gateway.desk.book import editing as book_editing
from gateway.desk.manuscript import editing as scene_editing
from gateway.desk.manuscript import scenes
from gateway.desk.services import Services
from gateway.desk.works import books, novels, registered
from gateway.desk.works.kinds import Work
from penwright.domain.book.editing import emptied_warnings
from penwright.domain.book.files.layout import other_file
from penwright.domain.text.merging.saving import emptied_warning
from penwright.errors import NotFound, PermanentError, Refused
from schemas.base import BlobRef
from schemas.book_text import BookEdited
from schemas.manuscript_text import WHOLE_NOVEL, TextSaved


@dataclass(frozen=True, slots=True)
class FileText:
    """Text of a file at the tip."""

    text: str
    """With LF; empty without a file."""
    revision: str
    """Git blob id; empty without a file."""


@dataclass(frozen=True, slots=True)
class FileSaved:
    """Result of saving a text."""

    conflict: bool
    """Both changed one place: nothing was saved."""
    file: FileText
    """The file as it stands; of a conflict it is empty."""
    commit: str = ""
    """Empty if nothing had to be changed."""
    warnings: tuple[str, ...] = ()
    """That the text holds no words any more, and what brings them back."""


def read(services: Services, work: Work, path: str) -> FileText:
    """The file at the tip; raises as ``shown_text`` of books and ``scenes.show``."""
    if work.kind == "book":
        shown = book_editing.shown_text(services, _book(services, work), path)
        return FileText(shown.text, shown.revision)
    try:
        scene = scenes.show(services, _novel(services, work), path)
    except NotFound as missing:
        if missing.code != "no-such-scene":
            raise
        return FileText("", "")
    return FileText(scene.text, scene.revision)


def other_path(work: Work, path: str) -> str:
    """The file to which a session of this work moves passages of ``path``; empty for most."""
    return other_file(path) if work.kind == "book" else ""


async def save(services: Services, work: Work, path: str, mine: FileText, *, who: str, key: str) -> FileSaved:
    """Save a text that was made from ``mine.revision``, as a commit of the person ``who``.

    Raises:
        Refused: the text cannot be taken, or the work is busy (``book-busy``).
        EngineUnavailable: nothing was saved.
    """
    saved: BookEdited | TextSaved
    if work.kind == "book":
        texts = {path: book_editing.NewText(mine.text, mine.revision)}
        saved = await book_editing.save_texts(services, _book(services, work), texts, who=who)
    else:
        novel = _novel(services, work)
        saved = await scene_editing.save(
            services, novel, path, mine.text, base=mine.revision, principal=who, key=key
        )
    if saved.outcome == "refused":
        raise Refused(saved.code, saved.message)
    if saved.outcome == "conflict":
        return FileSaved(True, FileText("", ""))
    return FileSaved(False, _standing(services, saved), saved.commit or "", _warnings(work, path, saved))


def _warnings(work: Work, path: str, saved: BookEdited | TextSaved) -> tuple[str, ...]:
    if isinstance(saved, BookEdited):
        return (*emptied_warnings(saved, work.subject), *saved.warnings)
    undo = f"penwright manuscript undo {work.subject}{'' if path == WHOLE_NOVEL else f' {path}'}"
    return (emptied_warning(path, saved.emptied, undo),) if saved.emptied else ()


def _standing(services: Services, saved: BookEdited | TextSaved) -> FileText:
    if isinstance(saved, TextSaved):
        return FileText(_text(services, saved.text), saved.revision)
    if not saved.files:
        return FileText("", "")
    file = saved.files[0]
    return FileText(_text(services, file.text), file.revision)


def _text(services: Services, ref: BlobRef | None) -> str:
    if ref is None:
        raise PermanentError("no-text", "the save was reported without the text that stands there")
    with services.open_store() as store:
        return store.blobs.get(ref).decode()


def _book(services: Services, work: Work) -> books.Book:
    return work if isinstance(work, books.Book) else registered.book(services, work.subject)


def _novel(services: Services, work: Work) -> novels.Novel:
    return work if isinstance(work, novels.Novel) else registered.novel(services, work.subject)
