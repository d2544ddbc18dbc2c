"""Workspaces in memory: the same rules as over git, for tests of everything above them.

A person's doings have methods of their own: ``edit``, ``commit_by_hand``, ``push_from_elsewhere``.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from copy import deepcopy
from datetime import UTC, datetime
from itertools import islice
from typing import Literal

from penwright.adapters.workspace import resolve_plan
from penwright.adapters.workspace.contents import text_of
from penwright.adapters.workspace.publishing import OpenGate, context_of, damaged
from penwright.domain.asked import asked_by, refuse_another
from penwright.domain.text.globs import Globs
from penwright.domain.trace.recorder.commit_context import CommitContext, RecordCase
from penwright.domain.trace.source import TraceSource
from penwright.domain.trailers import (
    CONTRIBUTOR,
    MERGE_OP,
    OP,
    RECONCILED,
    REQUEST,
    RESET,
    SAVE_OP,
    STEP,
    TAG,
)
from penwright.errors import BrokenWorkspace, NotFound, Refused, RemoteUnavailable
from penwright.ports.clock import Clock
from penwright.ports.workspaces import Gate, GateCase, Recorder, Tree
from schemas.base import CommitSha, Effect
from schemas.pipeline import PipelineProfile
from schemas.trace import Recorded
from schemas.workspace import (
    Claimed,
    Conflict,
    Contributor,
    FileVersion,
    LogFetched,
    MutationPlan,
    Previewed,
    Published,
    Pushed,
    Restored,
    RestorePlan,
    Snapshot,
    Synced,
    TextFile,
    Workspace,
)
from tests.support.doubles.workspaces import restoring
from tests.support.doubles.workspaces.merging import (
    advance,
    edited_today,
    human_edits,
    is_kept,
    merge_remote,
    merge_unsaved,
)
from tests.support.doubles.workspaces.repository import (
    AtTip,
    MemoryCommit,
    MemoryRepository,
    MemoryTrace,
    TipTree,
    blob_of,
    case_of,
    commit_of,
    merged_trees,
    note,
)


class MemoryWorkspaces:
    """The port without a disk."""

    def __init__(
        self,
        clock: Clock,
        gate: Gate | None = None,
        recorder: Recorder | None = None,
        *,
        profile: PipelineProfile,
    ) -> None:
        self._clock = clock
        self._gate = gate or OpenGate()
        self._recorder = recorder
        self._profile = profile
        self._repositories: dict[str, MemoryRepository] = {}

    # What people do.

    def create(self, workspace: Workspace, files: Mapping[str, str]) -> None:
        """A repository with one commit."""
        tree = {path: text.encode() for path, text in files.items()}
        first = commit_of(tree, (), {})
        self._repositories[workspace.path] = MemoryRepository({first.sha: first}, first.sha, dict(tree))

    def edit(self, workspace: Workspace, path: str, text: str | None) -> None:
        """Save a file, or remove it, without committing."""
        worktree = self._of(workspace).worktree
        if text is None:
            worktree.pop(path, None)
        else:
            worktree[path] = text.encode()

    def commit_by_hand(self, workspace: Workspace, path: str, text: str) -> None:
        """Save and commit one file."""
        repository = self._of(workspace)
        advance(
            repository,
            commit_of({**repository.tree, path: text.encode()}, (repository.tip,), {}, repository.author),
            self._clock.now(),
        )
        repository.worktree[path] = text.encode()

    def add_remote(self, workspace: Workspace) -> None:
        """A remote that has what the branch has."""
        repository = self._of(workspace)
        repository.remote = repository.tip

    def cut_remote(self, workspace: Workspace) -> None:
        """The remote does not answer any more."""
        self._of(workspace).reachable = False

    def push_from_elsewhere(self, workspace: Workspace, path: str, text: str) -> None:
        """Push one changed file from another clone."""
        repository = self._of(workspace)
        assert repository.remote is not None
        parent = repository.commits[repository.remote]
        commit = commit_of({**parent.tree, path: text.encode()}, (parent.sha,), {}, repository.author)
        repository.commits[commit.sha] = commit
        repository.remote = commit.sha

    def identify(self, workspace: Workspace, name: str) -> None:
        """Let ``name`` be git's author of what people commit from now on."""
        self._of(workspace).author = name

    def make_remote_since(self, workspace: Workspace, commit: str) -> None:
        """Let what was committed since ``commit`` have been pushed from another clone, and not be here."""
        repository = self._of(workspace)
        repository.remote, repository.tip = repository.tip, commit
        repository.worktree = dict(repository.tree)

    def rebase(self, workspace: Workspace, *, stripped: bool = False) -> None:
        """Replay what the remote lacks on top of it, as git does; ``stripped``: without trailers."""
        repository = self._of(workspace)
        assert repository.remote is not None
        there = _ids(repository.history(repository.remote))
        ours = [each for each in repository.history(repository.tip) if each.sha not in there]
        onto = repository.commits[repository.remote]
        for each in reversed(ours):
            tree, _ = merged_trees(repository.commits[each.parents[0]].tree, onto.tree, each.tree)
            onto = commit_of(tree, (onto.sha,), {} if stripped else each.trailers, each.author)
            repository.commits[onto.sha] = onto
        advance(repository, onto, self._clock.now())

    def lying(self, workspace: Workspace, path: str) -> str | None:
        """What the worktree holds."""
        content = self._of(workspace).worktree.get(path)
        return None if content is None else content.decode()

    # The port.

    def kept_open(self, workspace: Workspace) -> AbstractContextManager[None]:
        """Nothing to open."""
        return nullcontext()

    def check(self, workspace: Workspace) -> None:
        """Raise when there is no such repository."""
        self._of(workspace)

    def preview(
        self,
        workspace: Workspace,
        effect: Effect,
        patterns: Sequence[str],
        *,
        known: Sequence[str],
        engine: Sequence[str] = (),
        names: Sequence[str] = (),
        tool: str = "",
        remote: bool = True,
    ) -> Previewed:
        """The files as ``sync`` would leave them."""
        present = self._of(workspace)
        trial, wanted = deepcopy(present), Globs.of(engine)
        saved, _, ignored = self._save(trial, effect, known)
        edits = {path for path in (*saved, *human_edits(trial)) if path not in wanted}
        if trial.remote is not None and trial.reachable and remote:
            self._merge_remote(trial, None)
            edits |= {path for path in human_edits(trial) if path not in wanted}
        context = CommitContext(effect, Contributor.ENGINE, tool)
        made = self._record(trial, case_of(trial, trial.tree, context, self._clock.now()))
        snapshot = _snapshot(trial.tree, trial.tip, patterns, names)
        return Previewed(
            snapshot=snapshot.model_copy(update={"tip": present.tip}),
            human_edits=tuple(sorted(edits)) if remote else (),
            moved=remote
            and present.remote is not None
            and present.remote not in _ids(present.history(present.tip)),
            remote=_answer(present) if remote else "none",
            ignored=tuple(sorted(ignored)),
            denial=damaged(made.damage) if tool and made.damage else None,
        )

    def sync(
        self,
        workspace: Workspace,
        effect: Effect,
        *,
        known: Sequence[str],
        engine: Sequence[str],
        after: Previewed | None = None,
    ) -> Synced:
        """Commit human edits as theirs and merge the remote."""
        repository = self._of(workspace)
        repository.adopted = repository.adopted or repository.tip
        _, conflicts, ignored = self._save(repository, effect, known)
        if repository.remote is not None and repository.reachable:
            conflicts += self._merge_remote(repository, effect)
        wanted = Globs.of(engine)
        edits = {path for path in human_edits(repository) if path not in wanted}
        today = {path for path in edited_today(repository, effect) if path not in wanted}
        return Synced.model_validate(
            {
                "tip": repository.tip,
                "human_edits": sorted(edits),
                "edited_today": sorted(today),
                "remote": _answer(repository),
                "reason": "" if repository.reachable or repository.remote is None else "remote-unreachable",
                "conflicts": conflicts,
                "ignored": sorted(ignored),
                "kept": sorted(
                    path for path in repository.tree if is_kept(repository, path, self._profile.permanent)
                ),
            }
        )

    def save_human_edits(
        self,
        workspace: Workspace,
        effect: Effect,
        *,
        known: Sequence[str],
        engine: Sequence[str],
        left: Sequence[str] = (),
    ) -> tuple[str, ...]:
        """Commit what a person left unsaved."""
        saved, _, _ = self._save(self._of(workspace), effect, known, left)
        wanted = Globs.of(engine)
        return tuple(sorted(path for path in saved if path not in wanted))

    def text(self, workspace: Workspace, blob: str) -> str | None:
        """The text of a blob of any commit."""
        commits = self._of(workspace).commits.values()
        contents = (content for commit in commits for content in commit.tree.values())
        found = next((content for content in contents if blob_of(content) == blob), None)
        return None if found is None else text_of(found)

    def snapshot(
        self,
        workspace: Workspace,
        patterns: Sequence[str],
        *,
        names: Sequence[str] = (),
        at: str | None = None,
    ) -> Snapshot:
        """Files at a commit."""
        repository = self._of(workspace)
        sha = repository.tip if at is None else repository.tags.get(at.removeprefix("refs/tags/"), at)
        if sha not in repository.commits:
            raise NotFound("no-such-commit", f"{at!r} is no commit; take one from the log")
        return _snapshot(repository.commits[sha].tree, sha, patterns, names)

    def find(self, workspace: Workspace, effect: Effect) -> Published | None:
        """What an earlier attempt published."""
        repository = self._of(workspace)
        return next(
            (
                _published(commit, repeated=True)
                for commit in repository.history(repository.tip)
                if commit.trailers.get(OP) == effect.op_id
            ),
            None,
        )

    def publish(self, plan: MutationPlan, effect: Effect) -> Published:
        """One commit of ``plan``, once per effect."""
        if (denial := resolve_plan.escaping(plan)) is not None:
            return Published(outcome="denied", denial=denial)
        resolve_plan.refuse_unsound(plan)
        repository = self._of(plan.workspace)
        done = self.find(plan.workspace, effect)
        if done is not None:
            refuse_another(effect.op_id, asked_by(plan), done.trailers)
            return done
        settled = resolve_plan.resolve(plan, AtTip(repository))
        if settled.conflicts:
            return Published(outcome="conflict", reconciled=settled.moved, conflicts=tuple(settled.conflicts))
        denial = self._gate.judge(GateCase(plan, TipTree(repository.tree), settled.contents, effect.op_id))
        if denial is not None:
            return Published(outcome="denied", denial=denial)
        if not settled.contents:
            return Published(outcome="unchanged", commit=CommitSha(repository.tip))
        return self._publish(repository, plan, effect, settled)

    def _publish(
        self, repository: MemoryRepository, plan: MutationPlan, effect: Effect, settled: resolve_plan.Settled
    ) -> Published:
        blobs = {blob_of(content): content for content in repository.tree.values()}
        tree = dict(repository.tree)
        for path, content in settled.contents.items():
            tree.pop(path, None)
            if content is not None:
                tree[path] = blobs[content] if isinstance(content, str) else content
        case = case_of(repository, tree, context_of(plan, effect), self._clock.now())
        made = self._record(repository, case)
        if made.damage:
            return Published(outcome="denied", denial=damaged(made.damage))
        tree |= made.files
        trailers = {
            OP: effect.op_id,
            REQUEST: asked_by(plan),
            **dict(plan.trailers),
            CONTRIBUTOR: (Contributor.ENGINE if plan.marks_alone else plan.contributor).value,
            **dict(made.trailers),
        }
        if plan.tag:
            trailers[TAG] = _free(plan.tag, repository.tags.keys() | repository.retired)
            repository.tags[trailers[TAG]] = repository.tip
        if settled.moved:
            trailers[RECONCILED] = "yes"
        commit = commit_of(tree, (repository.tip,), trailers, repository.author)
        unsaved = advance(repository, commit, self._clock.now())
        note(repository, effect, made.heads)
        return _published(commit, repeated=False).model_copy(update={"unsaved": unsaved})

    def _record(self, repository: MemoryRepository, case: RecordCase) -> Recorded:
        return self._recorder.record(case) if self._recorder else Recorded()

    def push(self, workspace: Workspace, effect: Effect) -> Pushed:
        """Bring the branch to the remote."""
        repository = self._of(workspace)
        if repository.remote is None:
            return Pushed(outcome="local", tip=CommitSha(repository.tip))
        if not repository.reachable:
            raise RemoteUnavailable(
                "remote-unreachable", "the remote did not answer; it is tried again later"
            )
        met = self._merge_remote(repository, None) if repository.remote != repository.aside else []
        repository.remote, repository.aside = repository.tip, None
        conflicts = tuple(dict.fromkeys(conflict.path for conflict in met))
        return Pushed(outcome="pushed", tip=CommitSha(repository.tip), conflicts=conflicts)

    def claim(self, workspace: Workspace, effect: Effect) -> Claimed:
        """Push the commit of ``effect``, or take it back."""
        repository = self._of(workspace)
        there = {commit.sha for commit in repository.history(repository.tip)}
        moved = repository.reachable and repository.remote not in (None, repository.aside, *there)
        if moved and self._take_back(repository, effect):
            return Claimed(outcome="lost")
        if self.push(workspace, effect).outcome == "local":
            return Claimed(outcome="local")
        return Claimed(outcome="merged" if moved else "held")

    def take_back(self, workspace: Workspace, effect: Effect) -> bool:
        """Undo what the engine committed and merged for ``effect``."""
        return self._take_back(self._of(workspace), effect)

    def _take_back(self, repository: MemoryRepository, effect: Effect) -> bool:
        before = commit = repository.commits[repository.tip]
        if commit.trailers.get(OP) == effect.op_id:
            before = repository.commits[commit.parents[0]]
        while before.trailers.get(MERGE_OP, "").startswith(f"{effect.op_id}/"):
            before = repository.commits[before.parents[0]]
        if before is commit or repository.remote == commit.sha:
            return False
        advance(repository, before, self._clock.now())
        repository.tags.pop(commit.trailers.get(TAG, ""), None)
        return True

    @contextmanager
    def trace(self, workspace: Workspace) -> Iterator[TraceSource]:
        """The ledger and its history."""
        repository = self._of(workspace)
        yield MemoryTrace(repository, tuple(reversed(repository.history(repository.tip))), self._profile)

    @contextmanager
    def tree(self, workspace: Workspace) -> Iterator[Tree]:
        """The files at the tip."""
        yield TipTree(self._of(workspace).tree)

    def fetch_log(self, workspace: Workspace, *, anyway: bool = False) -> LogFetched:
        """Nothing to fetch: all clones in memory share one log."""
        return LogFetched(known=bool(self._of(workspace).log), remote="not-asked")

    def maintain(self, workspace: Workspace) -> bool:
        """Nothing to pack."""
        self._of(workspace)
        return False

    def pack(self, workspace: Workspace) -> int | None:
        """Nothing to pack."""
        self._of(workspace)
        return None

    def unpushed(self, workspace: Workspace) -> int:
        """Commits the remote lacks."""
        repository = self._of(workspace)
        if repository.remote is None:
            return 0
        there = {commit.sha for commit in repository.history(repository.remote)}
        return sum(commit.sha not in there for commit in repository.history(repository.tip))

    def restore(
        self,
        workspace: Workspace,
        effect: Effect,
        *,
        target: str | None,
        undo: bool,
        known: Sequence[str] = (),
        listed: str = "",
    ) -> Restored:
        """Archive and go back, or undo that."""
        repository = self._of(workspace)
        if (done := restoring.earlier(repository, effect)) is not None:
            return done
        if listed and listed != self.planned(workspace, target=target, undo=undo).digest:
            raise Refused("stale-revision", "the book was changed since this was listed")
        now = self._clock.now()
        if undo:
            restored = restoring.undo(repository, effect, target, now)
        else:
            restored = restoring.leap(repository, effect, self._back(workspace, target), now)
        if self._recorder and repository.log:
            note(repository, effect, self._recorder.heads(TipTree(repository.tree)), kind="revocation")
        return restored

    def _back(self, workspace: Workspace, target: str | None) -> restoring.Leap:
        repository, tags = self._of(workspace), self.tags(workspace)
        name = target or (tags[-1] if tags else None)
        goal = repository.tags.get(name or "", name if name in repository.commits else None)
        if name is None:
            raise NotFound("no-session-tag", f"{workspace.path!r} has no session to go back to")
        if goal is None:
            raise NotFound("no-such-tag", f"there is no session tag {target!r}; list them", target=name)
        return restoring.Leap(name, goal, retired=tags[tags.index(name) :] if name in tags else ())

    def archive(self, workspace: Workspace, effect: Effect, *, known: Sequence[str] = ()) -> Restored:
        """Archive the present."""
        repository = self._of(workspace)
        done = restoring.earlier(repository, effect)
        return done or restoring.keep(repository, effect, workspace.branch, self._clock.now())

    def changed_at(self, workspace: Workspace, path: str) -> datetime | None:
        """When the newest commit that changed ``path`` was made."""
        repository = self._of(workspace)
        for commit in repository.history(repository.tip):
            if path in repository.changed(commit):
                return repository.made_at.get(commit.sha)
        return None

    def versions(self, workspace: Workspace, path: str, *, limit: int = 50) -> tuple[FileVersion, ...]:
        """The newest commits that changed ``path``; commits in memory have neither author nor title."""
        repository = self._of(workspace)
        changing = (
            commit
            for commit in repository.history(repository.tip)
            if len(commit.parents) < 2 and path in repository.changed(commit)
        )
        return tuple(
            FileVersion(
                commit=CommitSha(commit.sha),
                at=repository.made_at.get(commit.sha, datetime.fromtimestamp(0, UTC)),
                blob=blob_of(commit.tree[path]) if path in commit.tree else "",
                author="",
                title="",
                trailers=dict(commit.trailers),
            )
            for commit in islice(changing, limit)
        )

    def settle_lost(
        self,
        workspace: Workspace,
        effect: Effect,
        *,
        accept: bool,
        known: Sequence[str] = (),
        listed: str = "",
    ) -> Restored:
        """A remote in memory loses nothing."""
        raise Refused("nothing-lost", "the remote has everything that was published")

    def planned_acceptance(self, workspace: Workspace, *, known: Sequence[str] = ()) -> RestorePlan:
        """A remote in memory loses nothing."""
        raise Refused("nothing-lost", "the remote has everything that was published")

    def planned(
        self, workspace: Workspace, *, target: str | None, undo: bool, known: Sequence[str] = ()
    ) -> RestorePlan:
        """What ``restore`` would do now; commits in memory have no title."""
        repository = self._of(workspace)
        if undo:
            name = restoring.brought_back(repository, target)
            return restoring.plan(repository, name, repository.archives[name].back_to, undo=True)
        to = self._back(workspace, target)
        return restoring.plan(repository, to.name, to.goal, undo=False)

    def lost(self, workspace: Workspace) -> str:
        """A clause that names what the remote lost, while no one has decided on it; else empty."""
        return ""

    def can_undo(self, workspace: Workspace) -> bool:
        """Whether a rollback or reset of the branch is left to undo."""
        return bool(restoring.undoable(self._of(workspace)))

    def tags(self, workspace: Workspace) -> tuple[str, ...]:
        """Session tags of this life, oldest first."""
        repository = self._of(workspace)
        alive: list[str] = []
        for commit in repository.history(repository.tip):
            if commit.trailers.get(STEP) == RESET:
                break
            alive.append(commit.sha)
        order = list(reversed(alive))
        return tuple(
            sorted(
                (t for t, at in repository.tags.items() if at in order),
                key=lambda t: order.index(repository.tags[t]),
            )
        )

    # Rules.

    def _of(self, workspace: Workspace) -> MemoryRepository:
        try:
            return self._repositories[workspace.path]
        except KeyError:
            raise BrokenWorkspace(
                "workspace-missing", f"{workspace.path!r} does not exist; check the path or clone it again"
            ) from None

    def _merge_remote(self, repository: MemoryRepository, effect: Effect | None) -> tuple[Conflict, ...]:
        theirs_win = self._profile.remote_wins
        return merge_remote(repository, effect, self._clock.now(), theirs_win=theirs_win)

    def _save(
        self,
        repository: MemoryRepository,
        effect: Effect,
        known: Sequence[str],
        left: Sequence[str] = (),
    ) -> tuple[list[str], tuple[Conflict, ...], list[str]]:
        tree, saved, conflicts, ignored = merge_unsaved(repository, known, left, self._profile.permanent)
        again = any(c.trailers.get(SAVE_OP) == effect.op_id for c in repository.history(repository.tip))
        if not saved or again:
            return [], (), ignored
        trailers = {SAVE_OP: effect.op_id, CONTRIBUTOR: Contributor.HUMAN.value}
        for path in saved:
            repository.bases.pop(path, None)
            repository.worktree.pop(path, None)
            if path in tree:
                repository.worktree[path] = tree[path]
        context = CommitContext(effect, Contributor.HUMAN, "save")
        made = self._record(repository, case_of(repository, tree, context, self._clock.now()))
        tree, trailers = {**tree, **made.files}, {**trailers, **dict(made.trailers)}
        repository.worktree |= made.files
        commit = commit_of(tree, (repository.tip,), trailers, repository.author)
        repository.commits[commit.sha] = commit
        repository.tip = commit.sha
        note(repository, effect, made.heads)
        return saved, conflicts, ignored


