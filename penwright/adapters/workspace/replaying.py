"""Commits made again on another tip, each with its message, its author and its records."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from penwright.adapters.workspace import recording
from penwright.adapters.workspace.committed import CommittedTree
from penwright.adapters.workspace.git.commits import Commit, trailers_in
from penwright.adapters.workspace.git.repository import Repository, contributor_of
from penwright.adapters.workspace.peoples_changes import Kept
from penwright.adapters.workspace.syncing import common
from penwright.adapters.workspace.trees import changed, difference, merge_trees
from penwright.domain.trace.layout import CLOSED, LEDGER, MAP, is_ledger, segment_numbers, segment_path
from penwright.domain.trace.reading import records_in
from penwright.domain.trace.recorder.commit_context import CommitContext, RecordCase
from penwright.domain.trailers import AUTHORSHIP, MODEL, TRANSPLANTED
from penwright.errors import Refused
from schemas.base import Effect, OpId
from schemas.intents import Approval, IntentPin
from schemas.trace import Decision, TraceRecord
from schemas.workspace import Contributor

_RECORDED = ("Trace-Id", "Trace-Head", "Mutation-Class")
"""Trailers that a commit made again has of its own."""


def replayed(repository: Repository, effect: Effect, tip: str, lost: str, goal: str) -> Kept:
    """Make the commits of ``tip`` that ``lost`` lacks again on top of ``goal``; moves nothing.

    Raises:
        Refused: ``ledger-damaged``, where the ledger at ``goal`` cannot be continued.
    """
    made = Kept(goal)
    for commit in _commits(repository, tip, lost, goal):
        again = _Replay(repository, effect, commit, made.tip)
        made = again.made(made)
    return made


def _commits(repository: Repository, tip: str, *without: str) -> Iterator[Commit]:
    bounds = (f"^{each}" for each in without)
    listed = repository.git.run("rev-list", "--reverse", "--topo-order", tip, *bounds).decode().split()
    yield from map(repository.objects.commit, listed)


@dataclass(frozen=True, slots=True)
class _Replay:
    """One commit, and the tip on which it is made again."""

    repository: Repository
    effect: Effect
    commit: Commit
    tip: str

    def made(self, before: Kept) -> Kept:
        """The commits kept ``before``, and this one on top."""
        here = self.repository.tree(self.tip)
        base = self._base()
        tree = self._merged(base, here)
        if len(self.commit.parents) > 1 and tree == here:
            return before
        trail = self._trail(base, tree)
        if trail.recorded.damage:
            raise Refused(
                "ledger-damaged",
                f"the remote's ledger of changes is damaged ({trail.recorded.damage}); nothing was changed",
                hint="put it back where it was pushed from, with `penwright trace repair BOOK`",
            )
        written = {path: entry for path, (_, entry) in trail.changes.items()}
        tree = changed(self.repository.objects, tree, written)
        copy = self._copy(tree, trail.trailers)
        heads = {copy: trail.recorded.heads} if trail.recorded.heads else {}
        return Kept(copy, (*before.commits, self.commit.sha), before.gone, {**before.recorded, **heads})

    def _base(self) -> str:
        """The tree that the commit changed; for a merge, that of its parents merged."""
        objects = self.repository.objects
        if not self.commit.parents:
            return objects.write_tree({})
        first, *others = self.commit.parents
        base = self.repository.tree(first)
        for other in others:
            fork = self.repository.tree(common(self.repository, first, other))
            merged = merge_trees(objects, fork, base, self.repository.tree(other))
            base = changed(objects, base, merged.entries)
        return base

    def _merged(self, base: str, here: str) -> str:
        """The tip's tree with the commit's changes; the ledger and its map grow by records of their own."""
        repository = self.repository
        wins = repository.remote_wins
        entries = merge_trees(repository.objects, base, here, self.commit.tree, theirs_win=wins).entries
        recorded = repository.recorder is not None
        return changed(
            repository.objects,
            here,
            {
                path: entry
                for path, entry in entries.items()
                if not (recorded and (is_ledger(path) or path == MAP))
            },
        )

    def _trail(self, base: str, tree: str) -> recording.Trail:
        """The records of the commit as it is made again; none of a commit of the engine that had none."""
        repository = self.repository
        former = self._records(self.commit.tree, _ids(self.commit)) or self._by_hand(base)
        if not former:
            return recording.Trail()
        changes = recording.text_changes(
            repository, difference(repository.objects, repository.tree(self.tip), tree)
        )
        return recording.trail(repository, self.tip, self._context(former), changes, former=former)

    def _records(self, tree: str, ids: Sequence[str]) -> tuple[TraceRecord, ...]:
        """The records of these ids in the ledger of a tree."""
        held = CommittedTree(self.repository.objects, tree)
        closed = reversed(segment_numbers(held.names(CLOSED)))
        wanted, found = set(ids), list[TraceRecord]()
        for path in (LEDGER, *map(segment_path, closed)):
            if not wanted:
                break
            found += [each for each in records_in([held.content(path) or b""]) if each.id in wanted]
            wanted -= {each.id for each in found}
        return tuple(found)

    def _by_hand(self, base: str) -> tuple[TraceRecord, ...]:
        """Records of a person's commit as a session would have made them where it was.

        Only there the ledger knows whose text it changed.
        """
        recorder, objects = self.repository.recorder, self.repository.objects
        if (
            recorder is None
            or contributor_of(self.commit) is not Contributor.HUMAN
            or not self.commit.parents
        ):
            return ()
        recorded = recorder.record(
            RecordCase(
                context=self._context(()),
                tip=CommittedTree(objects, base),
                parent=self.commit.parents[0],
                branch=self.repository.workspace.branch,
                changes=recording.text_changes(self.repository, difference(objects, base, self.commit.tree)),
                at=self.commit.at,
            )
        )
        ids = set(dict(recorded.trailers).get("Trace-Id", "").split(","))
        return tuple(each for each in records_in([recorded.files.get(LEDGER, b"")]) if each.id in ids)

    def _context(self, former: Sequence[TraceRecord]) -> CommitContext:
        last = former[-1] if former else None
        op_id = last.op.key if last else f"{self.effect.op_id}/{self.commit.sha[:12]}"
        intent, decided = (last.intent if last else None), [each.decision for each in former if each.decision]
        trailers = self.commit.trailers
        return CommitContext(
            effect=Effect(op_id=OpId(op_id), issued_at=self.effect.issued_at),
            contributor=contributor_of(self.commit),
            tool=last.tool.name if last else "save",
            model=trailers.get(MODEL, ""),
            pin=IntentPin(intent_id=intent.id, digest=intent.registry_digest) if intent else None,
            declared=last.mutation.declared if last else None,
            approval=_approval(decided[-1]) if decided else None,
            authorship=trailers.get(AUTHORSHIP, ""),
        )

    def _copy(self, tree: str, recorded: Sequence[tuple[str, str]]) -> str:
        told = trailers_in(self.commit.message)
        text = self.commit.message
        if told:
            text = text.rstrip("\n").rpartition("\n\n")[0]
        kept = [(name, value) for name, value in told if name not in (*_RECORDED, TRANSPLANTED)]
        return self.repository.commit(
            tree,
            [self.tip],
            self.effect,
            text,
            [*kept, (TRANSPLANTED, self.commit.sha), *recorded],
            author=self.commit.person,
        )


def _ids(commit: Commit) -> list[str]:
    listed = (value.split(",") for name, value in trailers_in(commit.message) if name == "Trace-Id")
    return [each for ids in listed for each in ids if each]


def _approval(decision: Decision) -> Approval:
    return Approval(
        id=decision.approval,
        plan_digest=decision.plan_digest,
        codes=decision.codes,
        by=decision.by,
        reason=decision.reason,
    )
