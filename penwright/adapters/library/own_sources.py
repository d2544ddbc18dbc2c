"""The sources of a novel or paper, read once for all who have the same file, and searched."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from penwright.adapters.library.reading import SourceReader
from penwright.adapters.scholarly.bibliography import record_of
from penwright.domain.library.matching import is_work
from penwright.domain.library.names import SHELF, SOURCES
from penwright.domain.library.passages import RULES, passages_of
from penwright.domain.library.shelf import Shelf, own_sources, record_in
from penwright.domain.text.words import count_words
from penwright.errors import NotFound, PermanentError, UsageMistake
from penwright.ports.library import PassageIndex
from penwright.ports.workspaces import Workspaces
from schemas.library import IndexedText, LibraryPassage, OwnSource, ReadSource
from schemas.memory import Vectors
from schemas.scholarly import Reference
from schemas.workspace import Workspace


@dataclass(frozen=True)
class OwnSources:
    """Implements ``SourceLibrary`` over git and the index; vectors are made on this machine."""

    workspaces: Workspaces
    index: PassageIndex
    reader: SourceReader
    vectors: Callable[[Sequence[str]], Vectors]
    model: str
    """The model of ``vectors``; empty: it makes none."""
    _unreadable: dict[str, PermanentError | UsageMistake] = field(default_factory=dict, repr=False)
    """By blob, so that a file that cannot be read is not tried with every question."""

    def sources(self, workspace: Workspace) -> tuple[OwnSource, ...]:
        with self.workspaces.tree(workspace) as tree:
            blobs = {name: tree.blob(f"{SOURCES}/{name}") for name in tree.names(SOURCES)}
            shelf = Shelf.read((tree.content(SHELF) or b"").decode("utf-8", "replace"))
        records = {entry.key: record_of(entry, "library") for entry in shelf.entries}
        return tuple(own_sources({name: blob for name, blob in blobs.items() if blob}, shelf, records))

    def search(self, workspace: Workspace, words: str, limit: int) -> tuple[LibraryPassage, ...]:
        sources = self.sources(workspace)
        texts = dict(self.read(workspace, sources))
        named = {each.blob: each for each in reversed(sources) if each.name in texts}
        if not named or not words.strip():
            return ()
        found = self.index.search(tuple(named), words, self.vectors([words]), limit)
        return tuple(_of_source(passage, named[blob], texts[named[blob].name]) for blob, passage in found)

    def passages_of(self, workspace: Workspace, work: Reference) -> tuple[LibraryPassage, ...]:
        sources = self.sources(workspace)
        return tuple(
            _of_source(each, source, text)
            for source, text in ((each, self.text_of(workspace, each)) for each in sources)
            if text is not None and is_work(record_in(source, text) or Reference(), work)
            for each in self.index.passages(source.blob)
        )

    def read(self, workspace: Workspace, sources: Sequence[OwnSource]) -> Iterator[tuple[str, IndexedText]]:
        """Yield the name of each source that can be read with what the index keeps; reads what is missing."""
        known = self.index.known([each.blob for each in sources])
        for source in sources:
            text = known.get(source.blob)
            if text is None or text.model != self.model:
                text = self.text_of(workspace, source)
            if text is not None:
                yield source.name, text

    def text_of(self, workspace: Workspace, source: OwnSource) -> IndexedText | None:
        """Return what the index keeps of a source, read now if it is missing; None if it cannot be read."""
        known = self.index.known([source.blob]).get(source.blob)
        if known is not None and known.model == self.model:
            return known
        if source.blob in self._unreadable:
            return None
        try:
            content = self._content(workspace, source.name)
            return self.keep(source.blob, source.name, self.reader.read(source.name, content))
        except (PermanentError, UsageMistake) as error:
            self._unreadable[source.blob] = error
            return None

    def keep(self, blob: str, name: str, read: ReadSource) -> IndexedText:
        """Put a text that was just read into the index."""
        passages = passages_of(read, name)
        vectors = self.vectors([each.text for each in passages])
        text = IndexedText(
            rules=RULES,
            model=self.model,
            work=read.work,
            pages=len(read.pages) if read.paged else None,
            without_text=read.without_text,
            words=sum(count_words(each.text) for each in passages),
            passages=len(passages),
        )
        self.index.put(blob, text, passages, vectors)
        return text

    def why_unreadable(self, source: OwnSource) -> str:
        """A sentence on why a source could not be read; empty if it could, or was not tried."""
        error = self._unreadable.get(source.blob)
        return error.message if error else ""

    def _content(self, workspace: Workspace, name: str) -> bytes:
        with self.workspaces.tree(workspace) as tree:
            content = tree.content(f"{SOURCES}/{name}")
        if content is None:
            raise NotFound("no-such-source", f"there is no source {name!r} any more")
        return content


def _of_source(passage: LibraryPassage, source: OwnSource, text: IndexedText) -> LibraryPassage:
    return passage.model_copy(update={"source": source.name, "record": record_in(source, text)})
