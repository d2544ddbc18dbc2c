"""Finding the book a command means: by folder or by registered id."""

import secrets
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from gateway.desk.services import CommandStore, Services
from penwright.adapters.scaffold.repository_folder import git, root_commit, top_folder, written_book_id
from penwright.domain.book.files.layout import CONFIG, README, STATE
from penwright.domain.book.identity import book_id_of, checked_book_id, recorded_book_id
from penwright.errors import BrokenBook, EngineUnavailable, NotFound
from schemas.base import BookId
from schemas.book_session import BookErrandInput, BookSessionInput
from schemas.records import BookRow
from schemas.workspace import Snapshot, Workspace


@dataclass(frozen=True, slots=True)
class Book:
    """A book on this machine."""

    book_id: BookId
    workspace: Workspace
    title: str


def find(services: Services, named: str, *, laid_out: bool = True) -> Book:
    """The book in folder ``named``, or registered under the id ``named``; see ``at``."""
    place = folder(services, named)
    try:
        return at(services, place, laid_out=laid_out)
    except NotFound as gone:
        if gone.code != "no-such-folder" or str(place) == named:
            raise
        raise NotFound(
            gone.code,
            f"the folder of {named!r}, {str(place)!r}, is not there",
            hint=f"`penwright book move {named} FOLDER` says where it is now, "
            f"`penwright book forget {named}` takes it off the list",
        ) from gone


def folder(services: Services, named: str) -> Path:
    """The folder that ``named`` means."""
    if Path(named).expanduser().exists() or "/" in named or named.startswith((".", "~")):
        return Path(named)
    try:
        with services.open_store() as store:
            row = store.records.book(checked_book_id(named))
    except EngineUnavailable as error:
        raise NotFound(
            "unknown-book",
            f"there is no folder {named!r}, and without the engine no book can be found by its id",
            hint="name the book's folder, or start the engine with `penwright up --detach`",
        ) from error
    if row is None:
        raise NotFound("unknown-book", f"no folder and no registered book is called {named!r}")
    return Path(row.path)


def workspace_at(services: Services, path: Path) -> Workspace:
    """The repository that begins at ``path``, whether it holds a book or not."""
    places = services.defaults()
    return Workspace(path=str(top_folder(path)), branch=places.branch, remote=places.remote)


def at(services: Services, path: Path, *, laid_out: bool = True) -> Book:
    """The book whose repository begins at ``path``.

    ``laid_out``: raise ``BrokenBook`` unless it has its Config.yml; a book that was reset has none.
    """
    workspace = workspace_at(services, path)
    top = Path(workspace.path)
    root = root_commit(top, workspace.branch)
    if root is None:
        raise BrokenBook(
            "no-commits",
            f"{str(top)!r} has no commit on branch {workspace.branch!r}",
            hint="make a book there with `penwright book init`, or switch to its branch",
        )
    snapshot = services.workspaces().snapshot(workspace, (STATE, README), names=(CONFIG,))
    if laid_out and CONFIG not in snapshot.names and not (top / CONFIG).is_file():
        raise _not_laid_out(top, workspace.branch)
    recorded = _recorded(snapshot) or written_book_id(top, workspace.branch)
    return Book(book_id_of(recorded, root), workspace, _title(snapshot, top))


def _not_laid_out(top: Path, branch: str) -> BrokenBook:
    if written_book_id(top, branch) is None:
        return BrokenBook(
            "config-missing",
            f"{str(top)!r} has no {CONFIG!r}, so it is no book yet",
            hint=f"lay one out with `penwright book init {top}`",
        )
    return BrokenBook(
        "config-missing",
        f"{str(top)!r} was reset, or lost its {CONFIG!r}",
        hint=f"`penwright book restore {top}` brings a deleted one back, "
        f"`penwright book rollback {top} --undo` takes a reset back, "
        f"`penwright book init {top} --keep` begins again after one",
    )


def register(store: CommandStore, services: Services, book: Book, now: datetime) -> None:
    """Register the book, so that it can be named by its id and `book list` shows it."""
    known = store.records.book(book.book_id)
    store.records.register(
        BookRow(
            book_id=book.book_id,
            path=book.workspace.path,
            title=book.title,
            queue=services.defaults().repo_queue,
            remote_url=git(
                Path(book.workspace.path), "remote", "get-url", book.workspace.remote, check=False
            ),
            created_at=known.created_at if known else now,
        )
    )


def enter(services: Services, book: Book) -> None:
    """Register ``book`` in the store of the running engine."""
    with services.open_store() as store:
        register(store, services, book, services.now())


def session_input(
    services: Services, book: Book, *, outside: bool, opener: str = "", intent: str = "", who: str = ""
) -> BookSessionInput:
    """One new session of ``book``; an agent known as ``who`` must select its intent."""
    return BookSessionInput(
        book_id=book.book_id,
        workspace=book.workspace,
        session=new_session(services.now()),
        opener=opener,
        writer="outside" if outside else "built-in",
        who=who,
        must_select=bool(who),
        intent=intent,
        repo_queue=services.defaults().repo_queue,
        model_queue=services.defaults().model_queue,
    )


def errand_input(services: Services, book: Book, **what: object) -> BookErrandInput:
    """One errand for ``book``; ``what``: kind, target, early."""
    return BookErrandInput.model_validate(
        {
            "book_id": book.book_id,
            "workspace": book.workspace,
            "session": new_session(services.now()),
            "repo_queue": services.defaults().repo_queue,
            **what,
        }
    )


def new_session(now: datetime) -> str:
    """A name no other session has."""
    return f"{now:%Y%m%dT%H%M%SZ}-{secrets.token_hex(3)}"


def _recorded(snapshot: Snapshot) -> str | None:
    state = snapshot.files.get(STATE)
    return recorded_book_id(state.text) if state else None


def _title(snapshot: Snapshot, top: Path) -> str:
    readme = snapshot.files.get(README)
    for line in readme.text.splitlines() if readme else ():
        if line.startswith("# "):
            return line[2:].strip()
    return top.name
