"""Create a book or novel atomically, without touching existing files."""

import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from shlex import quote
from typing import Final

from penwright.adapters.scaffold.repository_folder import check_folder, git
from penwright.domain.book.files.layout import CONFIG
from penwright.domain.manuscript.layout import NOVEL
from penwright.domain.trailers import AUTHORSHIP, CONTRIBUTOR, co_authors
from penwright.errors import BrokenWorkspace, Refused
from schemas.base import CommitSha
from schemas.workspace import Contributor

ENGINE_NAME = "Penwright"
ENGINE_EMAIL = "penwright@localhost"


@dataclass(frozen=True, slots=True)
class WorkspaceMarker:
    """A kind of workspace."""

    word: str
    marker: str
    """The file that makes a folder one."""
    look: str
    """The command that shows one."""


BOOK: Final = WorkspaceMarker("book", CONFIG, "penwright book status")
MANUSCRIPT: Final = WorkspaceMarker("novel", NOVEL, "penwright manuscript show")


def lay_out_workspace(
    path: Path,
    files: Mapping[str, str],
    *,
    message: str,
    contributor: Contributor,
    branch: str = "main",
    keep: bool,
    authorship: str = "",
    people: Sequence[str] = (),
) -> CommitSha:
    """Commit ``files`` as a new book or novel at ``path`` and return the commit.

    A new or empty folder becomes a repository; to a repository's top folder the files are added. After any
    error, nothing has changed.

    Args:
        contributor: who wrote ``files``.
        authorship: who wrote the text in ``files``, where that is declared.
        people: names of others whose changes are in it.
        keep: keep existing files and add the missing ones; otherwise an existing file is an error.

    Raises:
        Refused: ``would-overwrite``, ``already-a-book``, ``already-a-novel``, or the folder cannot hold one.
    """
    check_folder(path)
    trailers = [(CONTRIBUTOR, str(contributor)), *([(AUTHORSHIP, authorship)] if authorship else ())]
    lines = (f"{name}: {value}" for name, value in (*trailers, *co_authors(people)))
    message = "\n".join((message, "", *lines))
    if not (path / ".git").exists():
        return _create_repository(path, files, message, branch)
    wanted = {name: files[name] for name in missing(path, files, keep=keep)}
    _enter_branch(path, branch)
    with _written(path, wanted):
        return _commit(path, tuple(wanted), message)


def missing(path: Path, files: Mapping[str, str], *, keep: bool) -> tuple[str, ...]:
    """Return which of ``files`` must be created; raises ``Refused`` if one exists, unless ``keep``."""
    for kind in (BOOK, MANUSCRIPT):
        if os.path.lexists(path / kind.marker):
            raise Refused(
                f"already-a-{kind.word}",
                f"{str(path)!r} is a {kind.word} already; nothing was changed",
                hint=f"look at it with `{kind.look} {quote(str(path))}`",
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
    # Built in a temporary folder and renamed, so that a killed `init` leaves no half-made book.
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
    """Move all of ``room`` into an existing empty folder, which may be a shell's working directory."""
    # `.git` last: without it, a folder left by a kill is not taken for a repository.
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
    """Create the folders above ``path``; on failure, remove those that did not exist."""
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
        f"{str(path)!r} is on {head or 'a detached head'!r}, and the work lives on {branch!r}",
        hint=f"run `git switch {branch}` (or `git switch -c {branch}`) there first",
    )


def _differs(place: Path, text: str) -> bool:
    if not os.path.lexists(place):
        return False
    return place.is_symlink() or not place.is_file() or place.read_bytes() != text.encode()


@contextmanager
def _written(root: Path, files: Mapping[str, str]) -> Iterator[None]:
    """Write ``files`` under ``root``; on any failure, including Ctrl-C, remove exactly what was written."""
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
    """Commit exactly ``paths`` on top of HEAD; other staged or unsaved files are ignored."""
    parent = git(root, "rev-parse", "--verify", "--quiet", "HEAD", check=False)
    with tempfile.TemporaryDirectory(prefix="penwright-founding-") as scratch:
        index = {"GIT_INDEX_FILE": str(Path(scratch) / "index")}
        git(root, "read-tree", *([parent] if parent else ["--empty"]), extra=index)
        git(root, "add", "--force", "--", *paths, extra=index)
        tree = git(root, "write-tree", extra=index)
    parents = ["-p", parent] if parent else []
    commit = git(root, "commit-tree", tree, *parents, "-m", message, extra=_identity(root))
    git(root, "update-ref", "-m", "penwright: lay out", "HEAD", commit, parent)
    git(root, "add", "--force", "--", *paths)
    return CommitSha(commit)


def _identity(root: Path) -> dict[str, str]:
    """Return git's configured name and email, or the engine's, as environment variables."""
    name = git(root, "config", "user.name", check=False) or ENGINE_NAME
    email = git(root, "config", "user.email", check=False) or ENGINE_EMAIL
    return {
        "GIT_AUTHOR_NAME": name,
        "GIT_AUTHOR_EMAIL": email,
        "GIT_COMMITTER_NAME": name,
        "GIT_COMMITTER_EMAIL": email,
    }
