"""The people who wrote each block, by the commits that brought it in."""

from collections.abc import Collection, Iterable, Mapping, Set

from penwright.domain.trace.live_blocks import LiveBlock, Made
from penwright.domain.trace.reading import added_lines, ids_of
from penwright.domain.trace.reports.attribution import Attributed, Attribution
from penwright.domain.trace.reports.by_hand import is_tools, people_in
from penwright.domain.trace.source import TraceSource
from schemas.trace import TracedCommit


def making_commits(
    source: TraceSource, attribution: Attribution, found: Iterable[Attributed]
) -> dict[Made, TracedCommit]:
    """The commits of everything that was made, as far as they are known."""
    written = (each.written for each in found if each.written)
    made = {each for one in written for each in (one.moved, *one.makings) if each}
    named: dict[str, TracedCommit] = {commit.sha: commit for commit in attribution.commits}
    named |= commits_of(source, {each.record for each in made} - {""})
    return {each: named[each.record or each.commit] for each in made if (each.record or each.commit) in named}


def people_of(
    written: LiveBlock | None, commits: Mapping[Made, TracedCommit], among: Set[str]
) -> tuple[str, ...]:
    """The names of everyone who wrote, or may have written, at a block that people wrote.

    The first writer first. Empty if others had a part in it, or may have had one: nothing says which words
    are then whose. Empty as well if one of the people is not known: the others did not write it alone.

    Args:
        among: as in ``Attribution``.
    """
    if written is None or written.ambiguous or written.author.entity_type != "HUMAN":
        return ()
    names = [name for each in written.makings for name in _names(each, commits.get(each), among)]
    return tuple(dict.fromkeys(names)) if all(names) else ()


def _names(made: Made, commit: TracedCommit | None, among: Set[str]) -> tuple[str, ...]:
    """The people who wrote what was made in a commit, one empty if not known; none for a tool's, such as a
    citation's mark."""
    # Who squashed the commits of several people did not write what they did.
    if commit is None or commit.sha in among or (made.record and list(ids_of(commit)) != [made.record]):
        return ("",)
    names = people_in(commit)
    return names if names or is_tools(commit) else ("",)


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
