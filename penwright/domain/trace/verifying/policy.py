"""Level 5: whether the rules of its time allowed a record."""

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import NamedTuple

from penwright.domain.intents.approval import APPROVABLE
from penwright.domain.intents.governed import RULES
from penwright.domain.intents.ignoring import IGNORE_FILES, Ignored, read_ignored
from penwright.domain.intents.registry import REGISTRY, BrokenRegistry, Registry, read_registry
from penwright.domain.intents.scope import Scope
from penwright.domain.intents.tools import kind_of
from penwright.domain.trace.source import TraceSource
from penwright.domain.trace.verifying.entries import FileChange, RecordEntry
from penwright.domain.trace.verifying.report import finding
from schemas.intents import Intent, IntentStatus
from schemas.trace import Finding, MutationClass, MutationDetail, TracedCommit

_EVOLUTION = MutationClass.INTENT_EVOLUTION
_ORDER = list(MutationDetail)
_RULES = frozenset(RULES)


class Rules(NamedTuple):
    """The rules of the gate."""

    registry: Registry | None
    """None if it could not be read."""
    ignored: Ignored | None
    contents: Mapping[str, bytes | None]
    scopes: Mapping[str, Scope] = {}
    """By id of the intent."""


@dataclass(slots=True)
class RuleBook:
    """The rules at each commit, learnt from what the commits change."""

    source: TraceSource
    _at: dict[str, Rules] = field(default_factory=dict)

    def before(self, commit: TracedCommit) -> Rules:
        """The rules at the commit's first parent."""
        return self._of(commit.parents[0]) if commit.parents else _rules(dict.fromkeys(RULES))

    def learn(self, commit: TracedCommit, before: Rules) -> None:
        """Remember what holds from this commit on."""
        if len(commit.parents) > 1:
            same = all(self._of(each).contents == before.contents for each in commit.parents[1:])
            self._at[commit.sha] = before if same else self._read(commit.sha)
            return
        if _RULES.isdisjoint([each.path for each in commit.paths]):
            self._at[commit.sha] = before
            return
        changed = {
            each.path: self.source.blob(each.after) if each.after else None
            for each in commit.paths
            if each.path in RULES
        }
        self._at[commit.sha] = _rules({**before.contents, **changed})

    def _of(self, commit: str) -> Rules:
        found = self._at.get(commit)
        if found is None:
            found = self._at[commit] = self._read(commit)
        return found

    def _read(self, commit: str) -> Rules:
        return _rules({path: self.source.at(commit, path) for path in RULES})


def _rules(contents: Mapping[str, bytes | None]) -> Rules:
    texts = [contents[path] or b"" for path in IGNORE_FILES]
    try:
        ignored: Ignored | None = read_ignored(*(text.decode() for text in texts))
    except UnicodeDecodeError:
        ignored = None
    try:
        registry = read_registry(contents[REGISTRY])
        scopes = {intent.id: Scope.of(intent.owned_scope) for intent in registry.intents}
        return Rules(registry, ignored, contents, scopes)
    except BrokenRegistry:
        return Rules(None, ignored, contents)


def policy_faults(
    source: TraceSource, commit: TracedCommit, entries: Sequence[RecordEntry], rules: Rules
) -> Iterator[Finding]:
    """Denials that the gate would have given a commit's records, except approved ones.

    An approval is a record of its own beside those it covers.
    """
    lifted = {code for entry in entries if entry.header.approver for code in entry.header.excused}
    if entries:
        yield from _approval(commit, entries, lifted)
    for entry in entries:
        faults = _judged(source, commit, entry, rules)
        yield from (each for each in faults if _EXCUSED_BY.get(each.code) not in lifted)


_EXCUSED_BY = {
    "SCOPE_WAS_EXCEEDED": "SCOPE_VIOLATION",
    "CLASS_UNDERSTATED": "MUTATION_CLASS_UNDERSTATED",
    "INTENT_WAS_OTHERWISE": "INTENT_CHANGED",
}
"""Finding -> the denial that a person may approve."""


