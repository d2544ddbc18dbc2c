"""The port ``TraceSource`` over git: one stream of git's own log, never a process per commit."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from queue import Empty, Queue
from subprocess import Popen
from threading import Thread
from typing import IO

from penwright.adapters.workspace.behind import Behind
from penwright.adapters.workspace.git import GitFailed
from penwright.adapters.workspace.objects import FOLDER as DIRECTORY
from penwright.adapters.workspace.objects import Lately
from penwright.adapters.workspace.recording import LOG
from penwright.adapters.workspace.repository import Repository
from penwright.adapters.workspace.told import (
    BETWEEN,
    COMMITS,
    ENTRIES,
    anchors_in,
    commits_in,
    commits_outside,
)
from penwright.adapters.workspace.trees import entry_at, matching
from penwright.adapters.workspace.worktree import Worktree
from penwright.domain.trace.layout import CLOSED, FOLDER, LEDGER, segment_numbers, segment_path
from penwright.ports import Spread
from schemas.base import CommitSha
from schemas.trace import Anchor, LedgerFile, TracedCommit

# Raw lines name both blobs; a merge has none, for its parents tell.
_HISTORY = (
    *("log", "--raw", "-r", "--no-abbrev", "--no-renames", "--topo-order", "--reverse", "--root"),
    "--no-show-signature",
    COMMITS,
)
_CHUNK, _AHEAD = 64 * 1024, 1024
"""Bytes read at once, and how many such reads git may be ahead of us."""
_LEDGERS: Lately[tuple[LedgerFile, ...]] = Lately(16)
"""By tree of the ledger's folder."""
_FILES: Lately[Mapping[str, str]] = Lately(4)
"""By tree: who asks for the history of an intent asks for that of another at the same tip."""
_PATHS: Lately[Mapping[str, str]] = Lately(4)
"""The same the other way round."""


