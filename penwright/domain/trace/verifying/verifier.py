"""Verifying a ledger, level by level; the second time, only what is new."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping

from penwright.domain.trace.source import TraceSource
from penwright.domain.trace.verifying.anchors import Kept, check_anchors, nothing_kept, shortened, with_kept
from penwright.domain.trace.verifying.history import HistoryCheck
from penwright.domain.trace.verifying.ledger import LedgerView
from penwright.domain.trace.verifying.refinding import Places, Refinding
from penwright.domain.trace.verifying.report import VerifyOptions, VerifyReport, VerifyState, finding
from schemas.trace import Anchor, Finding, TraceRecord

Progress = Callable[[str, int], None]
_LISTED = 200
"""Findings of one code that are told one by one."""


def _silent(_what: str, _count: int) -> None:
    """Nobody asked how far it is."""


def verify(
    source: TraceSource,
    options: VerifyOptions,
    state: VerifyState | None = None,
    progress: Progress = _silent,
    *,
    kept: Kept = nothing_kept,
) -> VerifyReport:
    """Levels 0 to 5 over the ledger at the tip.

    Args:
        state: what an earlier clean report said; what it vouches for is not looked at again. Wherever the
            ledger is not that one with something added, or anything is found amiss, all of it is.
        progress: hears what is done (``records``, ``commits``) and how far.
        kept: asked for the entries of the log outside the branch that the database remembers.
    """
    if state is not None and not options.strict and not options.since and source.reaches(state.tip):
        report = _verified(source, options, state, progress, kept, state.newest)
        if report is not None:
            return report
    report = _verified(source, options, None, progress, kept, state.newest if state else {})
    assert report is not None, "only an earlier state can be found unfit"
    return report


def _verified(
    source: TraceSource,
    options: VerifyOptions,
    state: VerifyState | None,
    progress: Progress,
    kept: Kept,
    newest: Mapping[str, str],
) -> VerifyReport | None:
    """The report; None if the ledger is not that of ``state`` with more behind it, or anything is amiss."""
    places = Places()
    since = options.since or (state.tip if state else None)
    known = state.newest if state else {}
    # Git goes through the history while the log and the ledger are read.
    commits = source.commits(since=since, bookkeeping=False)
    logged = source.anchors(since=known)
    view = LedgerView(source, state, _taking(places, progress))
    view.read()
    if not view.extends:
        return None
    anchors, found = with_kept(logged, kept, known=known, holds=_holding(source, known))
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
        findings=tuple(_abridged(_chosen(found, options, view))),
        state=None if broken or options.since else _state(source, view, anchors, state),
        incremental=state is not None,
    )


def _holding(source: TraceSource, known: Mapping[str, str]) -> Callable[[Anchor], bool]:
    """Whether git has one entry: asked for the log from there on, it then begins with that one."""

    def holds(anchor: Anchor) -> bool:
        told = source.anchors(since={**known, anchor.clone: anchor.entry})
        return any(each.entry == anchor.entry for each in told)

    return holds


def _taking(places: Places, progress: Progress) -> Callable[[TraceRecord], None]:
    """What is done with each record as it is read; none is kept."""
    count = 0

    def take(record: TraceRecord) -> None:
        nonlocal count
        count += 1
        places.apply(record)
        progress("records", count)

    return take


def _chosen(found: Iterable[Finding], options: VerifyOptions, view: LedgerView) -> Iterator[Finding]:
    """Findings about the intent and the path that were asked for."""
    for each in found:
        entry = view.entries.get(each.record)
        intent = each.intent or (entry.header.intent if entry else "")
        paths = {each.path, *(file.path for file in entry.files)} if entry else {each.path}
        if options.intent in ("", intent) and (not options.path or options.path in paths):
            yield each


def _abridged(found: Iterable[Finding]) -> Iterator[Finding]:
    """Of a hundred thousand equal findings nobody reads more than the first."""
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
