"""The worktree's files: updated with the branch, never over an unsaved edit."""

import errno
import os
import stat
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from penwright.adapters.workspace.git.commands import GitFailed
from penwright.adapters.workspace.git.entries import EXECUTABLE, LINK, REGULAR, SUBMODULE, Entry
from penwright.adapters.workspace.git.layout import temporary_path
from penwright.adapters.workspace.git.repository import RefMoved, Repository
from penwright.adapters.workspace.trees import Change, entry_at
from penwright.adapters.workspace.worktree_journal import Step, WorktreeJournal
from penwright.domain.text.globs import Globs

_UNTOUCHABLE = "?"
"""In place of a blob id: neither a file nor a link, or reached through a link."""


@dataclass(frozen=True, slots=True)
class Unsaved:
    """A path whose content in the worktree differs from the branch."""

    path: str
    before: Entry | None
    after: str | None
    """Mode in the worktree: ``REGULAR``, ``EXECUTABLE``, ``LINK``; None when removed or untouchable."""
    tracked: bool
    removed: bool


@dataclass(slots=True)
class Worktree:
    """The worktree of an opened repository, for the length of one call."""

    repository: Repository
    journal: WorktreeJournal

    @classmethod
    def of(cls, repository: Repository) -> "Worktree":
        """The worktree; what an interrupted call left undone is finished first."""
        worktree = cls(repository, WorktreeJournal.of(repository.layout.private))
        for temporary in repository.layout.private.glob("*.part"):
            temporary.unlink(missing_ok=True)
        if worktree.journal.steps:
            worktree.catch_up()
        return worktree

    def catch_up(self) -> None:
        """Update the files that an interrupted call did not; edits made since stay, with their entries."""
        repository = self.repository
        tip = repository.tip()
        reached: dict[str, bool] = {}
        for commit in {step.commit for steps in self.journal.steps.values() for step in steps}:
            reached[commit] = repository.objects.has(commit) and repository.is_ancestor(commit, tip)
        self.journal.keep_if(lambda commit: reached.get(commit, False))
        if not repository.on_branch():
            return
        tree = repository.tree(tip)
        ready: dict[str, tuple[str | None, Entry | None]] = {}
        for path, steps in self.journal.steps.items():
            entry = entry_at(repository.objects, tree, path)
            now = entry.sha if entry else None
            if now == steps[-1].new and not self.journal.reverted_blobs(path, now):
                ready[path] = (steps[0].base, entry)
        if ready:
            self.update_files(ready)

    def advance(
        self,
        old: str,
        new: str,
        changes: Mapping[str, Change],
        *,
        why: str,
        refs: Sequence[str] = (),
        expected: Mapping[str, str | None] | None = None,
    ) -> tuple[str, ...]:
        """Move the branch, then update the files; returns the paths left alone.

        Args:
            refs: further moves in the same transaction, as lines of ``update-ref --stdin``.
            expected: blob id of a path's file, where it differs from the branch.

        Raises:
            RefMoved: the branch is not at ``old``; nothing has changed.
        """
        repository = self.repository
        visible = repository.on_branch()
        targets = self._targets(changes, expected or {}) if visible else {}
        if targets:
            self.journal.add(
                {
                    path: Step(
                        new, base, _sha(entry), _sha(changes[path][0]), absorbs=path in (expected or {})
                    )
                    for path, (base, entry) in targets.items()
                }
            )
            self.journal.save()
        try:
            repository.move([f"update {repository.ref} {new} {old}", *refs], why=why)
        except RefMoved:
            self.journal.keep_if(lambda commit: commit != new)
            raise
        # The next save restores engine text that a commit by hand overwrote, so its journal entry stays.
        lacking = {path for path, (_, entry) in targets.items() if entry and self._lacks(path, entry)}
        return self.update_files(targets, lacking) if visible else ()

    def _targets(
        self, changes: Mapping[str, Change], expected: Mapping[str, str | None]
    ) -> dict[str, tuple[str | None, Entry | None]]:
        """Expected blob id of each changed path's file, and the path's new entry."""
        return {
            path: (expected[path] if path in expected else self.journal.base(path, _sha(before)), after)
            for path, (before, after) in changes.items()
        }

    def _lacks(self, path: str, entry: Entry) -> bool:
        """Whether the new content lacks text that the engine committed."""
        return bool(self.journal.reverted_blobs(path, entry.sha))

    def update_files(
        self, targets: Mapping[str, tuple[str | None, Entry | None]], lacking: Collection[str] = ()
    ) -> tuple[str, ...]:
        """Update paths whose file is still as expected; returns the others.

        ``targets``: expected blob id and new entry, by path. Paths in ``lacking`` keep their journal entry.
        """
        entries = {path: entry for path, (_, entry) in targets.items()}
        followed: set[str] = set()
        # Removals first: they make room for a folder of the same name.
        for path in sorted(targets, key=lambda each: entries[each] is not None):
            expected, entry = targets[path]
            if (entry is not None and entry.mode == SUBMODULE) or self._follow(path, expected, entry):
                followed.add(path)
        if _update_index(self.repository, entries):
            self.journal.drop(followed.difference(lacking))
            self.journal.keep_if(lambda _: True)
        return tuple(sorted(targets.keys() - followed))

    def restore_unsaved(self, targets: Mapping[str, tuple[str | None, Entry | None]]) -> None:
        """Write archived edits into the worktree, unsaved: the index stays as it is."""
        for path, (expected, entry) in targets.items():
            self._follow(path, expected, entry)

    def _follow(self, path: str, expected: str | None, entry: Entry | None) -> bool:
        seen = self._fingerprint(path)
        now = self.blob_id(path)
        if now == (entry.sha if entry else None):
            return entry is None or self.is_link(path) == (entry.mode == LINK)
        if now != expected:
            return False
        try:
            self._put(path, entry, seen)
        except (FileExistsError, NotADirectoryError, IsADirectoryError):
            return False
        return True

    def is_link(self, path: str) -> bool:
        """Whether a symbolic link stands at ``path``."""
        return (self.repository.layout.top / path).is_symlink()

    def _fingerprint(self, path: str) -> tuple[int, ...]:
        """Changes with every write to a file; empty while there is none."""
        try:
            status = (self.repository.layout.top / path).lstat()
        except (FileNotFoundError, NotADirectoryError):
            return ()
        return (status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)

    def _put(self, path: str, entry: Entry | None, seen: tuple[int, ...]) -> None:
        target = self.repository.layout.top / path
        if entry is None:
            self._refuse_changed(path, seen)
            target.unlink(missing_ok=True)
            self._remove_empty(target.parent)
            return
        _make_folder(target.parent)
        content = self.repository.objects.blob(entry.sha)
        temporary = temporary_path(self.repository.layout.private)
        try:
            self._write(temporary, content, entry.mode, target)
            self._replace(path, temporary, seen)
        except OSError as failure:
            temporary.unlink(missing_ok=True)
            if failure.errno != errno.EXDEV:
                raise
            # A linked worktree on another disk than its repository.
            temporary = temporary_path(target.parent)
            self._write(temporary, content, entry.mode, target)
            self._replace(path, temporary, seen)

    def _replace(self, path: str, temporary: Path, seen: tuple[int, ...]) -> None:
        """Put ``temporary`` in place of the file, unless that changed while ``temporary`` was written."""
        self._refuse_changed(path, seen)
        os.rename(temporary, self.repository.layout.top / path)

    def _refuse_changed(self, path: str, seen: tuple[int, ...]) -> None:
        if self._fingerprint(path) != seen:
            raise FileExistsError(errno.EEXIST, "was changed meanwhile", path)

    def _write(self, temporary: Path, content: bytes, mode: str, target: Path) -> None:
        if mode == LINK:
            os.symlink(content, os.fsencode(temporary))
            return
        with open(temporary, "xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        bits = _mode_of(target) if target.is_file() else _mode_of(target.parent) & 0o666
        readable = bits & 0o444
        os.chmod(temporary, bits | readable >> 2 if mode == EXECUTABLE else bits & ~0o111)

    def _remove_empty(self, folder: Path) -> None:
        top = self.repository.layout.top
        while folder != top and top in folder.parents:
            try:
                folder.rmdir()
            except OSError:
                return
            folder = folder.parent

    def blob_id(self, path: str) -> str | None:
        """Blob id of the file's content; None if there is no file, ``?`` if it must not be touched."""
        target = self.repository.layout.top / path
        for parent in reversed(Path(path).parents):
            if (self.repository.layout.top / parent).is_symlink():
                return _UNTOUCHABLE
        try:
            status = target.lstat()
        except (FileNotFoundError, NotADirectoryError):
            return None
        if stat.S_ISLNK(status.st_mode):
            return self.repository.objects.blob_id(os.fsencode(os.readlink(target)))
        if stat.S_ISDIR(status.st_mode):
            return None if self._holds_nothing(target) else _UNTOUCHABLE
        if not stat.S_ISREG(status.st_mode):
            return _UNTOUCHABLE
        return self.repository.objects.blob_id(target.read_bytes())

    def _holds_nothing(self, folder: Path) -> bool:
        return not any(files for _, _, files in os.walk(folder))

    def is_folder(self, path: str) -> bool:
        """Whether a folder stands at ``path``, empty or not."""
        target = self.repository.layout.top / path
        return target.is_dir() and not target.is_symlink()

    def read(self, unsaved: Unsaved) -> bytes:
        """The file's content now; of a link, its target."""
        target = self.repository.layout.top / unsaved.path
        return os.fsencode(os.readlink(target)) if unsaved.after == LINK else target.read_bytes()

    def size(self, path: str) -> int:
        """Bytes of a file in the worktree."""
        return (self.repository.layout.top / path).lstat().st_size

    def unsaved(self, tip: str) -> tuple[list[Unsaved], list[str]]:
        """Paths that differ from ``tip``, and names that are not UTF-8."""
        raw = self.repository.git.run(
            "status",
            "--porcelain=v2",
            "-z",
            "--untracked-files=all",
            "--no-renames",
            "--ignore-submodules=all",
        )
        found: list[Unsaved] = []
        unnameable: list[str] = []
        tree = self.repository.tree(tip)
        listed = dict(_listed(raw))
        listed |= {path.encode(): True for path in self.journal.steps}
        for name, tracked in sorted(listed.items()):
            try:
                path = name.decode()
            except UnicodeDecodeError:
                unnameable.append(name.decode("utf-8", "replace"))
                continue
            edit = self._compared(path, entry_at(self.repository.objects, tree, path), tracked)
            found += [edit] if edit else []
        return found, unnameable

    def _compared(self, path: str, before: Entry | None, tracked: bool) -> Unsaved | None:
        if before is not None and before.mode not in (REGULAR, EXECUTABLE, LINK):
            before = None
        now = self.blob_id(path)
        mode = self._mode(path) if now not in (None, _UNTOUCHABLE) else None
        if before is None and now is None:
            return None
        if before is not None and (now, mode) == (before.sha, before.mode) and path not in self.journal.steps:
            return None
        return Unsaved(path, before, mode, tracked, removed=now is None)

    def _mode(self, path: str) -> str:
        status = (self.repository.layout.top / path).lstat()
        if stat.S_ISLNK(status.st_mode):
            return LINK
        return EXECUTABLE if status.st_mode & stat.S_IXUSR else REGULAR


def _make_folder(folder: Path) -> None:
    """Make a folder, as open as the one that it is in: the umask of a worker is stricter than a person's."""
    new = [each for each in (folder, *folder.parents) if not each.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    for each in reversed(new):
        each.chmod(_mode_of(each.parent))


def _mode_of(place: Path) -> int:
    return stat.S_IMODE(place.stat().st_mode)


def _sha(entry: Entry | None) -> str | None:
    return entry.sha if entry else None


def _listed(raw: bytes) -> Iterable[tuple[bytes, bool]]:
    """Paths of ``git status --porcelain=v2 -z``, and whether git tracks them."""
    for row in raw.split(b"\0"):
        if row.startswith(b"1 "):
            yield row.split(b" ", 8)[8], True
        elif row.startswith(b"u "):
            yield row.split(b" ", 10)[10], True
        elif row.startswith(b"? ") and not row.endswith(b"/"):
            yield row[2:], False


def is_known(unsaved: Unsaved, known: Globs) -> bool:
    """Whether git tracks the path or the book's layout claims it."""
    return unsaved.tracked or unsaved.path in known


def _update_index(repository: Repository, entries: Mapping[str, Entry | None]) -> bool:
    """Put the branch's entries into the index; False while another git holds its lock."""
    if not entries:
        return True
    none = "0" * (64 if repository.objects.sha256 else 40)
    rows = [
        f"{entry.mode} {entry.sha}\t{path}\0" if entry else f"0 {none}\t{path}\0"
        for path, entry in sorted(entries.items(), key=lambda row: row[1] is not None)
    ]
    script = "".join(rows).encode("utf-8", "surrogateescape")
    status, _, complaint = repository.git.attempt("update-index", "-z", "--index-info", data=script)
    if status and "File exists" in complaint:
        return False
    if status:
        raise GitFailed("update-index", status, complaint)
    return True