def _snapshot(tree: Mapping[str, bytes], tip: str, patterns: Sequence[str], names: Sequence[str]) -> Snapshot:
    wanted = Globs.of(patterns)
    asked = {path: content for path, content in tree.items() if path in wanted}
    files = {
        path: TextFile(path=path, blob=blob_of(content), text=text)
        for path, content in asked.items()
        if (text := text_of(content)) is not None
    }
    return Snapshot(
        tip=CommitSha(tip),
        files=files,
        names={path: blob_of(content) for path, content in tree.items() if path in Globs.of(names)},
        unreadable=tuple(sorted(asked.keys() - files.keys())),
        holding_nul=tuple(sorted(path for path, content in asked.items() if b"\0" in content)),
    )


def _answer(repository: MemoryRepository) -> Literal["current", "unreachable", "none"]:
    if repository.remote is None:
        return "none"
    return "current" if repository.reachable else "unreachable"


def _ids(commits: Iterable[MemoryCommit]) -> set[str]:
    return {commit.sha for commit in commits}


def _published(commit: MemoryCommit, *, repeated: bool) -> Published:
    return Published(
        outcome="published",
        commit=CommitSha(commit.sha),
        tag=commit.trailers.get(TAG),
        repeated=repeated,
        trailers=dict(commit.trailers),
        reconciled=RECONCILED in commit.trailers,
    )


def _free(wanted: str, taken: set[str]) -> str:
    number = 1
    while (name := wanted if number == 1 else f"{wanted}-{number}") in taken:
        number += 1
    return name
