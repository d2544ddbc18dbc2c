"""Which id the work in a folder has: the one recorded in it, or another if the folder is a copy."""

from collections.abc import Callable
from pathlib import Path

from gateway.desk.services import CommandStore, Services
from gateway.desk.works.kinds import Work
from penwright.adapters.scaffold.book_mark import BookMark, is_registered, read_mark, write_mark
from penwright.adapters.scaffold.repository_folder import git, remote_url
from penwright.domain.book.identity import Place, id_of_place, is_one_remote
from penwright.errors import EngineUnavailable, PenwrightError, StoreUnavailable
from penwright.masking import masked
from schemas.base import BookId
from schemas.records import BookRow
from schemas.workspace import Workspace

RecordedId = Callable[[Services, Workspace], BookId | None]
"""Reads the id that is recorded in a folder's repository; None if it holds no commits."""


def place_of(services: Services, workspace: Workspace) -> Place:
    """Place of a work, with the address of its remote; secrets in it stay in git's configuration."""
    url = remote_url(Path(workspace.path), workspace.remote)
    return Place(services.defaults().repo_queue, workspace.path, masked(url))


def own_id(services: Services, workspace: Workspace, recorded: BookId, read: RecordedId) -> BookId:
    """``recorded``, or another id if this folder is a copy of what is registered under it."""
    mark = read_mark(workspace)
    if mark is None or recorded not in (mark.book_id, mark.origin):
        found = recorded
    elif mark.path == workspace.path:
        return mark.book_id
    else:
        found = recorded if Path(mark.path).exists() else mark.book_id
    holder = _holder(services, workspace, found, read)
    return id_of_place(found, place_of(services, workspace), holder) if holder else found


def second_place(services: Services, workspace: Workspace, work: BookId, read: RecordedId) -> Place | None:
    """Another folder with the same work and remote: one that is registered, or that this is a copy of.

    A copied folder is told by the note in it, so without the engine, too; until its own first session.
    """
    here, there = place_of(services, workspace), _holder(services, workspace, work, read)
    if there is None and (mark := read_mark(workspace)) is not None and mark.path != workspace.path:
        other = workspace.model_copy(update={"path": mark.path})
        is_another = not _is_one_repository(Path(mark.path), Path(workspace.path))
        there = place_of(services, other) if is_another and _holds(services, other, work, read) else None
    return there if there is not None and is_one_remote(here, there) else None


def other_place(services: Services, workspace: Workspace, row: BookRow, read: RecordedId) -> Place | None:
    """The registered folder, if it is another than the workspace's and holds the work."""
    if row.queue != services.defaults().repo_queue:
        return Place(row.queue, row.path, row.remote_url)
    there = workspace.model_copy(update={"path": row.path})
    if row.path == workspace.path or _is_one_repository(Path(row.path), Path(workspace.path)):
        return None
    if not _holds(services, there, row.book_id, read):
        return None
    return place_of(services, there)


def _holder(services: Services, workspace: Workspace, book_id: BookId, read: RecordedId) -> Place | None:
    """Another folder that is registered under ``book_id`` and still holds that work."""
    try:
        with services.open_store() as store:
            row = store.records.book(book_id)
    except (EngineUnavailable, StoreUnavailable):
        return None
    return other_place(services, workspace, row, read) if row else None


def _is_one_repository(one: Path, other: Path) -> bool:
    """Whether two folders are one, or worktrees of one repository."""
    found = [
        git(each, "rev-parse", "--git-common-dir", check=False) for each in (one, other) if each.exists()
    ]
    folders = [(each / name).resolve() for each, name in zip((one, other), found, strict=False)]
    return len(found) == 2 and folders[0] == folders[1]


def _holds(services: Services, there: Workspace, book_id: BookId, read: RecordedId) -> bool:
    """Whether the folder is there and holds the work."""
    try:
        recorded = read(services, there)
    except PenwrightError:
        return False
    mark = read_mark(there)
    held = mark.book_id if mark and mark.path == there.path else recorded
    return held == book_id


def mark(work: Work) -> None:
    """Note in the folder which work it holds, so that workers take orders for it; a note of before stays."""
    if not is_registered(work.workspace):
        write_mark(work.workspace, BookMark(work.subject, work.workspace.path, work.origin))


def register(
    store: CommandStore, services: Services, work: Work, read: RecordedId, *, moves: bool = False
) -> None:
    """Register the work, so that it can be named by its id, and lists show it.

    ``moves``: its id means this folder from now on, even if another one holds the work as well.
    """
    place, known = place_of(services, work.workspace), store.records.book(work.subject)
    write_mark(work.workspace, BookMark(work.subject, place.path, work.origin))
    # Of two folders of one book, its id means the one that opened last: a call may yet be refused.
    first = other_place(services, work.workspace, known, read) if known and not moves else None
    store.records.register(
        BookRow(
            book_id=work.subject,
            kind=work.kind,
            path=first.path if first else place.path,
            title=work.title,
            queue=first.queue if first else place.queue,
            remote_url=place.remote,
            created_at=known.created_at if known else services.now(),
        )
    )
