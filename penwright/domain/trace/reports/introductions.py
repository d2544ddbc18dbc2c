"""Find the commit that introduced a record: a record cannot contain its own commit id."""

from collections.abc import Collection

from penwright.domain.trace.reading import added_lines, ids_of
from penwright.domain.trace.source import TraceSource
from schemas.trace import TracedCommit


def commits_of(source: TraceSource, ids: Collection[str]) -> dict[str, TracedCommit]:
    """Record id -> the first commit that names it; where no trailer does, the first that added its line."""
    found: dict[str, TracedCommit] = {}
    for commit in source.commits():
        for each in ids_of(commit):
            found.setdefault(each, commit)
    return {**found, **_added(source, set(ids) - found.keys())}


def _added(source: TraceSource, missing: set[str]) -> dict[str, TracedCommit]:
    """Record id -> the first commit that added its line to the ledger."""
    found: dict[str, TracedCommit] = {}
    for commit in source.commits() if missing else ():
        for line in added_lines(source, commit):
            each = line.record.get("id") if line.record else None
            if isinstance(each, str) and each in missing:
                found[each] = commit
                missing.discard(each)
        if not missing:
            break
    return found
