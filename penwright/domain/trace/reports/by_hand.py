"""Changes that no record tells: people's own commits, and what they changed in commits that have records.

Each is told as a record would tell it.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from penwright.domain.intents.governed import GovernedPaths
from penwright.domain.text.blocks import Block
from penwright.domain.text.comparing.changes import BlockChange, changes_of
from penwright.domain.text.comparing.descent import BlockKey, Descent, descents
from penwright.domain.trace.authors import UNKNOWN, declared_author, together
from penwright.domain.trace.live_blocks import LiveBlocks, Made
from penwright.domain.trace.reading import read_records
from penwright.domain.trace.recorder.authorship import Authorship, author_of
from penwright.domain.trace.recorder.origins import Origins
from penwright.domain.trace.recorder.rows import conversation_of
from penwright.domain.trace.reports.arrivals import Arrivals, record_id
from penwright.domain.trace.reports.beginnings import first_changed, found_by, is_declared
from penwright.domain.trace.reports.gaps import authors_of, gaps, known_in
from penwright.domain.trace.reports.predecessors import sources_in
from penwright.domain.trace.source import TraceSource
from penwright.domain.trailers import AUTHORSHIP, CO_AUTHOR, CONTRIBUTOR, MODEL, PERSON
from schemas.trace import Author, PathChange, TracedCommit, TracedFile, TraceRecord
from schemas.workspace import Contributor

_COMMITS, _BYTES = 500, 128 * 1024 * 1024
"""Newest commits by hand, and bytes of text, that are read; what older ones did is unknown."""
_PERSON = Author(entity_type="HUMAN")
_NAMED = re.compile(r"([^<>,][^<>]*?) *<[^>]*>")
"""A name, and an address behind it."""


class Edit(Protocol):
    """Changes that no record tells."""

    @property
    def place(self) -> "Place": ...
    @property
    def commit(self) -> TracedCommit: ...
    @property
    def among(self) -> bool:
        """Whether it was made beside records, before or after them."""
        ...

    @property
    def blocks(self) -> Iterator[Block]:
        """Every block that it speaks of."""
        ...

    @property
    def named(self) -> tuple[str, ...]:
        """Hashes of further blocks."""
        ...

    @property
    def touched(self) -> tuple[str, ...]:
        """Paths of the files that it changed."""
        ...

    def follow(self, live: LiveBlocks) -> None:
        """Apply it to the recorded blocks."""
        ...


@dataclass(frozen=True, slots=True)
class Place:
    """When it was made."""

    at: int
    """Index of its commit."""
    before: str = ""
    """Id of the record of that commit before which it was made; empty: after all of them."""


@dataclass(frozen=True, slots=True)
class HandCommit:
    """A commit, or a part of one, that no record tells."""

    place: Place
    commit: TracedCommit
    paths: tuple[PathChange, ...]
    changes: Mapping[str, Sequence[BlockChange]]
    texts: Mapping[str, bytes | None]
    """Contents before it."""
    parts: Mapping[BlockKey, Descent]
    author: Author
    """A person, or who was declared to have written it."""
    among: bool = False
    """Whether it was made beside records, before or after them."""

    @property
    def blocks(self) -> Iterator[Block]:
        """Every block that it speaks of."""
        for each in (each for listed in self.changes.values() for each in listed):
            yield from (block for block in (each.before, each.after) if block)
        yield from (source.block for part in self.parts.values() for source in part.sources)

    @property
    def named(self) -> tuple[str, ...]:
        """Hashes of further blocks: none."""
        return ()

    @property
    def touched(self) -> tuple[str, ...]:
        """Paths of the files that it changed."""
        return tuple(self.changes)

    def follow(self, live: LiveBlocks) -> None:
        """Apply it to the recorded blocks."""
        authorship = Authorship(self.author, Origins(live, self.texts), self.parts)
        files = [
            TracedFile(
                relative_path=each.path,
                op="delete" if each.before and not each.after else "modify",
                blob_after=each.after,
                conversations=(conversation_of("", each.path, self.changes[each.path], authorship),),
            )
            for each in self.paths
        ]
        live.follow(files, made_by(self.commit), None, sources_in(self.changes, self.parts))
        if self.among:
            live.confuse_copies()


@dataclass(frozen=True, slots=True)
class LostEdit:
    """Edit that a commit holds beside its records, where git has lost the text between."""

    place: Place
    commit: TracedCommit
    path: str
    come: tuple[Block, ...]
    named: tuple[str, ...]
    """Hashes of the blocks that they may have been made of."""
    authors: tuple[Author, ...]
    """Everyone who had a part in the commit."""
    gone: tuple[Block, ...]
    """Blocks that the commit took from any file."""

    @property
    def blocks(self) -> Iterator[Block]:
        """Every block that it speaks of."""
        return iter((*self.come, *self.gone))

    @property
    def among(self) -> bool:
        """Whether it was made beside records: always."""
        return True

    @property
    def touched(self) -> tuple[str, ...]:
        """Path of the file that it changed."""
        return (self.path,)

    def follow(self, live: LiveBlocks) -> None:
        """Enter each new block as one by any of them, or of the authors of what it was made of."""
        live.come_unseen(self.path, self.come, made_by(self.commit), self.authors, self.named)
        live.confuse_copies()


def made_by(commit: TracedCommit) -> Made:
    """A commit as the making of its text."""
    return Made("", commit.at, "git", commit.parents[0] if commit.parents else "", commit.sha)


def hand_commits(
    source: TraceSource, commits: Sequence[TracedCommit], arrived: Arrivals
) -> tuple[list[Edit], frozenset[str], int]:
    """Changes of text that no record tells, as far as they are read.

    Returns:
        The changes; ids of the records among which they were made; how many commits were not read.
    """
    governed = GovernedPaths(source.profile)
    left, unread = _BYTES, 0
    whole: list[Edit] = []
    doubtful: dict[int, tuple[PathChange, ...]] = {}
    for at, commit in reversed(list(enumerate(commits))):
        paths = tuple(change for change in commit.paths if change.path in governed)
        if not paths or arrived.tells(at, paths):
            continue
        if not is_declared(commit) and (left < 0 or len(whole) + len(doubtful) >= _COMMITS):
            unread += 1
            continue
        left -= sum(len(source.blob(sha) or b"") for each in paths for sha in each[1:] if sha)
        if at in arrived.records:
            doubtful[at] = paths
        else:
            whole.append(_edit(source, Place(at), commit, paths, author_in(commit)))
    ids = frozenset(each for at in doubtful for each in arrived.records[at])
    among = list(_among(source, commits, doubtful, _read(source, ids), arrived))
    return [*whole, *among], ids if among else frozenset(), unread


def _read(source: TraceSource, ids: frozenset[str]) -> Sequence[TraceRecord]:
    return read_records(source, lambda row: record_id(row) in ids).records if ids else ()


def _among(
    source: TraceSource,
    commits: Sequence[TracedCommit],
    doubtful: Mapping[int, tuple[PathChange, ...]],
    records: Iterable[TraceRecord],
    arrived: Arrivals,
) -> Iterator[Edit]:
    """The changes in commits that have records."""
    held: dict[int, list[TraceRecord]] = {at: [] for at in doubtful}
    for record in records:
        held[arrived.places[record.id]].append(record)
    for at, paths in doubtful.items():
        commit, by = commits[at], _author_beside_records(commits[at])
        unseen: tuple[Author, ...] = (by,)
        if at == 0:
            older = found_by(held[at], paths)
            yield from _older(source, commit, held[at], paths, older)
            paths = tuple(each._replace(before=older[each.path]) for each in paths)
            unseen = (UNKNOWN, by)
        others = by.entity_type != "HUMAN"
        for gap in gaps(source, paths, held[at], unordered=others):
            place = Place(at, gap.before)
            if gap.paths:
                yield replace(_edit(source, place, commit, gap.paths, by), among=True)
            for path, lost in gap.lost.items():
                yield LostEdit(
                    place, commit, path, lost.come, lost.named, (*unseen, *lost.authors), lost.gone
                )


def _author_beside_records(commit: TracedCommit) -> Author:
    """Author of text that no record of a commit covers: a person, if no declaration may be about it."""
    return together((_PERSON, author_in(commit))) if AUTHORSHIP in commit.trailers else _PERSON


def _older(
    source: TraceSource,
    commit: TracedCommit,
    records: Sequence[TraceRecord],
    paths: Iterable[PathChange],
    older: Mapping[str, str | None],
) -> Iterator[LostEdit]:
    """Text that the first commit brought in before its first record, if a declaration may be about it."""
    authors = (UNKNOWN, author_in(commit))
    if AUTHORSHIP not in commit.trailers or authors[1].entity_type == "HUMAN":
        # Nothing tells whose text a person declared to be hers in one of several commits.
        return
    texts = {
        each.path: (source.blob(each.before or ""), _oldest(source, records, each, older[each.path]))
        for each in paths
    }
    began, others, known = first_changed(records), authors_of(records), known_in(records)
    for path, changes in changes_of(texts).items():
        lost = source.blob(older[path] or "") is None
        come = tuple(
            each.after for each in changes if each.after and not (lost and (path, each.after.hash) in known)
        )
        possible = authors if path in began else (*authors, *others)
        yield LostEdit(Place(0, records[0].id), commit, path, come, (), possible, ())


def _oldest(
    source: TraceSource, records: Iterable[TraceRecord], change: PathChange, older: str | None
) -> bytes | None:
    """The text from before the records of the first commit; the next that git has, if that is lost."""
    files = (file for record in records for file in record.files if file.relative_path == change.path)
    blobs = (older, *(sha for file in files for sha in (file.blob_before, file.blob_after)), change.after)
    return next((text for sha in blobs if sha and (text := source.blob(sha)) is not None), None)


def author_in(commit: TracedCommit) -> Author:
    """Author of the words that a commit brought in, by its trailers; a person if they name no other."""
    said, model = commit.trailers, commit.trailers.get(MODEL, "")
    if AUTHORSHIP in said:
        return declared_author(said[AUTHORSHIP], model)
    by = said.get(CONTRIBUTOR, Contributor.HUMAN)
    return author_of(Contributor(by), model) if by in set(Contributor) else _PERSON


def people_in(commit: TracedCommit) -> tuple[str, ...]:
    """The people who wrote what a commit brought in: one as logged in, or else git's author, and co-authors.

    Empty if they are not known.
    """
    # Who declares the author of a text need not be that author.
    if AUTHORSHIP in commit.trailers or is_tools(commit):
        return ()
    first = commit.trailers.get(PERSON) or commit.author.partition(" <")[0]
    return tuple(dict.fromkeys((first, *_NAMED.findall(commit.trailers.get(CO_AUTHOR, "")))))


def is_tools(commit: TracedCommit) -> bool:
    """Whether what a commit brought in is neither a person's nor has a declared author."""
    return AUTHORSHIP not in commit.trailers and author_in(commit).entity_type != "HUMAN"


def _edit(
    source: TraceSource, place: Place, commit: TracedCommit, paths: tuple[PathChange, ...], author: Author
) -> HandCommit:
    texts = {each.path: (source.blob(each.before or ""), source.blob(each.after or "")) for each in paths}
    changes, olds = changes_of(texts), {path: old for path, (old, _) in texts.items()}
    return HandCommit(place, commit, paths, changes, olds, descents(changes, olds), author)
