"""A person's edits of a book's texts outside a session: one commit of theirs, or why there is none."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from activities.publishing import Done, Planned, Publisher
from penwright.domain.book.editing import TypedText, as_lf, edited_files, emptied, refused_path
from penwright.domain.book.files.layout import REVIEW, other_file
from penwright.domain.book.review.waiting_prose import read_waiting
from penwright.domain.text.globs import only
from penwright.domain.text.words import count_words
from penwright.domain.trailers import PERSON
from penwright.ports.blobs import Blobs
from penwright.ports.workspaces import Workspaces
from schemas.book_errand import EditBook
from schemas.book_text import BookEdited, EditedText, TextEdit
from schemas.workspace import Contributor


@dataclass(frozen=True, slots=True)
class BookEditor:
    """Changes texts for people, who need no intent."""

    publisher: Publisher
    save_human_edits: Callable[[EditBook], None]
    """Commits what the author left unsaved in the folder, before our commit."""

    def edit(self, request: EditBook) -> BookEdited:
        """Merge what was typed into the files at the tip; see ``BookEdited.outcome``."""
        done = self.publisher.found(request, BookEdited)
        if done is None:
            refused = next(filter(None, (refused_path(edit.path) for edit in request.edits)), None)
            if refused is not None:
                return refused
            typed = [self._typed(request, edit) for edit in request.edits]
            unreadable = next((each for each in typed if isinstance(each, BookEdited)), None)
            if unreadable is not None:
                return unreadable
            texts = [each for each in typed if isinstance(each, TypedText)]
            self.save_human_edits(request)
            done = self.publisher.commit(
                request, BookEdited, "edit", Contributor.HUMAN, lambda: self._plan(request, texts)
            )
        return self._at_commit(request, done)

    def _typed(self, request: EditBook, edit: TextEdit) -> TypedText | BookEdited:
        try:
            mine = as_lf(self._blobs.get(edit.text).decode())
        except UnicodeDecodeError:
            return _no_text(edit.path)
        if "\0" in mine:
            return _no_text(edit.path)
        base = self._workspaces.text(request.workspace, edit.base) if edit.base else ""
        return TypedText(edit.path, mine, None if base is None else as_lf(base), edit.removed)

    def _plan(self, request: EditBook, typed: Sequence[TypedText]) -> Planned[BookEdited]:
        paths = tuple(each.path for each in typed)
        read = dict.fromkeys((*paths, *filter(None, map(other_file, paths))))
        snapshot = self._workspaces.snapshot(request.workspace, tuple(map(only, read)))
        operations = edited_files(snapshot, typed)
        if isinstance(operations, BookEdited):
            return Planned(operations)
        also = tuple(each.path for each in operations if each.path not in paths)
        outcome = BookEdited(
            outcome="saved" if operations else "unchanged", also=also, emptied=emptied(snapshot, operations)
        )
        person = ((PERSON, request.who),) if request.who else ()
        return Planned(outcome, operations, _message(paths), person)

    def _at_commit(self, request: EditBook, done: Done[BookEdited]) -> BookEdited:
        """With the texts as they stand: they may hold others' changes as well."""
        if done.outcome.outcome not in ("saved", "merged", "unchanged"):
            return done.outcome
        commit = done.published.commit if done.published else None
        paths = tuple(edit.path for edit in request.edits)
        snapshot = self._workspaces.snapshot(request.workspace, tuple(map(only, paths)), at=commit)
        texts = {path: (file, as_lf(file.text)) for path, file in snapshot.files.items()}
        typed = {edit.path: as_lf(self._blobs.get(edit.text).decode()) for edit in request.edits}
        merged = any(text != typed.get(path, text) for path, (_, text) in texts.items())
        return done.outcome.model_copy(
            update={
                "outcome": "merged" if merged and commit else done.outcome.outcome,
                "files": tuple(
                    EditedText(
                        path=path,
                        revision=file.blob,
                        text=self._blobs.put(text.encode()),
                        words=read_waiting(text).words if path == REVIEW else count_words(text),
                    )
                    for path, (file, text) in texts.items()
                ),
                "commit": commit,
            }
        )

    @property
    def _workspaces(self) -> Workspaces:
        return self.publisher.workspaces

    @property
    def _blobs(self) -> Blobs:
        return self.publisher.blobs


def _message(paths: Sequence[str]) -> str:
    return f"Edit {paths[0]}" if len(paths) == 1 else f"Edit {len(paths)} files"


def _no_text(path: str) -> BookEdited:
    message = "what was sent is no UTF-8 text, or holds a NUL byte; nothing was saved"
    return BookEdited(outcome="refused", path=path, code="text-not-utf8", message=message)
