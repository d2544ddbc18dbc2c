"""The port ``TraceSource`` over git: one stream of git's own log, never a process per commit."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from penwright.adapters.workspace.git import GitFailed
from penwright.adapters.workspace.recording import COMMIT, HEAD, KIND, LEDGER_BLOB, LOG
from penwright.adapters.workspace.repository import OP, Repository
from penwright.adapters.workspace.trees import entry_at
from penwright.domain.trace.layout import FOLDER, LEDGER, segment_number
from schemas.base import CommitSha
from schemas.trace import Anchor, LedgerFile, PathChange, TracedCommit

_FORMAT = "%x01%H%x00%P%x00%ct%x00%an <%ae>%x00%(trailers:only,unfold,separator=%x02)"
_ESCAPE = re.compile(rb"\\([abfnrtv\"\\]|[0-7]{3})")
_PLAIN = {b"a": 7, b"b": 8, b"f": 12, b"n": 10, b"r": 13, b"t": 9, b"v": 11, b'"': 34, b"\\": 92}


@dataclass(frozen=True, slots=True)
class GitTraceSource:
    """One repository at one tip, for the length of one call."""

    repository: Repository
    tip: CommitSha

    def ledger(self) -> tuple[LedgerFile, ...]:
        """Closed segments by number, then the open one."""
        names = self._names(FOLDER)
        closed = sorted(
            (number, f"{FOLDER}/{name}")
            for name in names
            if (number := segment_number(f"{FOLDER}/{name}")) is not None
        )
        paths = [path for _, path in closed] + [LEDGER]
        return tuple(
            LedgerFile(path=path, blob=names[name])
            for path in paths
            if (name := path.removeprefix(f"{FOLDER}/")) in names
        )

    def _names(self, folder: str) -> dict[str, str]:
        objects = self.repository.objects
        entry = entry_at(objects, self.repository.tree(self.tip), folder)
        rows = objects.tree(entry.sha).items() if entry else ()
        return {name: each.sha for name, each in rows if each.is_text_file}

    def files(self) -> Mapping[str, str]:
        """Blob id of every plain file at the tip."""
        raw = self.repository.git.run("ls-tree", "-r", "-z", self.tip)
        rows = (row.partition(b"\t") for row in raw.split(b"\0") if row)
        return {
            path.decode("utf-8", "surrogateescape"): head.split()[2].decode()
            for head, _, path in rows
            if head.startswith(b"100")
        }

    def blob(self, sha: str) -> bytes | None:
        """A content; None if the repository does not have it."""
        if not sha or not all(sign in "0123456789abcdef" for sign in sha):
            return None
        found = self.repository.objects.find(sha)
        return found[2] if found and found[1] == "blob" else None

    def at(self, commit: str, path: str) -> bytes | None:
        """A file as it was at a commit."""
        found = self.repository.objects.resolve(commit.replace("\n", ""))
        entry = entry_at(self.repository.objects, self.repository.tree(found), path) if found else None
        return self.repository.objects.blob(entry.sha) if entry and entry.is_text_file else None

    def reaches(self, commit: str) -> bool:
        """Whether the tip holds all of ``commit``."""
        found = self.repository.objects.resolve(commit.replace("\n", ""))
        return found is not None and self.repository.is_ancestor(found, self.tip)

    def commits(self, *, since: str | None = None) -> Iterator[TracedCommit]:
        """Commits reachable from the tip and not from ``since``, parents before children."""
        bounds = [self.tip, *([f"^{since}"] if since else [])]
        # Raw lines name both blobs; a merge has none, for its parents tell.
        options = ("--raw", "-r", "--no-abbrev", "--no-renames", "--topo-order", "--reverse", "--root")
        lines = self._stream("log", *options, f"--format={_FORMAT}", *bounds, "--")
        head: bytes | None = None
        paths: list[PathChange] = []
        for line in lines:
            if line.startswith(b"\x01"):
                if head is not None:
                    yield _commit(head, paths)
                head, paths = line[1:], []
            elif line.startswith(b":") and (change := _path_change(line)) is not None:
                paths.append(change)
        if head is not None:
            yield _commit(head, paths)

    def _stream(self, *arguments: str) -> Iterator[bytes]:
        """Lines of a command's output as they come."""
        with self.repository.git.popen(*arguments) as process:
            assert process.stdin is not None
            assert process.stdout is not None
            assert process.stderr is not None
            process.stdin.close()
            try:
                for line in process.stdout:
                    yield line.rstrip(b"\n")
                complaint = process.stderr.read().decode("utf-8", "replace")
                if process.wait():
                    raise GitFailed(arguments[0], process.returncode, complaint)
            finally:
                process.kill()

    def anchors(self) -> tuple[Anchor, ...]:
        """The logs of every clone known here, each oldest first."""
        notes = f"refs/penwright/remotes/{self.repository.workspace.remote}/trace"
        found: dict[str, str] = {}
        for name, sha in self.repository.refs(notes, LOG).items():
            clone = name.rpartition("/")[2]
            # Our own log is newer here than where it was pushed to.
            if clone not in found or name.startswith(f"{LOG}/"):
                found[clone] = sha
        return tuple(anchor for clone, sha in sorted(found.items()) for anchor in self._log(clone, sha))

    def _log(self, clone: str, newest: str) -> Iterator[Anchor]:
        for line in self._stream("log", "--reverse", "--first-parent", f"--format={_FORMAT}", newest, "--"):
            if line.startswith(b"\x01"):
                yield _anchor(clone, _commit(line[1:], ()))


def _commit(head: bytes, paths: Iterable[PathChange]) -> TracedCommit:
    sha, parents, at, author, trailers = head.decode("utf-8", "replace").split("\0")[:5]
    rows = (row.partition(": ") for row in trailers.split("\x02") if row)
    return TracedCommit.model_construct(
        sha=CommitSha(sha),
        parents=tuple(parents.split()),
        at=datetime.fromtimestamp(int(at), UTC),
        author=author,
        trailers={name: value for name, _, value in rows},
        paths=tuple(paths),
    )


def _path_change(line: bytes) -> PathChange | None:
    """One raw line; None for links and submodules on both sides."""
    head, _, path = line.partition(b"\t")
    old_mode, new_mode, old, new = head[1:].split(b" ")[:4]
    before = old.decode() if old_mode.startswith(b"100") else None
    after = new.decode() if new_mode.startswith(b"100") else None
    if before is None and after is None:
        return None
    return PathChange.model_construct(path=_unquoted(path), before=before, after=after)


def _unquoted(path: bytes) -> str:
    if path.startswith(b'"'):
        path = _ESCAPE.sub(_unescaped, path[1:-1])
    return path.decode("utf-8", "surrogateescape")


def _unescaped(found: re.Match[bytes]) -> bytes:
    sign = found[1]
    return bytes([_PLAIN[sign] if sign in _PLAIN else int(sign, 8)])


def _anchor(clone: str, entry: TracedCommit) -> Anchor:
    told = entry.trailers
    return Anchor(
        entry=entry.sha,
        clone=clone,
        kind="revocation" if told.get(KIND) == "revocation" else "record",
        at=entry.at,
        commit=told.get(COMMIT, ""),
        heads=tuple(head for head in told.get(HEAD, "").split(",") if head),
        ledger=told.get(LEDGER_BLOB, ""),
        op_id=told.get(OP, ""),
    )
