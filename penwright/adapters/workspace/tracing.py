"""The port ``TraceSource`` over git: one stream of git's own log, never a process per commit."""

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime

from penwright.adapters.workspace.git.commands import GitFailed, ProcessGroup, complaint_of
from penwright.adapters.workspace.git.commits import trailers_in
from penwright.adapters.workspace.git.entries import FOLDER as DIRECTORY
from penwright.adapters.workspace.git.repository import Repository
from penwright.adapters.workspace.recording import COMMIT, HEAD, KIND, LEDGER_BLOB, LOG
from penwright.adapters.workspace.trees import entry_at, text_files
from penwright.domain.intents.governed import RULES
from penwright.domain.trace.layout import CLOSED, FOLDER, LEDGER, segment_numbers, segment_path
from penwright.domain.trailers import CO_AUTHOR, OP
from schemas.base import CommitSha
from schemas.pipeline import PipelineProfile
from schemas.trace import Anchor, LedgerFile, PathChange, TracedCommit

_MARK = b"\0\x01"
"""Begins each commit: no message contains a NUL, and text by others follows an equals sign."""
# The message as it is: git would part the trailers, too, in twice the time.
_FORMAT = "%x00%x01%H%x00%P%x00%ct%x00=%an <%ae>%x00=%B%x00"
_ENTRY = "%x00%x01%H%x00%ct%x00=%B"
_LOG = ("log", "--no-show-signature", "--encoding=UTF-8")
# Raw lines name both blobs; a merge has none, for its parents tell.
_HISTORY = (
    *(*_LOG, "--raw", "-r", "--no-abbrev", "--no-renames", "--topo-order", "--reverse", "--root"),
    f"--format={_FORMAT}",
)
_LISTED = frozenset({"Trace-Id", "Trace-Head", CO_AUTHOR})
_SQUASHED = re.compile(r"(?m)^commit [0-9a-f]{40,64}\nAuthor: (.+)$")
"""The author of a commit, as `git merge --squash` copies it into the message of the new one."""
_CHUNK = 1024 * 1024
_ESCAPE = re.compile(rb"\\([abfnrtv\"\\]|[0-7]{3})")
_PLAIN = {b"a": 7, b"b": 8, b"f": 12, b"n": 10, b"r": 13, b"t": 9, b"v": 11, b'"': 34, b"\\": 92}


@dataclass(frozen=True, slots=True)
class GitTraceSource:
    """One repository at one tip, for the length of one call."""

    repository: Repository
    tip: CommitSha
    profile: PipelineProfile

    def ledger(self) -> tuple[LedgerFile, ...]:
        """Closed segments by number, then the open one."""
        entry = entry_at(self.repository.objects, self.repository.tree(self.tip), FOLDER)
        if entry is None:
            return ()
        cache = self.repository.objects.caches.ledgers
        known = cache.get(entry.sha)
        return known if known is not None else cache.keep(entry.sha, self._segments(entry.sha))

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
        known = objects.caches.files.get(tree)
        return known if known is not None else objects.caches.files.keep(tree, text_files(objects, tree))

    def blob(self, sha: str) -> bytes | None:
        """A content; None if the repository does not have it."""
        if not sha or not all(sign in "0123456789abcdef" for sign in sha):
            return None
        return self.repository.objects.blob_if(sha)

    def at(self, commit: str, path: str) -> bytes | None:
        """A file as it was at a commit."""
        ours = commit == self.tip
        found = self.tip if ours else self.repository.objects.resolve(commit.replace("\n", ""))
        entry = entry_at(self.repository.objects, self.repository.tree(found), path) if found else None
        if entry is None or not entry.is_text_file:
            return None
        return self.repository.objects.blob(entry.sha)

    def reaches(self, commit: str) -> bool:
        """Whether the tip holds all of ``commit``."""
        found = self.repository.objects.resolve(commit.replace("\n", ""))
        return found is not None and self.repository.is_ancestor(found, self.tip)

    def commits(self, *, since: str | None = None, bookkeeping: bool = True) -> Iterator[TracedCommit]:
        """Commits reachable from the tip and not from ``since``, parents before children."""
        bounds = [self.tip, *([f"^{since}"] if since else [])]
        wanted = None if bookkeeping else _is_outside
        with _output(self.repository, *_HISTORY, *bounds, "--") as history:
            for group in _marked(history):
                yield from (_commit(each, wanted) for each in group)

    def anchors(self, *, since: Mapping[str, str] | None = None) -> tuple[Anchor, ...]:
        """The logs of every clone known here, each oldest first."""
        return anchors_of(self.repository, since or {})


def anchors_of(repository: Repository, since: Mapping[str, str]) -> tuple[Anchor, ...]:
    """The logs of every clone known here, each oldest first.

    Args:
        since: by clone, the entry from which on its log is wanted.
    """
    found: dict[str, set[str]] = {}
    for name, sha in _log_refs(repository).items():
        # A log may be newer here than at the remote, or there if a copy of this folder wrote to it.
        found.setdefault(name.rpartition("/")[2], set()).add(sha)
    return tuple(
        anchor
        for clone, ends in sorted(found.items())
        for anchor in reversed(list(_log(repository, clone, sorted(ends), since.get(clone))))
    )


