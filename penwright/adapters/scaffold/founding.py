"""Making a book appear at once or not at all, without touching anything that is already there."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from penwright.errors import BrokenWorkspace, Refused, UsageMistake
from schemas.base import CommitSha

ENGINE_NAME = "Penwright"
ENGINE_EMAIL = "penwright@localhost"
_GIT_TIMEOUT_S = 60


def found(
    path: Path, files: Mapping[str, str], *, message: str, branch: str = "main", keep: bool
) -> CommitSha:
    """Commit ``files`` as a new book at ``path`` and return the commit.

    ``keep``: leave files that exist as they are and add the missing ones; otherwise any existing file
    refuses. A new or empty folder becomes a repository of its own; a repository's own top folder is added
    to. Anything else raises ``Refused``, and whatever is raised, nothing is left behind.
    """
    check_ground(path)
    if not (path / ".git").exists():
        return _found_apart(path, files, message, branch)
    _check_branch(path, branch)
    wanted = _missing(path, files, keep=keep)
    with _written(path, wanted):
        return _commit(path, tuple(wanted), message)


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
    if (outer := _enclosing(path)) is not None:
        raise Refused(
            "inside-another-repository",
            f"{str(path)!r} lies inside the repository {str(outer)!r}; a book needs a repository of its own",
            hint="name a folder outside of it",
        )


def existing(path: Path, files: Mapping[str, str]) -> tuple[str, ...]:
    """Which of ``files`` are already there with other content, in order."""
    return tuple(name for name, text in files.items() if _differs(path / name, text))


def _found_apart(path: Path, files: Mapping[str, str], message: str, branch: str) -> CommitSha:
    # Built beside its place and moved there by one rename, so that a killed `init` leaves no half of a book.
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{path.name}.founding-", dir=path.parent) as scratch:
        room = Path(scratch) / "book"
        room.mkdir()
        _git(room, "init", "--quiet", f"--initial-branch={branch}")
        with _written(room, files):
            commit = _commit(room, tuple(files), message)
        if path.is_dir():
            shutil.copymode(path, room)
            path.rmdir()
        room.rename(path)
    return commit


def _check_branch(path: Path, branch: str) -> None:
    head = _git(path, "symbolic-ref", "--quiet", "--short", "HEAD", check=False)
    if head != branch:
        raise BrokenWorkspace(
            "wrong-branch",
            f"{str(path)!r} is on {head or 'a detached head'!r}, and a book lives on {branch!r}",
            hint=f"run `git switch {branch}` (or `git switch -c {branch}`) there first",
        )


def _missing(path: Path, files: Mapping[str, str], *, keep: bool) -> dict[str, str]:
    taken = existing(path, files)
    if taken and not keep:
        listed = ", ".join(repr(name) for name in taken)
        raise Refused(
            "would-overwrite",
            f"{str(path)!r} already has {listed}; nothing was changed",
            hint="name another folder, or keep those files as they are with `--keep`",
        )
    return {name: text for name, text in files.items() if name not in taken}


def _differs(place: Path, text: str) -> bool:
    if not os.path.lexists(place):
        return False
    return place.is_symlink() or not place.is_file() or place.read_bytes() != text.encode()


@contextmanager
def _written(root: Path, files: Mapping[str, str]) -> Iterator[None]:
    """Write ``files`` under ``root``; on any failure, Ctrl-C included, take back exactly what was written."""
    made: list[Path] = []
    try:
        for name, text in files.items():
            _write_new(root / name, text, made)
        yield
    except BaseException:
        for place in reversed(made):
            place.rmdir() if place.is_dir() else place.unlink(missing_ok=True)
        raise


def _write_new(place: Path, text: str, made: list[Path]) -> None:
    for folder in reversed([parent for parent in place.parents if not parent.exists()]):
        folder.mkdir()
        made.append(folder)
    if place.exists():
        return
    with place.open("x", encoding="utf-8", newline="\n") as file:
        made.append(place)
        file.write(text)
        file.flush()
        os.fsync(file.fileno())


def _commit(root: Path, paths: Sequence[str], message: str) -> CommitSha:
    """One commit of exactly ``paths`` on top of HEAD, whatever else is staged or unsaved there."""
    parent = _git(root, "rev-parse", "--verify", "--quiet", "HEAD", check=False)
    with tempfile.TemporaryDirectory(prefix="penwright-founding-") as scratch:
        index = {"GIT_INDEX_FILE": str(Path(scratch) / "index")}
        _git(root, "read-tree", *([parent] if parent else ["--empty"]), extra=index)
        _git(root, "add", "--force", "--", *paths, extra=index)
        tree = _git(root, "write-tree", extra=index)
    parents = ["-p", parent] if parent else []
    commit = _git(root, "commit-tree", tree, *parents, "-m", message, extra=_identity(root))
    _git(root, "update-ref", "-m", "penwright: found a book", "HEAD", commit, parent or "0" * 40)
    _git(root, "add", "--force", "--", *paths)
    return CommitSha(commit)


def _identity(root: Path) -> dict[str, str]:
    """The person's own name where git knows one, else the engine's."""
    name = _git(root, "config", "user.name", check=False) or ENGINE_NAME
    email = _git(root, "config", "user.email", check=False) or ENGINE_EMAIL
    return {
        "GIT_AUTHOR_NAME": name,
        "GIT_AUTHOR_EMAIL": email,
        "GIT_COMMITTER_NAME": name,
        "GIT_COMMITTER_EMAIL": email,
    }


def _enclosing(path: Path) -> Path | None:
    return next((parent for parent in path.absolute().parents if (parent / ".git").exists()), None)


def _git(root: Path, *arguments: str, check: bool = True, extra: Mapping[str, str] | None = None) -> str:
    """Run git in ``root`` as if it were started by nobody: no prompts, hooks, or inherited GIT_ variables."""
    inherited = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    done = subprocess.run(
        ["git", "-c", "core.hooksPath=/dev/null", "-c", "core.autocrlf=false", *arguments],
        cwd=root,
        env={**inherited, "LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0", **(extra or {})},
        capture_output=True,
        text=True,
        timeout=_GIT_TIMEOUT_S,
        check=False,
    )
    if check and done.returncode:
        raise BrokenWorkspace(
            "git-failed",
            f"git {arguments[0]} failed in {str(root)!r}: {done.stderr.strip() or 'no message'}",
            hint="see that the disk has room and the folder is yours to write to",
        )
    return done.stdout.strip() if done.returncode == 0 else ""
