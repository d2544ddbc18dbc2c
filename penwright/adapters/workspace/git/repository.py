"""One opened repository: its tip, history and refs, for one call."""

import contextlib
import heapq
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from penwright.adapters.workspace.git import layout as layouts
from penwright.adapters.workspace.git.commands import GitCommands, GitFailed
from penwright.adapters.workspace.git.commits import Commit, Person, commit_text
from penwright.adapters.workspace.git.complaints import named_errors
from penwright.adapters.workspace.git.layout import Layout
from penwright.adapters.workspace.git.locking import clear_stale, held
from penwright.adapters.workspace.git.objects import Objects
from penwright.domain.trailers import CONTRIBUTOR, OP
from penwright.errors import WorkspaceBusy
from penwright.ports.clock import Clock
from penwright.ports.workspaces import Recorder
from schemas.base import Effect
from schemas.workspace import Contributor, Workspace

ENGINE = Person("Penwright", "penwright@localhost")
_LOCK_RETRIES = 5
_LOCK_WAIT_S = 5.0
NEAR = 64
"""Number of commits that are read before git is asked about the others."""
_SLOP = 64
"""Number of commits older than the effect that are searched as well: clocks may be wrong."""


class RefMoved(Exception):
    """A ref is not at the expected commit; read the tip again and retry."""