def _approval(commit: TracedCommit, entries: Sequence[RecordEntry], lifted: Set[str]) -> Iterator[Finding]:
    """An approval is in a record and on the commit, and covers only approvable denials."""
    entry = next((entry for entry in entries if entry.header.approver), entries[0])
    signed = commit.trailers.get("Approved-By", "")
    if signed.rpartition(" ")[0] != entry.header.approver:
        where = "the commit" if entry.header.approver and not signed else "the record"
        message = f"{where} of {commit.sha[:12]} does not say who approved it"
        yield record_finding(entry, "APPROVAL_UNBOUND", message, commit)
    beyond = sorted(lifted - APPROVABLE)
    if beyond:
        yield record_finding(entry, "APPROVAL_EXCEEDED", f"{beyond[0]} cannot be approved", commit)


def _judged(source: TraceSource, commit: TracedCommit, entry: RecordEntry, rules: Rules) -> Iterator[Finding]:
    yield from _class(commit, entry)
    if not entry.header.intent:
        if entry.header.contributor == "AI" and kind_of(entry.header.tool, source.profile) != "engine":
            yield record_finding(entry, "INTENT_MISSING", "a model wrote under no intent", commit)
        return
    intent = rules.registry.find(entry.header.intent) if rules.registry else None
    if intent is None:
        yield record_finding(
            entry, "INTENT_WAS_UNKNOWN", f"{entry.header.intent!r} was not in the registry", commit
        )
        return
    if intent.status is not IntentStatus.IN_PROGRESS:
        yield record_finding(
            entry, "INTENT_WAS_NOT_WRITABLE", f"{entry.header.intent!r} was {intent.status}", commit
        )
    if intent.digest != entry.header.digest:
        message = f"{entry.header.intent!r} had changed since it was selected"
        yield record_finding(entry, "INTENT_WAS_OTHERWISE", message, commit)
    if rules.ignored is None or rules.ignored.intent(intent.id):
        yield record_finding(
            entry, "INTENT_WAS_IGNORED", f"{entry.header.intent!r} stood in .intentignore", commit
        )
    for file in entry.files:
        if rules.ignored is not None and (pattern := rules.ignored.path(file.path)):
            message = f"{file.path!r} was protected by {pattern!r}"
            yield record_finding(entry, "PATH_WAS_IGNORED", message, commit, path=file.path)
        elif not _is_owned(source, rules.scopes[intent.id], intent, entry, file):
            message = f"{entry.header.intent!r} did not own {file.path!r}"
            yield record_finding(entry, "SCOPE_WAS_EXCEEDED", message, commit, path=file.path)


def _is_owned(
    source: TraceSource, scope: Scope, intent: Intent, entry: RecordEntry, file: FileChange
) -> bool:
    if scope.by_name(file.path):
        return True
    if not scope.may_own(file.path) or not set(entry.header.matched) <= set(intent.owned_scope):
        return False
    before, after = (source.blob(sha) if sha else None for sha in (file.before, file.after))
    return scope.allows(file.path, before, after) is not None


def _class(commit: TracedCommit, entry: RecordEntry) -> Iterator[Finding]:
    floor = MutationDetail(entry.header.floor)
    below = _ORDER.index(MutationDetail(entry.header.detail)) < _ORDER.index(floor)
    if below or (entry.header.coarse != _EVOLUTION and floor.coarse is _EVOLUTION):
        yield record_finding(
            entry, "CLASS_UNDERSTATED", f"an {floor} is called {entry.header.coarse}", commit
        )
    elif entry.header.declared and entry.header.declared != _EVOLUTION and floor.coarse is _EVOLUTION:
        yield record_finding(
            entry, "CLASS_UNDERSTATED", f"an {floor} was declared {entry.header.declared}", commit
        )


def record_finding(
    entry: RecordEntry, code: str, message: str, commit: TracedCommit | None = None, path: str = ""
) -> Finding:
    """A finding about a record, or about one of its files."""
    return finding(
        code,
        message,
        path=path or entry.segment,
        line=0 if path else entry.line,
        record=entry.id,
        commit=commit.sha if commit else "",
        intent=entry.header.intent,
    )
