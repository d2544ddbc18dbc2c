"""Putting a damaged ledger back: the newest state that git vouches for, and what was truly added since."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from penwright.domain.trace.chain import SegmentLine, digest, followed_from, line_of, linked, read_lines
from penwright.domain.trace.layout import CLOSED, LEDGER, MANIFEST, segment_path
from penwright.domain.trace.manifest import listed_segments
from penwright.domain.trace.reading import ids_of
from penwright.domain.trace.source import TraceSource
from penwright.domain.trace.verifying.anchors import standing_heads
from schemas.trace import Anchor, TracedCommit


@dataclass(frozen=True, slots=True)
class Repair:
    """Contents that the ledger's files must get."""

    commit: str
    """The commit whose ledger is taken; empty if no commit of the branch holds a sound one."""
    contents: dict[str, bytes | None]
    """By path, only where it differs from the tip; None for a file that must go."""
    dropped: int
    """Lines at the tip that nothing vouches for."""
    unvouched: int = 0
    """Sound lines that no commit names and no log knows, kept because not every log was asked."""
    obstacles: tuple[str, ...] = ()
    """Files that lie where a file of the ledger belongs: they go first, in a commit of their own."""


@dataclass(frozen=True, slots=True)
class Witnesses:
    """Evidence for ledger lines from outside the branch."""

    heads: frozenset[str]
    """Hashes that logs outside the branch name; each vouches for everything that it follows."""
    complete: bool
    """Whether a sound line of which they know nothing may be dropped."""


def witnesses_of(anchors: Sequence[Anchor], *, complete: bool = True) -> Witnesses:
    """Collect the heads that the logs' entries vouch for. Without any, no sound line is dropped."""
    heads = standing_heads(anchors)
    return Witnesses(heads, complete and bool(heads))


def repaired(source: TraceSource, witnesses: Witnesses | None = None) -> Repair:
    """Plan the repair of the ledger at the tip: no contents and no obstacles if nothing is wrong with it.

    The newest sound state is taken; records that commits name and that are not in it come back from those
    commits. Sound lines of the tip stay if a log outside the branch knows them, as after a squash, or if not
    every log could be asked. Any other line is dropped, unless what followed was built on it.
    """
    known = witnesses or witnesses_of(source.anchors())
    commits = list(source.commits())
    good = next((each for each in reversed(commits) if _is_sound(source, each, known.heads)), None)
    now = _files_at(source, source.tip)
    kept = _Kept(dict(_files_at(source, good.sha)) if good else {})
    kept.files |= _restored_segments(source, commits, kept.files)
    kept.add(_named(source, commits, kept))
    unvouched = kept.add_from_tip(now, known)
    wanted = kept.wanted(open_segment=LEDGER in now)
    contents: dict[str, bytes | None] = {
        path: content for path, content in wanted.items() if now.get(path) != content
    }
    contents |= {path: None for path in now if path not in wanted}
    obstacles = tuple(_obstacles(source, wanted))
    return Repair(good.sha if good else "", contents, kept.lacking(now), unvouched, obstacles)


@dataclass(slots=True)
class _Kept:
    """The ledger's files as they are to be."""

    files: dict[str, bytes]
    added: list[SegmentLine] = field(default_factory=list)
    """Lines that come to the open segment."""
    _hashes: set[str] = field(init=False)
    _ids: set[str] = field(init=False)

    def __post_init__(self) -> None:
        lines = list(_lines(self.files))
        self._hashes = {line.hash for line in lines}
        self._ids = {_id(line) for line in lines}

    def without(self, ids: Iterable[str]) -> set[str]:
        """Those ids of which there is no record yet."""
        return set(ids) - self._ids

    def add(self, lines: Iterable[SegmentLine]) -> int:
        """Add those whose records are not there yet; returns how many."""
        before = len(self.added)
        for line in lines:
            if _id(line) not in self._ids:
                self._ids.add(_id(line))
                self._hashes.add(line.hash)
                self.added.append(line)
        return len(self.added) - before

    def add_from_tip(self, now: Mapping[str, bytes], known: Witnesses) -> int:
        """Add sound lines that a log knows, and others unless every log was asked; how many others."""
        sound = [line for line in _lines(now) if not line.fault]
        vouched = followed_from(known.heads, {line.hash: line.prev for line in sound})
        self.add(line for line in sound if line.hash in vouched)
        return 0 if known.complete else self.add(sound)

    def wanted(self, *, open_segment: bool) -> dict[str, bytes]:
        """Contents by path."""
        if not (self.added or open_segment):
            return self.files
        return {**self.files, LEDGER: self.files.get(LEDGER, b"") + b"".join(map(_row, self.added))}

    def lacking(self, now: Mapping[str, bytes]) -> int:
        """Count the lines of the tip that are not among them."""
        return sum(line.hash not in self._hashes for line in _lines(now))


