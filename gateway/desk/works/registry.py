"""The registry of works: where one lies now, and works that are to be listed no longer."""

from dataclasses import dataclass
from pathlib import Path

from gateway.desk.engine.connection import Engine
from gateway.desk.services import Services
from gateway.desk.works import books, novels, works
from gateway.desk.works.kinds import BOOK, Work, WorkKind
from gateway.desk.works.named import registered
from penwright.errors import Refused
from schemas.base import BookId


@dataclass(frozen=True, slots=True)
class Registered:
    """A work that is registered elsewhere now, or no longer."""

    id: BookId
    was: str
    """The folder at which it was registered."""
    path: str
    """The folder at which it is; of one that is forgotten the same."""
    scheduled: bool
    """Whether it had a schedule, which went with it."""


async def move(services: Services, kind: WorkKind, named: str, folder: Path) -> Registered:
    """Register a work, and its schedule, at the folder to which it was moved.

    Raises:
        Refused: ``another-book`` or ``another-novel`` lies there, or ``already-running``.
    """
    row = registered(services, kind, named)
    is_book = kind is BOOK
    found: Work = books.at(services, folder, laid_out=False) if is_book else novels.at(services, folder)
    if found.subject != row.book_id:
        raise Refused(
            f"another-{kind.name}",
            f"{found.workspace.path!r} holds the {kind.name} {found.subject!r}, not {row.book_id!r}",
            hint=f"`penwright {kind.group} list` shows where each {kind.name} is registered",
        )
    async with services.engine() as engine:
        await _refuse_running(engine, kind, row.book_id)
        works.enter(services, found, moves=True)
        scheduled = is_book and await engine.schedules.move(row.book_id, found.workspace)
    return Registered(row.book_id, row.path, found.workspace.path, scheduled)


async def forget(services: Services, kind: WorkKind, named: str) -> Registered:
    """Take a work, and its schedule, off the registry; its folder and its log stay.

    Raises:
        Refused: ``already-running``.
    """
    row = registered(services, kind, named)
    async with services.engine() as engine:
        await _refuse_running(engine, kind, row.book_id)
        scheduled = kind is BOOK and await _unscheduled(engine, row.book_id)
    with services.open_store() as store:
        store.records.forget(row.book_id)
    return Registered(row.book_id, row.path, row.path, scheduled)


async def _refuse_running(engine: Engine, kind: WorkKind, work: BookId) -> None:
    if kind is BOOK:
        group, busy = "book", await engine.pipelines.progress(work) is not None
        what = f"a session or another change holds {work!r}"
    else:
        loops, scans = await engine.manuscripts.running(), await engine.scans.running()
        of_it = sorted(name for name in (*loops, *scans) if name.startswith(f"{work}/"))
        group, busy = "manuscript" if {*of_it[:1]} & loops.keys() else "cite", bool(of_it)
        what = f"a run holds {of_it[0]!r}" if busy else ""
    if busy:
        raise Refused(
            "already-running",
            f"{what}; nothing was changed",
            hint=f"`penwright {group} watch {work}` shows it, `penwright {group} kill {work}` stops it",
        )


async def _unscheduled(engine: Engine, book_id: BookId) -> bool:
    try:
        await engine.schedules.remove(book_id)
    except Refused:  # it has none
        return False
    return True
