"""What a commit changed beside its records: it was amended, or is a squash of several.

A record names the blobs before and after its change. Where one does not begin with what the last one
left, something changed between.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from penwright.domain.text.blocks import Block, blocks_in
from penwright.domain.text.comparing.changes import BlockChange, changes_of
from penwright.domain.trace.source import TraceSource
from schemas.trace import Author, PathChange, Range, TraceRecord


@dataclass(frozen=True, slots=True)
class Lost:
    """A change whose text before or after git does not have."""

    come: tuple[Block, ...]
    """Blocks of the commit that no record of it names, or of which a record knows no author."""
    named: tuple[str, ...]
    """Hashes of blocks that went by it, or that its records name."""
    authors: tuple[Author, ...]
    """Of the records."""


@dataclass(frozen=True, slots=True)
class Gap:
    """What changed between two records of a commit."""

    before: str
    """Id of the record before which it was; empty for the end of the commit."""
    paths: tuple[PathChange, ...]
    lost: Mapping[str, Lost] = field(default_factory=dict)
    """By path."""


def gaps(source: TraceSource, paths: Sequence[PathChange], records: Sequence[TraceRecord]) -> Iterator[Gap]:
    """What a commit changed in ``paths`` between and after its records, in order."""
    untold = _untold(source, paths, records)
    if not untold:
        return
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
    """Blocks that came or went by the commit, and that none of its records names, by path.

    Also of a path of which a record replaced or moved a block that neither was there nor came by another one.
    """
    files = [file for record in records for file in record.files]
    talks = [talk for file in files for talk in file.conversations]
    placed = [
        (file.relative_path, row) for file in files for talk in file.conversations for row in talk.ranges
    ]
    rows = [row for _, row in placed]
    come = {(path, row.block_hash) for path, row in placed}
    known = {
        (path, row.block_hash)
        for path, row in placed
        if not (row.contributor and row.contributor.entity_type == "UNKNOWN")
    }
    gone = {*(row.before_block_hash for row in rows), *(each.block_hash for t in talks for each in t.removed)}
    authors = tuple(
        dict.fromkeys([*(t.contributor for t in talks), *(r.contributor for r in rows if r.contributor)])
    )
    texts = {each.path: (source.blob(each.before or ""), source.blob(each.after or "")) for each in paths}
    there = {each.hash for before, _ in texts.values() for each in blocks_in(before)}
    there |= {row.block_hash for row in rows if row.change != "moved"}
    found: dict[str, Lost] = {}
    for path, listed in changes_of(texts).items():
        after, before = ([*_blocks(listed, side)] for side in ("after", "before"))
        made_of = {_made_of(row) for at, row in placed if at == path} - {None}
        if (
            not come.issuperset((path, each.hash) for each in after)
            or not gone.issuperset(each.hash for each in before)
            or not made_of <= there
        ):
            lost = tuple(each for each in after if (path, each.hash) not in known)
            named = {*(each.hash for each in before), *(row.block_hash for row in rows), *filter(None, gone)}
            found[path] = Lost(lost, tuple(named), authors)
    return found


def _made_of(row: Range) -> str | None:
    """Hash of the block that a row replaced or moved."""
    return row.block_hash if row.change == "moved" else row.before_block_hash


def _blocks(changes: Sequence[BlockChange], side: str) -> Iterator[Block]:
    for each in changes:
        block = each.after if side == "after" else each.before
        if block is not None and each.change != "moved":
            yield block
