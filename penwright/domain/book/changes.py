"""Build operations on the files of a book, each based on the blob that the rule has read."""

from penwright.domain.book.files.fresh_files import EMPTY_FULL_BOOK
from penwright.domain.book.files.layout import FULL_BOOK, STATE
from penwright.domain.book.files.yaml_files import write_state
from penwright.domain.book.view import BookView
from penwright.domain.text.paging import Paged
from schemas.book import BookState
from schemas.workspace import Append, Create, Delete, Modify, Operation

NULL_ID = "0" * 40
"""Placeholder that publish replaces by the book's new blob id. If it stays, the next session counts the book
again, because no blob has this id."""


def write_file(
    view: BookView, path: str, content: str, *, null_id_of: str | None = None
) -> tuple[Operation, ...]:
    """Return the operation that gives a file this content; none if it has it already."""
    if path not in view.blobs:
        return (Create(path=path, content=content, null_id_of=null_id_of),)
    if path in view.files and view.files[path].text == content:
        return ()
    return (Modify(path=path, content=content, base=view.blobs[path], null_id_of=null_id_of),)


def delete_files(view: BookView, *paths: str) -> tuple[Operation, ...]:
    """Return operations that delete those of ``paths`` that exist."""
    return tuple(Delete(path=path, base=view.blobs[path]) for path in paths if path in view.blobs)


def append_to_book(view: BookView, paged: Paged) -> tuple[Operation, ...]:
    """Return the operation that appends validated text to the book; none if there is no text."""
    if not paged.text:
        return ()
    if FULL_BOOK not in view.blobs:
        return (Create(path=FULL_BOOK, content=f"{EMPTY_FULL_BOOK}\n{paged.text}\n"),)
    gap = "\n" if view.ends_with_line else "\n\n"
    return (Append(path=FULL_BOOK, tail=f"{gap}{paged.text}\n", base=view.blobs[FULL_BOOK]),)


def write_counted_state(view: BookView, state: BookState, paged: Paged) -> tuple[Operation, ...]:
    """Return the operation on the state file, with the book's count after ``append_to_book``."""
    grown = bool(paged.text)
    blob = NULL_ID if grown else view.blobs.get(FULL_BOOK) if view.ends_with_line else None
    counted = state.model_copy(
        update={
            "counted_blob": blob,
            "counted_words": paged.count.words,
            "counted_page": paged.count.page,
            "counted_since_page": paged.count.since_page,
            "counted_warnings": "\n".join(view.book_warnings) or None,
        }
    )
    content = write_state(counted, view.text(STATE))
    return write_file(view, STATE, content, null_id_of=FULL_BOOK if grown else None)
