"""Taking a book back: first what that would do, then rollback, its undo, and reset."""

import asyncio
from collections.abc import Sequence
from typing import Literal

from gateway.desk.book import reading, seal_review
from gateway.desk.services import Services
from gateway.desk.works import books
from gateway.desk.works.books import Book
from penwright.domain.book.files.layout import KNOWN
from penwright.domain.text.nearest import meant
from penwright.errors import EngineUnavailable, NotFound, PermanentError, Refused
from schemas.book_errand import RestoreReport
from schemas.workspace import RestorePlan

RestoreKind = Literal["rollback", "undo", "reset", "accept-remote", "restore-session"]
_SHOWN = 12


def planned(services: Services, book: Book, *, to: str | None, undo: bool) -> RestorePlan:
    """Plan a rollback to the tag ``to`` (default: the last one), or its undo, without doing it.

    Raises:
        NotFound: ``no-such-tag``, or ``no-such-archive`` where there is nothing to undo.
    """
    target = None if undo else _target(services, book, to)
    return services.workspaces().planned(book.workspace, target=target, undo=undo, known=KNOWN)


def planned_acceptance(services: Services, book: Book) -> RestorePlan:
    """Plan taking out what the remote lost, without doing it.

    Raises:
        Refused: ``nothing-lost``; ``remote-not-asked``; ``ledger-damaged``.
    """
    return services.workspaces().planned_acceptance(book.workspace, known=KNOWN)


def plan_lines(plan: RestorePlan) -> list[str]:
    """The lines in which what is planned is told to people."""
    without_place = plan.gone_with if plan.undo else ()
    unsaved = [f"  unsaved: {path}" for path in plan.unsaved if path not in without_place]
    away, stays = _first(plan.commits), [*_first(plan.kept), *unsaved]
    kept = ["What people changed since stays:", *stays] if stays else []
    files = ", ".join(plan.gone_with)
    if plan.undo:
        back = [*_first(plan.back), *(f"  unsaved: {path}" for path in plan.back_unsaved)]
        return [
            f"This brings back what {plan.target} holds, the book as it was at {plan.at!r}:",
            *back,
            *(["What came since is set aside in git, under refs/penwright/archive/:", *away] if away else []),
            *kept,
            *([f"But not all of what they changed has a place there: {files}."] if files else []),
        ]
    way = "follows" if plan.accept_remote else "goes back to"
    return [
        f"This {way} {plan.target}, and sets aside under refs/penwright/archive/:",
        *(away or ["  nothing"]),
        *kept,
        *([f"But passages that the session wrote and people changed go with it: {files}."] if files else []),
    ]


def _first(commits: Sequence[str]) -> list[str]:
    more = [f"  … and {len(commits) - _SHOWN} more"] if len(commits) > _SHOWN else []
    return [*(f"  {commit}" for commit in commits[:_SHOWN]), *more]


def dry_run_command(plan: RestorePlan, book: str) -> str:
    """The command that plans the same again, and does nothing else; ``book``: its words there."""
    verb = "rollback --undo" if plan.undo else _kind(plan)
    return f"penwright book {verb} {book} --dry-run"


def _kind(plan: RestorePlan) -> RestoreKind:
    return "undo" if plan.undo else "accept-remote" if plan.accept_remote else "rollback"


async def in_the_way(services: Services, book: Book) -> str:
    """A sentence on the session that now keeps the book from being taken back; empty: none does."""
    try:
        async with services.engine() as engine:
            running = await engine.pipelines.progress(book.book_id)
    except EngineUnavailable as unknown:
        return f"Whether a session holds the book is not known: {unknown.message}."
    if running is None or running.pipeline != "book-session":
        return ""
    return (
        "A session is writing in this book: until it ends, the book is not taken back. `penwright book watch "
        f"{book.book_id}` shows it, `penwright book kill {book.book_id}` stops it."
    )


def can_undo(services: Services, book: Book) -> bool:
    """Whether there is a rollback or reset to undo."""
    return services.workspaces().can_undo(book.workspace)


async def restore(services: Services, book: Book, kind: RestoreKind) -> RestoreReport:
    """Reset the book, or publish again what the remote lost; what that discards is archived first."""
    return await _restored(services, book, kind)


async def take_back(services: Services, book: Book, plan: RestorePlan) -> RestoreReport:
    """Do what was planned, and nothing else; what it discards is archived first.

    Raises:
        Refused: ``stale-revision``, where the book was changed since.
    """
    try:
        return await _restored(services, book, _kind(plan), target=plan.target, listed=plan.digest)
    except Refused as error:
        if error.code != "stale-revision":
            raise
        hint = f"look again with `{dry_run_command(plan, book.words)}`"
        raise Refused(error.code, error.message, hint=hint) from error


async def _restored(services: Services, book: Book, kind: RestoreKind, **what: object) -> RestoreReport:
    given = await asyncio.to_thread(books.errand_input, services, book, kind=kind, **what)
    async with services.engine() as engine:
        report = (await engine.pipelines.errand(given)).restore
        if report is None:
            raise PermanentError("no-report", f"the change of {book.book_id!r} ended without a report")
        if kind != "reset":
            report = report.model_copy(update={"warnings": await reading.look_again(services, engine, book)})
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
        begin = f"`penwright book session {book.words}` writes the first, and leaves a tag"
        raise NotFound(
            "no-such-tag",
            f"{book.title!r} has no session tag {to!r}{meant(to, tags)}"
            if to
            else f"{book.title!r} has no session yet",
            hint=latest if tags else begin,
        )
    return to