@dataclass(frozen=True, slots=True)
class GitTraceSource:
    """One repository at one tip, for the length of one call."""

    repository: Repository
    tip: CommitSha
    spread: Spread = map
    """How what git says is read."""

    def ledger(self) -> tuple[LedgerFile, ...]:
        """Closed segments by number, then the open one."""
        entry = entry_at(self.repository.objects, self.repository.tree(self.tip), FOLDER)
        if entry is None:
            return ()
        known = _LEDGERS.get(entry.sha)
        return known if known is not None else _LEDGERS.keep(entry.sha, self._segments(entry.sha))

    def _segments(self, folder: str) -> tuple[LedgerFile, ...]:
        objects = self.repository.objects
        found = {LEDGER: entry_at(objects, folder, LEDGER.removeprefix(f"{FOLDER}/"))}
        inner = entry_at(objects, folder, CLOSED.removeprefix(f"{FOLDER}/"))
        names = objects.tree(inner.sha) if inner and inner.mode == DIRECTORY else {}
        closed = {segment_path(number): names[f"{number}.jsonl"] for number in segment_numbers(names)}
        return tuple(
            LedgerFile.model_construct(path=path, blob=entry.sha)
            for path, entry in {**closed, **found}.items()
            if entry is not None and entry.is_text_file
        )

    def files(self) -> Mapping[str, str]:
        """Blob id of every plain file at the tip."""
        objects, tree = self.repository.objects, self.repository.tree(self.tip)
        known = _FILES.get(tree)
        if known is not None:
            return known
        found = matching(objects, tree, ("**",))
        files = {path: entry.sha for path, entry in found if entry.is_text_file}
        _PATHS.keep(tree, {sha: path for path, sha in files.items()})
        return _FILES.keep(tree, files)

    def blob(self, sha: str) -> bytes | None:
        """A content; None if the repository does not have it."""
        if not sha or not all(sign in "0123456789abcdef" for sign in sha):
            return None
        return self._at_hand(sha) or self.repository.objects.blob_if(sha)

    def _at_hand(self, sha: str) -> bytes | None:
        """A long file of the tip lies in the worktree as well: reading it there costs a tenth."""
        path = _PATHS.get(self.repository.tree(self.tip), {}).get(sha)
        worktree = Worktree(self.repository, Behind(self.repository.layout.private, {}))
        return worktree.content_if(path, sha) if path and worktree.holds_long(path) else None

    def at(self, commit: str, path: str) -> bytes | None:
        """A file as it was at a commit."""
        ours = commit == self.tip
        found = self.tip if ours else self.repository.objects.resolve(commit.replace("\n", ""))
        entry = entry_at(self.repository.objects, self.repository.tree(found), path) if found else None
        return self.repository.objects.blob(entry.sha) if entry and entry.is_text_file else None

    def reaches(self, commit: str) -> bool:
        """Whether the tip holds all of ``commit``."""
        found = self.repository.objects.resolve(commit.replace("\n", ""))
        return found is not None and self.repository.is_ancestor(found, self.tip)

    def commits(self, *, since: str | None = None, bookkeeping: bool = True) -> Iterator[TracedCommit]:
        """Commits reachable from the tip and not from ``since``, parents before children."""
        bounds = [self.tip, *([f"^{since}"] if since else [])]
        told = self._told(*_HISTORY, *bounds, "--")
        # Git sets out at once: before it says a word it goes through all of the history.
        next(told)
        return chain.from_iterable(self.spread(commits_in if bookkeeping else commits_outside, told))

    def _told(self, *arguments: str) -> Iterator[bytes]:
        """First nothing, when git runs; then what it says, cut between two commits."""
        with self._output(*arguments) as output:
            yield b""
            yield from _cut(output, BETWEEN)

    def anchors(self, *, since: Mapping[str, str] | None = None) -> tuple[Anchor, ...]:
        """The logs of every clone known here, each oldest first."""
        notes = f"refs/penwright/remotes/{self.repository.workspace.remote}/trace"
        found: dict[str, str] = {}
        for name, sha in self.repository.refs(notes, LOG).items():
            clone = name.rpartition("/")[2]
            # Our own log is newer here than where it was pushed to.
            if clone not in found or name.startswith(f"{LOG}/"):
                found[clone] = sha
        return tuple(
            anchor
            for clone, sha in sorted(found.items())
            for anchor in reversed(list(self._log(clone, sha, (since or {}).get(clone))))
        )

    def _log(self, clone: str, newest: str, known: str | None) -> Iterator[Anchor]:
        """Newest first: git says each as it comes to it."""
        since = self.repository.objects.resolve(known) if known else None
        if since and not self.repository.is_ancestor(since, newest):
            since = None
        bounds = [newest, *(["--not", f"{since}^@"] if since else [])]
        told = self._told("log", "--first-parent", "--no-show-signature", ENTRIES, *bounds, "--")
        return chain.from_iterable(self.spread(partial(anchors_in, clone), told))

    @contextmanager
    def _output(self, *arguments: str) -> Iterator[Iterable[bytes]]:
        """A command's output piece by piece; it goes on being made while earlier pieces are looked at."""
        ahead: Queue[bytes] = Queue(_AHEAD)
        git = self.repository.git
        # Left alone, git hands over every commit by itself.
        with replace(git, environment={**git.environment, "GIT_FLUSH": "0"}).popen(*arguments) as process:
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.close()
            reader = Thread(target=_drain, args=(process.stdout, ahead), daemon=True)
            reader.start()
            pieces = _pieces(ahead, process, arguments[0])
            try:
                yield pieces
            finally:
                process.kill()
                while reader.is_alive():
                    # Whoever stops early leaves a reader that waits for room.
                    with suppress(Empty):
                        ahead.get(timeout=0.01)
                reader.join()


def _drain(output: IO[bytes], ahead: "Queue[bytes]") -> None:
    try:
        while chunk := output.read(_CHUNK):
            ahead.put(chunk)
    finally:
        ahead.put(b"")


def _pieces(ahead: "Queue[bytes]", process: "Popen[bytes]", command: str) -> Iterator[bytes]:
    yield from iter(ahead.get, b"")
    assert process.stderr is not None
    complaint = process.stderr.read().decode("utf-8", "replace")
    if process.wait():
        raise GitFailed(command, process.returncode, complaint)


def _cut(chunks: Iterable[bytes], mark: bytes) -> Iterator[bytes]:
    """The same bytes in pieces that end in front of ``mark``, which is left out."""
    left = b""
    for chunk in chunks:
        left += chunk
        at = left.rfind(mark)
        if at >= 0:
            yield left[:at]
            left = left[at + len(mark) :]
    if left:
        yield left
