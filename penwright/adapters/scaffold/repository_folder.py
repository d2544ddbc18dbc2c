"""Examine the folder of a repository, and whether a book may be created in it."""

import os
from collections.abc import Mapping
from pathlib import Path

from penwright.adapters.workspace.git.commands import (
    GitCommands,
    git_environment,
    plain_environment,
)
from penwright.adapters.workspace.git.complaints import unreadable
from penwright.adapters.workspace.git.layout import locate
from penwright.domain.book.profile import BOOK_PROFILE
from penwright.errors import BrokenWorkspace, NotFound, Refused, UsageMistake
from schemas.base import CommitSha
from schemas.workspace import Workspace

_GIT_TIMEOUT_S = 60


def check_folder(path: Path) -> None:
    """Raise ``Refused`` or ``UsageMistake`` unless a book may be created at ``path``."""
    there = next(each for each in (path.absolute(), *path.absolute().parents) if os.path.lexists(each))
    if not there.is_dir():
        raise UsageMistake("not-a-folder", f"{str(there)!r} is a file", hint="name a new or empty folder")
    if (path / ".git").exists():
        return
    if path.is_dir() and any(path.iterdir()):
        raise Refused(
            "folder-not-empty",
            f"{str(path)!r} contains files but is not a git repository; nothing was changed",
            hint="name a new folder, or run `git init` in this one first",
        )
    if (outer := enclosing(path)) is not None:
        raise Refused(
            "inside-another-repository",
            f"{str(path)!r} is inside the repository {str(outer)!r}; a book needs its own repository",
            hint="name a folder outside of it",
        )


def top_folder(path: Path) -> Path:
    """Return ``path``, made absolute, if it is the top folder of a repository.

    Raises:
        NotFound: ``no-such-folder``.
        BrokenWorkspace: ``not-a-top-folder`` or ``not-a-repository``.
    """
    place = path.expanduser().resolve()
    if (place / ".git").exists():
        return place
    if not place.exists():
        raise NotFound("no-such-folder", f"{str(path)!r} does not exist")
    if (outer := enclosing(place)) is not None:
        raise BrokenWorkspace(
            "not-a-top-folder",
            f"{str(place)!r} is inside the repository {str(outer)!r} but not its top folder",
            hint=f"name the book's own top folder, perhaps {str(outer)!r}",
        )
    raise BrokenWorkspace(
        "not-a-repository",
        f"{str(place)!r} is not a git repository",
        hint="name its own folder, or make a book with `penwright book init FOLDER`, a novel with "
        "`penwright manuscript new FOLDER`",
    )


def root_commit(top: Path, branch: str) -> CommitSha | None:
    """Return the first commit of ``branch``; None while it has none.

    Raises:
        BrokenWorkspace: git cannot read the repository.
    """
    variables = git_environment(plain_environment())
    status, out, complaint = GitCommands.within(top, variables).attempt(
        "rev-list", "--max-parents=0", f"refs/heads/{branch}", "--", timeout_s=_GIT_TIMEOUT_S
    )
    if status and "bad revision" not in complaint:
        locate(Workspace(path=str(top), branch=branch))  # says what is wrong with its folders
        raise unreadable(str(top), complaint)
    roots = out.decode().split()
    return CommitSha(roots[-1]) if roots else None


def remote_url(top: Path, remote: str) -> str:
    """Return the address of a remote; empty without one."""
    return GitCommands.within(top, git_environment(plain_environment())).remote_url(remote)


def written_book_id(top: Path, branch: str) -> str | None:
    """Return the book id in the last trailer of ``branch``, if any; a reset deletes only the state file."""
    key = BOOK_PROFILE.subject_trailer
    output = git(
        top,
        "log",
        "--max-count=1",
        f"--grep=^{key}: ",
        f"--format=%(trailers:key={key},valueonly)",
        f"refs/heads/{branch}",
        "--",
        check=False,
    )
    return output.strip() or None


def enclosing(path: Path) -> Path | None:
    return next((parent for parent in path.absolute().parents if (parent / ".git").exists()), None)


def git(
    root: Path,
    *arguments: str,
    check: bool = True,
    extra: Mapping[str, str] | None = None,
    environment: Mapping[str, str] | None = None,
) -> str:
    """Run git in ``root`` and return its output without the last line end.

    Args:
        check: raise ``BrokenWorkspace`` on failure; otherwise a failure returns "".
        extra: variables for this call only.
        environment: git's other variables; needed for remotes.
    """
    variables = git_environment(environment or plain_environment()) | dict(extra or {})
    status, out, err = GitCommands.within(root, variables).attempt(*arguments, timeout_s=_GIT_TIMEOUT_S)
    if status and check:
        raise BrokenWorkspace(
            "git-failed",
            f"git {arguments[0]} failed in {str(root)!r}: {err.strip() or 'no message'}",
            hint="check that the disk has room and that you may write to the folder",
        )
    return "" if status else out.decode("utf-8", "replace").rstrip("\n")
