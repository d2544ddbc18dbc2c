"""Where a repository begins, and whether a book may be founded there."""

from collections.abc import Mapping
from pathlib import Path

from penwright.adapters.workspace.git import GitCommands, git_environment, plain_environment
from penwright.errors import BrokenWorkspace, NotFound, Refused, UsageMistake
from schemas.base import CommitSha

_GIT_TIMEOUT_S = 60


def check_ground(path: Path) -> None:
    """Raise ``Refused`` or ``UsageMistake`` unless a book may be founded at ``path``."""
    if path.exists() and not path.is_dir():
        raise UsageMistake("not-a-folder", f"{str(path)!r} is a file; name a new or empty folder")
    if (path / ".git").exists():
        return
    if path.is_dir() and any(path.iterdir()):
        raise Refused(
            "folder-not-empty",
            f"{str(path)!r} holds files but is no git repository; nothing was changed",
            hint="name a new folder, or run `git init` in this one first",
        )
    if (outer := enclosing(path)) is not None:
        raise Refused(
            "inside-another-repository",
            f"{str(path)!r} lies inside the repository {str(outer)!r}; a book needs a repository of its own",
            hint="name a folder outside of it",
        )


def top_folder(path: Path) -> Path:
    """``path`` itself, made absolute, when it is a repository's own top folder; else a named error."""
    place = path.expanduser().resolve()
    if (place / ".git").exists():
        return place
    if not place.exists():
        raise NotFound("no-such-folder", f"{str(path)!r} does not exist")
    if (outer := enclosing(place)) is not None:
        raise BrokenWorkspace(
            "not-a-top-folder",
            f"{str(place)!r} lies inside the repository {str(outer)!r} and is no repository itself",
            hint=f"name the book's own top folder, perhaps {str(outer)!r}",
        )
    raise BrokenWorkspace(
        "not-a-repository",
        f"{str(place)!r} is not a git repository",
        hint="name a book's folder, or make one with `penwright book init`",
    )


def root_commit(top: Path, branch: str) -> CommitSha | None:
    """The first commit of ``branch``; None while it has none."""
    roots = git(top, "rev-list", "--max-parents=0", f"refs/heads/{branch}", "--", check=False).split()
    return CommitSha(roots[-1]) if roots else None


def written_book_id(top: Path, branch: str) -> str | None:
    """The id under which ``branch`` was last written; it outlives the state file, which a reset deletes."""
    key = "Penwright-Book"
    said = git(
        top,
        "log",
        "--max-count=1",
        f"--grep=^{key}: ",
        f"--format=%(trailers:key={key},valueonly)",
        f"refs/heads/{branch}",
        "--",
        check=False,
    )
    return said.strip() or None


def enclosing(path: Path) -> Path | None:
    return next((parent for parent in path.absolute().parents if (parent / ".git").exists()), None)


def git(
    root: Path,
    *arguments: str,
    check: bool = True,
    extra: Mapping[str, str] | None = None,
    environment: Mapping[str, str] | None = None,
) -> str:
    """What git prints in ``root``, without its last line end; a failure raises, or is "" without ``check``.

    ``extra``: variables of this call alone. ``environment``: what git sees otherwise; needed for remotes.
    """
    variables = git_environment(environment or plain_environment()) | dict(extra or {})
    status, out, err = GitCommands.within(root, variables).attempt(*arguments, timeout_s=_GIT_TIMEOUT_S)
    if status and check:
        raise BrokenWorkspace(
            "git-failed",
            f"git {arguments[0]} failed in {str(root)!r}: {err.strip() or 'no message'}",
            hint="see that the disk has room and the folder is yours to write to",
        )
    return "" if status else out.decode("utf-8", "replace").rstrip("\n")
