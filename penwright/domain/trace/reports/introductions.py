"""Find the commit that introduced a record: a record cannot contain its own commit id."""

from collections.abc import Collection

from penwright.domain.trace.reading import added_lines, ids_of
from penwright.domain.trace.source import TraceSource
from schemas.trace import TracedCommit


def revisions(source: TraceSource) -> dict[str, str]:
    """Record id -> the first commit whose trailers name it, for all that are named."""
    found: dict[str, str] = {}
    for commit in source.commits():
        for each in ids_of(commit):
            found.setdefault(each, commit.sha)
    return found


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
