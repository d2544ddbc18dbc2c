"""Level 2, outside the branch: what the log says was recorded must still be recorded."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import takewhile
from typing import NamedTuple

from penwright.domain.trace.verifying.report import finding
from schemas.trace import Anchor, Finding

_NEVER = datetime.min.replace(tzinfo=UTC)


StoredAnchors = Callable[[], Sequence[Anchor] | None]
"""Reads the entries of the log that the database stores, oldest first; None if it does not answer."""


class RemoteBranch(NamedTuple):
    """The remote's branch as last fetched, beside ours."""

    ahead: Collection[str] = frozenset()
    """Commits that ours lacks."""
    diverged: bool = False
    """Whether ours has commits that it lacks."""


class RemoteLog(NamedTuple):
    """Remote that keeps the logs of other clones, as far as it is known."""

    clone: str = ""
    """Name of this clone; what it noted itself must be here, wherever else it may be."""
    why_none: str = ""
    """Reason why no log came from there; the end of a sentence."""
    branch: Callable[[], RemoteBranch] = RemoteBranch
    """Asked only when an entry speaks of a commit that is not here."""


NO_REMOTE = RemoteLog()


def merge_stored_anchors(
    anchors: Sequence[Anchor], stored: StoredAnchors
) -> tuple[tuple[Anchor, ...], list[Finding]]:
    """Merge the log in git with the entries in the database; report entries that git has lost."""
    kept = stored()
    if kept is None:
        return tuple(anchors), [finding("LOG_NOT_COMPARED", "the database that keeps it did not answer")]
    there = {anchor.entry for anchor in anchors}
    clones = {anchor.clone for anchor in anchors}
    lost = [anchor for anchor in kept if anchor.entry not in there]
    found = [
        finding("LOG_SHORTENED", f"the log of {anchor.clone} lacks an entry it had", commit=anchor.commit)
        for anchor in lost
        if anchor.clone in clones
    ]
    return (*lost, *anchors), found


def shortened(anchors: Sequence[Anchor], newest: Mapping[str, str]) -> Iterator[Finding]:
    """Entries an earlier verification saw, by clone, that no log holds any more."""
    there = {anchor.entry for anchor in anchors}
    for clone, entry in newest.items():
        if entry not in there:
            yield finding("LOG_SHORTENED", f"the log of {clone} lacks entry {entry[:12]}, which it had")


def check_anchors(
    anchors: Sequence[Anchor],
    *,
    hashes: Collection[str],
    reaches: Callable[[str], bool],
    remote: RemoteLog = NO_REMOTE,
) -> Iterator[Finding]:
    """Entries of each clone's log against the ledger and the branch."""
    if not anchors:
        why = f"; {remote.why_none}" if remote.why_none else ""
        yield finding("NO_ANCHORS", f"not anchored: no log outside the branch is known here{why}")
    lacking = {head for anchor in anchors for head in anchor.heads if head not in hashes}
    if not lacking:
        return
    revoked, branch = _revoked(anchors), None
    behind: set[str] = set()
    for entry in anchors:
        # A later rollback excuses what was noted before, here or in any other clone.
        excused = entry.entry in revoked
        if lacking.isdisjoint(entry.heads) or (excused and entry.kind == "revocation"):
            continue
        problem = _problem(entry, revoked=excused, reaches=reaches)
        if problem is None:
            continue
        if problem.code == "BRANCH_REWOUND" and entry.clone != remote.clone:
            branch = branch or remote.branch()
            if entry.commit in branch.ahead and not branch.diverged:
                behind.add(entry.commit)
                continue
            problem = _beside_remote(problem, entry, branch)
        yield problem
    if behind:
        yield finding(
            "BRANCH_BEHIND", f"the remote has {len(behind)} recorded commit(s) that are not here yet"
        )


def _beside_remote(problem: Finding, entry: Anchor, branch: RemoteBranch) -> Finding:
    """The finding, with advice if the commit is on the remote beside commits of our own."""
    if entry.commit not in branch.ahead:
        return problem
    message = f"commit {entry.commit[:12]}, noted by {entry.clone}, is on the remote and not in this branch"
    hint = "this branch and the remote's have parted: pull, then verify again"
    return problem.model_copy(update={"message": message, "hint": hint})


def standing_heads(anchors: Sequence[Anchor]) -> frozenset[str]:
    """Heads of the entries that no later rollback took back; each vouches for every record it follows."""
    revoked = _revoked(anchors)
    return frozenset(head for entry in anchors if entry.entry not in revoked for head in entry.heads)


def _revoked(anchors: Sequence[Anchor]) -> set[str]:
    """Entries that a rollback took back: a later one in the same log, or another clone's of a later time."""
    rollbacks = [entry for entry in anchors if entry.kind == "revocation"]
    last = {entry.clone: entry.entry for entry in rollbacks}
    found: set[str] = set()
    for clone in {entry.clone for entry in anchors} if rollbacks else ():
        elsewhere = max((entry.at for entry in rollbacks if entry.clone != clone), default=_NEVER)
        own = [entry for entry in anchors if entry.clone == clone]
        before = takewhile(lambda entry: entry.entry != last.get(entry.clone), own) if clone in last else ()
        found.update(entry.entry for entry in before)
        found.update(entry.entry for entry in own if entry.at <= elsewhere)
    return found


def _problem(entry: Anchor, *, revoked: bool, reaches: Callable[[str], bool]) -> Finding | None:
    """The finding about an entry whose heads the ledger lacks; None if a rollback excuses it."""
    short, there = entry.commit[:12], reaches(entry.commit)
    if revoked and not there:
        return None
    if there:
        message = f"the ledger lacks what {entry.clone} noted for commit {short}"
        return finding("LEDGER_TRUNCATED", message, commit=entry.commit)
    message = f"commit {short}, noted by {entry.clone}, is no longer in the branch"
    return finding("BRANCH_REWOUND", message, commit=entry.commit)
