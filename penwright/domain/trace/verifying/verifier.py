"""Verifying a ledger, level by level; the second time, only what is new."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field

from penwright.domain.trace.living import LiveBlocks
from penwright.domain.trace.source import TraceSource
from penwright.domain.trace.verifying.anchors import (
    NO_REMOTE,
    RemoteLog,
    StoredAnchors,
    check_anchors,
    merge_stored_anchors,
    no_stored_anchors,
    shortened,
    standing_heads,
)
from penwright.domain.trace.verifying.history import HistoryCheck
from penwright.domain.trace.verifying.ledger import LedgerView
from penwright.domain.trace.verifying.refinding import Refinding
from penwright.domain.trace.verifying.report import VerifyOptions, VerifyReport, VerifyState, finding
from schemas.trace import Anchor, Finding, TraceRecord

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
    state: VerifyState | None = None,
    progress: Progress = _silent,
    *,
    stored: StoredAnchors = no_stored_anchors,
    remote: RemoteLog = NO_REMOTE,
) -> VerifyReport:
    """Levels 0 to 5 over the ledger at the tip.

    Args:
        state: of an earlier clean report; what it vouches for is not checked again. If the ledger is not
            that one with records added, or anything is found, everything is checked.
        progress: called with what is counted (``records``, ``commits``) and how many are done.
        stored: asked for the entries of the log outside the branch that the database remembers.
        remote: what is known of the remote that keeps the logs of other clones.
    """
    newest = state.newest if state else {}
    if state is not None and not options.strict and not options.since and source.reaches(state.tip):
        report = _Verification(source, options, state, progress, stored, remote, newest).report()
        if report is not None:
            return report
    report = _Verification(source, options, None, progress, stored, remote, newest).report()
    assert report is not None, "only an earlier state can be found unfit"
    return report


@dataclass(slots=True)
class _Verification:
    """One pass over the ledger, the log and the history."""

    source: TraceSource
    options: VerifyOptions
    state: VerifyState | None
    progress: Progress
    stored: StoredAnchors
    remote: RemoteLog
    newest: Mapping[str, str]
    """By clone, the newest entry of the log that an earlier verification saw, trusted or not."""
    found: list[Finding] = field(default_factory=list)

    @property
    def _since(self) -> str | None:
        return self.options.since or (self.state.tip if self.state else None)

    @property
    def _known(self) -> Mapping[str, str]:
        return self.state.newest if self.state else {}

    def report(self) -> VerifyReport | None:
        """The report; None if the ledger is not that of ``state`` with more records, or anything is found."""
        expected = LiveBlocks(counting=True)

        def take(record: TraceRecord) -> None:
            expected.apply(record)
            self.progress("records", expected.turns)

        view = LedgerView(self.source, self.state, take)
        view.read()
        if not view.extends:
            return None
        self.found += view.findings
        anchors = self._anchors()
        if anchors and self.state and not self.state.newest:
            return None  # what was judged without a log is judged again
        history, commits = self._history(view, anchors)
        self._check_anchors(view, anchors, commits)
        refinding = Refinding(self.source, expected, history.named, history.by_hand)
        self.found += refinding.run()
        if self.state and any(each.severity != "info" and each.code not in _PLACE for each in self.found):
            return None
        return self._report(view, anchors, len(commits), refinding)

    def _anchors(self) -> tuple[Anchor, ...]:
        logged = self.source.anchors(since=self._known)
        anchors, lost = merge_stored_anchors(
            logged, self.stored, known=self._known, holds=_holding(self.source, self._known)
        )
        self.found += [*lost, *shortened(logged, self.newest)]
        return anchors

    def _history(self, view: LedgerView, anchors: Sequence[Anchor]) -> tuple[HistoryCheck, set[str]]:
        """The checked history, and the ids of its commits."""
        heads = frozenset(head for anchor in anchors for head in anchor.heads)
        standing = standing_heads(anchors)
        history = HistoryCheck(self.source, view, heads, self._since, self.options.strict, standing)
        commits: set[str] = set()
        for commit in self.source.commits(since=self._since, bookkeeping=False):
            commits.add(commit.sha)
            self.found += history.commit(commit)
            self.progress("commits", len(commits))
        self.found += history.finish()
        if not self.options.since:
            self.found += history.uncommitted()
        return history, commits

    def _check_anchors(self, view: LedgerView, anchors: Sequence[Anchor], commits: Set[str]) -> None:
        reaches = self.source.reaches if self._since else commits.__contains__
        checked = check_anchors(
            anchors, hashes=view.hashes, reaches=reaches, known=self._known, remote=self.remote
        )
        if view.entries or view.known or anchors:
            self.found += checked
        else:
            self.found.append(
                finding("NO_LEDGER", "no ledger here: nothing was recorded that could be verified")
            )

    def _report(
        self, view: LedgerView, anchors: Sequence[Anchor], commits: int, refinding: Refinding
    ) -> VerifyReport:
        broken = any(each.severity == "error" for each in self.found)
        vouching = not broken and not self.options.since
        return VerifyReport(
            tip=self.source.tip,
            records=len(view.entries) + view.known,
            judged=len(view.entries),
            commits=commits,
            blocks={fate: count for fate, count in sorted(refinding.fates.items()) if count},
            findings=tuple(_abridged(_requested(self.found, self.options, view))),
            state=_state(self.source, view, anchors, self.state) if vouching else None,
            incremental=self.state is not None,
            anchored=bool(anchors),
        )


def _holding(source: TraceSource, known: Mapping[str, str]) -> Callable[[Anchor], bool]:
    """Whether git has one entry: asked for the log from there on, it then begins with that one."""

    def holds(anchor: Anchor) -> bool:
        anchors = source.anchors(since={**known, anchor.clone: anchor.entry})
        return any(each.entry == anchor.entry for each in anchors)

    return holds


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
