"""Making a book appear at once or not at all, without touching anything that is already there."""

import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from penwright.adapters.scaffold.ground import check_ground, git
from penwright.adapters.workspace.repository import CONTRIBUTOR
from penwright.domain.book.layout import CONFIG
from penwright.errors import BrokenWorkspace, Refused
from schemas.base import CommitSha
from schemas.workspace import Contributor

ENGINE_NAME = "Penwright"
ENGINE_EMAIL = "penwright@localhost"


def create_book(
    path: Path,
    files: Mapping[str, str],
    *,
    message: str,
    contributor: Contributor,
    branch: str = "main",
    keep: bool,
) -> CommitSha:
    """Commit ``files``, the words of ``contributor``, as a new book at ``path`` and return the commit.

    ``keep``: leave files that exist as they are and add the missing ones; otherwise any existing file
    refuses. A new or empty folder becomes a repository of its own; a repository's own top folder is added
    to. Anything else raises ``Refused``, and whatever is raised, nothing is left behind.
    """
    check_ground(path)
    message = f"{message}\n\n{CONTRIBUTOR}: {contributor}"
    if not (path / ".git").exists():
        return _create_repository(path, files, message, branch)
    wanted = {name: files[name] for name in missing(path, files, keep=keep)}
    _enter_branch(path, branch)
    with _written(path, wanted):
        return _commit(path, tuple(wanted), message)


def missing(path: Path, files: Mapping[str, str], *, keep: bool) -> tuple[str, ...]:
    """Which of ``files`` are to be made; ``Refused`` if one is there already, unless ``keep``."""
    if os.path.lexists(path / CONFIG):
        raise Refused(
            "already-a-book",
            f"{str(path)!r} is a book already; nothing was changed",
            hint=f"look at it with `penwright book status {path}`",
        )
    taken = tuple(name for name, text in files.items() if _differs(path / name, text))
    if taken and not keep:
        listed = ", ".join(repr(name) for name in taken)
        raise Refused(
            "would-overwrite",
            f"{str(path)!r} already has {listed}; nothing was changed",
            hint="name another folder, or keep those files as they are with `--keep`",
        )
    return tuple(name for name in files if name not in taken)


def _create_repository(path: Path, files: Mapping[str, str], message: str, branch: str) -> CommitSha:
    # Built beside its place and moved there by one rename, so that a killed `init` leaves no half of a book.
    with _parents(path), tempfile.TemporaryDirectory(prefix=f".{path.name}.", dir=path.parent) as scratch:
        room = Path(scratch) / "book"
        room.mkdir()
        git(room, "init", "--quiet", f"--initial-branch={branch}")
        with _written(room, files):
            commit = _commit(room, tuple(files), message)
        if path.is_dir():
            _fill(path, room)
        else:
            room.rename(path)
    return commit


def _fill(folder: Path, room: Path) -> None:
    """Move all of ``room`` into an empty folder, which stays itself: somebody's shell may stand in it."""
    # The repository last: what is not one yet can be deleted and begun again without a thought.
    names = sorted((child.name for child in room.iterdir()), key=lambda name: name == ".git")
    moved: list[str] = []
    try:
        for name in names:
            moved.append(name)
            (room / name).rename(folder / name)
    except BaseException:
        for name in moved:
            if os.path.lexists(folder / name):
                (folder / name).rename(room / name)
        raise


@contextmanager
def _parents(path: Path) -> Iterator[None]:
    """Make the folders above ``path``; on failure, take back those that were not there."""
    fresh = [parent for parent in path.parents if not parent.exists()]
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        yield
    except BaseException:
        for parent in fresh:
            parent.rmdir()
        raise


def _enter_branch(path: Path, branch: str) -> None:
    head = git(path, "symbolic-ref", "--quiet", "--short", "HEAD", check=False)
    if head == branch:
        return
    if head and not git(path, "rev-parse", "--verify", "--quiet", "HEAD", check=False):
        git(path, "symbolic-ref", "HEAD", f"refs/heads/{branch}")  # no commit yet: only a name changes
        return
    raise BrokenWorkspace(
        "wrong-branch",
        f"{str(path)!r} is on {head or 'a detached head'!r}, and a book lives on {branch!r}",
        hint=f"run `git switch {branch}` (or `git switch -c {branch}`) there first",
    )


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
    parent = git(root, "rev-parse", "--verify", "--quiet", "HEAD", check=False)
    with tempfile.TemporaryDirectory(prefix="penwright-founding-") as scratch:
        index = {"GIT_INDEX_FILE": str(Path(scratch) / "index")}
        git(root, "read-tree", *([parent] if parent else ["--empty"]), extra=index)
        git(root, "add", "--force", "--", *paths, extra=index)
        tree = git(root, "write-tree", extra=index)
    parents = ["-p", parent] if parent else []
    commit = git(root, "commit-tree", tree, *parents, "-m", message, extra=_identity(root))
    git(root, "update-ref", "-m", "penwright: found a book", "HEAD", commit, parent or "0" * 40)
    git(root, "add", "--force", "--", *paths)
    return CommitSha(commit)


def _identity(root: Path) -> dict[str, str]:
    """The person's own name where git knows one, else the engine's."""
    name = git(root, "config", "user.name", check=False) or ENGINE_NAME
    email = git(root, "config", "user.email", check=False) or ENGINE_EMAIL
    return {
        "GIT_AUTHOR_NAME": name,
        "GIT_AUTHOR_EMAIL": email,
        "GIT_COMMITTER_NAME": name,
        "GIT_COMMITTER_EMAIL": email,
    }
