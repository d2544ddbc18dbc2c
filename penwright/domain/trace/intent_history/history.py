"""The history of an intent that an agent reads, so that it repeats nothing: XML of at most 4 KB."""

from collections.abc import Iterator, Sequence

from penwright.domain.text.escaping import attribute, clipped, element_text
from penwright.domain.trace.intent_history.block_states import BlockState, TouchedBlock
from penwright.domain.trace.intent_history.past import Past, past_of
from penwright.domain.trace.mentions import instant
from penwright.domain.trace.source import TraceSource
from schemas.lessons import Lesson
from schemas.trace import BlockKind, Node

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
