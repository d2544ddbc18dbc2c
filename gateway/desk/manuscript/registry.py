"""The registry of novels: where a novel lies now, and novels that are to be listed no longer."""

from dataclasses import dataclass
from pathlib import Path

from gateway.desk.engine.connection import Engine
from gateway.desk.services import Services
from gateway.desk.works import novels
from gateway.desk.works.near import near_of
from penwright.errors import NotFound, Refused
from schemas.base import BookId
from schemas.records import BookRow


@dataclass(frozen=True, slots=True)
class Moved:
    """A novel that is registered elsewhere now."""

    novel_id: BookId
    was: str
    path: str


@dataclass(frozen=True, slots=True)
class Forgotten:
    """A novel that is registered no longer."""

    novel_id: BookId
    path: str


def registered(services: Services, named: str) -> BookRow:
    """The registered novel with this id, or at this path; its folder need not be there.

    Raises:
        NotFound: ``unknown-novel``.
    """
    path = str(Path(named).expanduser().resolve())
    rows = novels.registered(services)
    found = next((row for row in rows if named == row.book_id or path == row.path), None)
    if found is None:
        raise NotFound(
            "unknown-novel",
            f"no registered novel is called {named!r}, or lies there{near_of(rows, named)}",
            hint="`penwright manuscript list` shows the registered ones",
        )
    return found


async def move(services: Services, named: str, folder: Path) -> Moved:
    """Register a novel at the folder to which it was moved.

    Raises:
        Refused: ``another-novel`` lies there, or ``already-running``.
    """
    row = registered(services, named)
    found = novels.at(services, folder)
    if found.novel_id != row.book_id:
        raise Refused(
            "another-novel",
            f"{found.workspace.path!r} holds the novel {found.novel_id!r}, not {row.book_id!r}",
            hint="`penwright manuscript list` shows where each novel is registered",
        )
    async with services.engine() as engine:
        await _refuse_running(engine, row.book_id)
        novels.enter(services, found, moves=True)
    return Moved(row.book_id, row.path, found.workspace.path)


async def forget(services: Services, named: str) -> Forgotten:
    """Take a novel off the registry; its folder and its log stay.

    Raises:
        Refused: ``already-running``.
    """
    row = registered(services, named)
    async with services.engine() as engine:
        await _refuse_running(engine, row.book_id)
    with services.open_store() as store:
        store.records.forget(row.book_id)
    return Forgotten(row.book_id, row.path)


async def _refuse_running(engine: Engine, novel: BookId) -> None:
    loops, scans = await engine.manuscripts.running(), await engine.scans.running()
    busy = sorted(name for name in (*loops, *scans) if _is_of(novel, name))
    if busy:
        verbs = "manuscript" if busy[0] in loops else "cite"
        raise Refused(
            "already-running",
            f"a run holds {busy[0]!r}; nothing was changed",
            hint=f"`penwright {verbs} watch {novel}` shows it, `penwright {verbs} kill {novel}` stops it",
        )


def _is_of(novel: BookId, document: str) -> bool:
    return document.startswith(f"{novel}/")
