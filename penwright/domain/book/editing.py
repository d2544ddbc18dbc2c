"""A person's new texts of a book's files, brought together with what the files became meanwhile."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from shlex import join

from penwright.domain.book.files.layout import EDITABLE, ENGINE_WRITTEN, other_file
from penwright.domain.text.globs import matches
from penwright.domain.text.merging.reconcile import uses_crlf
from penwright.domain.text.merging.saving import emptied_warning, gone_words, saved_text, with_carried
from schemas.book_text import BookEdited
from schemas.patching import ConflictPlace
from schemas.workspace import Create, Delete, Modify, Operation, Snapshot, TextFile


@dataclass(frozen=True, slots=True)
class TypedText:
    """Text that a person typed into one file."""

    path: str
    mine: str
    """With LF."""
    base: str | None
    """The text that typing began from, with LF; None if the repository does not know it."""
    removed: bool = False
    """The file goes."""


def refused_path(path: str) -> BookEdited | None:
    """Refuse a ``path`` that a person cannot write from a page; None if they can."""
    if any(matches(glob, path) for glob in EDITABLE) and not any(matches(g, path) for g in ENGINE_WRITTEN):
        return None
    return BookEdited(
        outcome="refused",
        path=path,
        code="not-editable",
        message=f"{path!r} is no text of the book that can be written here; edit it in the book's folder",
    )


def edited_files(snapshot: Snapshot, typed: Sequence[TypedText]) -> tuple[Operation, ...] | BookEdited:
    """The operations that save all of ``typed``; or the first conflict, or refusal.

    Words typed in a passage that was moved to another file meanwhile are saved there.
    """
    texts = {path: as_lf(file.text) for path, file in snapshot.files.items()}
    for each in typed:
        if each.path in snapshot.unreadable:
            return _not_text(each.path)
        if each.removed and each.base == texts.get(each.path):
            del texts[each.path]
            continue
        other = other_file(each.path)
        saved = saved_text(each.base, each.mine, texts.get(each.path, ""), texts.get(other, ""))
        if saved.places:
            return _conflict(each, saved.places)
        texts[each.path] = saved.text
        if saved.carried:
            texts[other] = with_carried(texts[other], saved.carried)
    gone = (Delete(path=path, base=file.blob) for path, file in snapshot.files.items() if path not in texts)
    written = (
        operation
        for path, text in texts.items()
        for operation in _written(path, text, snapshot.files.get(path))
    )
    return (*written, *gone)


def emptied(snapshot: Snapshot, operations: Sequence[Operation]) -> dict[str, int]:
    """The files that ``operations`` empty, and how many of their words then stand in none of these files."""
    before = {path: as_lf(file.text) for path, file in snapshot.files.items()}
    after = before | {each.path: each.content for each in operations if isinstance(each, Create | Modify)}
    lost = {
        path: gone_words(text, after[path], "\n".join(after.values()))
        for path, text in before.items()
        if after[path] != text
    }
    return {path: words for path, words in lost.items() if words}


def emptied_warnings(edited: BookEdited, book: str) -> tuple[str, ...]:
    """Warnings of texts that were saved without a word; ``book``: as commands name it."""
    return tuple(
        emptied_warning(path, words, restore_command(path, book)) for path, words in edited.emptied.items()
    )


def restore_command(path: str, book: str) -> str:
    """The command that brings back the words of an emptied text."""
    return join(["penwright", "book", "restore", *filter(None, [book]), "--text", path])


def _conflict(typed: TypedText, places: tuple[ConflictPlace, ...]) -> BookEdited:
    code, said = "edited-meanwhile", f"the same words of {typed.path!r} were changed meanwhile"
    if typed.base is None:
        code, said = (
            "unknown-base",
            f"the revision from which {typed.path!r} was made is not known",
        )
    return BookEdited(
        outcome="conflict",
        path=typed.path,
        places=places,
        code=code,
        message=f"{said}; choose, and save again",
    )


def _written(path: str, text: str, file: TextFile | None) -> Iterator[Operation]:
    """The operation that gives a file this text; none if it has it."""
    if file is None:
        yield Create(path=path, content=text)
    elif text != as_lf(file.text):
        content = text.replace("\n", "\r\n") if uses_crlf(file.text) else text
        yield Modify(path=path, content=content, base=file.blob)


def as_lf(text: str) -> str:
    """Return ``text`` with LF in place of CRLF."""
    return text.replace("\r\n", "\n")


def _not_text(path: str) -> BookEdited:
    message = f"{path!r} is not UTF-8 text; save it as UTF-8, then try again"
    return BookEdited(outcome="refused", path=path, code="not-text", message=message)
