"""The sources of one's own as a scholarly source: works whose text lies in the novel's ``sources/``."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from penwright.adapters.memory_scholarly import MOST_RECORDS, MemoryScholarly
from penwright.domain.library.shelf import record_in
from penwright.ports.library import PassageIndex
from schemas.library import LibraryShelf
from schemas.memory import Vectors
from schemas.scholarly import Answer, Identifier, Query, ScholarlyRecord

_EACH = 4
"""Passages looked at for each work wanted: several may be of one work."""


@dataclass(frozen=True)
class LibraryWorks:
    """Makes a source of the works of a shelf; passages that were not read yet are not found."""

    index: PassageIndex
    vectors: Callable[[Sequence[str]], Vectors]

    def __call__(self, shelf: LibraryShelf) -> "LibrarySource":
        """Return the shelf as ``penwright.ports.scholarly.ScholarlySources``."""
        known = self.index.known([each.blob for each in shelf.sources])
        found = {each.blob: record_in(each, known.get(each.blob)) for each in shelf.sources}
        records = {blob: record for blob, record in found.items() if record is not None and record.title}
        return LibrarySource(self, records)


@dataclass(frozen=True)
class LibrarySource:
    """Works by the git blob id of their file."""

    works: LibraryWorks
    records: dict[str, ScholarlyRecord]

    async def search(self, query: Query) -> Answer:
        """Find works by what their text says; the passage that was found stands as the abstract."""
        if not query.text:
            return await self._titled().search(query)
        limit = min(max(query.limit, 1), MOST_RECORDS)
        found = await asyncio.to_thread(self._about, query.text, limit)
        return Answer(records=tuple(found[:limit]), asked=("library",))

    async def resolve(self, identifier: Identifier) -> Answer:
        """Find the work with this identifier."""
        return await self._titled().resolve(identifier)

    def _titled(self) -> MemoryScholarly:
        return MemoryScholarly(tuple(dict.fromkeys(self.records.values())), sources=("library",))

    def _about(self, words: str, limit: int) -> Sequence[ScholarlyRecord]:
        vector = self.works.vectors([words])
        found = self.works.index.search(tuple(self.records), words, vector, _EACH * limit)
        best = dict[ScholarlyRecord, str]()
        for blob, passage in found:  # several files may be one work
            best.setdefault(self.records[blob], passage.text)
        return [record.model_copy(update={"abstract": said}) for record, said in best.items()]
