"""Verifying a ledger, level by level; the second time, only what is new."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping

from penwright.domain.trace.source import TraceSource
from penwright.domain.trace.verifying.anchors import (
    StoredAnchors,
    check_anchors,
    merge_stored_anchors,
    no_stored_anchors,
    shortened,
)
from penwright.domain.trace.verifying.history import HistoryCheck
from penwright.domain.trace.verifying.ledger import LedgerView
from penwright.domain.trace.verifying.refinding import ExpectedBlocks, Refinding
from penwright.domain.trace.verifying.report import VerifyOptions, VerifyReport, VerifyState, finding
from schemas.trace import Anchor, Finding, TraceRecord

Progress = Callable[[str, int], None]
_LISTED = 200
"""Findings of one code that are listed one by one."""


def _silent(_what: str, _count: int) -> None:
    """Ignore progress."""


def verify(
    source: TraceSource,
    options: VerifyOptions,
    state: VerifyState | None = None,
    progress: Progress = _silent,
    *,
    stored: StoredAnchors = no_stored_anchors,
) -> VerifyReport:
    """Levels 0 to 5 over the ledger at the tip.

    Args:
        state: of an earlier clean report; what it vouches for is not checked again. If the ledger is not
            that one with records added, or anything is found, everything is checked.
        progress: called with what is counted (``records``, ``commits``) and how many are done.
        stored: asked for the entries of the log outside the branch that the database remembers.
    """
    if state is not None and not options.strict and not options.since and source.reaches(state.tip):
        report = _verified(source, options, state, progress, stored, state.newest)
        if report is not None:
            return report
    report = _verified(source, options, None, progress, stored, state.newest if state else {})
    assert report is not None, "only an earlier state can be found unfit"
    return report


def _verified(
    source: TraceSource,
    options: VerifyOptions,
    state: VerifyState | None,
    progress: Progress,
    stored: StoredAnchors,
    newest: Mapping[str, str],
) -> VerifyReport | None:
    """The report; None if the ledger is not that of ``state`` with more records, or anything is found."""
    places = ExpectedBlocks()
    since = options.since or (state.tip if state else None)
    known = state.newest if state else {}
    # Git goes through the history while the log and the ledger are read.
    commits = source.commits(since=since, bookkeeping=False)
    logged = source.anchors(since=known)
    view = LedgerView(source, state, _record_consumer(places, progress))
    view.read()
    if not view.extends:
        return None
    anchors, found = merge_stored_anchors(logged, stored, known=known, holds=_holding(source, known))
    found = [*view.findings, *found, *shortened(logged, newest)]
    heads = frozenset(head for anchor in anchors for head in anchor.heads)
    history = HistoryCheck(source, view, heads, since, options.strict)
    held: set[str] = set()
    for number, commit in enumerate(commits, start=1):
        held.add(commit.sha)
        found += history.commit(commit)
        progress("commits", number)
    found += history.finish()
    if not options.since:
        found += history.uncommitted()
    found += check_anchors(
        anchors,
        hashes=view.hashes,
        reaches=source.reaches if since else held.__contains__,
        known=known,
    )
    if not view.entries and not view.known:
        found.append(finding("NO_LEDGER", "the ledger holds no record"))
    refinding = Refinding(source, places, history.named, history.by_hand)
    found += refinding.run()
    if state and any(each.severity != "info" for each in found):
        return None
    broken = any(each.severity == "error" for each in found)
    return VerifyReport(
        tip=source.tip,
        records=len(view.entries) + view.known,
        judged=len(view.entries),
        commits=len(held),
        blocks={fate: count for fate, count in sorted(refinding.fates.items()) if count},
        findings=tuple(_abridged(_requested(found, options, view))),
        state=None if broken or options.since else _state(source, view, anchors, state),
        incremental=state is not None,
    )


def _holding(source: TraceSource, known: Mapping[str, str]) -> Callable[[Anchor], bool]:
    """Whether git has one entry: asked for the log from there on, it then begins with that one."""

    def holds(anchor: Anchor) -> bool:
        told = source.anchors(since={**known, anchor.clone: anchor.entry})
        return any(each.entry == anchor.entry for each in told)

    return holds


def _record_consumer(places: ExpectedBlocks, progress: Progress) -> Callable[[TraceRecord], None]:
    """What is done with each record as it is read; none is stored."""
    count = 0

    def take(record: TraceRecord) -> None:
        nonlocal count
        count += 1
        places.apply(record)
        progress("records", count)

    return take


def _requested(found: Iterable[Finding], options: VerifyOptions, view: LedgerView) -> Iterator[Finding]:
    """Findings about the intent and the path in ``options``."""
    for each in found:
        entry = view.entries.get(each.record)
        intent = each.intent or (entry.header.intent if entry else "")
        paths = {each.path, *(file.path for file in entry.files)} if entry else {each.path}
        if options.intent in ("", intent) and (not options.path or options.path in paths):
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


def _state(
    source: TraceSource, view: LedgerView, anchors: Iterable[Anchor], before: VerifyState | None
) -> VerifyState:
    newest = {anchor.clone: anchor.entry for anchor in anchors}
    return VerifyState(
        tip=source.tip,
        heads=tuple(sorted(view.heads)),
        closed=view.closed,
        sealed=view.sealed,
        open=tuple(view.open),
        newest={**(before.newest if before else {}), **newest},
        records=len(view.entries) + view.known,
    )
