"""The folders of a repository, and refusing states in which it must not be changed."""

import errno
import os
import re
import secrets
import stat
import tempfile
from dataclasses import dataclass
from pathlib import Path

from penwright.errors import BrokenWorkspace, UsageMistake
from schemas.workspace import Workspace

_BUSY = {
    "MERGE_HEAD": ("merge-in-progress", "a merge", "git merge --abort"),
    "rebase-merge": ("rebase-in-progress", "a rebase", "git rebase --abort"),
    "rebase-apply": ("rebase-in-progress", "a rebase or patch series", "git rebase --abort"),
    "CHERRY_PICK_HEAD": ("cherry-pick-in-progress", "a cherry-pick", "git cherry-pick --abort"),
    "REVERT_HEAD": ("revert-in-progress", "a revert", "git revert --abort"),
    "BISECT_LOG": ("bisect-in-progress", "a bisection", "git bisect reset"),
}
_NAME = re.compile(r"[A-Za-z0-9_](?:[A-Za-z0-9_./+@=#-]*[A-Za-z0-9_/+@=#-])?")


def temporary_path(folder: Path) -> Path:
    """An unused name for a file that is written before it is renamed or read by git."""
    folder.mkdir(exist_ok=True)
    return folder / f".{secrets.token_hex(8)}.part"


def plain_bytes(place: Path) -> bytes:
    """Content of a plain file; of anything else, which might never end, ``IsADirectoryError``."""
    if not stat.S_ISREG(place.stat().st_mode):
        raise IsADirectoryError(errno.EISDIR, "is no plain file", str(place))
    return place.read_bytes()


@dataclass(frozen=True, slots=True)
class Layout:
    """The folders of one repository; ``git_dir`` and ``common_dir`` differ in a linked worktree."""

    top: Path
    git_dir: Path
    common_dir: Path

    @property
    def private(self) -> Path:
        """Folder of the engine's own files about this worktree."""
        return self.git_dir / "penwright"

    def head(self) -> str:
        """``refs/heads/…`` that HEAD is on, or the commit id it is detached at."""
        return (
            (self.git_dir / "HEAD")
            .read_text(encoding="utf-8", errors="replace")
            .strip()
            .removeprefix("ref: ")
        )


def locate(workspace: Workspace) -> Layout:
    """Find the repository whose top folder is the workspace; never an enclosing one."""
    for kind, name in (("branch", workspace.branch), ("remote", workspace.remote)):
        if (
            not _NAME.fullmatch(name)
            or ".." in name
            or "//" in name
            or "@{" in name
            or name.endswith(".lock")
        ):
            raise UsageMistake(
                f"unusable-{kind}", f"{name!r} cannot be a {kind} name; use letters, digits and dashes"
            )
    top = Path(workspace.path)
    if not top.is_absolute():
        raise UsageMistake(
            "relative-path", f"{workspace.path!r} is relative; give the absolute path of the workspace"
        )
    if not top.is_dir():
        raise _broken(
            "workspace-missing", top, "does not exist or is no folder; check the path or clone it again"
        )
    link = top / ".git"
    if link.is_dir():
        return _checked(Layout(top, link, link))
    if link.is_file():
        return _linked(top, link)
    if (top / "HEAD").is_file() and (top / "objects").is_dir():
        raise _broken("bare-repository", top, "is a bare repository; clone it and use the clone")
    enclosing = next((parent for parent in top.parents if (parent / ".git").exists()), None)
    if enclosing is not None:
        raise _broken(
            "not-the-top",
            top,
            f"is inside the repository {str(enclosing)!r} but not its top folder; give the book its own",
        )
    raise _broken("not-a-repository", top, "is not a git repository; run `git init` there or check the path")


def _linked(top: Path, link: Path) -> Layout:
    target = link.read_text(encoding="utf-8", errors="replace").strip().removeprefix("gitdir: ")
    git_dir = Path(os.path.normpath(top / target))
    if (git_dir / "commondir").is_file():
        common = (git_dir / "commondir").read_text(encoding="utf-8").strip()
        return _checked(Layout(top, git_dir, Path(os.path.normpath(git_dir / common))))
    if "modules" in git_dir.parts:
        raise _broken("is-a-submodule", top, "is a submodule of another repository; clone it on its own")
    return _checked(Layout(top, git_dir, git_dir))


def _checked(layout: Layout) -> Layout:
    objects = layout.common_dir / "objects"
    if objects.is_symlink() and not objects.exists():
        what = (
            f"keeps its objects in {os.readlink(objects)!r}, which is not there; mount or restore that folder"
        )
        raise _broken("repository-damaged", layout.top, what)
    if not (layout.git_dir / "HEAD").is_file() or not objects.is_dir():
        raise _broken("repository-damaged", layout.top, "has a damaged .git folder; clone it again")
    if not os.access(objects, os.R_OK | os.X_OK):
        what = f"has objects that this user may not read; fix the permissions of {str(objects)!r}"
        raise _broken("not-permitted", layout.top, what)
    return layout


def refuse_unfinished(layout: Layout) -> None:
    """Raise while a merge, rebase, cherry-pick, revert or bisection is unfinished."""
    for name, (code, what, undo) in _BUSY.items():
        if (layout.git_dir / name).exists():
            raise _broken(code, layout.top, f"has {what} in progress; finish it or run `{undo}`")


def refuse_other_head(layout: Layout, branch: str, *, own_commits: int) -> None:
    """Raise when HEAD is not on the branch."""
    head = layout.head()
    if head == f"refs/heads/{branch}":
        return
    if head.startswith("refs/heads/"):
        other = head.removeprefix("refs/heads/")
        raise _broken(
            "wrong-branch",
            layout.top,
            f"has branch {other!r} checked out; run `git switch {branch}`",
            branch=other,
        )
    advice = f"run `git switch {branch}`"
    if own_commits:
        advice = (
            f"it holds {own_commits} commit(s) no branch has: run `git branch rescued {head[:12]}`, then "
            f"`git switch {branch}` and `git merge rescued`"
        )
    code = "detached-head-with-commits" if own_commits else "detached-head"
    raise _broken(code, layout.top, f"has a detached head; {advice}", head=head)


def refuse_unwritable(layout: Layout) -> None:
    """Write to the disk, so that a full or read-only one is reported before any work."""
    layout.private.mkdir(exist_ok=True)
    with tempfile.TemporaryFile(dir=layout.private) as file:
        file.write(b"\0" * 4096)
        file.flush()
        os.fsync(file.fileno())


def unborn(layout: Layout, branch: str) -> BrokenWorkspace:
    """The error for a branch without commits."""
    return _broken(
        "no-such-branch",
        layout.top,
        f"has no commit on branch {branch!r}; make a first commit there",
        branch=branch,
    )


def _broken(code: str, top: Path, what: str, **details: str) -> BrokenWorkspace:
    return BrokenWorkspace(code, f"{str(top)!r} {what}", path=str(top), **details)
