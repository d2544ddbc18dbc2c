"""The port ``History`` over git."""

import contextlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from penwright.adapters.workspace.git.commands import (
    NoSuchObject,
    Repo,
    git_environment,
    open_repository,
    plain_environment,
)
from penwright.adapters.workspace.git.commits import trailers_in
from penwright.adapters.workspace.git.complaints import named_errors
from penwright.adapters.workspace.git.layout import locate
from penwright.adapters.workspace.recording import known_clone
from penwright.domain.trace.verifying.anchors import RemoteBranch
from penwright.domain.trailers import STEP
from penwright.errors import BrokenWorkspace
from penwright.ports.history import ChangedFile, Commit
from schemas.base import CommitSha
from schemas.workspace import Workspace

_REMOTE_TIMEOUT_S = 60.0
_MARK = "\0\x01"
"""Begins each commit: no message contains a NUL, and text by people follows an equals sign."""
_FORMAT = "--format=%x00%x01%H%x00%cI%x00=%an%x00=%s%x00=%D%x00=%B%x00"
_TAG = re.compile(r"tag: ([^,]+)")


@dataclass(frozen=True, slots=True)
class GitHistory:
    """Reads what git repositories on this host's disk hold."""

    environment: Mapping[str, str] = field(default_factory=plain_environment)
    """As of ``GitWorkspaces``; a remote needs its own."""
    _repositories: dict[str, Repo] = field(default_factory=dict, repr=False)
    """By folder: what a configuration would run is looked at once for all calls of one caller."""

    def log(
        self,
        workspace: Workspace,
        limit: int | None = None,
        *,
        tip: str = "",
        steps: Sequence[str] = (),
        paths: Sequence[str] = (),
        archived: bool = False,
        unpushed: bool = False,
    ) -> tuple[Commit, ...]:
        """The newest commits of the branch, newest first; empty if it has none."""
        branch = _branch(workspace)
        tips = ("--glob=refs/penwright/archive/*", "--not", branch) if archived else (tip or branch,)
        order = (
            *("log", "--no-show-signature", "--encoding=UTF-8", "--ignore-missing", _FORMAT),
            *([] if limit is None else [f"--max-count={limit}"]),
            *(f"--grep=^{STEP}: {step}" for step in steps),
            *(["--name-status", "--no-renames"] if paths else []),
            *tips,
            *(["--not", _tracking(workspace)] if unpushed else []),
        )
        with self._opened(workspace) as repo:
            said = repo.git.run(*order, "--", *paths)
        return tuple(_commit(each) for each in _text(said).split(_MARK)[1:])

    def between(
        self, workspace: Workspace, before: str, after: str, paths: Sequence[str]
    ) -> tuple[ChangedFile, ...]:
        """The files below ``paths`` that two commits have differently."""
        how = ("--raw", "-z", "--no-abbrev", "--no-renames")
        with self._opened(workspace) as repo:
            said = repo.git.run("diff", *how, before, after, "--", *_from_top(paths))
        parts = iter(_text(said).split("\0"))
        return tuple(_changed(about, path) for about, path in zip(parts, parts, strict=False))

    def lines_between(self, workspace: Workspace, before: str, after: str, paths: Sequence[str]) -> str:
        """The differences of the files below ``paths``, as ``git diff`` shows them."""
        how = ("--no-color", "--no-ext-diff", "--no-textconv")
        with self._opened(workspace) as repo:
            return _text(repo.git.run("diff", *how, before, after, "--", *_from_top(paths))).rstrip("\n")

    def at(
        self, workspace: Workspace, names: Sequence[str], longest: int | None = None
    ) -> tuple[str | None, ...]:
        """The text of each blob; one git process reads them all."""
        with self._opened(workspace) as repo:
            return tuple(_blob(repo, name, longest) for name in names)

    def commit(self, workspace: Workspace, named: str) -> CommitSha | None:
        """The id of the commit that a name means; None if none does."""
        wanted = f"{_branch(workspace) if named == 'HEAD' else named}^{{commit}}"
        with self._opened(workspace) as repo:
            _, out, _ = repo.git.attempt("rev-parse", "--verify", "--quiet", "--end-of-options", wanted)
        return CommitSha(sha) if (sha := _text(out).strip()) else None

    def holds(self, workspace: Workspace, commit: str) -> bool:
        """Whether the branch reaches a commit."""
        with self._opened(workspace) as repo:
            return not repo.git.attempt("merge-base", "--is-ancestor", commit, _branch(workspace))[0]

    def is_checked_out(self, workspace: Workspace) -> bool:
        """Whether the folder shows the branch."""
        return locate(workspace).head() == _branch(workspace)

    def edited(self, workspace: Workspace, paths: Sequence[str]) -> tuple[str, ...]:
        """Those of ``paths`` that the folder has otherwise than what it shows."""
        how = ("--porcelain", "--no-renames", "-uall", "-z")
        with self._opened(workspace) as repo:
            entries = _text(repo.git.run("status", *how, "--", *paths)).split("\0")
        return tuple(entry[3:] for entry in entries if entry)

    def remote(self, workspace: Workspace) -> RemoteBranch:
        """The remote's branch as last fetched, beside ours."""
        both = f"{_tracking(workspace)}...{_branch(workspace)}"
        with self._opened(workspace) as repo:
            status, out, _ = repo.git.attempt("rev-list", "--left-right", both, "--")
        sides = _text(out).split() if not status else []
        ahead = frozenset(each[1:] for each in sides if each[0] == "<")
        return RemoteBranch(ahead=ahead, diverged=len(ahead) < len(sides))

    def ask_remote(self, workspace: Workspace) -> bool:
        """Ask the remote for its branches; False if there is none."""
        with self._opened(workspace) as repo:
            if repo.git.attempt("remote", "get-url", workspace.remote)[0]:
                return False
            asked = ("ls-remote", "--heads", workspace.remote)
            status, _, said = repo.git.attempt(*asked, timeout_s=_REMOTE_TIMEOUT_S)
        if status:
            reason = " ".join(said.split()) or "git gives no reason"
            raise BrokenWorkspace("git-failed", f"the remote {workspace.remote!r} gives no answer: {reason}")
        return True

    def clone(self, workspace: Workspace) -> str:
        """The name under which this clone keeps its own log; empty if it has none."""
        return known_clone(locate(workspace).common_dir)

    def private_folder(self, workspace: Workspace) -> Path:
        """The folder of what is kept about this worktree and is no part of it."""
        return locate(workspace).private

    @contextlib.contextmanager
    def _opened(self, workspace: Workspace) -> Iterator[Repo]:
        with named_errors(workspace.path):
            repo = self._repositories.get(workspace.path)
            if repo is None:
                repo = open_repository(locate(workspace).top, git_environment(self.environment))
                self._repositories[workspace.path] = repo
            with contextlib.closing(repo):  # ends its processes; it can be used again
                yield repo


