"""Books, novels, scenes and agents that run or wait for a person: what ``penwright status`` lists."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from gateway.desk.principals import local_user
from gateway.desk.runs.waiting import Boards, WaitingItem, boards, waits_of
from gateway.desk.services import Services
from penwright.errors import PassingError
from schemas.agent_state import WHOLE_NOVEL
from schemas.board import Attention

_IDLE = frozenset({"idle", "sealed", "refused", "failed", "killed", "gone", "unreadable"})
"""States of a book in which nothing of it runs."""
UnderWayKind = Literal["book", "manuscript", "citations", "scene", "agent", "memories", "store"]


@dataclass(frozen=True, slots=True)
class UnderWay:
    """A book, a document or a scan of one, a scene, an agent's run, memories or the store: at work or in
    need of a person."""

    kind: UnderWayKind
    subject: str
    """Its id; of a document ``novel/scene``; of an agent the run's."""
    state: str
    """Present activity, such as ``writing`` or ``act``; else ``idle``, or how the last run ended."""
    detail: str = ""
    attention: tuple[Attention, ...] = ()


@dataclass(frozen=True, slots=True)
class Listed:
    """Everything under way."""

    lines: tuple[UnderWay, ...]
    trouble: str = ""
    """Reason why something of it is not known; empty if all is."""


async def under_way(services: Services) -> Listed:
    """List what runs, and what waits for a person; never raises for a silent engine or store."""
    try:
        found = await boards(services, local_user(services.person()))
        lines = [*_at_work(found), *_indexing(services)]
        waits = waits_of(services, found)
    except PassingError as error:
        return Listed((), error.message)
    return Listed(tuple(_joined(lines, waits.items)), waits.trouble)


def _at_work(found: Boards) -> Iterator[UnderWay]:
    yield from (
        UnderWay("book", each.book_id, each.state, each.detail)
        for each in found.books.lines
        if each.state not in _IDLE
    )
    for line in found.documents.lines:
        subject = _short(f"{line.novel}/{line.scene}")
        if line.state != "idle":
            yield UnderWay("manuscript", subject, line.state)
        if line.scan:
            yield UnderWay("citations", subject, line.scan, "" if line.scan == "paused" else line.scan_detail)
    yield from (UnderWay("scene", each.scene, each.state, each.detail) for each in found.scenes.lines)
    for run in found.agents.lines:
        yield UnderWay("agent", run.run_id, run.stage, f"{run.agent or 'a sub-agent'} on {run.subject}")


def _indexing(services: Services) -> Iterator[UnderWay]:
    """Memories that wait for a vector of the present model."""
    model = services.defaults().memory_model
    if not model:
        return
    with services.open_store() as store:
        count = store.memories.counted(model)
    if count.without:
        detail = f"{count.without:,} of {count.all:,} lack a vector of {model}"
        yield UnderWay("memories", "vectors", "indexing", detail)


def _joined(lines: list[UnderWay], items: tuple[WaitingItem, ...]) -> Iterator[UnderWay]:
    """One line for each thing, with all that it waits for."""
    known = {(each.kind, each.subject): each for each in lines}
    told = defaultdict[tuple[UnderWayKind, str], list[Attention]](list)
    for item in items:
        key = _kind(item), _short(item.name)
        if key not in known or item.kind == "memories":
            detail = known[key].detail if key in known else ""
            known[key] = UnderWay(*key, item.state, detail)
        told[key].append(Attention(reason=item.about, command=item.command, also=item.also))
    return (replace(line, attention=tuple(told[key])) for key, line in known.items())


def _kind(item: WaitingItem) -> UnderWayKind:
    if item.kind == "novel":
        return item.part or "manuscript"
    return item.kind


def _short(name: str) -> str:
    """The manuscript itself is called by its novel alone."""
    return name.removesuffix(f"/{WHOLE_NOVEL}")
