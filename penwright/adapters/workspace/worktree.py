"""The files people see: bringing them along with the branch, never over an unsaved edit."""

import errno
import os
import stat
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path

from penwright.adapters.workspace import paths
from penwright.adapters.workspace.behind import Behind, Step
from penwright.adapters.workspace.index import print_of, stamp_index, update_index
from penwright.adapters.workspace.layout import spare_in
from penwright.adapters.workspace.objects import EXECUTABLE, LINK, REGULAR, SUBMODULE, Entry
from penwright.adapters.workspace.repository import Moved, Repository
from penwright.adapters.workspace.trees import Change, entry_at

LONG = 512 * 1024
"""Bytes from which a file is written ahead of its turn."""
_SETTLED_NS = 2 * 10**9
_MOST_KNOWN = 64
_KNOWN: dict[tuple[object, ...], str] = {}
"""Ids of long files that lay still when they were read or laid, for the life of the process. Their time of
change was seconds old by then, so whoever writes to them again gives them another."""
_STRANGE = "?"
"""Stands for the id of what is neither file nor link, or lies behind a link."""


@dataclass(frozen=True, slots=True)
class Unsaved:
    """One path whose content in the worktree is not that of the branch."""

    path: str
    before: Entry | None
    after: str | None
    """Mode in the worktree: ``REGULAR``, ``EXECUTABLE``, ``LINK``; None when removed or strange."""
    tracked: bool
    removed: bool


