"""Taking a book back: what a rollback would discard, and the errands rollback, undo and reset."""

import asyncio
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from gateway.desk.book import seal_review
from gateway.desk.services import Services
from gateway.desk.works import books
from gateway.desk.works.books import Book
from penwright.adapters.scaffold.repository_folder import git
from penwright.domain.text.nearest import meant
from penwright.errors import NotFound, PermanentError
from schemas.book_session import RestoreReport

Kind = Literal["rollback", "undo", "reset", "accept-remote", "restore-session"]


@dataclass(frozen=True, slots=True)
class RestorePlan:
    """What a rollback would do."""

    target: str | None
    """The tag to go back to; None for an undo."""
    commits: tuple[str, ...]
    """Abbreviated id and subject of each commit that would be discarded."""
    unsaved: tuple[str, ...]
    """Files with edits that were not saved; an undo discards them, a rollback leaves them."""
    kept: tuple[str, ...] = ()
    """As ``commits``, of people's that stay."""
    gone_with: tuple[str, ...] = ()
    """Files in which people changed passages that go."""


def planned(services: Services, book: Book, *, to: str | None, undo: bool) -> RestorePlan:
    """What a rollback to the tag ``to`` (default: the last one), or its undo, would do.

    Raises:
        NotFound: ``no-such-tag``.
    """
    top = Path(book.workspace.path)
    dirty = git(top, "-c", "core.quotePath=false", "status", "--porcelain", "-z", "--no-renames")
    unsaved = tuple(entry[3:] for entry in dirty.split("\0") if entry)
    if undo:
        return RestorePlan(None, (), unsaved)
    target = _target(services, book, to)
    stays = services.workspaces().staying(book.workspace, target)
    log = git(
        top, "log", "--format=%H %h %s", f"refs/tags/{target}..refs/heads/{book.workspace.branch}", "--"
    )
    commits = [line.partition(" ") for line in log.splitlines()]
    kept = tuple(told for sha, _, told in commits if sha in stays.commits)
    going = tuple(told for sha, _, told in commits if sha not in stays.commits)
    return RestorePlan(target, going, unsaved, kept, stays.gone_with)


def can_undo(services: Services, book: Book) -> bool:
    """Whether there is a rollback or reset to undo."""
    return services.workspaces().can_undo(book.workspace)


def written_since(book: Book) -> tuple[str, ...]:
    """Subjects of the commits since the last restore, newest first: its undo takes them out."""
    top = Path(book.workspace.path)
    newest = ("--sort=-creatordate", "--count=1", "--format=%(creatordate:unix)")
    at = git(top, "for-each-ref", *newest, "refs/penwright/archive/").strip()
    if not at:
        return ()
    branch = f"refs/heads/{book.workspace.branch}"
    return tuple(git(top, "log", f"--since=@{int(at) + 1}", "--format=%s", branch, "--").splitlines())


async def restore(services: Services, book: Book, kind: Kind, target: str | None) -> RestoreReport:
    """Run the errand and return its report; what it discards is archived first."""
    given = books.errand_input(services, book, kind=kind, target=target)
    async with services.engine() as engine:
        report = (await engine.pipelines.errand(given)).restore
    if report is None:
        raise PermanentError("no-report", f"the errand for {book.book_id!r} ended without a report")
    if kind in ("rollback", "reset"):
        # The session that they are about is gone.
        await asyncio.to_thread(seal_review.taken_off, services, book)
    return report


def _target(services: Services, book: Book, to: str | None) -> str:
    """The tag to go back to; chosen before it is shown, so that what was shown is what happens."""
    tags = services.workspaces().tags(book.workspace)
    if to is None and tags:
        return tags[-1]
    if to is None or to not in tags:
        latest = f"the latest tags are: {', '.join(tags[-5:])}"
        begin = f"`penwright book session {book.book_id}` writes the first, and leaves a tag"
        raise NotFound(
            "no-such-tag",
            f"{book.title!r} has no session tag {to!r}{meant(to, tags)}"
            if to
            else f"{book.title!r} has no session yet",
            hint=latest if tags else begin,
        )
    return to
