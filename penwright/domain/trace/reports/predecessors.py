"""Blocks that others were made of, where the recorder did not know whose those were, or several people wrote.

Such a block's author is found by following it from the commit by hand that brought it in. A copy of it is
recorded as the copier's own: what was made of blocks that came by hand is followed whatever its record says.
Of a paragraph that one person wrote and another edited, a record says no more than that people wrote it.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from penwright.domain.text.comparing.changes import BlockChange, changes_of
from penwright.domain.text.comparing.descent import BlockKey, Descent, descents
from penwright.domain.trace.live_blocks import Sources
from penwright.domain.trace.reading import hashes_named
from penwright.domain.trace.source import TraceSource
from schemas.trace import Conversation, TraceRecord

_MADE = re.compile(rb'"block_hash":"(prose1:[0-9a-f]{32})","change"')
_PERSON = b'"contributor":{"entity_type":"HUMAN"'
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
        several_people: whether all that went in a person's change is followed.
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
        several_people: whether the changes of people are added, as well.
    """
    for segment in source.ledger():
        for row in (source.blob(segment.blob) or b"").split(b"\n"):
            named = hashes_named(row)
            made = (_UNKNOWN if unseen.isdisjoint(named) else _MADE).findall(row)
            if made:
                unseen.update(made)
            elif several_people and _PERSON in row:
                made = _MADE.findall(row)
            if made:
                yield made, named


def sources_in(changes: Mapping[str, Sequence[BlockChange]], parts: Mapping[BlockKey, Descent]) -> Sources:
    """The blocks that each new one has words of."""
    return {
        (path, each.after.hash): frozenset(
            one.block.hash for one in parts[path, each.after.start_line].sources
        )
        for path, listed in changes.items()
        for each in listed
        if each.after and (path, each.after.start_line) in parts
    }


def sources_of(source: TraceSource, record: TraceRecord) -> Sources | None:
    """The same for what a person changed, or was kept of people's words, which a record does not tell.

    None if they may be any that went: git has lost a text, or none went.
    """
    talks = [talk for file in record.files for talk in file.conversations]
    if not any(_is_of_people(talk) for talk in talks):
        return {}
    if not any(talk.removed or any(row.before_block_hash for row in talk.ranges) for talk in talks):
        return None
    blobs = {file.relative_path: (file.blob_before, file.blob_after) for file in record.files}
    texts = {
        path: (source.blob(before) if before else b"", source.blob(after) if after else b"")
        for path, (before, after) in blobs.items()
    }
    if any(text is None for both in texts.values() for text in both):
        return None
    changes = changes_of(texts)
    return sources_in(changes, descents(changes, {path: old for path, (old, _) in texts.items()}))


def _is_of_people(talk: Conversation) -> bool:
    kept = (row.contributor for row in talk.ranges if row.change != "moved")
    return any(
        each is not None and each.entity_type in ("HUMAN", "UNKNOWN") for each in (talk.contributor, *kept)
    )