def _lines(files: Mapping[str, bytes]) -> Iterator[SegmentLine]:
    for path, content in files.items():
        if path != MANIFEST:
            yield from read_lines(content)


def _named(source: TraceSource, commits: Sequence[TracedCommit], kept: _Kept) -> Iterator[SegmentLine]:
    """Records that commits name and that are not kept yet, as they stood in those commits."""
    for commit in commits:
        named = kept.without(ids_of(commit))
        for line in read_lines(source.at(commit.sha, LEDGER) or b"") if named else ():
            if not line.fault and _id(line) in named:
                yield line


def _files_at(source: TraceSource, commit: str) -> dict[str, bytes]:
    """The ledger's files at a commit; closed segments are numbered, and listed in the manifest."""
    found = {path: source.at(commit, path) for path in (LEDGER, MANIFEST)}
    listed = _digests(found[MANIFEST] or b"")
    number = 1
    while (content := source.at(commit, segment_path(number))) is not None or segment_path(number) in listed:
        found[segment_path(number)] = content
        number += 1
    return {path: content for path, content in found.items() if content is not None}


def _digests(manifest: bytes) -> Mapping[str, set[str]]:
    """Of the closed segments by path: several where two clones closed one of this name."""
    found: dict[str, set[str]] = {}
    for each in listed_segments(manifest):
        found.setdefault(each.segment, set()).add(each.sha256)
    return found


def _restored_segments(
    source: TraceSource, commits: Sequence[TracedCommit], files: Mapping[str, bytes]
) -> dict[str, bytes]:
    """Closed segments that were damaged, or are gone, as an older commit holds them."""
    found: dict[str, bytes] = {}
    for path, digests in _digests(files.get(MANIFEST, b"")).items():
        content = files.get(path)
        if content is not None and (len(digests) > 1 or digest(content) in digests):
            continue
        versions = (
            source.blob(change.after)
            for commit in reversed(commits)
            for change in commit.paths
            if change.path == path and change.after
        )
        whole = next((each for each in versions if each is not None and digest(each) in digests), None)
        if whole is not None:
            found[path] = whole
    return found


def _is_sound(source: TraceSource, commit: TracedCommit, vouched: frozenset[str]) -> bool:
    """Whether the open segment at a commit ends as the commit's trailers, or a log, say."""
    heads = commit.trailers.get("Trace-Head", "")
    if not heads and all(change.path != LEDGER for change in commit.paths):
        return False
    found = linked(read_lines(source.at(commit.sha, LEDGER) or b""))
    if not found.sound or not found.heads:
        return False
    if not set(heads.split(",")).isdisjoint(found.heads):
        return True
    closed = listed_segments(source.at(commit.sha, MANIFEST) or b"")
    older = {head for each in closed for head in each.heads}
    return vouched.issuperset(found.heads) and older.issuperset(found.roots)


def _obstacles(source: TraceSource, wanted: Mapping[str, bytes]) -> Iterator[str]:
    """Files at the tip below the name of a wanted file, or where the closed segments' folder belongs."""
    for path in source.files():
        if path == CLOSED or any(path.startswith(f"{each}/") for each in {LEDGER, MANIFEST, *wanted}):
            yield path


def _id(line: SegmentLine) -> str:
    return str(line.record.get("id", "")) if line.record else ""


def _row(line: SegmentLine) -> bytes:
    assert line.record is not None
    return line_of(line.record)
