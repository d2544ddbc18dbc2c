"""Port of scholarly registries."""

from typing import Protocol

from schemas.scholarly import Answer, Identifier, Query


class ScholarlySources(Protocol):
    """One scholarly source, or several asked at the same time. No method raises for what a source does."""

    async def search(self, query: Query) -> Answer:
        """Return at most ``query.limit`` records of each source; an outage is part of the answer."""
        ...

    async def resolve(self, identifier: Identifier) -> Answer:
        """Return the records with this identifier; a source that knows no such identifiers is not asked."""
        ...
