"""Which commit brought a record in: its own id cannot stand in it."""

from collections.abc import Collection

from penwright.domain.trace.reading import HistorySource, added_lines, ids_of
from schemas.trace import TracedCommit


def introductions(source: HistorySource, ids: Collection[str] | None = None) -> dict[str, TracedCommit]:
    """Record id -> the first commit that has it, for ``ids`` or for all.

    By the commits' trailers; for ``ids`` no trailer names, as after a squash, by what commits added.
    """
    found: dict[str, TracedCommit] = {}
    missing = None if ids is None else set(ids)
    for commit in source.commits():
        if missing is not None and not missing:
            break
        for each in ids_of(commit):
            if each not in found and (missing is None or each in missing):
                found[each] = _bare(commit)
                if missing is not None:
                    missing.discard(each)
    if missing:
        found |= _added(source, missing)
    return found


def _added(source: HistorySource, ids: Collection[str]) -> dict[str, TracedCommit]:
    missing, found = set(ids), dict[str, TracedCommit]()
    for commit in source.commits():
        if not missing:
            break
        for line in added_lines(source, commit):
            each = line.record.get("id") if line.record else None
            if isinstance(each, str) and each in missing:
                found[each] = _bare(commit)
                missing.discard(each)
    return found


def _bare(commit: TracedCommit) -> TracedCommit:
    """Without its paths: those of a whole history would fill the memory."""
    return commit.model_copy(update={"paths": ()})
