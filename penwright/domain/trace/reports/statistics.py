"""The ledger in numbers: what it holds, by whom and why, and whose the words at the tip are."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from penwright.domain.trace.mentions import instant
from penwright.domain.trace.reading import heads_of, lines, record_of
from penwright.domain.trace.reports.attribution import attribute
from penwright.domain.trace.reports.disclosure import Words, words_of
from penwright.domain.trace.reports.texts import texts_of
from penwright.domain.trace.source import TraceSource
from schemas.trace import TraceRecord

NO_INTENT = ""
"""Represents people's own edits."""


@dataclass(slots=True)
class Statistics:
    """Counts; keys are sorted by how often they come."""

    records: int = 0
    first: datetime | None = None
    last: datetime | None = None
    intents: Counter[str] = field(default_factory=Counter)
    """Records by intent."""
    contributors: Counter[str] = field(default_factory=Counter)
    """Records by who made the change: ``AI``, ``HUMAN``, …"""
    models: Counter[str] = field(default_factory=Counter)
    """Records by model."""
    classes: Counter[str] = field(default_factory=Counter)
    """Records by mutation class."""
    details: Counter[str] = field(default_factory=Counter)
    """Records by what they did to blocks, from MECHANICAL to EVOLUTION."""
    blocks: Counter[str] = field(default_factory=Counter)
    """Blocks by change: added, replaced, moved, removed."""
    files: int = 0
    """Files at the tip that hold text the ledger answers for."""
    words: Words = field(default_factory=Words)
    """Words of those files by who wrote them."""
    segments: Mapping[str, int] = field(default_factory=dict)
    """Lines by segment."""
    heads: tuple[str, ...] = ()
    """Newest records: those no other names."""
    left_out: int = 0
    """Lines that are damaged, or of another schema, and were not counted."""
    unread: int = 0
    """Commits by hand that are too old to be read."""


def statistics(source: TraceSource) -> Statistics:
    """Count the ledger at the tip."""
    found = Statistics()
    segments: Counter[str] = Counter({segment.path: 0 for segment in source.ledger()})
    for placed in lines(source):
        segments[placed.segment] += 1
        record = record_of(placed.line)
        if record is None:
            found.left_out += 1
            continue
        _count(found, record)
    found.segments, found.heads = dict(segments), heads_of(source)
    texts = texts_of(source)
    attribution = attribute(source, texts)
    found.files, found.unread = len(texts), attribution.unread
    found.words = words_of(each for blocks in attribution.files.values() for each in blocks)
    return found


def _count(found: Statistics, record: TraceRecord) -> None:
    at = instant(record)
    found.records += 1
    found.first, found.last = min(found.first or at, at), max(found.last or at, at)
    found.intents[record.intent.id if record.intent else NO_INTENT] += 1
    found.classes[record.mutation.coarse] += 1
    found.details[record.mutation.detail] += 1
    talks = [talk for file in record.files for talk in file.conversations]
    found.contributors.update({talk.contributor.entity_type for talk in talks})
    found.models.update(
        {talk.contributor.model_identifier for talk in talks if talk.contributor.model_identifier}
    )
    for talk in talks:
        found.blocks.update(each.change for each in talk.ranges)
        found.blocks["removed"] += len(talk.removed)
