"""One registry behind the port: what goes wrong with it becomes an outage in the answer."""

import asyncio
from collections.abc import Awaitable, Sequence
from dataclasses import dataclass
from typing import Protocol

from penwright.domain.citations import identifiers
from penwright.domain.citations.answers import bounded, merged
from penwright.domain.citations.titles import search_words
from penwright.ports.scholarly import ScholarlySources
from schemas.scholarly import (
    Answer,
    Identifier,
    IdentifierKind,
    Outage,
    OutageReason,
    Query,
    ScholarlyRecord,
    SourceName,
)

MOST_RECORDS = 20
QUESTION_S = 60.0
"""Longest time of one question to one registry: its queue, the requests, the reading."""

Records = tuple[ScholarlyRecord, ...]


class UnansweredError(Exception):
    """A registry gave no answer that can be used; never leaves this package."""

    def __init__(self, reason: OutageReason, retry_after: float | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.retry_after = retry_after


class Registry(Protocol):
    """The protocol of one registry. Both methods may raise ``UnansweredError``."""

    @property
    def name(self) -> SourceName: ...

    @property
    def resolves(self) -> frozenset[IdentifierKind]: ...

    async def find(self, query: Query) -> Records:
        """Search; the query has at least one word."""
        ...

    async def named(self, identifier: Identifier) -> Records:
        """Return the record with an identifier of a kind in ``resolves``; empty if there is none."""
        ...


@dataclass(frozen=True)
class RegistrySource:
    """A registry as ``penwright.ports.scholarly.ScholarlySources``."""

    registry: Registry
    question_s: float = QUESTION_S

    async def search(self, query: Query) -> Answer:
        limit = min(max(query.limit, 1), MOST_RECORDS)
        if not search_words(query.text or query.title):
            return Answer()
        answer = await self._asked(self.registry.find(query.model_copy(update={"limit": limit})))
        titled = tuple(each for each in answer.records if each.title)
        return answer.model_copy(update={"records": titled[:limit]})

    async def resolve(self, identifier: Identifier) -> Answer:
        if identifier.kind not in self.registry.resolves:
            return Answer()
        answer = await self._asked(self.registry.named(identifier))
        if all(identifiers.names(identifier, record) for record in answer.records):
            return answer
        return self._out("another-work")

    async def _asked(self, question: Awaitable[Records]) -> Answer:
        try:
            async with asyncio.timeout(self.question_s):
                records = await question
        except UnansweredError as error:
            return self._out(error.reason, error.retry_after)
        except TimeoutError:
            return self._out("slow")
        return Answer(records=tuple(map(bounded, records)), asked=(self.registry.name,))

    def _out(self, reason: OutageReason, retry_after: float | None = None) -> Answer:
        outage = Outage(source=self.registry.name, reason=reason, retry_after=retry_after)
        return Answer(outages=(outage,), asked=(self.registry.name,))


@dataclass(frozen=True)
class AllSources:
    """Several sources, asked at the same time; see ``penwright.ports.scholarly.ScholarlySources``."""

    sources: Sequence[ScholarlySources]

    async def search(self, query: Query) -> Answer:
        return merged(await asyncio.gather(*(each.search(query) for each in self.sources)))

    async def resolve(self, identifier: Identifier) -> Answer:
        return merged(await asyncio.gather(*(each.resolve(identifier) for each in self.sources)))