@dataclass(slots=True)
class Worktree:
    """The worktree of an opened repository, for the length of one call."""

    repository: Repository
    behind: Behind
    _ids: dict[str, tuple[tuple[int, ...], str]] = field(default_factory=dict)
    _held: dict[str, tuple[tuple[int, ...], bytes]] = field(default_factory=dict)
    """Long files as they were read: what only appends to one is appended in place."""
    _tails: dict[tuple[str, tuple[int, ...]], bytes | None] = field(default_factory=dict)
    """What contents have behind those of long files: they are compared once."""
    _shown: bool | None = None
    """Whether this is the branch people see, as it was when something was first staged."""
    _staged: dict[str, Future[Path]] = field(default_factory=dict)
    _lengthened: list[Future[None]] = field(default_factory=list)
    """On their way to the disk."""

    @classmethod
    def of(cls, repository: Repository) -> "Worktree":
        """The worktree, caught up with what an interrupted call left undone."""
        worktree = cls(repository, Behind.of(repository.layout.private))
        for spare in repository.layout.private.glob("*.part"):
            spare.unlink(missing_ok=True)
        if worktree.behind.steps:
            worktree.catch_up()
        return worktree

    def catch_up(self) -> None:
        """Finish what was interrupted; a person's edit in between stays, with its base on record."""
        repository = self.repository
        tip = repository.tip()
        for path, steps in self.behind.steps.items():
            self._take_back_half(path, steps[-1])
        reached: dict[str, bool] = {}
        for commit in {step.commit for steps in self.behind.steps.values() for step in steps}:
            reached[commit] = repository.objects.has(commit) and repository.is_ancestor(commit, tip)
        self.behind.keep_if(lambda commit: reached.get(commit, False))
        if not repository.on_branch():
            return
        tree = repository.tree(tip)
        ready: dict[str, tuple[str | None, Entry | None]] = {}
        for path, steps in self.behind.steps.items():
            entry = entry_at(repository.objects, tree, path)
            now = entry.sha if entry else None
            if now == steps[-1].new and not self.behind.taken_back(path, now):
                ready[path] = (steps[0].base, entry)
        if ready:
            self.bring(ready)

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
        """Move the branch and the worktree with it; returns the paths left alone. Raises ``Moved``.

        ``expected``: blob a path has in the worktree, where that is not the branch's.
        """
        repository = self.repository
        visible = repository.on_branch()
        taken = expected or {}
        targets: dict[str, tuple[str | None, Entry | None]] = {}
        if visible:
            for path, (before, after) in changes.items():
                lying = self.behind.base(path, before.sha if before else None)
                targets[path] = (taken.get(path, lying), after)
            steps = {
                path: Step(new, base, entry.sha if entry else None, _sha(changes[path][0]), path in taken)
                for path, (base, entry) in targets.items()
            }
            self._stage({path: entry for path, (_, entry) in targets.items()})
            self.behind.add(steps)
            if steps:
                repository.objects.beside(self.behind.save)
        try:
            repository.move([f"update {repository.ref} {new} {old}", *refs], why=why)
        except Moved:
            self.unstage()
            self.behind.keep_if(lambda commit: commit != new)
            raise
        # Whoever saves people's edits next gives back what one of their commits took from the branch unseen.
        lacking = {path for path, (_, entry) in targets.items() if entry and self._lacks(path, entry)}
        left = self.bring(targets, lacking) if visible else ()
        self.unstage()
        return left

    def unstage(self) -> None:
        """Throw away what was written ahead and not used."""
        while self._staged:
            self._staged.popitem()[1].result().unlink(missing_ok=True)

    def _lacks(self, path: str, entry: Entry) -> bool:
        """Whether words of ours are missing from what a path is to become."""
        return bool(self.behind.taken_back(path, entry.sha))

    def bring(
        self, targets: Mapping[str, tuple[str | None, Entry | None]], lacking: Collection[str] = ()
    ) -> tuple[str, ...]:
        """Make paths what the branch holds where they still are what was expected.

        Of those that are ``lacking`` it stays noted what they were made from.
        """
        entries = {path: entry for path, (_, entry) in targets.items()}
        # git writes the index beside the files: which of them follow makes no difference to it.
        index = self.repository.objects.durably.submit(update_index, self.repository, entries)
        followed: set[str] = set()
        for path in sorted(targets, key=self._turn(entries)):
            expected, entry = targets[path]
            if (entry is not None and entry.mode == SUBMODULE) or self._follow(path, expected, entry):
                followed.add(path)
        if index.result():
            laid = ((path, self._as_laid(path, entries[path])) for path in followed)
            times = {path: status for path, status in laid if status is not None}
            stamp_index(self.repository, entries, times)
            while self._lengthened:
                self._lengthened.pop().result()
            with self.repository.objects.freeing.of(self.behind.file):
                self.behind.drop(followed.difference(lacking))
                self.behind.keep_if(lambda _: True)
        return tuple(sorted(targets.keys() - followed))

    def _as_laid(self, path: str, entry: Entry | None) -> os.stat_result | None:
        """What the file system says of a file that is as it was laid; None once somebody wrote to it."""
        if entry is None or not entry.is_text_file:
            return None
        try:
            status = (self.repository.layout.top / path).lstat()
        except OSError:
            return None
        return status if self._ids.get(path) == (print_of(status), entry.sha) else None

    def _turn(self, entries: Mapping[str, Entry | None]) -> Callable[[str], int]:
        """Removals first, for they make room; what is still on its way to the disk last."""
        return lambda path: 0 if entries[path] is None else 2 if path in self._staged else 1

    def lay(self, targets: Mapping[str, tuple[str | None, Entry | None]]) -> None:
        """Put contents into the worktree as unsaved edits; the index stays with the branch."""
        for path, (expected, entry) in targets.items():
            self._follow(path, expected, entry)

    def _follow(self, path: str, expected: str | None, entry: Entry | None) -> bool:
        now = self.blob_id(path)
        if now == (entry.sha if entry else None):
            return entry is None or self._is_link(path) == (entry.mode == LINK)
        if now != expected:
            return False
        try:
            with self.repository.objects.freeing.of(self.repository.layout.top / path):
                self._put(path, entry)
        except (FileExistsError, NotADirectoryError, IsADirectoryError):
            return False
        return True

    def _is_link(self, path: str) -> bool:
        return (self.repository.layout.top / path).is_symlink()

    def _put(self, path: str, entry: Entry | None) -> None:
        target = self.repository.layout.top / path
        if entry is None:
            target.unlink(missing_ok=True)
            self._remove_empty(target.parent)
            return
        target.parent.mkdir(parents=True, exist_ok=True)
        if self._append(path, entry):
            return
        content = self.repository.objects.blob(entry.sha)
        staged = self._staged.pop(path, None)
        spare = staged.result() if staged else spare_in(self.repository.layout.private)
        try:
            if staged is None:
                self._write(spare, content, entry.mode, target)
            os.rename(spare, target)
        except OSError as failure:
            spare.unlink(missing_ok=True)
            if failure.errno != errno.EXDEV:
                raise
            # A linked worktree on another disk than its repository.
            spare = spare_in(target.parent)
            self._write(spare, content, entry.mode, target)
            os.rename(spare, target)
        self._remember(path, entry.sha, target.lstat())

    def stage(self, changes: Mapping[str, Change]) -> None:
        """Begin writing what the worktree is going to show; ``unstage`` throws away what is not used."""
        # Asked once: ``advance`` asks again, and a head start for nobody is thrown away.
        if self._shown is None:
            self._shown = self.repository.on_branch()
        if self._shown:
            self._stage({path: after for path, (_, after) in changes.items()})

    def _stage(self, entries: Mapping[str, Entry | None]) -> None:
        """Begin writing files beside the objects: all wait for the same disk."""
        for path, entry in entries.items():
            if entry is None or not entry.is_text_file or path in self._staged:
                continue
            content = self.repository.objects.fresh(entry.sha)
            if content is not None and self._tail(path, entry) is None:
                self._staged[path] = self.repository.objects.durably.submit(
                    self._written, content, entry.mode, self.repository.layout.top / path
                )

    def _written(self, content: bytes, mode: str, target: Path) -> Path:
        spare = spare_in(self.repository.layout.private)
        self._write(spare, content, mode, target)
        return spare

    def _write(self, spare: Path, content: bytes, mode: str, target: Path) -> None:
        if mode == LINK:
            os.symlink(content, os.fsencode(spare))
            return
        with open(spare, "xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        bits = stat.S_IMODE((target if target.is_file() else spare).stat().st_mode)
        readable = bits & 0o444
        os.chmod(spare, bits | readable >> 2 if mode == EXECUTABLE else bits & ~0o111)
        if len(content) > LONG:
            _make_older(spare)

    def _tail(self, path: str, entry: Entry) -> bytes | None:
        """What ``entry`` has behind the content that lies there; None if more differs or nobody knows."""
        content = self.repository.objects.fresh(entry.sha)
        held = self._held.get(path)
        if content is None or held is None or self._ids[path][0] != held[0] or not entry.is_text_file:
            return None
        known = (entry.sha, held[0])
        if known not in self._tails:
            self._tails[known] = content[len(held[1]) :] if content.startswith(held[1]) else None
        return self._tails[known]

    def _append(self, path: str, entry: Entry) -> bool:
        """Lengthen a long file in place, which spares the disk the whole of it; False to lay it anew.

        Killed halfway, ``_take_back_half`` of the next call finds the old content and a part of the new.
        """
        tail = self._tail(path, entry)
        if tail is None:
            return False
        target = self.repository.layout.top / path
        try:
            descriptor = os.open(target, os.O_WRONLY | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC)
        except OSError:
            return False
        with open(descriptor, "ab", buffering=0) as file:
            before = os.fstat(descriptor)
            if print_of(before) != self._ids[path][0]:
                raise FileExistsError(errno.EEXIST, "somebody has just written to", str(target))
            if before.st_nlink > 1 or bool(before.st_mode & stat.S_IXUSR) != (entry.mode == EXECUTABLE):
                return False
            try:
                rest = memoryview(tail)
                while rest:
                    rest = rest[file.write(rest) :]
            except OSError:
                file.truncate(before.st_size)
                raise
            _make_older(descriptor)
            self._remember(path, entry.sha, os.fstat(descriptor))
            self.repository.objects.hold(entry.sha, self.repository.objects.blob(entry.sha))
            self._lengthened.append(self.repository.objects.durably.submit(_sync, os.dup(descriptor)))
        return True

    def _take_back_half(self, path: str, step: Step) -> None:
        """Make a file old again that a call was killed appending to, so that it is no person's edit."""
        objects, target = self.repository.objects, self.repository.layout.top / path
        if step.base is None or step.new is None or target.is_symlink() or not target.is_file():
            return
        if target.stat().st_size <= LONG or not (objects.has(step.base) and objects.has(step.new)):
            return
        old, new, lying = objects.blob(step.base), objects.blob(step.new), target.read_bytes()
        if len(old) < len(lying) < len(new) and new.startswith(lying) and lying.startswith(old):
            os.truncate(target, len(old))

    def _remove_empty(self, folder: Path) -> None:
        top = self.repository.layout.top
        while folder != top and top in folder.parents:
            try:
                folder.rmdir()
            except OSError:
                return
            folder = folder.parent

    def blob_id(self, path: str) -> str | None:
        """Id the worktree's content has as a blob; None if absent, ``?`` if it must not be touched."""
        target = self.repository.layout.top / path
        for parent in reversed(Path(path).parents):
            if (self.repository.layout.top / parent).is_symlink():
                return _STRANGE
        try:
            status = target.lstat()
        except (FileNotFoundError, NotADirectoryError):
            return None
        if stat.S_ISLNK(status.st_mode):
            return self.repository.objects.blob_id(os.fsencode(os.readlink(target)))
        if stat.S_ISDIR(status.st_mode):
            return None if self._holds_nothing(target) else _STRANGE
        if not stat.S_ISREG(status.st_mode):
            return _STRANGE
        known = self._ids.get(path)
        if known is not None and known[0] == print_of(status):
            return known[1]
        sha = self._known(status) or self.repository.objects.blob_id(target.read_bytes())
        self._remember(path, sha, status)
        return sha

    def _holds_nothing(self, folder: Path) -> bool:
        return not any(files for _, _, files in os.walk(folder))

    def _known(self, status: os.stat_result) -> str | None:
        return _KNOWN.get((status.st_dev, *print_of(status)))

    def _remember(self, path: str, sha: str, status: os.stat_result) -> None:
        """Note the id of what ``status`` was asked of before it was read, or after it was laid."""
        self._ids[path] = (print_of(status), sha)
        if status.st_size > LONG and status.st_mtime_ns <= time.time_ns() - _SETTLED_NS:
            if len(_KNOWN) >= _MOST_KNOWN:
                _KNOWN.clear()
            _KNOWN[status.st_dev, *print_of(status)] = sha

    def content_if(self, path: str, sha: str) -> bytes | None:
        """The worktree's content if it is exactly blob ``sha``: faster than the object database."""
        target = self.repository.layout.top / path
        try:
            if target.is_symlink() or not target.is_file() or not self.repository.on_branch():
                return None
            status = target.lstat()
            held = self.repository.objects.at_hand(sha) if self._known(status) == sha else None
            content = target.read_bytes() if held is None else held
            still = print_of(target.lstat()) == print_of(status)
        except OSError:
            return None
        known = self._known(status) if still else None
        if (known or self.repository.objects.blob_id(content)) != sha:
            return None
        if still:
            self._remember(path, sha, status)
            if len(content) > LONG:
                self._held[path] = (print_of(status), content)
                self.repository.objects.hold(sha, content)
        return content

    def read(self, unsaved: Unsaved) -> bytes:
        """What lies in the worktree now, a link's target for a link."""
        target = self.repository.layout.top / unsaved.path
        return os.fsencode(os.readlink(target)) if unsaved.after == LINK else target.read_bytes()

    def size(self, path: str) -> int:
        """Bytes of a file in the worktree."""
        return (self.repository.layout.top / path).lstat().st_size

    def unsaved(self, tip: str) -> tuple[list[Unsaved], list[str]]:
        """Paths that differ from ``tip``, and the names that cannot be written as text."""
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
        listed |= {path.encode(): True for path in self.behind.steps}
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
        mode = self._mode(path) if now not in (None, _STRANGE) else None
        if before is None and now is None:
            return None
        if before is not None and (now, mode) == (before.sha, before.mode) and path not in self.behind.steps:
            return None
        return Unsaved(path, before, mode, tracked, removed=now is None)

    def _mode(self, path: str) -> str:
        status = (self.repository.layout.top / path).lstat()
        if stat.S_ISLNK(status.st_mode):
            return LINK
        return EXECUTABLE if status.st_mode & stat.S_IXUSR else REGULAR


def _sync(descriptor: int) -> None:
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _make_older(file: Path | int) -> None:
    # A file as young as the index is read whole by every ``git status``, in case it changed since.
    older = time.time_ns() - _SETTLED_NS
    os.utime(file, ns=(older, older))


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


def is_known(unsaved: Unsaved, known: Sequence[str]) -> bool:
    """Whether git tracks the path or the book's layout claims it."""
    return unsaved.tracked or paths.matches(unsaved.path, known)
