"""Author, intent, time and commit of each block of a file."""

from collections.abc import Mapping, Set
from dataclasses import dataclass, replace

from penwright.domain.text.blocks import Block
from penwright.domain.trace.live_blocks import Made
from penwright.domain.trace.reports.attribution import Attributed, attribute
from penwright.domain.trace.reports.people import making_commits, people_of
from penwright.domain.trace.reports.texts import text_at
from penwright.domain.trace.source import TraceSource
from penwright.errors import NotFound
from schemas.trace import TracedCommit


@dataclass(frozen=True, slots=True)
class BlamedBlock:
    """One block and who wrote it."""

    attributed: Attributed
    commit: TracedCommit | None
    """The commit that brought it in; None if the block is untraced, or no commit names its record."""
    moved_in: TracedCommit | None
    """The commit that moved it last."""
    made_from: TracedCommit | None = None
    """The commit that brought in the block it was made from, if that was another."""
    people: tuple[str, ...] = ()
    """Names of those who wrote it, the first writer first; empty unless it is people's alone."""

    @property
    def names(self) -> tuple[str, ...]:
        """Of the people or the models that had a part in it."""
        written = self.attributed.written
        return self.people or (written.author.models if written else ())

    @property
    def block(self) -> Block:
        """The block at the tip."""
        return self.attributed.block

    @property
    def by_model(self) -> TracedCommit | None:
        """The commit in which a model wrote it, or what a person made it of; None if no model did."""
        written = self.attributed.written
        if written is None or written.author.entity_type not in ("AI", "MIXED"):
            return None
        return self.made_from if written.author.entity_type == "MIXED" and self.made_from else self.commit


@dataclass(frozen=True, slots=True)
class Blame:
    """Every block of a file, or the one at a line."""

    path: str
    blocks: tuple[BlamedBlock, ...]
    left_out: int
    """Damaged lines of the ledger that were not believed."""
    unread: int = 0
    """Commits by hand that are too old to be read."""


def blame(source: TraceSource, path: str, line: int | None = None) -> Blame:
    """Attribute the blocks of ``path`` at the tip. ``NotFound`` if there is no block at ``line``."""
    attribution = attribute(source, {path: text_at(source, path)})
    found = attribution.files[path]
    commits = making_commits(source, attribution, found)
    blocks = tuple(_blamed(each, commits, attribution.among) for each in found)
    whole = Blame(path, blocks, attribution.left_out, attribution.unread)
    return whole if line is None else at_line(whole, line)


def at_line(found: Blame, line: int) -> Blame:
    """Of a whole file the block at ``line``; ``NotFound`` if there is none."""
    for each in found.blocks:
        if each.block.start_line <= line <= each.block.end_line:
            return replace(found, blocks=(each,))
    starts = [each.block.start_line for each in found.blocks]
    near = min(starts, key=lambda start: abs(start - line), default=None)
    hint = f"the nearest block begins on line {near}" if near else "the file has no text"
    raise NotFound("no-block-there", f"line {line} of {found.path!r} holds no text", hint=hint)


def _blamed(each: Attributed, commits: Mapping[Made, TracedCommit], among: Set[str]) -> BlamedBlock:
    written = each.written
    if written is None:
        return BlamedBlock(each, None, None)
    moved = commits.get(written.moved) if written.moved else None
    source = commits.get(written.source) if written.source else None
    people = people_of(written, commits, among)
    return BlamedBlock(each, commits.get(written.made), moved, source, people)
