"""The port ``Workspaces`` over git."""

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager, nullcontext
from dataclasses import dataclass, field
from datetime import UTC, datetime

from penwright.adapters.workspace import (
    claiming,
    lost_sessions,
    packing,
    previewing,
    publishing,
    pushing,
    restoring,
    saving,
    syncing,
)
from penwright.adapters.workspace.committed import CommittedTree
from penwright.adapters.workspace.contents import text_of
from penwright.adapters.workspace.git import layout as layouts
from penwright.adapters.workspace.git.caches import ObjectCaches
from penwright.adapters.workspace.git.commands import git_environment, plain_environment
from penwright.adapters.workspace.git.complaints import named_errors
from penwright.adapters.workspace.git.layout import Layout
from penwright.adapters.workspace.git.objects import Objects
from penwright.adapters.workspace.git.repository import Repository, opened
from penwright.adapters.workspace.publishing import OpenGate
from penwright.adapters.workspace.slots import RepositorySlots
from penwright.adapters.workspace.tracing import GitTraceSource, knows_log
from penwright.adapters.workspace.trees import entry_at, matching
from penwright.adapters.workspace.worktree import Worktree
from penwright.domain.text.globs import Globs
from penwright.domain.trace.source import TraceSource
from penwright.errors import NotFound, Refused
from penwright.ports.clock import Clock
from penwright.ports.workspaces import Gate, Recorder, Tree
from schemas.base import CommitSha, Effect, OpId
from schemas.pipeline import PipelineProfile
from schemas.workspace import (
    SILENT,
    Claimed,
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
    is_silent,
)

_PUSH_ATTEMPTS = 4
_LOG_TIMEOUT_S = 20.0
"""Seconds for fetching the log: the command that wants it goes on without it."""


