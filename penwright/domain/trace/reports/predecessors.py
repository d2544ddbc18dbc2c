"""Blocks that others were made of, where the recorder did not know whose those were.

Such a block's author is found by following it from the commit by hand that brought it in.
"""

import re
from collections.abc import Iterable, Iterator

from penwright.domain.trace.reading import hashes_named
from penwright.domain.trace.source import TraceSource

_UNKNOWN = re.compile(
    rb'"block_hash":"(prose1:[0-9a-f]{32})","change":"[a-z]+","content_hash":"[^"]*",'
    rb'"contributor":\{"entity_type":"UNKNOWN"'
)


def with_predecessors(source: TraceSource, hashes: Iterable[str]) -> set[str]:
    """The hashes, and those of all blocks that such blocks were made of, directly or not."""
    found = {each.encode() for each in hashes}
    for made, named in reversed(list(_changes(source))):
        if not found.isdisjoint(made):
            found.update(named)
    return {each.decode() for each in found}


def _changes(source: TraceSource) -> Iterator[tuple[list[bytes], list[bytes]]]:
    """Of each record with such blocks: their hashes, and every hash that it names."""
    for segment in source.ledger():
        for row in (source.blob(segment.blob) or b"").split(b"\n"):
            if made := _UNKNOWN.findall(row):
                yield made, hashes_named(row)
