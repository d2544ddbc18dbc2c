"""``MemoryScholarly``: scholarly sources whose records are given."""

import re
from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType

from penwright.domain.citations import identifiers
from penwright.domain.citations.answers import merged
from penwright.domain.citations.titles import search_words
from schemas.scholarly import Answer, Identifier, Outage, Query, ScholarlyRecord, SourceName

REGISTRIES: tuple[SourceName, ...] = ("crossref", "pubmed", "openalex", "datacite", "arxiv")
RESOLVES: Mapping[SourceName, Collection[str]] = MappingProxyType(
    {
        "crossref": ("doi",),
        "pubmed": ("doi", "pmid"),
        "openalex": ("doi", "pmid"),
        "datacite": ("doi",),
        "arxiv": ("arxiv",),
        "library": ("doi", "pmid", "arxiv"),
        "bibliography": ("doi", "pmid", "arxiv"),
    }
)
"""Kinds of identifiers that each source knows."""
MOST_RECORDS = 20
TITLE_SHARE = 0.5
"""Part of a title's words that a record must share to be found."""


class MemoryScholarly:
    """Answers from its records; see ``penwright.ports.scholarly.ScholarlySources``."""

    def __init__(
        self, records: Sequence[ScholarlyRecord], *, sources: Sequence[SourceName] = REGISTRIES
    ) -> None:
        self.records = tuple(records)
        self.outages: dict[SourceName, Outage] = {}
        """Sources that are out."""
        self._sources = tuple(sources)

    async def search(self, query: Query) -> Answer:
        wanted = frozenset(search_words(query.text or query.title))
        if not wanted:
            return Answer()
        limit = min(max(query.limit, 1), MOST_RECORDS)
        least = 1 / len(wanted) if query.text else TITLE_SHARE

        def shared(record: ScholarlyRecord) -> float:
            text = f"{record.title} {record.abstract}" if query.text else record.title
            return len(wanted & _words(text)) / len(wanted)

        found = sorted((each for each in self.records if shared(each) >= least), key=shared, reverse=True)
        return merged(self._answer(source, found, limit) for source in self._sources)

    async def resolve(self, identifier: Identifier) -> Answer:
        found = [each for each in self.records if identifiers.names(identifier, each)]
        asked = (source for source in self._sources if identifier.kind in RESOLVES[source])
        return merged(self._answer(source, found, MOST_RECORDS) for source in asked)

    def _answer(self, source: SourceName, found: Sequence[ScholarlyRecord], limit: int) -> Answer:
        if source in self.outages:
            return Answer(outages=(self.outages[source],), asked=(source,))
        own = [each for each in found if each.source == source]
        return Answer(records=tuple(own[:limit]), asked=(source,))


def _words(text: str) -> frozenset[str]:
    """All words of a text, whereas ``search_words`` returns only the first few."""
    return frozenset(word[:50] for word in re.findall(r"[^\W_]+", text.lower()))
