"""New books: laid out from an author's answers, or made of an existing source text."""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from gateway.desk.book.board import text_entry
from gateway.desk.book.lost_config import refuse_if_lost
from gateway.desk.services import Services
from gateway.desk.works import books
from penwright.adapters.scaffold.creation import lay_out_workspace, missing
from penwright.adapters.scaffold.importing import imported_book
from penwright.adapters.scaffold.repository_folder import check_folder, written_book_id
from penwright.adapters.scaffold.templates import fresh_book
from penwright.domain.book.files.layout import CONFIG, REVIEW
from penwright.domain.book.files.yaml_files import read_config
from penwright.domain.book.identity import checked_book_id, new_book_id
from penwright.domain.book.importing.values import SourceText
from penwright.domain.book.questions import QUESTIONS
from penwright.domain.book.resetting import KEPT
from penwright.domain.book.review.waiting_prose import read_waiting
from penwright.domain.text.names import check_name
from penwright.errors import EngineUnavailable, StoreUnavailable
from schemas.base import BookId
from schemas.book import BookConfig, Question
from schemas.workspace import Contributor


@dataclass(frozen=True, slots=True)
class NewBook:
    """A book that was just made."""

    book_id: BookId
    path: str
    commit: str
    files: tuple[str, ...] = ()
    """Paths that were created."""
    registered: bool = False
    """Whether its id is known already; without the engine, its first session registers it."""
    open_questions: tuple[Question, ...] = ()
    """Questions without an answer."""


def check_place(services: Services, path: Path, answers: Mapping[str, str], *, keep: bool) -> None:
    """Raise what ``create`` would raise for this folder, before its questions are asked."""
    place = path.expanduser().resolve()
    check_folder(place)
    branch = services.defaults().branch
    refuse_if_lost(services, place)
    if "title" in answers:
        check_name(answers["title"])
    files = fresh_book(answers, new_book_id(place.name, "0000"))
    earlier = _earlier_id(place, branch)
    missing(place, files, keep=keep or _was_reset(place, files, earlier))


def create(services: Services, path: Path, answers: Mapping[str, str], *, keep: bool = False) -> NewBook:
    """Lay out a book in one commit; raises ``UsageMistake`` ``bad-name`` for its title.

    ``keep``: leave existing files and add the missing ones; the files that a reset left are always kept.
    """
    place = path.expanduser().resolve()
    check_folder(place)
    branch = services.defaults().branch
    refuse_if_lost(services, place)
    # A book that was reset stays the same book: its schedule, its log and its undo hang on the id.
    earlier = _earlier_id(place, branch)
    check_name(answers.get("title", place.name))
    fresh_id = new_book_id(answers.get("title", place.name), secrets.token_hex(2))
    book_id = checked_book_id(earlier or fresh_id)
    files = fresh_book(answers, book_id)
    keep = keep or _was_reset(place, files, earlier)
    created = missing(place, files, keep=keep)
    message = f"Lay out {' '.join(answers.get('title', 'a book').split())}"
    by = Contributor.ENGINE
    commit = lay_out_workspace(place, files, message=message, contributor=by, branch=branch, keep=keep)
    return NewBook(
        book_id=book_id,
        path=str(place),
        commit=commit,
        files=tuple(created),
        registered=_register(services, place),
        open_questions=tuple(question for question in QUESTIONS if question.id not in answers),
    )


def _earlier_id(place: Path, branch: str) -> str | None:
    """The id of the book that the folder held before."""
    return written_book_id(place, branch) if (place / ".git").exists() else None


def _was_reset(place: Path, files: Mapping[str, str], earlier: str | None) -> bool:
    """Whether the folder holds no files of a book but those that a reset leaves there."""
    if earlier is None:
        return False
    absent = missing(place, files, keep=True)
    return files.keys() - set(absent) <= KEPT


@dataclass(frozen=True, slots=True)
class PreparedBook:
    """A book that can be made of a source text; nothing is made yet."""

    source: SourceText
    title: str
    book_id: BookId
    files: Mapping[str, str]
    config: BookConfig
    waiting_words: int
    """Words that are going to wait in Review/current.md."""


def prepare(
    path: Path,
    source: SourceText,
    answers: Mapping[str, str],
    *,
    target_length: int | None = None,
    chapter_count: int | None = None,
) -> PreparedBook:
    """Lay a source text out as a book for ``path``, and check that it may be made there.

    Args:
        answers: a title at least; ``UsageMistake`` ``bad-name`` is raised for one that is none.
        target_length, chapter_count: for Config.yml; None leaves what a new book has.
    """
    place = path.expanduser().resolve()
    check_name(answers["title"])
    book_id = new_book_id(answers["title"], secrets.token_hex(2))
    files = imported_book(source, answers, book_id, target_length=target_length, chapter_count=chapter_count)
    check_folder(place)
    missing(place, files, keep=False)
    return PreparedBook(
        source=source,
        title=answers["title"],
        book_id=BookId(book_id),
        files=files,
        config=read_config(files[CONFIG]),
        waiting_words=read_waiting(files[REVIEW]).words,
    )


def is_book(path: Path) -> bool:
    """Whether there is a book at ``path`` already."""
    return (path.expanduser() / CONFIG).is_file()


def refuse_another(path: Path) -> None:
    """Raise ``Refused`` ``already-a-book`` at ``path``, where a book is."""
    missing(path.expanduser().resolve(), {}, keep=False)


def make(
    services: Services,
    path: Path,
    prepared: PreparedBook,
    *,
    authorship: str = "",
    people: Sequence[str] = (),
) -> NewBook:
    """Make a prepared book in one commit.

    Args:
        authorship: who wrote it, if that is declared.
        people: names of others whose changes are in it.
    """
    place = path.expanduser().resolve()
    branch, by = services.defaults().branch, Contributor.HUMAN
    message = f"Import {prepared.title}"
    commit = lay_out_workspace(
        place,
        prepared.files,
        message=message,
        contributor=by,
        branch=branch,
        keep=False,
        authorship=authorship,
        people=people,
    )
    registered = _register(services, place)
    return NewBook(book_id=prepared.book_id, path=str(place), commit=commit, registered=registered)


def _register(services: Services, place: Path) -> bool:
    """Register the book, and what it holds, if the engine runs."""
    found = books.at(services, place)
    try:
        books.enter(services, found)
        with services.open_store() as store:
            store.records.enter([text_entry(services, found)])
    except (EngineUnavailable, StoreUnavailable):
        return False
    return True
