"""The history of an intent that an agent reads, so that it repeats nothing: XML of at most 4 KB."""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby, islice

from penwright.domain.text.escaping import attribute, clipped, element_text
from penwright.domain.trace.chain import canonical
from penwright.domain.trace.intent_history.block_states import BlockState, TouchedBlock, block_states
from penwright.domain.trace.mentions import instant, newest_first, superseded_by
from penwright.domain.trace.reading import hashes_named, heads_of, read_records, record_in
from penwright.domain.trace.source import TraceSource
from schemas.lessons import Lesson
from schemas.trace import Author, BlockKind, Node, TraceRecord

_RECORDS = 50
"""Newest records of an intent that are looked at."""
_NODES = 20
_TIME = re.compile(rb'"timestamp":"([^"]*)"')


@dataclass(frozen=True, slots=True)
class Past:
    """The newest of what was done for an intent, and what became of it."""

    intent: str
    touched: tuple[TouchedBlock, ...]
    """Newest first, each place once."""
    states: tuple[BlockState, ...]
    """Of each touched one."""
    total: int
    """Records of the intent."""
    heads: tuple[str, ...]
    """Newest records of the ledger."""
    whole: bool
    """Nothing older is left out."""


def past_of(source: TraceSource, intent: str) -> Past:
    """The past of an intent, from the newest lines of the ledger that are about it."""
    records, total = _newest(source, intent)
    places = _once(each for record in _in_turn(records) for each in _touched_by(record))
    found = tuple(islice(places, _NODES + 1))
    shown = found[:_NODES]
    return Past(
        intent=intent,
        touched=shown,
        states=block_states(source, shown, partial(_superseded, source)),
        total=total,
        heads=heads_of(source),
        whole=len(shown) == len(found) and total == len(records),
    )


def _newest(source: TraceSource, intent: str) -> tuple[Sequence[TraceRecord], int]:
    """The newest records of an intent, by time, then by hash, and how many it has. No others are parsed."""
    named = b'"intent":' + canonical({"id": intent})[:-1]
    segments = (source.blob(each.blob) or b"" for each in source.ledger())
    rows = {row for content in segments if named in content for row in content.split(b"\n") if named in row}
    records = filter(None, map(record_in, sorted(rows, key=_time_of, reverse=True)))
    return newest_first(islice(records, _RECORDS)), len(rows)


def _time_of(row: bytes) -> bytes:
    found = _TIME.search(row)
    return found[1] if found else b""


def _superseded(source: TraceSource, blocks: Collection[str]) -> Collection[str]:
    """Those of the blocks that a record removed and no later one brought back."""
    wanted = {block.encode() for block in blocks}
    reading = read_records(source, lambda row: not wanted.isdisjoint(hashes_named(row)))
    return superseded_by(reading.records, blocks)


def _in_turn(records: Sequence[TraceRecord]) -> Iterator[TraceRecord]:
    """Newest first; of one second, whatever follows another before that."""
    for _, group in groupby(records, key=instant):
        together = {each.integrity.hash: each for each in group}
        while together:
            followed = {named for each in together.values() for named in each.integrity.prev}
            yield together.pop(next((own for own in together if own not in followed), next(iter(together))))


def _touched_by(record: TraceRecord) -> Iterator[TouchedBlock]:
    for file in record.files:
        talks = file.conversations
        for talk in talks:
            yield from (
                TouchedBlock(record, file, row.contributor or talk.contributor, row) for row in talk.ranges
            )
            # Of a removed block it matters who removed it.
            yield from (TouchedBlock(record, file, talk.contributor, row) for row in talk.removed)
        if not any(talk.ranges or talk.removed for talk in talks):
            yield TouchedBlock(record, file, talks[0].contributor if talks else Author(entity_type="UNKNOWN"))


def _once(touched: Iterable[TouchedBlock]) -> Iterator[TouchedBlock]:
    """The first of each place, and of each block wherever it was by then."""
    places, blocks = set[tuple[str, Node | None]](), set[str]()
    for each in touched:
        if (each.path, each.node) in places or each.block in blocks:
            continue
        places.add((each.path, each.node))
        blocks |= {each.block} - {""}
        yield each