def _log(repository: Repository, clone: str, ends: Sequence[str], known: str | None) -> Iterator[Anchor]:
    """Newest first: git says each as it comes to it."""
    since = repository.objects.resolve(known) if known else None
    if since and not all(repository.is_ancestor(since, end) for end in ends):
        since = None
    newer = repository.since(since, ends[0]) if len(ends) == 1 else None
    if newer is not None:
        entries = [*newer, *([repository.objects.commit(since)] if since else [])]
        yield from (_anchor(clone, each.sha, each.at, each.message) for each in entries)
        return
    bounds = [*ends, *(["--not", f"{since}^@"] if since else [])]
    with _output(repository, *_LOG, "--first-parent", f"--format={_ENTRY}", *bounds, "--") as log:
        for group in _marked(log):
            yield from (_anchor(clone, *_entry(each)) for each in group)


@contextmanager
def _output(repository: Repository, *arguments: str) -> Iterator[Iterator[bytes]]:
    """The output of git in chunks; git is killed if the caller stops before the end."""
    # Without this, git writes each commit by itself.
    process = repository.git.start(*arguments, env={"GIT_FLUSH": "0"})
    try:
        yield _chunks(process, arguments[0])
    finally:
        process.__del__()


def knows_log(repository: Repository) -> bool:
    """Whether the log of any clone is here."""
    return bool(_log_refs(repository))


def _log_refs(repository: Repository) -> Mapping[str, str]:
    """This clone's log and those of others, as far as they were fetched."""
    return repository.refs(f"refs/penwright/remotes/{repository.workspace.remote}/trace", LOG)


def _chunks(process: ProcessGroup, command: str) -> Iterator[bytes]:
    while chunk := os.read(process.stdout.fileno(), _CHUNK):
        yield chunk
    complaint = complaint_of(process)
    if process.proc is not None and process.proc.wait():
        raise GitFailed(command, process.proc.returncode, complaint)


def _marked(chunks: Iterable[bytes]) -> Iterator[Sequence[bytes]]:
    """The commits between the marks, in batches as they arrive."""
    left = b""
    for chunk in chunks:
        left += chunk
        at = left.rfind(_MARK)
        if at > 0:
            yield left[:at].split(_MARK)[1:]
            left = left[at:]
    yield left.split(_MARK)[1:]


def _commit(raw: bytes, wanted: Callable[[bytes], bool] | None) -> TracedCommit:
    """Parse git's output on one commit: itself, and a line for each changed file."""
    head, _, rows = raw.rpartition(b"\0")
    sha, parents, at, author, message = head.decode("utf-8", "replace").split("\0")
    return TracedCommit(
        CommitSha(sha),
        tuple(parents.split()),
        datetime.fromtimestamp(int(at), UTC),
        author[1:],
        _trailers(message),
        _paths(rows, wanted),
    )


def _paths(rows: bytes, wanted: Callable[[bytes], bool] | None) -> tuple[PathChange, ...]:
    """Changed files, or those of them whose names are ``wanted``. Links and submodules are left out."""
    found: list[PathChange] = []
    for row in rows.split(b"\n"):
        modes, tab, path = row.partition(b"\t")
        if not tab or (wanted is not None and not wanted(path)):
            continue
        old_mode, new_mode, old, new, _ = modes.decode().split(" ")
        old_is, new_is = old_mode.startswith(":100"), new_mode.startswith("100")
        if old_is or new_is:
            found.append(PathChange(_name(path), old if old_is else None, new if new_is else None))
    return tuple(found)


def _is_outside(path: bytes) -> bool:
    name = _name(path)
    return not name.startswith(f"{FOLDER}/") or name in RULES


def _trailers(message: str) -> dict[str, str]:
    """By name. Where a squash kept the trailers of several commits, what lists ids or people lists all."""
    # Some hosts write `Co-Authored-By`.
    pairs = [
        (CO_AUTHOR if name.lower() == CO_AUTHOR.lower() else name, value)
        for name, value in trailers_in(message)
    ]
    pairs += [(CO_AUTHOR, each) for each in _SQUASHED.findall(message)]
    values = dict(pairs)
    if len(values) < len(pairs):
        for name in values.keys() & _LISTED:
            values[name] = ",".join([value for each, value in pairs if each == name])
    return values


def _name(path: bytes) -> str:
    if path.startswith(b'"'):
        path = _ESCAPE.sub(_unescaped, path[1:-1])
    return path.decode("utf-8", "surrogateescape")


def _unescaped(found: re.Match[bytes]) -> bytes:
    sign = found[1]
    return bytes([_PLAIN[sign] if sign in _PLAIN else int(sign, 8)])


def _entry(raw: bytes) -> tuple[str, datetime, str]:
    entry, at, message = raw.decode("utf-8", "replace").split("\0")
    return entry, datetime.fromtimestamp(int(at), UTC), message[1:]


def _anchor(clone: str, entry: str, at: datetime, message: str) -> Anchor:
    said = _trailers(message)
    heads = said.get(HEAD)
    # By place: a hundred thousand are made, and naming each field is felt.
    return Anchor(
        entry,
        clone,
        "revocation" if said.get(KIND) == "revocation" else "record",
        at,
        said.get(COMMIT, ""),
        tuple(heads.split(",")) if heads else (),
        said.get(LEDGER_BLOB, ""),
        said.get(OP, ""),
    )
