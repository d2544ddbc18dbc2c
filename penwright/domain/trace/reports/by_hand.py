"""People's own commits: what they did to recorded blocks, told as a record would tell it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from penwright.domain.intents.governed import GovernedPaths
from penwright.domain.text.blocks import Block
from penwright.domain.text.comparing.changes import BlockChange, changes_of
from penwright.domain.text.comparing.descent import BlockKey, Descent, descents
from penwright.domain.trace.authors import declared_author
from penwright.domain.trace.living import LiveBlocks, Made
from penwright.domain.trace.reading import ids_of
from penwright.domain.trace.recorder.authorship import Authorship
from penwright.domain.trace.recorder.origins import Origins
from penwright.domain.trace.recorder.rows import conversation_of
from penwright.domain.trace.source import TraceSource
from penwright.domain.trailers import AUTHORSHIP, CONTRIBUTOR, TRANSPLANTED
from schemas.trace import Author, TracedCommit, TracedFile
from schemas.workspace import Contributor

_COMMITS, _BYTES = 500, 128 * 1024 * 1024
"""Newest commits by hand, and bytes of text, that are read; what older ones did is unknown."""


@dataclass(frozen=True, slots=True)
class HandCommit:
    """One commit that a person made outside any session."""

    commit: TracedCommit
    changes: Mapping[str, Sequence[BlockChange]]
    texts: Mapping[str, bytes | None]
    """Contents before it."""
    parts: Mapping[BlockKey, Descent]
    author: Author
    """A person, or who was declared to have written it."""

    @property
    def blocks(self) -> Iterator[Block]:
        """Every block that it speaks of."""
        for each in (each for listed in self.changes.values() for each in listed):
            yield from (block for block in (each.before, each.after) if block)
        yield from (source.block for part in self.parts.values() for source in part.sources)

    def follow(self, live: LiveBlocks) -> None:
        """Apply it to the recorded blocks."""
        authorship = Authorship(self.author, Origins(live, self.texts), self.parts)
        blobs = {change.path: change for change in self.commit.paths}
        files = [
            TracedFile(
                relative_path=path,
                op="modify" if blobs[path].after else "delete",
                blob_after=blobs[path].after,
                conversations=(conversation_of("", path, blocks, authorship),),
            )
            for path, blocks in self.changes.items()
        ]
        parent = self.commit.parents[0] if self.commit.parents else ""
        live.follow(files, Made("", self.commit.at, "git", parent, self.commit.sha), None)


def began(commits: Sequence[TracedCommit], parent: str) -> int:
    """Index of the first commit that counts: the start that was declared, or the first after ``parent``."""
    for at, commit in enumerate(commits):
        if is_declared(commit):
            return at
        if commit.sha == parent:
            return at + 1
    return 0 if parent else len(commits)


def is_declared(commit: TracedCommit) -> bool:
    """Whether a commit says who wrote the text it begins a book with."""
    return AUTHORSHIP in commit.trailers and not ids_of(commit)


def is_by_hand(commit: TracedCommit) -> bool:
    """Whether a person made a commit outside any session."""
    if ids_of(commit) or len(commit.parents) > 1:
        return False
    by = commit.trailers.get(CONTRIBUTOR, Contributor.HUMAN)
    return by == Contributor.HUMAN or TRANSPLANTED in commit.trailers


def hand_commits(source: TraceSource, commits: Sequence[TracedCommit]) -> tuple[list[HandCommit], int]:
    """Those among some commits that changed text, as far as they are read, and how many others there are."""
    governed = GovernedPaths(source.profile)
    left, unread = _BYTES, 0
    found: list[HandCommit] = []
    for commit in reversed(commits):
        paths = [change for change in commit.paths if change.path in governed]
        if not paths or not is_by_hand(commit):
            continue
        if not is_declared(commit) and (left < 0 or len(found) >= _COMMITS):
            unread += 1
            continue
        texts = {each.path: tuple(map(source.blob, (each.before or "", each.after or ""))) for each in paths}
        left -= sum(len(content or b"") for both in texts.values() for content in both)
        found.append(_hand_commit(commit, {path: (old, new) for path, (old, new) in texts.items()}))
    return found, unread


def _hand_commit(commit: TracedCommit, texts: Mapping[str, tuple[bytes | None, bytes | None]]) -> HandCommit:
    declared = is_declared(commit)
    author = declared_author(commit.trailers[AUTHORSHIP]) if declared else Author(entity_type="HUMAN")
    changes, olds = changes_of(texts), {path: old for path, (old, _) in texts.items()}
    return HandCommit(commit, changes, olds, descents(changes, olds), author)
