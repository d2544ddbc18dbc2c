"""Verifying a ledger, level by level."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping

from penwright.domain.trace.live_blocks import LiveBlocks
from penwright.domain.trace.source import TraceSource
from penwright.domain.trace.verifying.anchors import (
    NO_REMOTE,
    RemoteLog,
    StoredAnchors,
    check_anchors,
    merge_stored_anchors,
    shortened,
)
from penwright.domain.trace.verifying.history import HistoryCheck
from penwright.domain.trace.verifying.ledger import LedgerView
from penwright.domain.trace.verifying.refinding import Refinding
from penwright.domain.trace.verifying.report import VerifyOptions, VerifyReport, finding
from schemas.trace import Finding, TraceRecord

Progress = Callable[[str, int], None]
_PLACE = frozenset({"NO_ANCHORS", "NO_LEDGER"})
"""Findings about the repository as a whole: no closer look changes them, and no filter hides them."""
_LISTED = 200
"""Findings of one code that are listed one by one."""


def _silent(_what: str, _count: int) -> None:
    """Ignore progress."""


def verify(
    source: TraceSource,
    options: VerifyOptions,
    known: Mapping[str, str] | None = None,
    progress: Progress = _silent,
    *,
    stored: StoredAnchors = tuple,
    remote: RemoteLog = NO_REMOTE,
) -> VerifyReport:
    """Levels 0 to 5 over the ledger at the tip.

    Args:
        known: by clone, the newest entry of the log that an earlier verification saw.
        progress: called with what is counted (``records``, ``commits``) and how many are done.
        stored: asked for the entries of the log outside the branch that the database remembers.
        remote: what is known of the remote that keeps the logs of other clones.
    """
    expected = LiveBlocks(counting=True)

    def take(record: TraceRecord) -> None:
        expected.apply(record)
        progress("records", expected.turns)

    view = LedgerView(source, take)
    view.read()
    logged = source.anchors()
    anchors, lost = merge_stored_anchors(logged, stored)
    found = [*view.findings, *lost, *shortened(logged, known or {})]
    history = HistoryCheck(source, view, anchors, options.since, options.strict)
    commits: set[str] = set()
    for commit in source.commits(since=options.since, bookkeeping=False):
        commits.add(commit.sha)
        found += history.commit(commit)
        progress("commits", len(commits))
    found += history.finish()
    if view.entries or anchors:
        reaches = source.reaches if options.since else commits.__contains__
        found += check_anchors(anchors, hashes=view.hashes, reaches=reaches, remote=remote)
    else:
        found.append(finding("NO_LEDGER", "no ledger here: nothing was recorded that could be verified"))
    refinding = Refinding(source, expected, history.named, history.by_hand)
    found += refinding.run()
    vouching = not options.since and all(each.severity != "error" for each in found)
    return VerifyReport(
        tip=source.tip,
        records=len(view.entries),
        commits=len(commits),
        blocks={fate: count for fate, count in sorted(refinding.fates.items()) if count},
        findings=tuple(_abridged(_requested(found, options, view))),
        newest={**(known or {}), **{each.clone: each.entry for each in anchors}} if vouching else None,
        anchored=bool(anchors),
    )


def _requested(found: Iterable[Finding], options: VerifyOptions, view: LedgerView) -> Iterator[Finding]:
    """Findings about the intent and the path in ``options``."""
    for each in found:
        entry = view.entries.get(each.record)
        intent = each.intent or (entry.header.intent if entry else "")
        paths = {each.path, *(file.path for file in entry.files)} if entry else {each.path}
        wanted = options.intent in ("", intent) and (not options.path or options.path in paths)
        if wanted or each.code in _PLACE:
            yield each


def _abridged(found: Iterable[Finding]) -> Iterator[Finding]:
    """Keep the first ``_LISTED`` findings per code; count the rest."""
    seen: Counter[str] = Counter()
    for each in found:
        seen[each.code] += 1
        if seen[each.code] <= _LISTED:
            yield each
    for code, count in seen.items():
        if count > _LISTED:
            yield finding(code, f"and {count - _LISTED:,} more")
