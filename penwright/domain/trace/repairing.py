"""Putting a damaged ledger back: the newest state that git vouches for, and what was truly added since."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from penwright.domain.trace.chain import Line, line_of, linked, read_lines
from penwright.domain.trace.layout import LEDGER, MANIFEST, segment_path
from penwright.domain.trace.source import TraceSource
from schemas.trace import TracedCommit


@dataclass(frozen=True, slots=True)
class Repair:
    """What the ledger's files must be."""

    commit: str
    """The commit whose ledger is taken; empty if no commit of the branch holds a sound one."""
    contents: dict[str, bytes | None]
    """By path, only where it differs from the tip; None for a file that must go."""
    dropped: int
    """Lines at the tip that nothing vouches for."""


def repaired(source: TraceSource) -> Repair:
    """How to put the ledger at the tip back; no contents if nothing is wrong with it.

    The newest sound state is taken; records that commits name and that are not in it come back from those
    commits. A line that no commit names is dropped, unless what followed was built on it.
    """
    commits = [commit for commit in source.commits() if "Trace-Head" in commit.trailers]
    good = next((each for each in reversed(commits) if _is_sound(source, each)), None)
    files = _files_at(source, good.sha) if good else {}
    now = _files_at(source, source.tip)
    kept = {line.hash for content in files.values() for line in read_lines(content)}
    added = list(_missing(source, commits, files))
    kept.update(line.hash for line in added)
    dropped = sum(
        line.hash not in kept
        for path, content in now.items()
        if path != MANIFEST
        for line in read_lines(content)
    )
    wanted: dict[str, bytes] = dict(files)
    if added or LEDGER in now:
        wanted[LEDGER] = files.get(LEDGER, b"") + b"".join(map(_row, added))
    contents: dict[str, bytes | None] = {
        path: content for path, content in wanted.items() if now.get(path) != content
    }
    contents |= {path: None for path in now if path not in wanted}
    return Repair(good.sha if good else "", contents, dropped)


def _missing(
    source: TraceSource, commits: Sequence[TracedCommit], files: Mapping[str, bytes]
) -> Iterator[Line]:
    """Records that commits name and ``files`` lack, as they stood in those commits."""
    present = {_id(line) for content in files.values() for line in read_lines(content)}
    for commit in commits:
        named = set(commit.trailers.get("Trace-Id", "").split(",")) - present
        if not named:
            continue
        for line in read_lines(source.at(commit.sha, LEDGER) or b""):
            if not line.fault and _id(line) in named:
                yield line


def _files_at(source: TraceSource, commit: str) -> dict[str, bytes]:
    """The ledger's files at a commit; closed segments are numbered without gaps."""
    paths = [LEDGER, MANIFEST]
    number = 1
    while source.at(commit, segment_path(number)) is not None:
        paths.append(segment_path(number))
        number += 1
    found = {path: source.at(commit, path) for path in paths}
    return {path: content for path, content in found.items() if content is not None}


def _is_sound(source: TraceSource, commit: TracedCommit) -> bool:
    """Whether the open segment at a commit ends as the commit's trailers say."""
    found = linked(read_lines(source.at(commit.sha, LEDGER) or b""))
    return found.sound and commit.trailers["Trace-Head"] in found.heads


def _id(line: Line) -> str:
    return str(line.record.get("id", "")) if line.record else ""


def _row(line: Line) -> bytes:
    assert line.record is not None
    return line_of(line.record)
