"""Works by the names of commands: a folder or a registered id."""

from collections.abc import Iterable
from pathlib import Path
from shlex import quote

from gateway.desk.services import Services
from gateway.desk.works.kinds import BOOK, NOVEL, WorkKind
from penwright.domain.text.nearest import guess, nearest_of
from penwright.errors import EngineUnavailable, NotFound, UsageMistake
from schemas.records import BookRow


def is_path(named: str) -> bool:
    """Whether ``named`` means a folder; else it is an id. ``UsageMistake`` if it is empty."""
    if not named:  # not the current folder: a variable of a script may hold nothing
        raise UsageMistake("empty-name", "no book or novel is named", hint="give its folder or its id")
    return Path(named).expanduser().exists() or "/" in named or named.startswith((".", "~"))


def folder(services: Services, kind: WorkKind, named: str) -> Path:
    """The folder that ``named`` means; raises ``NotFound`` (``unknown-book`` or ``unknown-novel``)."""
    if is_path(named):
        return Path(named)
    try:
        with services.open_store() as store:
            row = store.records.book(kind.checked_id(named))
            meant = "" if row else _near(named, store.records.books(kind.name))
    except EngineUnavailable as error:
        raise NotFound(
            f"unknown-{kind.name}",
            f"there is no folder {named!r}, and without the engine no {kind.name} can be found by its id",
            hint=f"name the {kind.name}'s folder, or start the engine with `penwright up --detach`",
        ) from error
    if row is None:
        raise _unknown(kind, f"no folder and no registered {kind.name} is called {named!r}{meant}")
    return Path(row.path)


def registered(services: Services, kind: WorkKind, named: str) -> BookRow:
    """The registered work with this id, or at this path; its folder need not be there.

    Raises:
        NotFound: ``unknown-book`` or ``unknown-novel``.
        UsageMistake: ``is-a-novel``.
    """
    with services.open_store() as store:
        rows, novels = store.records.books(kind.name), store.records.books(NOVEL.name)
    if (found := _row(named, rows)) is not None:
        return found
    if kind is BOOK and _row(named, novels) is not None:
        raise _is_a_novel(named)
    raise _unknown(kind, f"no registered {kind.name} is called {named!r}, or lies there{_near(named, rows)}")


def _row(named: str, rows: Iterable[BookRow]) -> BookRow | None:
    path = str(Path(named).expanduser().resolve())
    return next((row for row in rows if named == row.book_id or path == row.path), None)


def _near(named: str, rows: Iterable[BookRow]) -> str:
    """The nearest one as the end of a message; only for commands of this machine's user, who sees all."""
    return guess(nearest_of(named, {row.book_id: (row.book_id, row.title) for row in rows}))


def _unknown(kind: WorkKind, message: str) -> NotFound:
    hint = f"`penwright {kind.group} list` shows the registered ones"
    return NotFound(f"unknown-{kind.name}", message, hint=hint)


def _is_a_novel(named: str) -> UsageMistake:
    return UsageMistake(
        "is-a-novel",
        f"{named!r} is a novel, and this command is for books",
        hint=f"`penwright manuscript move {quote(named)} FOLDER` says where it is now, "
        f"`penwright manuscript forget {quote(named)}` takes it off the list",
    )
