"""Sources of one's own: added to a novel, listed and searched."""

import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from gateway.desk import source_texts
from gateway.desk.manuscript import source_edits
from gateway.desk.manuscript.source_edits import Bibliographies, WhichWork
from gateway.desk.services import Services
from gateway.desk.works.novels import Novel
from penwright.domain.citations.entries import Entry
from penwright.domain.library.names import PAGES, form_of, name_for
from penwright.domain.library.shelf import Shelf, title_of, unsure_of, work_in
from penwright.errors import PenwrightError
from schemas.library import IndexedText, LibraryPassage, OwnSource, ReadSource, SaidWork, Unsure
from schemas.workspace import Pushed

Tell = Callable[[str], None]
"""Takes what is done now, for people."""
_NAME_FILES = "name a file that is there; all of a folder, as your shell does with FOLDER/*"
UNNAMED = WhichWork()


@dataclass(frozen=True, slots=True)
class GivenFile:
    """A file to be added."""

    path: Path
    entry: Entry | None = None
    """What a reference manager says of it."""


@dataclass(frozen=True, slots=True)
class RefusedFile:
    """A file that was not added, and why."""

    path: str
    code: str
    message: str
    hint: str = ""


@dataclass(frozen=True, slots=True)
class SourceRow:
    """One source in a list."""

    source: OwnSource
    text: IndexedText | None
    """None: it cannot be read."""
    why: str = ""
    """Reason why it cannot."""
    beside: tuple[str, ...] = ()
    """Names of other files of the same work."""
    unsure: tuple[Unsure, ...] = ()
    """Fields of the work that were guessed from the file."""

    @property
    def title(self) -> str:
        """Title of the work, or the words of the file's name."""
        said = self.source.record.title if self.source.record else ""
        return said or title_of(self.source.name)


@dataclass(frozen=True, slots=True)
class SourcesAdded:
    """Result of adding files."""

    added: tuple[SourceRow, ...] = ()
    there: tuple[tuple[str, str], ...] = ()
    """Given files that are sources already, each with its name there."""
    refused: tuple[RefusedFile, ...] = ()
    commit: str = ""
    """Empty if nothing was added."""
    push: Pushed | None = None
    """Whether the remote has it; None if nothing was added."""


def add(
    services: Services, novel: Novel, files: Iterable[GivenFile], which: WhichWork = UNNAMED, *, tell: Tell
) -> SourcesAdded:
    """Add files in one commit, and read them; a file that cannot be read is left out and named.

    Raises:
        UsageMistake: ``bad-doi``; NotFound: ``no-such-reference``.
        Refused: ``sources-contended``, or the gate's denial.
    """
    source_edits.doi_of(which)
    with services.open_store() as store:
        library = services.library(store)
        before = source_edits.bibliographies(services, novel)
        names = {each.name: each.blob for each in library.sources(novel.workspace)}
        adding = _Adding(services, before, which, library.reader.read, before.shelf, names)
        for file in files:
            tell(f"reading {file.path.name}")
            adding.take(file)
        tell("making the commit")
        put = source_edits.put(services, novel, adding.files, before, adding.shelf)
        found = {each.name: each for each in library.sources(novel.workspace)}
        rows = []
        for name, read in adding.read.items():
            tell(f"indexing {name}")
            source = found[name]
            text = library.keep(source.blob, name, read)
            guessed = _unsure(adding.shelf, source, text)
            rows.append(SourceRow(source, text, beside=_beside(source, found.values()), unsure=guessed))
    return SourcesAdded(tuple(rows), tuple(adding.there), tuple(adding.refused), put.commit, put.push)


def in_zotero(services: Services, collection: str) -> tuple[GivenFile, ...]:
    """Return the files of a Zotero collection, or of all of it if none is named.

    Raises:
        NotFound: ``zotero-silent``, or ``no-such-collection``.
    """
    # Imported here: other commands need no client for it.
    from penwright.adapters.library.zotero import zotero_files

    found = zotero_files(services.loaded().settings.scholarly.zotero, collection)
    return tuple(GivenFile(each.path, each.entry) for each in found)


