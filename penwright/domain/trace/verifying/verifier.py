"""Verifying a ledger, level by level; the second time, only what is new."""

from collections.abc import Callable, Iterable, Iterator
from typing import Protocol

from penwright.domain.trace.verifying.anchors import check_anchors
from penwright.domain.trace.verifying.history import HistoryCheck
from penwright.domain.trace.verifying.ledger import LedgerView
from penwright.domain.trace.verifying.ledger import Source as LedgerSource
from penwright.domain.trace.verifying.refinding import Places, Refinding, standing
from penwright.domain.trace.verifying.refinding import Source as TextSource
from penwright.domain.trace.verifying.report import VerifyOptions, VerifyReport, VerifyState, finding
from schemas.trace import Anchor, Finding, TracedCommit, TraceRecord


class Source(LedgerSource, TextSource, Protocol):
    """``penwright.ports.TraceSource``."""

    def commits(self, *, since: str | None = None) -> Iterator[TracedCommit]: ...
    def anchors(self) -> tuple[Anchor, ...]: ...
    def reaches(self, commit: str) -> bool: ...


def verify(
    source: Source,
    options: VerifyOptions,
    state: VerifyState | None = None,
    progress: Callable[[str, int], None] = lambda _what, _count: None,
) -> VerifyReport:
    """Levels 0 to 5 over the ledger at the tip.

    ``state``: what an earlier clean report said; what it vouches for is not looked at again, unless the
    branch has left it. ``progress`` hears what is done and how far.
    """
    if state is not None and (options.strict or options.since or not source.reaches(state.tip)):
        state = None
    records: dict[str, TraceRecord] = {}
    places = Places()
    view = LedgerView().read(source, state, _collect(records, places, options, progress))
    anchors = source.anchors()
    since = options.since or (state.tip if state else None)
    heads = frozenset(head for anchor in anchors for head in anchor.heads)
    history = HistoryCheck(source, view, heads, since, records if options.strict else None)
    found = list(view.findings)
    commits: set[str] = set()
    for number, commit in enumerate(source.commits(since=since), start=1):
        commits.add(commit.sha)
        found += history.commit(commit)
        progress("commits", number)
    if not options.since:
        found += history.uncommitted()
    reaches = source.reaches if since else commits.__contains__
    known = state.newest if state else {}
    hashes = view.hashes
    found += check_anchors(anchors, hashes=hashes, reaches=reaches, known=known)
    if not view.entries and not view.known:
        found.append(finding("NO_LEDGER", "the ledger holds no record"))
    touched = {path for entry in view.entries.values() for path, *_ in entry.files}
    refinding = Refinding(source, places, standing(source, touched if state else None), history.human_paths)
    found += refinding.run()
    chosen = tuple(_chosen(found, options))
    broken = any(each.severity == "error" for each in found)
    return VerifyReport(
        tip=source.tip,
        records=len(view.entries) + view.known,
        judged=len(view.entries),
        commits=len(commits),
        blocks=dict(sorted(refinding.fates.items())),
        findings=chosen,
        state=None if broken or options.since else _state(source, view, anchors),
        incremental=state is not None,
    )


def _collect(
    records: dict[str, TraceRecord],
    places: Places,
    options: VerifyOptions,
    progress: Callable[[str, int], None],
) -> Callable[[TraceRecord], None]:
    """What is done with each record as it is read; only a strict look keeps them."""
    count = 0

    def collect(record: TraceRecord) -> None:
        nonlocal count
        count += 1
        places.apply(record)
        if options.strict:
            records[record.id] = record
        progress("records", count)

    return collect


def _chosen(found: Iterable[Finding], options: VerifyOptions) -> Iterator[Finding]:
    for each in found:
        of_intent = not options.intent or each.intent == options.intent
        of_path = not options.path or each.path == options.path
        if of_intent and of_path:
            yield each


def _state(source: Source, view: LedgerView, anchors: Iterable[Anchor]) -> VerifyState:
    return VerifyState(
        tip=source.tip,
        heads=view.heads,
        closed=view.closed,
        open=tuple(view.open),
        newest={anchor.clone: anchor.entry for anchor in anchors},
        records=len(view.entries) + view.known,
    )