@dataclass(frozen=True, slots=True)
class GitWorkspaces:
    """Git repositories on this host's disk."""

    clock: Clock
    gate: Gate = field(default_factory=OpenGate)
    recorder: Recorder | None = None
    """Writes the ledger; without one, changes are not recorded."""
    profile: PipelineProfile = field(kw_only=True)
    """The kind of workspaces they are; a reader of the ledger with another one reports false findings."""
    environment: Mapping[str, str] = field(default_factory=plain_environment)
    """Environment from which git gets PATH, HOME, proxies and agents, and nothing else."""
    lock_wait_s: float = 20.0
    """Seconds to wait for another process before ``WorkspaceBusy``."""
    network_timeout_s: float = 120.0
    """Seconds before a fetch or push is killed with all its children."""
    slots: RepositorySlots | None = None
    """Slots that steps of a worker take in ``kept_open`` and lend while they wait for a remote."""
    registered: Callable[[Workspace], bool] | None = None
    """Whether a step of a worker may open a folder; an order could name any that its user can write."""
    caches: ObjectCaches = field(default_factory=ObjectCaches, repr=False)
    _kept: threading.local = field(default_factory=threading.local, repr=False)
    """Objects that ``kept_open`` opened, for each thread."""

    def check(self, workspace: Workspace) -> None:
        """Raise ``BrokenWorkspace`` when the repository is in a state we must not touch."""
        with self._reading(workspace) as repository:
            layouts.refuse_unwritable(repository.layout)
            layouts.refuse_unfinished(repository.layout)
            head = repository.layout.head()
            loose = not head.startswith("refs/")
            own = _commits_only_at(repository, head) if loose else 0
            if loose or repository.objects.resolve(repository.ref) is not None:
                layouts.refuse_other_head(repository.layout, workspace.branch, own_commits=own)
            repository.tip()

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
        """Read the files as ``sync`` would leave them; moves no branch."""
        found, reason = self._fetched(workspace) if remote else ("none", "")
        with self._alone(workspace) as repository:
            edits, left_out, tree = previewing.unsaved(repository, known, self.profile.permanent)
            tree = syncing.merged_tree(repository, tree) if remote else tree
            return Previewed.model_validate(
                {
                    "snapshot": _snapshot(repository, repository.tip(), tree, patterns, names),
                    "human_edits": previewing.edited(repository, effect, edits, engine) if remote else (),
                    "moved": remote and previewing.has_moved(repository),
                    "remote": found,
                    "reason": reason,
                    "ignored": left_out.ignored,
                    "not_utf8": left_out.not_utf8,
                    "ignored_because": left_out.because,
                    "denial": previewing.ledger_denial(repository, tree, effect, tool) if tool else None,
                }
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
        """Commit human edits as theirs, fetch, and reconcile with the remote branch."""
        fetched = (after.remote, after.reason) if after else self._fetched(workspace)
        with self._alone(workspace) as repository:
            return syncing.sync(repository, effect, fetched, known, engine, self.profile.permanent)

    def _fetched(self, workspace: Workspace) -> tuple[str, str]:
        with self._reading(workspace) as repository, self._waiting():
            # Without the lock: a slow network must not block publishing.
            return syncing.fetch(repository, timeout_s=self.network_timeout_s)

    def save_human_edits(
        self,
        workspace: Workspace,
        effect: Effect,
        *,
        known: Sequence[str],
        engine: Sequence[str],
        left: Sequence[str] = (),
    ) -> tuple[str, ...]:
        """Commit uncommitted human edits as theirs; returns their paths without the engine's."""
        with self._alone(workspace) as repository:
            worktree, permanent = Worktree.of(repository), self.profile.permanent
            saved = saving.save(repository, worktree, effect, known, permanent, left)
        engine_files = Globs.of(engine)
        return tuple(path for path in saved.paths if path not in engine_files)

    def text(self, workspace: Workspace, blob: str) -> str | None:
        """Return the text of a blob by its id."""
        if not blob or not all(sign in "0123456789abcdef" for sign in blob):
            return None
        with self._reading(workspace) as repository:
            content = repository.objects.blob_if(blob)
        return None if content is None else text_of(content)

    def snapshot(
        self,
        workspace: Workspace,
        patterns: Sequence[str],
        *,
        names: Sequence[str] = (),
        at: str | None = None,
    ) -> Snapshot:
        """Read the files that match ``patterns`` at ``at``, or at the branch tip."""
        with self._reading(workspace) as repository:
            tip = repository.tip() if at is None else repository.objects.resolve(at.replace("\n", ""))
            if tip is None:
                raise NotFound(
                    "no-such-commit", f"{at!r} is no commit of {workspace.path!r}; take one from its log"
                )
            return _snapshot(repository, tip, repository.tree(tip), patterns, names)

    def find(self, workspace: Workspace, effect: Effect) -> Published | None:
        """Find the publication by an earlier attempt of ``effect``; None if there is none."""
        with self._reading(workspace) as repository:
            done = repository.done(repository.tip(), effect)
        return publishing.repeated(done) if done else None

    def publish(self, plan: MutationPlan, effect: Effect) -> Published:
        """Make one commit of ``plan``, once per effect."""
        with self._alone(plan.workspace) as repository:
            return publishing.publish(repository, self.gate, plan, effect)

    def push(self, workspace: Workspace, effect: Effect) -> Pushed:
        """Bring branch, tags and archives to the remote without force.

        ``pending`` is final until a person acts; ``RemoteUnavailable`` is raised when a retry may help.
        """
        met: dict[str, None] = {}
        for _ in range(_PUSH_ATTEMPTS):
            with self._alone(workspace) as repository:
                # The attempt that committed may have died before it updated the files.
                Worktree.of(repository)
                if not syncing.has_remote(repository):
                    return Pushed(outcome="local", tip=CommitSha(repository.tip()))
                if held := lost_sessions.held(repository):
                    return _held_back(repository, held)
                wanted = pushing.plan_push(repository)
            with self._reading(workspace) as repository, self._waiting():
                pushed = pushing.send(repository, wanted, timeout_s=self.network_timeout_s)
                if pushed is not None:
                    return pushed.model_copy(update={"conflicts": tuple(met)})
                _, reason = syncing.fetch(repository, timeout_s=self.network_timeout_s)
                if is_silent(reason):
                    return Pushed(outcome="pending", tip=CommitSha(wanted.tip), code=SILENT, reason=reason)
            with self._alone(workspace) as repository:
                taken_in = syncing.take_in_remote(repository, Worktree.of(repository), effect)
                met |= {conflict.path: None for conflict in taken_in}
        reason = "the remote kept moving; the next session tries again"
        return Pushed(outcome="pending", tip=CommitSha(wanted.tip), code="remote-keeps-moving", reason=reason)

    def claim(self, workspace: Workspace, effect: Effect) -> Claimed:
        """Push the commit of ``effect`` and its tag, both or none; take it back if the remote has moved."""
        with self._alone(workspace) as repository:
            # The attempt that committed may have died before it updated the files.
            Worktree.of(repository)
            if not syncing.has_remote(repository):
                return Claimed(outcome="local")
            wanted = pushing.plan_claim(repository)
        with self._reading(workspace) as repository, self._waiting():
            pushed = pushing.send(repository, wanted, timeout_s=self.network_timeout_s)
            if pushed is not None:
                return _claimed(pushed)
            syncing.fetch(repository, timeout_s=self.network_timeout_s)
            moved = claiming.has_moved(repository, wanted.tip)
        with self._alone(workspace) as repository:
            if moved and claiming.take_back(repository, effect):
                return Claimed(outcome="lost")
        # What is in the way is a tag, a remote that cannot push all or none, or a person's new commit.
        claimed = _claimed(self.push(workspace, effect))
        return claimed.model_copy(update={"outcome": "merged"}) if moved else claimed

    def take_back(self, workspace: Workspace, effect: Effect) -> bool:
        """Undo what the engine committed and merged for ``effect``; people's saved edits stay."""
        with self._alone(workspace) as repository:
            return claiming.take_back(repository, effect)

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
        """Archive everything since ``target``, unsaved edits included, and go back to it (or undo that)."""
        with self._alone(workspace) as repository:
            return restoring.restore(repository, effect, target=target, undo=undo, known=known, listed=listed)

    def settle_lost(
        self,
        workspace: Workspace,
        effect: Effect,
        *,
        accept: bool,
        known: Sequence[str] = (),
        listed: str = "",
    ) -> Restored:
        """Decide on a session that the remote lost: take it out here as well, or let it be pushed again."""
        fetched = self._fetched(workspace)
        with self._alone(workspace) as repository:
            return restoring.settle_lost(
                repository, effect, fetched, accept=accept, known=known, listed=listed
            )

    def planned_acceptance(self, workspace: Workspace, *, known: Sequence[str] = ()) -> RestorePlan:
        """List the commits that ``settle_lost`` would take out now."""
        fetched = self._fetched(workspace)
        with self._reading(workspace) as repository:
            return restoring.planned_acceptance(repository, self._planning, fetched, known=known)

    def archive(self, workspace: Workspace, effect: Effect, *, known: Sequence[str] = ()) -> Restored:
        """Archive the present before a reset, unsaved edits included; ``restore(undo=True)`` undoes it."""
        with self._alone(workspace) as repository:
            return restoring.archive(repository, effect, known)

    def fetch_log(self, workspace: Workspace, *, anyway: bool = False) -> LogFetched:
        """Fetch the branch and the logs of the ledger if no log is known here, or ``anyway``."""
        with self._reading(workspace) as repository:
            known = knows_log(repository)
            if known and not anyway:
                return LogFetched(known=True, remote="not-asked")
            timeout_s = min(self.network_timeout_s, _LOG_TIMEOUT_S)
            remote, reason = syncing.fetch(repository, timeout_s=timeout_s)
            return LogFetched(known=known or knows_log(repository), remote=remote, reason=reason)

    def unpushed(self, workspace: Workspace) -> int:
        """Commits of the branch that the remote is not known to have; 0 without a remote."""
        with self._reading(workspace) as repository:
            return pushing.unpushed(repository)

    def changed_at(self, workspace: Workspace, path: str) -> datetime | None:
        """When the newest commit that changed ``path`` was made; None if no commit did."""
        with self._reading(workspace) as repository:
            raw = repository.git.run("log", "-1", "--format=%ct", repository.tip(), "--", f":(literal){path}")
        seconds = raw.decode().strip()
        return datetime.fromtimestamp(int(seconds), UTC) if seconds else None

    def versions(self, workspace: Workspace, path: str, *, limit: int = 50) -> tuple[FileVersion, ...]:
        """The newest commits that changed ``path``, newest first."""
        with self._reading(workspace) as repository:
            order = ("log", f"-{limit}", "--format=%H", repository.tip(), "--", f":(literal){path}")
            commits = repository.git.run(*order).decode().split()
            return tuple(_version(repository, commit, path) for commit in commits)

    def tags(self, workspace: Workspace) -> tuple[str, ...]:
        """Session tags of this life of the book, oldest first."""
        with self._reading(workspace) as repository:
            return tuple(restoring.session_tags(repository, repository.tip()))

    def planned(
        self, workspace: Workspace, *, target: str | None, undo: bool, known: Sequence[str] = ()
    ) -> RestorePlan:
        """Plan a ``restore`` without doing it."""
        with self._reading(workspace) as repository:
            return restoring.planned(repository, self._planning, target=target, undo=undo, known=known)

    @property
    def _planning(self) -> Effect:
        """Of what is only planned."""
        return Effect(op_id=OpId("plan"), issued_at=self.clock.now())

    def lost(self, workspace: Workspace) -> str:
        """A clause that names what the remote lost, while no one has decided on it; else empty."""
        with self._reading(workspace) as repository:
            return lost_sessions.lost_commits(repository)

    def can_undo(self, workspace: Workspace) -> bool:
        """Whether a rollback or reset of the branch is left to undo."""
        with self._reading(workspace) as repository:
            return restoring.can_undo(repository)

    @contextmanager
    def trace(self, workspace: Workspace) -> Iterator[TraceSource]:
        """The ledger and its history at the tip, to read while the context lasts."""
        with self._reading(workspace) as repository:
            yield GitTraceSource(repository, CommitSha(repository.tip()), self.profile)

    @contextmanager
    def tree(self, workspace: Workspace) -> Iterator[Tree]:
        """The files at the tip, to read while the context lasts."""
        with self._reading(workspace) as repository:
            yield CommittedTree(repository.objects, repository.tree(repository.tip()))

    def maintain(self, workspace: Workspace) -> bool:
        """Pack loose objects and refs when they have grown; returns whether it did."""
        with self._reading(workspace) as repository:
            return packing.pack_if_grown(repository)

    def pack(self, workspace: Workspace) -> int | None:
        """Pack what sessions left loose, whatever its size; returns the bytes freed, None if there is little.

        ``WorkspaceBusy`` at once while another process changes the repository.
        """
        with opened(workspace, self.clock, self._objects, wait_s=0) as repository:
            return packing.pack(repository)

    @contextmanager
    def kept_open(self, workspace: Workspace) -> Iterator[None]:
        """Let the calls that this thread makes on ``workspace`` inside share one opened repository."""
        with ExitStack() as stack:
            if self.slots is not None:
                stack.enter_context(self.slots.held())
            with named_errors(workspace.path):
                layout = layouts.locate(workspace)
                if self.registered is not None and not self.registered(workspace):
                    raise _unregistered(workspace)
                objects = stack.enter_context(self._objects(layout))
            outer = getattr(self._kept, "open", None)
            self._kept.open = (layout.top, objects)
            try:
                yield
            finally:
                self._kept.open = outer

    def _waiting(self) -> AbstractContextManager[None]:
        """Lend the slot of a step that waits for a remote to others."""
        return nullcontext() if self.slots is None else self.slots.lent()

    @contextmanager
    def _objects(self, layout: Layout) -> Iterator[Objects]:
        top, kept = getattr(self._kept, "open", None) or (None, None)
        if kept is not None and top == layout.top:
            yield kept
            return
        with closing(Objects.of(layout, git_environment(self.environment), self.caches)) as objects:
            yield objects

    def _alone(self, workspace: Workspace) -> AbstractContextManager[Repository]:
        return opened(
            workspace,
            self.clock,
            self._objects,
            wait_s=self.lock_wait_s,
            recorder=self.recorder,
            remote_wins=self.profile.remote_wins,
        )

    def _reading(self, workspace: Workspace) -> AbstractContextManager[Repository]:
        return opened(workspace, self.clock, self._objects, wait_s=None)


def _unregistered(workspace: Workspace) -> Refused:
    return Refused(
        "folder-unregistered",
        f"{workspace.path!r} is not a book or novel that was registered here; nothing was changed",
        hint="give the order with `penwright`, which registers the folder",
    )


def _snapshot(
    repository: Repository, tip: str, tree: str, patterns: Sequence[str], names: Sequence[str]
) -> Snapshot:
    objects = repository.objects
    files: dict[str, TextFile] = {}
    unreadable: list[str] = []
    holding_nul: list[str] = []
    for path, entry in matching(objects, tree, Globs.of(patterns)):
        content = objects.blob(entry.sha) if entry.is_text_file else None
        text = None if content is None else text_of(content)
        if text is None or not path.isprintable():
            unreadable.append(path.encode("utf-8", "replace").decode())
            holding_nul += unreadable[-1:] if content and b"\0" in content else []
        else:
            files[path] = TextFile(path=path, blob=entry.sha, text=text)
    named = matching(objects, tree, Globs.of(names)) if names else ()
    return Snapshot(
        tip=CommitSha(tip),
        files=files,
        names={path: entry.sha for path, entry in named if entry.is_text_file},
        unreadable=tuple(sorted(unreadable)),
        holding_nul=tuple(sorted(holding_nul)),
    )


def _version(repository: Repository, sha: str, path: str) -> FileVersion:
    commit = repository.objects.commit(sha)
    entry = entry_at(repository.objects, commit.tree, path)
    return FileVersion(
        commit=CommitSha(sha),
        at=commit.at,
        blob=entry.sha if entry and entry.is_text_file else "",
        author=commit.author,
        title=commit.message.partition("\n")[0],
        trailers=dict(commit.trailers),
    )


def _claimed(pushed: Pushed) -> Claimed:
    if pushed.outcome == "pushed":
        return Claimed(outcome="held")
    return Claimed(outcome=pushed.outcome, code=pushed.code, reason=pushed.reason)


def _commits_only_at(repository: Repository, sha: str) -> int:
    """Count the commits of a detached head that no branch, tag or remote has."""
    raw = repository.git.run("rev-list", "--count", sha, "--not", "--branches", "--tags", "--remotes")
    return int(raw.decode().strip())


def _held_back(repository: Repository, why: str) -> Pushed:
    code, _, reason = why.partition(": ")
    return Pushed(outcome="pending", tip=CommitSha(repository.tip()), code=code, reason=reason)
