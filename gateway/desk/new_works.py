"""New books and novels for callers who name no folder: each is laid into the works folder of the settings."""

import hashlib
import re
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from gateway.desk import source_texts
from gateway.desk.book import new_books
from gateway.desk.manuscript import new_novels, scenes
from gateway.desk.principals import Principal, require_all
from gateway.desk.services import Services
from gateway.desk.source_texts import USUAL, Reading
from gateway.desk.works import works
from penwright.domain.book.identity import new_book_id
from penwright.domain.book.questions import QUESTIONS
from penwright.errors import PenwrightError, UsageMistake
from schemas.agent_state import WHOLE_NOVEL
from schemas.base import BookId, OpId
from schemas.novel import LANGUAGE


@dataclass(frozen=True, slots=True)
class NewWork:
    """A work that was made."""

    id: BookId
    title: str
    notes: tuple[str, ...]
    """Parts of a document that could not come along."""


def create_book(
    services: Services, principal: Principal, title: str, answers: Mapping[str, str], op_id: OpId
) -> NewWork:
    """Lay a new book out.

    Args:
        answers: to the questions of ``penwright book init``, by their ids.
        op_id: the order; sent again, it finds the book that it made.

    Raises:
        Refused: ``not-permitted``, or the folder cannot be used.
        UsageMistake: ``unknown-question``, or an answer is invalid.
    """
    _require(principal)
    place = _place(services, title, op_id)
    known = {question.id for question in QUESTIONS}
    if unknown := sorted(answers.keys() - known):
        hint = f"there are: {', '.join(sorted(known))}"
        raise UsageMistake("unknown-question", f"there is no question {unknown[0]!r}", hint=hint)
    if not _is_made(place):
        new_books.create(services, place, {**answers, "title": title})
    return _made(services, place)


def import_book(
    services: Services,
    principal: Principal,
    content: bytes,
    file_name: Path,
    op_id: OpId,
    *,
    fields: Mapping[str, str],
    authorship: str = "",
    reading: Reading = USUAL,
) -> NewWork:
    """Make a book of a source text; raises as ``create_book`` and ``source_texts.read_file``.

    Args:
        fields: ``title`` and ``author``, where they are not those of the document.
        authorship: who wrote it, if that is declared.
    """
    _require(principal)
    with _file(content, file_name) as file:
        read = source_texts.read_file(services, file, reading)
    named = {
        "title": fields.get("title") or read.title or _title_of(file_name),
        "author": fields.get("author") or read.author,
        "language": fields.get("language") or read.source.language,
    }
    place = _place(services, named["title"], op_id)
    if not _is_made(place):
        given = {name: text for name, text in named.items() if text}
        prepared = new_books.prepare(place, read.source, given)
        new_books.make(services, place, prepared, authorship=authorship, people=read.people)
    return _made(services, place, (*read.left_out, *read.source.notes))


def create_novel(
    services: Services, principal: Principal, title: str, fields: Mapping[str, str], op_id: OpId
) -> NewWork:
    """Lay a new novel or paper out; raises as ``create_book``.

    Args:
        fields: ``author``, ``language``, ``citation_style``; of Novel.yml.

    Raises:
        UsageMistake: ``bad-language``.
    """
    _require(principal)
    if (language := fields.get("language")) and not re.fullmatch(LANGUAGE, language):
        raise UsageMistake(
            "bad-language", f"{language!r} is not the code of a language", hint="such as en, en-GB or de"
        )
    place = _place(services, title, op_id)
    if not _is_made(place):
        new_novels.create(services, place, {**fields, "title": title})
    return _made(services, place)


def import_novel(
    services: Services,
    principal: Principal,
    content: bytes,
    file_name: Path,
    op_id: OpId,
    *,
    fields: Mapping[str, str],
    authorship: str,
    reading: Reading = USUAL,
) -> NewWork:
    """Make a novel whose manuscript is a text that exists; raises as ``import_book``."""
    _require(principal)
    with _file(content, file_name) as file:
        read = scenes.read_file(services, file, reading)
    title = fields.get("title") or read.title or _title_of(file_name)
    place = _place(services, title, op_id)
    if not _is_made(place):
        given = {**fields, "title": title, "author": fields.get("author") or read.author}
        if read.has_plain_abstract:
            given["abstract"] = read.abstract
        text = read.text if read.has_plain_abstract else read.whole
        new_novels.create(
            services,
            place,
            given,
            scenes={WHOLE_NOVEL: text},
            references=read.references,
            authorship=authorship,
            people=read.people,
        )
    return _made(services, place, read.left_out)


def _require(principal: Principal) -> None:
    """Before anything is read: a document takes long."""
    require_all(principal, "write", "new works")


def _place(services: Services, title: str, op_id: OpId) -> Path:
    """The folder of a new work: the same whenever its order is sent."""
    return services.defaults().works / new_book_id(title, hashlib.sha256(op_id.encode()).hexdigest())


def _is_made(place: Path) -> bool:
    return (place / ".git").exists()


def _made(services: Services, place: Path, notes: tuple[str, ...] = ()) -> NewWork:
    found = works.at(services, place)
    return NewWork(found.subject, found.title, notes)


@contextmanager
def _file(content: bytes, file_name: Path) -> Iterator[Path]:
    """The content as a file of a name of ours, with the caller's suffix; errors name the caller's file."""
    with tempfile.TemporaryDirectory(prefix="penwright-import-") as folder:
        file = Path(folder) / f"text{file_name.suffix.lower()}"
        file.write_bytes(content)
        try:
            yield file
        except PenwrightError as error:
            details = {name: _shown(text, file, file_name) for name, text in error.details.items()}
            raise type(error)(error.code, _shown(error.message, file, file_name), **details) from None


def _shown(text: str, file: Path, file_name: Path) -> str:
    return text.replace(str(file), str(file_name))


def _title_of(file_name: Path) -> str:
    return file_name.stem.replace("_", " ").replace("-", " ").title()
