"""Find the commit that introduced a record: a record cannot contain its own commit id."""

from collections.abc import Collection, Iterable, Iterator

from penwright.domain.trace.living import Made
from penwright.domain.trace.reading import added_lines, ids_of
from penwright.domain.trace.source import TraceSource
from schemas.trace import TracedCommit

_JUMPS = 8
"""Restarts nearer to the next record; after that, reading on is quicker."""
_NEAR = 200
"""Commits read on for further records before it does."""


def revisions(source: TraceSource) -> dict[str, str]:
    """Record id -> the first commit whose trailers name it, for all that are named."""
    found: dict[str, str] = {}
    for commit in source.commits():
        for each in ids_of(commit):
            found.setdefault(each, commit.sha)
    return found


def introductions(source: TraceSource, records: Iterable[Made]) -> dict[str, TracedCommit]:
    """Record id -> the first commit that has it.

    By the commits' trailers; where no trailer names a record, as after a squash, by the lines commits added.
    """
    found: dict[str, TracedCommit] = {}
    wanted = sorted(records, key=lambda made: made.at)
    missing = {made.record for made in wanted}
    for jump, made in enumerate(wanted):
        if made.record in missing:
            near = _NEAR if jump < _JUMPS else None
            found |= _named(_from(source, made), missing, near)
    return found | added(source, missing)


def added(source: TraceSource, ids: Collection[str]) -> dict[str, TracedCommit]:
    """Record id -> the first commit that added its line to the ledger."""
    missing, found = set(ids), dict[str, TracedCommit]()
    for commit in source.commits() if missing else ():
        for line in added_lines(source, commit):
            each = line.record.get("id") if line.record else None
            if isinstance(each, str) and each in missing:
                found[each] = commit
                missing.discard(each)
        if not missing:
            break
    return found


def _from(source: TraceSource, made: Made) -> Iterator[TracedCommit]:
    """The commits among which the record's should soon come; all, where its parent was rewritten."""
    return source.commits(since=made.parent if source.reaches(made.parent) else None)


def _named(commits: Iterator[TracedCommit], missing: set[str], near: int | None) -> dict[str, TracedCommit]:
    """Take records out of ``missing`` that trailers name, until ``near`` commits in a row name none."""
    found: dict[str, TracedCommit] = {}
    last = 0
    for number, commit in enumerate(commits):
        for each in ids_of(commit):
            if each in missing:
                found[each], last = commit, number
                missing.discard(each)
        if not missing or (near is not None and number - last > near):
            break
    return found
