"""Books, novels and scenes in which something runs, waits or failed: what ``penwright status`` lists."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from gateway.desk.book import board as book_board
from gateway.desk.manuscript import board as manuscript_board
from gateway.desk.scene.board import running_rounds
from gateway.desk.services import CommandStore, Services
from penwright.domain.housekeeping import PIPELINE as HOUSEKEEPING
from penwright.domain.manuscript.naming import options_of, words_of
from penwright.domain.scene.board import scene_attention
from penwright.domain.scene.indexing import PIPELINE as INDEXING
from penwright.errors import PassingError
from schemas.agent_state import WHOLE_NOVEL
from schemas.base import Progress
from schemas.board import Attention
from schemas.housekeeping import HousekeepingResult
from schemas.worlds import Scene

_IDLE = frozenset({"idle", "open", "sealed"})
_FAILED = frozenset({"failed", "refused"})


@dataclass(frozen=True, slots=True)
class UnderWay:
    """A book, a document or a scan of one, a scene, memories or the store, at work or in need of a person."""

    kind: Literal["book", "manuscript", "citations", "scene", "memories", "store"]
    subject: str
    """Its id; of a document ``novel/scene``."""
    state: str
    """What runs, such as ``writing`` or ``act``; else ``idle``, or how the last run ended."""
    detail: str = ""
    attention: tuple[Attention, ...] = ()


@dataclass(frozen=True, slots=True)
class Listed:
    """Everything under way."""

    lines: tuple[UnderWay, ...]
    trouble: str = ""
    """Why something of it is not known; empty if all is."""


async def under_way(services: Services) -> Listed:
    """What runs, waits or failed; never raises for an engine or a store that does not answer."""
    # All at once: an engine that does not answer is waited for once.
    parts = await asyncio.gather(*(_asked(part, services) for part in _PARTS))
    troubles = [part.trouble for part in parts if part.trouble]
    return Listed(tuple(line for part in parts for line in part.lines), "; ".join(dict.fromkeys(troubles)))


async def _asked(part: Callable[[Services], Awaitable[Listed]], services: Services) -> Listed:
    try:
        return await part(services)
    except PassingError as error:
        return Listed((), error.message)


async def _books(services: Services) -> Listed:
    known = await book_board.board(services)
    lines = (
        UnderWay("book", each.book_id, each.state, attention=each.attention)
        for each in known.lines
        if each.attention or each.state not in _IDLE
    )
    return Listed(tuple(lines), known.trouble)


async def _manuscripts(services: Services) -> Listed:
    known = await manuscript_board.board(services)
    return Listed(tuple(_documents(known.lines)), known.trouble)


def _documents(lines: Iterable[manuscript_board.DocumentLine]) -> Iterable[UnderWay]:
    for line in lines:
        scene = "" if line.scene == WHOLE_NOVEL else line.scene
        subject = "/".join(filter(None, (line.novel, scene)))
        runs, failed = line.state != "idle", line.outcome in _FAILED
        if runs or failed:
            state = line.state if runs else line.outcome
            yield UnderWay("manuscript", subject, state, attention=tuple(_of_document(line)))
        if line.scan:
            yield _of_scan(line, subject)


def _of_document(line: manuscript_board.DocumentLine) -> Iterable[Attention]:
    words = words_of(line.novel, line.scene)
    if line.state == "paused":
        yield Attention(
            reason=f"paused: {line.trouble}",
            command=f"penwright manuscript resume {words}",
            also=f"penwright manuscript stop {words}",
        )
    elif line.trouble:
        yield Attention(reason=line.trouble, command="penwright logs workflows")
    if line.state == "idle":
        reason = "the last run failed" if line.outcome == "failed" else "the last run was refused"
        yield Attention(reason=reason, command=f"penwright manuscript history {words}")


def _of_scan(line: manuscript_board.DocumentLine, subject: str) -> UnderWay:
    if line.scan != "paused":
        return UnderWay("citations", subject, line.scan, line.scan_detail)
    named = options_of(line.novel, line.scene)
    held = Attention(
        reason=f"paused: {line.scan_detail}",
        command=f"penwright cite resume {named}",
        also=f"penwright cite kill {named}",
    )
    return UnderWay("citations", subject, line.scan, attention=(held,))


async def _scenes(services: Services) -> Listed:
    running, trouble = await running_rounds(services)
    with services.open_store() as store:
        cases = (_scene(store, each, running) for each in store.worlds.list(Scene))
        return Listed(tuple(each for each in cases if each is not None), trouble)


def _scene(store: CommandStore, scene: Scene, running: Mapping[str, Progress]) -> UnderWay | None:
    now = running.get(scene.id)
    if now is not None:
        return UnderWay("scene", scene.id, "paused" if now.paused else now.stage, now.detail)
    last = next(iter(store.scenes.rounds(scene.id, newest=1)), None) if scene.rounds else None
    why = scene_attention(scene, last)
    if not why:
        return None
    return UnderWay("scene", scene.id, last.status if last else "idle", attention=why)


async def _memories(services: Services) -> Listed:
    """Memories that wait for a vector of the present model, and why they wait for long."""
    model = services.defaults().memory_model
    if not model:
        return Listed(())
    with services.open_store() as store:
        count = store.memories.counted(model)
        last = next(iter(store.records.runs(pipeline=INDEXING, limit=1)), None)
    if not count.without:
        return Listed(())
    detail = f"{count.without:,} of {count.all:,} lack a vector of {model}"
    failed = last is not None and last.outcome == "failed"
    why = Attention(reason="vectors could not be made", command="penwright doctor")
    line = UnderWay(
        "memories", "vectors", "failed" if failed else "indexing", detail, (why,) if failed else ()
    )
    return Listed((line,))


async def _store(services: Services) -> Listed:
    """The newest housekeeping, if it failed or had to leave something."""
    with services.open_store() as store:
        last = next(iter(store.records.runs(pipeline=HOUSEKEEPING, limit=1)), None)
    if last is None:
        return Listed(())
    done = HousekeepingResult.model_validate(last.detail)
    left = (
        [done.message] if done.outcome == "failed" else [each.failed for each in done.tables if each.failed]
    )
    if not left:
        return Listed(())
    why = Attention(reason=left[0], command="penwright operator housekeeping --dry-run")
    return Listed((UnderWay("store", "housekeeping", "failed", "old rows are not all deleted", (why,)),))


_PARTS: tuple[Callable[[Services], Awaitable[Listed]], ...] = (
    _books,
    _manuscripts,
    _scenes,
    _memories,
    _store,
)
