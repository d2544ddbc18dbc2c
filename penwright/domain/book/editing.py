"""A person's new texts of a book's files, brought together with what the files became meanwhile."""

from collections.abc import Sequence
from dataclasses import dataclass

from penwright.domain.book.files.layout import EDITABLE, ENGINE_WRITTEN
from penwright.domain.text.globs import matches
from penwright.domain.text.merging.reconcile import uses_crlf
from penwright.domain.text.merging.saving import saved_text
from schemas.book_text import BookEdited
from schemas.workspace import Create, Modify, Operation, Snapshot


@dataclass(frozen=True, slots=True)
class TypedText:
    """What a person typed into one file."""

    path: str
    mine: str
    """With LF."""
    base: str | None
    """The text that typing began from, with LF; None if the repository does not know it."""


def refused_path(path: str) -> BookEdited | None:
    """Why a person cannot write ``path`` from a page; None if they can."""
    if any(matches(glob, path) for glob in EDITABLE) and not any(matches(g, path) for g in ENGINE_WRITTEN):
        return None
    return BookEdited(
        outcome="refused",
        path=path,
        code="not-editable",
        message=f"{path!r} is no text of the book that can be written here; edit it in the book's folder",
    )


def edited_files(snapshot: Snapshot, typed: Sequence[TypedText]) -> tuple[Operation, ...] | BookEdited:
    """The operations that save all of ``typed``; or the first conflict, or refusal."""
    operations: list[Operation] = []
    for each in typed:
        if each.path in snapshot.unreadable:
            return _not_text(each.path)
        file = snapshot.files.get(each.path)
        theirs = as_lf(file.text) if file else ""
        saved = saved_text(each.base, each.mine, theirs)
        if saved.places:
            return BookEdited(
                outcome="conflict",
                path=each.path,
                places=saved.places,
                code="unknown-base" if each.base is None else "edited-meanwhile",
                message=f"the same words of {each.path!r} were changed meanwhile; choose, and save again",
            )
        if file is None:
            operations.append(Create(path=each.path, content=saved.text))
        elif saved.text != theirs:
            content = saved.text.replace("\n", "\r\n") if uses_crlf(file.text) else saved.text
            operations.append(Modify(path=each.path, content=content, base=file.blob))
    return tuple(operations)


def as_lf(text: str) -> str:
    """Return ``text`` with LF in place of CRLF."""
    return text.replace("\r\n", "\n")


def _not_text(path: str) -> BookEdited:
    message = f"{path!r} is not UTF-8 text; save it as UTF-8, then try again"
    return BookEdited(outcome="refused", path=path, code="not-text", message=message)