def listing(services: Services, novel: Novel, *, tell: Tell) -> tuple[SourceRow, ...]:
    """Return the sources by name; one that was not read yet is read."""
    with services.open_store() as store:
        library, rows = services.library(store), list[SourceRow]()
        found, shelf = library.sources(novel.workspace), source_edits.bibliographies(services, novel).shelf
        for source in found:
            tell(f"reading {source.name}")
            text = library.text_of(novel.workspace, source)
            beside, guessed = _beside(source, found), _unsure(shelf, source, text)
            rows.append(SourceRow(source, text, library.why_unreadable(source), beside, guessed))
    return tuple(rows)


def search(services: Services, novel: Novel, words: str, limit: int) -> tuple[LibraryPassage, ...]:
    """Return passages of the sources about ``words``, best first; no registry is asked."""
    with services.open_store() as store:
        return services.library(store).search(novel.workspace, words, limit)


def _unsure(shelf: Shelf, source: OwnSource, text: IndexedText | None) -> tuple[Unsure, ...]:
    """The guesses about a source: those of its entry, or if it has none, of its file."""
    entry = shelf.entry(source.name)
    if entry is not None:
        return unsure_of(entry)
    return text.work.unsure if text else ()


def _beside(source: OwnSource, others: Iterable[OwnSource]) -> tuple[str, ...]:
    """Names of the other files of the same work."""
    return tuple(
        each.name for each in others if source.key and each.key == source.key and each.name != source.name
    )


@dataclass
class _Adding:
    """Files that become one commit."""

    services: Services
    before: Bibliographies
    which: WhichWork
    reads: Callable[[str, bytes], ReadSource]
    shelf: Shelf
    names: dict[str, str]
    """Git blob ids of the sources by name, with those that are being added."""
    files: dict[str, bytes] = field(default_factory=dict)
    read: dict[str, ReadSource] = field(default_factory=dict)
    there: list[tuple[str, str]] = field(default_factory=list)
    refused: list[RefusedFile] = field(default_factory=list)

    def take(self, file: GivenFile) -> None:
        """Read one file and note what it becomes."""
        try:
            source_texts.check_file(file.path.expanduser(), _NAME_FILES)
            content = file.path.expanduser().read_bytes()
            blob = _blob_id(content, self.names)
            there = next((each for each, known in self.names.items() if known == blob), None)
            if there is not None:
                self.there.append((str(file.path), there))
                return
            name = name_for(_with_ending(file.path, content), self.names)
            found = self.reads(name, content)
        except PenwrightError as error:
            hint = str(error.details.get("hint", ""))
            self.refused.append(RefusedFile(str(file.path), error.code, error.message, hint))
            return
        self.shelf = self.shelf.with_entry(self._entry(file, found, name), name)
        self.names[name], self.files[name], self.read[name] = blob, content, found

    def _entry(self, file: GivenFile, read: ReadSource, name: str) -> Entry:
        work = work_in(file.entry) if file.entry else _work(read, name)
        entry = self.before.entry(work, self.shelf, self.which)
        is_known = entry.key in {each.key for each in (*self.before.references, *self.shelf.entries)}
        return file.entry if file.entry and not is_known else entry


def _with_ending(path: Path, content: bytes) -> str:
    """The file's name, with the ending that its content has where that can be told."""
    if content.startswith(PAGES):
        return f"{path.stem}.pdf"
    if form_of(path.name) == "pdf":
        return path.name
    form = source_texts.format_of(path, content)
    return f"{path.stem}.{form}" if form in ("docx", "epub") else path.name


def _blob_id(content: bytes, names: Mapping[str, str]) -> str:
    """The id that git gives a content, by the hash of the repository."""
    long = any(len(blob) == 64 for blob in names.values())
    header = b"blob %d\0" % len(content)
    return (hashlib.sha256 if long else hashlib.sha1)(header + content).hexdigest()


def _work(read: ReadSource, name: str) -> SaidWork:
    if read.work.title:
        return read.work
    guess = Unsure(field="title", why="only the file's name says it")
    return read.work.model_copy(update={"title": title_of(name), "unsure": (*read.work.unsure, guess)})
