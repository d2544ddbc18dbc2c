"""The list of closed segments, one line for each."""

import json
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from penwright.domain.trace.chain import Chain, SegmentLine, canonical, digest, linked, read_lines


class ListedSegment(NamedTuple):
    """Entry of a closed segment in the list."""

    segment: str
    """Its path."""
    sha256: str
    """``sha256:`` of its content."""
    records: int
    heads: tuple[str, ...]
    """Hashes that none of its records follows."""
    roots: tuple[str, ...]
    """Hashes in older segments that its records follow."""


def read_manifest(content: bytes) -> Iterator[ListedSegment | None]:
    """Each line of the list; None for one that names no segment."""
    for row in content.splitlines():
        try:
            found = json.loads(row)
            heads, roots = (tuple(map(str, found[name])) for name in ("heads", "roots"))
            segment, sha256 = str(found["segment"]), str(found["sha256"])
            yield ListedSegment(segment, sha256, int(found["records"]), heads, roots)
        except (ValueError, TypeError, KeyError, RecursionError):
            yield None


def listed_segments(content: bytes) -> list[ListedSegment]:
    """The lines of the list that can be read."""
    return [each for each in read_manifest(content) if each is not None]


def listed_as(path: str, content: bytes, lines: Iterable[SegmentLine]) -> ListedSegment:
    """Make the list's entry of a closed segment with these ``lines``."""
    found = linked(lines)
    return ListedSegment(path, digest(content), len(found.lines), found.heads, found.roots)


def manifest_line(path: str, content: bytes) -> bytes:
    """The line about a closed segment whose lines are known to be sound."""
    return canonical(listed_as(path, content, read_lines(content))._asdict()) + b"\n"


def newest_of(open_segment: Chain, closed: Iterable[ListedSegment]) -> tuple[str, ...]:
    """The newest records of a ledger: a merge may bring some that the open segment does not follow."""
    listed = tuple(closed)
    followed = {*open_segment.roots, *(root for each in listed for root in each.roots)}
    older = {head for each in listed for head in each.heads}
    return tuple(sorted({*open_segment.heads, *(older - followed)}))