@dataclass(frozen=True, slots=True)
class Repository:
    """A workspace's repository as the modules of this package use it."""

    workspace: Workspace
    layout: Layout
    objects: Objects
    clock: Clock
    recorder: Recorder | None = None
    """Writes the ledger; without one, changes are not recorded."""
    remote_wins: tuple[str, ...] = ()
    """See ``PipelineProfile.remote_wins``."""

    @property
    def git(self) -> GitCommands:
        """git in this repository."""
        return self.objects.repo.git

    @property
    def ref(self) -> str:
        """The branch as a full ref."""
        return f"refs/heads/{self.workspace.branch}"

    @property
    def tracking(self) -> str:
        """The remote-tracking branch as a full ref."""
        return f"refs/remotes/{self.workspace.remote}/{self.workspace.branch}"

    def tip(self) -> str:
        """Commit id of the branch."""
        tip = self.objects.resolve(self.ref)
        if tip is not None:
            return tip
        status, held, _ = self.git.attempt("show-ref", "--verify", "--hash", self.ref)
        if not status:
            raise GitFailed("show-ref", 128, f"bad object: commit {held.decode().strip()} is missing")
        raise layouts.unborn(self.layout, self.workspace.branch)

    def on_branch(self) -> bool:
        """Whether the branch is checked out."""
        return self.layout.head() == self.ref

    def tree(self, commit: str) -> str:
        """Tree of a commit."""
        return self.objects.commit(commit).tree

    def done(self, tip: str, effect: Effect) -> Commit | None:
        """The commit of an earlier attempt of ``effect``; None if there is none."""
        return next(
            (
                commit
                for commit in self.recent(tip, effect.issued_at)
                if commit.trailers.get(OP) == effect.op_id
            ),
            None,
        )

    def recent(self, tip: str, since: datetime) -> Iterator[Commit]:
        """Commits reachable from ``tip``, newest first, back to ``since`` and a little further."""
        oldest = since - timedelta(hours=1)
        slop = _SLOP
        for commit in self.newest(tip):
            if commit.at < oldest:
                slop -= 1
            yield commit
            if not slop:
                return

    def newest(self, tip: str) -> Iterator[Commit]:
        """Commits reachable from ``tip``, newest first."""
        queue: list[tuple[float, str]] = []
        seen: set[str] = set()
        shallow = self._shallow()
        self._queue(queue, seen, [tip])
        while queue:
            commit = self.objects.commit(heapq.heappop(queue)[1])
            yield commit
            if commit.sha not in shallow:
                self._queue(queue, seen, commit.parents)

    def since(self, known: str | None, tip: str) -> Sequence[Commit] | None:
        """Commits of ``tip`` that ``known`` lacks, newest first, all of them without one.

        None where only git can tell soon: where there are many, and where histories part or end early; and
        where git gives commits other parents than they name.
        """
        if self.objects.loose is None:
            return None
        found: list[Commit] = []
        shallow = self._shallow()
        wanted: str | None = tip
        while wanted != known:
            if wanted is None or wanted in shallow or len(found) == NEAR:
                return None
            commit = self.objects.commit(wanted)
            if len(commit.parents) > 1:
                return None
            found.append(commit)
            wanted = commit.parents[0] if commit.parents else None
        return found

    def _queue(self, queue: list[tuple[float, str]], seen: set[str], commits: Sequence[str]) -> None:
        for sha in commits:
            if sha not in seen:
                seen.add(sha)
                heapq.heappush(queue, (-self.objects.commit(sha).at.timestamp(), sha))

    def _shallow(self) -> frozenset[str]:
        """Commits of a shallow clone whose parents are missing."""
        try:
            return frozenset((self.layout.common_dir / "shallow").read_text(encoding="ascii").split())
        except FileNotFoundError:
            return frozenset()

    def is_ancestor(self, older: str, newer: str) -> bool:
        """Whether ``older`` is ``newer`` or an ancestor of it."""
        if self.since(older, newer) is not None:
            return True
        return self.git.attempt("merge-base", "--is-ancestor", older, newer)[0] == 0

    def commit(
        self,
        tree: str,
        parents: Sequence[str],
        effect: Effect,
        message: str,
        trailers: Sequence[tuple[str, str]],
        *,
        author: Person = ENGINE,
    ) -> str:
        """Write a commit object; no ref moves. It is never older than its effect."""
        at = max(self.clock.now(), effect.issued_at)
        text = commit_text(tree, parents, author.line(at), ENGINE.line(at), message, trailers)
        return self.objects.write_commit(text)

    def move(self, changes: Sequence[str], *, why: str) -> None:
        """Move refs, all or none; ``changes`` are lines of ``update-ref --stdin``. Raises ``RefMoved``."""
        script = "\n".join(["start", *changes, "prepare", "commit"]) + "\n"
        for _ in range(_LOCK_RETRIES):
            status, _, complaint = self.git.attempt(
                "update-ref", "-m", f"penwright: {why}", "--stdin", data=script.encode()
            )
            if not status:
                return
            if re.search(r"but expected|already exists|unable to resolve|is missing", complaint):
                raise RefMoved(complaint)
            lock = re.search(r"'([^'\n]+\.lock)': File exists", complaint)
            if lock is None:
                raise GitFailed("update-ref", status, complaint)
            clear_stale(self.layout, [self.layout.top / lock[1]], wait_s=_LOCK_WAIT_S)
        raise WorkspaceBusy(
            "workspace-busy",
            f"{self.workspace.path!r} is in use: another git is moving its refs; try again in a moment",
        )

    def refs(self, *prefixes: str) -> dict[str, str]:
        """Refs below ``prefixes`` and the commits they mean, by name."""
        rows = self.git.run(
            "for-each-ref", "--format=%(refname) %(objectname) %(*objectname)", *prefixes
        ).decode("utf-8", "replace")
        split = (row.split(" ") for row in rows.splitlines())
        return {name: peeled or sha for name, sha, peeled in split}


@contextlib.contextmanager
def opened(
    workspace: Workspace,
    clock: Clock,
    objects: Callable[[Layout], contextlib.AbstractContextManager[Objects]],
    *,
    wait_s: float | None,
    recorder: Recorder | None = None,
    remote_wins: tuple[str, ...] = (),
) -> Iterator[Repository]:
    """Open the repository: with ``wait_s``, locked, for changes; without, for reading."""
    with named_errors(workspace.path), contextlib.ExitStack() as stack:
        layout = layouts.locate(workspace)
        if wait_s is None:
            yield Repository(workspace, layout, stack.enter_context(objects(layout)), clock, recorder)
            return
        layouts.refuse_unfinished(layout)
        descriptor = stack.enter_context(held(layout, workspace.branch, wait_s=wait_s))
        repository = Repository(
            workspace, layout, stack.enter_context(objects(layout)), clock, recorder, remote_wins
        )
        with repository.git.holding(descriptor):
            yield repository


def contributor_of(commit: Commit) -> Contributor:
    """Contributor of a commit; one without our trailer is a person's."""
    try:
        return Contributor(commit.trailers.get(CONTRIBUTOR, "human"))
    except ValueError:
        return Contributor.HUMAN
