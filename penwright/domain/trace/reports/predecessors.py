"""Blocks that others were made of, where the recorder did not know whose those were, or several people wrote.

Such a block's author is found by following it from the commit by hand that brought it in. A copy of it is
recorded as the copier's own: what was made of blocks that came by hand is followed whatever its record says.
Of a paragraph that one person wrote and another edited, a record says no more than that people wrote it.
"""

import re
from collections.abc import Iterable, Iterator

from penwright.domain.trace.reading import hashes_named
from penwright.domain.trace.source import TraceSource

_MADE = re.compile(rb'"block_hash":"(prose1:[0-9a-f]{32})","change"')
_REPLACED = re.compile(
    rb'"before_block_hash":"(prose1:[0-9a-f]{32})","block_hash":"(prose1:[0-9a-f]{32})","change":"replaced"'
)
_UNKNOWN = re.compile(
    rb'"block_hash":"(prose1:[0-9a-f]{32})","change":"[a-z]+","content_hash":"[^"]*",'
    rb'"contributor":\{"entity_type":"UNKNOWN"'
)


def with_predecessors(
    source: TraceSource, hashes: Iterable[str], by_hand: Iterable[str], *, several_people: bool = False
) -> set[str]:
    """The hashes, and those of all blocks that such blocks were made of, directly or not.

    Args:
        by_hand: hashes of the blocks that no record brought in.
        several_people: whether every block that replaced another is followed.
    """
    found = {each.encode() for each in hashes}
    changes = _changes(source, {each.encode() for each in by_hand}, several_people=several_people)
    for made, named in reversed(list(changes)):
        if not found.isdisjoint(made):
            found.update(named)
    return {each.decode() for each in found}


def _changes(
    source: TraceSource, unseen: set[bytes], *, several_people: bool
) -> Iterator[tuple[list[bytes], list[bytes]]]:
    """Of each record with such blocks: their hashes, and every hash that it names.

    Args:
        unseen: blocks that no record brought in; what was made of them is added.
        several_people: whether each block that replaced another is added, with the hash of that one alone.
    """
    for segment in source.ledger():
        for row in (source.blob(segment.blob) or b"").split(b"\n"):
            named = hashes_named(row)
            made = (_UNKNOWN if unseen.isdisjoint(named) else _MADE).findall(row)
            if made:
                unseen.update(made)
                yield made, named
            for before, after in _REPLACED.findall(row) if several_people else ():
                yield [after], [before]