LARGEST = 4096
"""Bytes of UTF-8."""
MOST_ITEMS = 20
_MOST_EXTRAS = 4
"""Criteria shown, and lessons shown, at most."""
_NAME, _PATH, _HEADING, _SENTENCE, _MARK = 120, 240, 160, 160, 80
"""Bytes of an attribute or a text, escaped."""
_LETTERS: dict[BlockKind, str] = {
    "paragraph": "p",
    "list": "l",
    "quote": "q",
    "code": "c",
    "table": "t",
    "break": "b",
    "footnote": "f",
}
"""The others by their whole names."""


def history_from_ledger(
    source: TraceSource, intent: str, *, criteria: Sequence[str] = (), lessons: Sequence[Lesson] = ()
) -> str:
    """Places the intent changed, the newest first; its open criteria; lessons, the newest first.

    At most ``MOST_ITEMS`` items and ``LARGEST`` bytes. Whatever is left out makes it ``truncated``.
    """
    past = past_of(source, intent)
    extras = [*_criteria(criteria), *_lessons(lessons)]
    nodes = [_node(each, state) for each, state in zip(past.touched, past.states, strict=True)]
    shown = nodes[: MOST_ITEMS - len(extras)]
    left_out = len(criteria) + len(lessons) > len(extras) or len(shown) < len(nodes) or not past.whole
    while len(made := _element(past, shown, extras, truncated=left_out).encode()) > LARGEST:
        # Older places first, then lessons, then criteria.
        (shown or extras).pop()
        left_out = True
    return made.decode()


def _element(past: Past, nodes: Sequence[str], extras: Sequence[str], *, truncated: bool) -> str:
    head = _tag(
        "intent_history",
        intent=clipped(past.intent, _NAME),
        shown=str(len(nodes)),
        total=str(past.total),
        ledger_head=clipped(",".join(past.heads), _HEADING),
        truncated="true" if truncated else "false",
    )
    return "\n".join([f"<{head}>", *nodes, *extras, "</intent_history>"])


def _node(touched: TouchedBlock, state: BlockState) -> str:
    at = instant(touched.record).replace(microsecond=0, tzinfo=None)
    tag = _tag(
        "node",
        path=clipped(touched.path, _PATH),
        heading=clipped("/".join(touched.node.heading), _HEADING) if touched.node else "",
        block=address(touched.node) if touched.node else "",
        change=touched.change if touched.change == "removed" or touched.node is None else "",
        last=f"{at.isoformat()}Z",
        **{"class": touched.record.mutation.detail.value},
        by=touched.author.entity_type.lower(),
        state=state,
        hash=clipped(touched.block, _MARK),
    )
    return f"  <{tag}/>"


def address(node: Node) -> str:
    """A block among those under its heading: ``p7`` is the seventh, a paragraph."""
    return f"{_LETTERS.get(node.kind, node.kind)}{node.ordinal or ''}"


def _criteria(criteria: Sequence[str]) -> Iterator[str]:
    for number, criterion in enumerate(criteria[:_MOST_EXTRAS], start=1):
        text = element_text(clipped(criterion, _SENTENCE))
        yield f"  <{_tag('open_criterion', index=str(number))}>{text}</open_criterion>"


def _lessons(lessons: Sequence[Lesson]) -> Iterator[str]:
    newest = sorted(lessons, key=lambda lesson: (lesson.last or lesson.time, lesson.id), reverse=True)
    for lesson in newest[:_MOST_EXTRAS]:
        tag = _tag("lesson", id=clipped(lesson.id, _MARK), category=lesson.category.value)
        advice = lesson.rule or lesson.resolution or lesson.symptom
        yield f"  <{tag}>{element_text(clipped(advice, _SENTENCE))}</lesson>"


def _tag(name: str, **attributes: str) -> str:
    """Without its brackets; what is empty is left out."""
    return " ".join([name, *(f"{key}={attribute(value)}" for key, value in attributes.items() if value)])
