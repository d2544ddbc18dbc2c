"""Changes that a commit holds beside its records: it was amended, or is a squash of several.

A record names the blobs before and after its change. Where one does not begin with what the last one
left, something changed between.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import cached_property

from penwright.domain.text.blocks import Block, blocks_in
from penwright.domain.text.comparing.changes import BlockChange, changes_of
from penwright.domain.trace.source import TraceSource
from schemas.trace import Author, Conversation, PathChange, Range, TraceRecord

_Place = tuple[str, str]
"""Path and hash of a block."""


@dataclass(frozen=True, slots=True)
class Lost:
    """A change whose text before or after git does not have."""

    come: tuple[Block, ...]
    """Blocks of the commit that no record of it names, or of which a record knows no author."""
    named: tuple[str, ...]
    """Hashes of blocks that went by it, or that its records name."""
    authors: tuple[Author, ...]
    """Of the records."""
    gone: tuple[Block, ...]
    """Blocks that the commit took from any file: words of them may be in those that came."""


@dataclass(frozen=True, slots=True)
class Gap:
    """Change between two records of a commit."""

    before: str
    """Id of the record before which it was; empty for the end of the commit."""
    paths: tuple[PathChange, ...]
    lost: Mapping[str, Lost] = field(default_factory=dict)
    """By path."""


def gaps(
    source: TraceSource, paths: Sequence[PathChange], records: Sequence[TraceRecord], *, unordered: bool
) -> Iterator[Gap]:
    """Yield the changes of ``paths`` that a commit made before, between and after its records, in order.

    Args:
        unordered: whether a file that no record names is given as changed before them, and by any of their
            authors: if others' text came with the commit, a record may have taken it from there.
    """
    untold = _untold(source, paths, records)
    if not untold:
        return
    named = {file.relative_path for record in records for file in record.files}
    early = {path: untold.pop(path) for path in sorted({*untold} - named)} if unordered else {}
    if early:
        yield Gap(records[0].id, (), early)
    lost: set[str] = set()
    found = list(_between(paths, records))
    for _, changes in found:
        lost |= {each.path for each in changes if not all(map(source.blob, filter(None, each[1:])))}
    for before, changes in found:
        if kept := tuple(each for each in changes if each.path not in lost and each.path in untold):
            yield Gap(before, kept)
    # What came out of a file that the commit left as it was shows in no blob.
    seen = {each.path for _, changes in found for each in changes}
    if missing := {path: untold[path] for path in untold if path in lost or path not in seen}:
        yield Gap("", (), missing)


def _between(
    paths: Sequence[PathChange], records: Sequence[TraceRecord]
) -> Iterator[tuple[str, list[PathChange]]]:
    """Record id, and the files that it found otherwise than they were left."""
    now = {each.path: each.before for each in paths}
    for record in records:
        files = [each for each in record.files if each.relative_path in now]
        # A large change has several records of the same blobs.
        new = [each for each in files if each.blob_after != now[each.relative_path]]
        found = [
            PathChange(each.relative_path, now[each.relative_path], each.blob_before)
            for each in new
            if each.path_before is None and each.blob_before != now[each.relative_path]
        ]
        if found:
            yield record.id, found
        now |= {each.relative_path: each.blob_after for each in files}
    left = [PathChange(path, now[path], after) for path, _, after in paths if now[path] != after]
    if left:
        yield "", left


def _untold(
    source: TraceSource, paths: Sequence[PathChange], records: Sequence[TraceRecord]
) -> dict[str, Lost]:
    """Changes of the commit that none of its records tells, by path."""
    told = _Told.of(records)
    texts = {each.path: (source.blob(each.before or ""), source.blob(each.after or "")) for each in paths}
    there = {(path, each.hash) for path, (before, _) in texts.items() for each in blocks_in(before)}
    changes = changes_of(texts)
    gone = tuple(each for listed in changes.values() for each in _blocks(listed, "before"))
    found = ((path, told.lost(path, listed, there, gone)) for path, listed in changes.items())
    return {path: lost for path, lost in found if lost is not None}


@dataclass(frozen=True)
class _Told:
    """The blocks of a commit, as its records have them."""

    talks: Sequence[Conversation]
    authors: tuple[Author, ...]
    placed: Sequence[tuple[str, Range]]
    """Path and row."""
    known: Set[_Place]

    @classmethod
    def of(cls, records: Sequence[TraceRecord]) -> "_Told":
        talks = [talk for record in records for file in record.files for talk in file.conversations]
        return cls(talks, authors_of(records), _placed(records), known_in(records))

    def lost(
        self, path: str, changes: Sequence[BlockChange], there: Set[_Place], gone: tuple[Block, ...]
    ) -> Lost | None:
        """The changes of a file that no record tells; None if all are told.

        ``there``: the blocks before the commit; ``gone``: those that it took.
        """
        after, before = ([*_blocks(changes, side)] for side in ("after", "before"))
        unfounded = self._unfounded(path, there)
        hidden = [each.after for each in changes if each.after and each.after.hash in unfounded]
        if not (
            unfounded
            or {each.hash for each in before} - self.gone
            or Counter((path, each.hash) for each in after) - self.come
        ):
            return None
        new = {each.hash: each for each in (*after, *hidden) if (path, each.hash) not in self.known}
        named = {*(each.hash for each in before), *(row.block_hash for _, row in self.placed), *self.gone}
        return Lost(tuple(new.values()), tuple(named), self.authors, gone)

    @cached_property
    def come(self) -> Counter[_Place]:
        return Counter((path, row.block_hash) for path, row in self.placed)

    @cached_property
    def gone(self) -> frozenset[str]:
        replaced = {row.before_block_hash for _, row in self.placed if row.before_block_hash}
        return frozenset({*replaced, *(each.block_hash for talk in self.talks for each in talk.removed)})

    def _unfounded(self, path: str, there: Set[_Place]) -> frozenset[str]:
        """Blocks made of one that neither was there nor came by a record: an edit between is hidden."""
        brought = {
            (at, row.block_hash) for at, row in self.placed if _made_of(at, row) != (at, row.block_hash)
        }
        made = {row.block_hash: _made_of(at, row) for at, row in self.placed if at == path}
        return frozenset(
            hashed for hashed, of in made.items() if of and of not in there and of not in brought
        )


def authors_of(records: Iterable[TraceRecord]) -> tuple[Author, ...]:
    """Everyone whom some records name."""
    talks = [talk for record in records for file in record.files for talk in file.conversations]
    rows = (row.contributor for talk in talks for row in talk.ranges if row.contributor)
    return tuple(dict.fromkeys([*(talk.contributor for talk in talks), *rows]))


def known_in(records: Iterable[TraceRecord]) -> frozenset[tuple[str, str]]:
    """Path and hash of the blocks that some records brought in and know the author of."""
    return frozenset(
        (path, row.block_hash)
        for path, row in _placed(records)
        if not (row.contributor and row.contributor.entity_type == "UNKNOWN")
    )


def _placed(records: Iterable[TraceRecord]) -> Sequence[tuple[str, Range]]:
    """Path and row of every block that some records brought in."""
    files = [file for record in records for file in record.files]
    return [(file.relative_path, row) for file in files for talk in file.conversations for row in talk.ranges]


def _made_of(path: str, row: Range) -> _Place | None:
    """The block that a row of a file replaced or moved."""
    hashed = row.block_hash if row.change == "moved" else row.before_block_hash
    return ((row.former and row.former.path) or path, hashed) if hashed and row.change != "added" else None


def _blocks(changes: Sequence[BlockChange], side: str) -> Iterator[Block]:
    for each in changes:
        block = each.after if side == "after" else each.before
        if block is not None and each.change != "moved":
            yield block
