"""Beginnings of the authorship record in a history: text that was there before is of unknown origin.

It begins with the first record of the ledger, or before, with the commit that declares an author. A rewrite
of the history may put both into one commit with what was there before; the answer is the same.
"""

from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass

from penwright.domain.text.blocks import Block, blocks_in
from penwright.domain.trace.reading import ids_of, read_records
from penwright.domain.trace.reports.arrivals import Arrivals, arrivals, record_id
from penwright.domain.trace.source import TraceSource
from penwright.domain.trailers import AUTHORSHIP
from schemas.trace import PathChange, TracedCommit, TraceRecord


@dataclass(frozen=True, slots=True)
class Older:
    """Blocks of files as they were before a history."""

    sure: tuple[Block, ...] = ()
    unsure: tuple[Block, ...] = ()
    """Those of its first commit that may have come after its first record as well, by hand."""

    @property
    def blocks(self) -> tuple[Block, ...]:
        """All of them."""
        return (*self.sure, *self.unsure)


def history_of(source: TraceSource) -> tuple[Sequence[TracedCommit], Arrivals]:
    """The commits since the beginning, which is the first, and the records that they brought in.

    Parents stand before children. A commit that was made beside the first, in another clone, is one of them.
    """
    commits = tuple(source.commits(bookkeeping=False))
    arrived = arrivals(source, commits)
    at = min(arrived.records.keys() - {-1}, default=len(commits))
    first = next((at for at, commit in enumerate(commits[:at]) if is_declared(commit)), at)
    if first == len(commits):
        return (), arrived.of({})
    older = _before(commits[first], commits[:first])
    since = [first, *(at for at, commit in enumerate(commits) if at != first and commit.sha not in older)]
    return [commits[at] for at in since], arrived.of({at: place for place, at in enumerate(since)})


def _before(commit: TracedCommit, others: Sequence[TracedCommit]) -> Set[str]:
    """Ids of the commits that one was made on, as far as they are among ``others``, which stand before it."""
    found = {*commit.parents}
    for each in reversed(others):
        if each.sha in found:
            found.update(each.parents)
    return found


def is_declared(commit: TracedCommit) -> bool:
    """Whether a commit says who wrote the text it begins a book with."""
    return AUTHORSHIP in commit.trailers and not ids_of(commit)


def found_by(records: Iterable[TraceRecord], paths: Iterable[PathChange]) -> dict[str, str | None]:
    """Blob ids of the text that was there before the records of the first commit, by path.

    Args:
        paths: what that commit changed. Whether a file that no record touched changed before or after them
            cannot be known: all of it counts as older.
    """
    found: dict[str, str | None] = {}
    for file in (file for record in records for file in record.files):
        found.setdefault(file.relative_path, file.blob_before)
    return {each.path: found.get(each.path, each.after) for each in paths}


def first_changed(records: Sequence[TraceRecord]) -> frozenset[str]:
    """Paths of the files that the first change changed: what was in them is older for certain."""
    return frozenset(
        file.relative_path for each in records if each.op == records[0].op for file in each.files
    )


def began_with(
    source: TraceSource, commits: Sequence[TracedCommit], arrived: Arrivals, paths: Iterable[str]
) -> Older:
    """The blocks that some files had before a history."""
    if not commits:
        return Older()
    first, ids = commits[0], frozenset(arrived.records.get(0, ()))
    told = not ids or arrived.tells(0, first.paths)
    records = () if told else read_records(source, lambda row: record_id(row) in ids).records
    older = {} if told else found_by(records, first.paths)
    began = first_changed(records)
    sure: list[Block] = []
    unsure: list[Block] = []
    for parent in first.parents[:1] or ("",):
        for path in paths:
            perhaps = blocks_in(source.blob(older[path] or "")) if path in older else ()
            if path in began:
                sure += perhaps
            else:
                sure += blocks_in(source.at(parent, path))
                unsure += perhaps
    return Older(tuple(sure), tuple(unsure))