def _branch(workspace: Workspace) -> str:
    return f"refs/heads/{workspace.branch}"


def _tracking(workspace: Workspace) -> str:
    return f"refs/remotes/{workspace.remote}/{workspace.branch}"


def _from_top(paths: Sequence[str]) -> list[str]:
    return [f":(top){path}" for path in paths]


def _text(output: bytes) -> str:
    return output.decode("utf-8", "replace")


def _commit(record: str) -> Commit:
    sha, at, author, subject, refs, message, changes = record.split("\0")
    return Commit(
        sha=CommitSha(sha),
        at=datetime.fromisoformat(at).astimezone(UTC),
        author=author[1:],
        subject=subject[1:],
        tags=tuple(_TAG.findall(refs)),
        trailers=dict(trailers_in(message[1:])),
        added=tuple(line[2:] for line in changes.splitlines() if line.startswith("A\t")),
    )


def _changed(about: str, path: str) -> ChangedFile:
    _, _, *blobs, _ = about.split()
    before, after = (blob if blob.strip("0") else "" for blob in blobs)
    return ChangedFile(path, before, after)


def _blob(repo: Repo, name: str, longest: int | None) -> str | None:
    try:
        if longest is not None and repo.git.get_object_header(name)[2] > longest:
            return None
        _, kind, _, content = repo.git.get_object_data(name)
    except NoSuchObject:
        return None
    return _text(content) if kind == "blob" else None
