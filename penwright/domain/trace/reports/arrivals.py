"""The commit that brought in each record: one that names it, else the one that added its line."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass

from penwright.domain.trace.reading import added_lines, ids_of
from penwright.domain.trace.source import TraceSource
from schemas.trace import PathChange, TracedCommit

_ID = re.compile(rb'"id":"([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})","integrity"')
_OP = re.compile(rb'"op":\{"id":"(sha256:[0-9a-f]{64})"')
_FILE = re.compile(
    rb'\{(?:"blob_after":"([0-9a-f]{40,64})",)?(?:"blob_before":"([0-9a-f]{40,64})",)?"conversations":'
)
_TOOK = re.compile(rb'"before_block_hash":|"removed":\[\{|"op":"delete"')
_Blobs = tuple[str | None, str | None]


@dataclass(frozen=True, slots=True)
class RecordOutline:
    """A line of the ledger, not parsed as a whole."""

    op: bytes
    blobs: tuple[_Blobs, ...]
    """Blob ids of each file before and after the change."""
    took: bool
    """Whether a block went by it."""


@dataclass(frozen=True, slots=True)
class Arrivals:
    """Records by the commits of a history that brought them in."""

    outlines: Mapping[str, RecordOutline]
    """By record id."""
    places: Mapping[str, int]
    """Index of its commit by record id; -1 if that is older than the history, or was not found."""
    records: Mapping[int, tuple[str, ...]]
    """Record ids by index of the commit."""

    def tells(self, at: int, paths: Iterable[PathChange]) -> bool:
        """Whether a commit is the change that its only record made, as far as blob ids tell.

        Args:
            at: its index.
            paths: the text that it changed.
        """
        found = [self.outlines[each] for each in self.records.get(at, ())]
        # A large change has several records of the same files.
        told = Counter[_Blobs]()
        for each in found:
            told |= Counter(each.blobs)
        changed = Counter((each.before, each.after) for each in paths)
        return len({each.op for each in found}) == 1 and changed <= told

    @property
    def replaced(self) -> Iterator[str]:
        """Blob ids of the text that records took blocks from, the newest first."""
        took = (each for each in reversed(tuple(self.outlines.values())) if each.took)
        return (before for each in took for before, _ in each.blobs if before)

    def of(self, commits: Mapping[int, int]) -> "Arrivals":
        """The same for a part of the history: the new index of each of its commits by the old one."""
        places = {each: commits.get(at, -1) for each, at in self.places.items()}
        return Arrivals(self.outlines, places, _by_place(places))


def arrivals(source: TraceSource, commits: Sequence[TracedCommit]) -> Arrivals:
    """Place every record of the ledger. ``commits``: the history, parents before children."""
    outlines = dict(_outlines(source))
    places: dict[str, int] = {}
    for at, commit in enumerate(commits):
        for each in ids_of(commit):
            if each in outlines:
                places.setdefault(each, at)
    if len(places) < len(outlines):
        places |= _by_line(source, commits, outlines.keys() - places.keys())
    return Arrivals(outlines, places, _by_place(places))


def _by_place(places: Mapping[str, int]) -> dict[int, tuple[str, ...]]:
    records: dict[int, tuple[str, ...]] = {}
    for each, at in places.items():
        records[at] = (*records.get(at, ()), each)
    return records


def record_id(row: bytes) -> str:
    """The id of the record in a line; empty if it has none."""
    found = _ID.search(row)
    return found[1].decode() if found else ""


def _outlines(source: TraceSource) -> Iterator[tuple[str, RecordOutline]]:
    for segment in source.ledger():
        for row in (source.blob(segment.blob) or b"").split(b"\n"):
            op = _OP.search(row)
            if op and (found := record_id(row)):
                yield found, RecordOutline(op[1], tuple(_blobs(row)), _TOOK.search(row) is not None)


def _blobs(row: bytes) -> Iterator[_Blobs]:
    for after, before in _FILE.findall(row):
        yield before.decode() or None, after.decode() or None


def _by_line(source: TraceSource, commits: Sequence[TracedCommit], missing: Set[str]) -> dict[str, int]:
    """Places of records that no commit names, by the first commit that added the line."""
    numbers = {commit.sha: at for at, commit in enumerate(commits)}
    places = dict.fromkeys(missing, -1)
    left = set(missing)
    for commit in source.commits():
        for each in {record_id(line.row) for line in added_lines(source, commit)} & left:
            places[each] = numbers.get(commit.sha, -1)
            left.discard(each)
        if not left:
            break
    return places
