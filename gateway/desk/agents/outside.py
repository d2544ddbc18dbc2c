"""Sessions of an outside agent: open, select an intent, close with prose, advance, complete."""

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from shlex import quote

from gateway.desk.engine.waits import Wait, quietly
from gateway.desk.services import Services
from gateway.desk.works import books
from gateway.desk.works.books import Book
from gateway.desk.works.ended_sessions import last_ending
from penwright.domain.book.closing import checked_delivery
from penwright.domain.book.files.layout import LOCK
from penwright.domain.book.files.session_lock import read_lock
from penwright.errors import PermanentError, Refused, UsageMistake
from schemas.base import BlobRef
from schemas.book import AdvanceReport, ClosedReport, CompleteReport, SessionPayload
from schemas.book_session import Opened
from schemas.intents import Selected
from schemas.outside_session import DeliverProse, SessionProse


async def open_book(
    services: Services, book: Book, opener: str = "", intent: str = ""
) -> tuple[Opened, SessionPayload | None]:
    """Open an outside session; the payload is None only where the opening failed before it had one."""
    opener = opener or books.new_session(services.now())
    given = books.session_input(services, book, outside=True, opener=opener, intent=intent)
    await asyncio.to_thread(books.enter, services, book)
    async with services.engine() as engine:
        opened = await engine.pipelines.open(given)
    return opened, await asyncio.to_thread(_payload, services, opened)


async def select_intent(services: Services, book: Book, intent: str) -> Selected:
    """The handshake: work for ``intent`` from now on, in its current wording."""
    async with services.engine() as engine:
        return await engine.pipelines.select(book.book_id, intent, place=books.place_name(services, book))


async def close_book(
    services: Services,
    book: Book,
    prose: str,
    *,
    summary: str = "",
    human_edits: Sequence[str] = (),
    arcs_closed: bool = False,
    authorship: str = "",
    wait: Wait = quietly,
) -> ClosedReport:
    """Hand ``prose`` to the running outside session; a close that needs approval waits for it."""
    written = SessionProse(
        prose=await asyncio.to_thread(_kept, services, prose),
        summary=summary,
        human_edits=tuple(human_edits),
        arcs_closed=arcs_closed,
        authorship=authorship,
    )
    delivery = DeliverProse(written=written, place=books.place_name(services, book))
    async with services.engine() as engine:
        pipelines = engine.pipelines
        closing = pipelines.close(book.book_id, delivery)
        try:
            return (await wait(closing, lambda: pipelines.progress(book.book_id))).report
        except Refused as refused:
            first = await asyncio.to_thread(_first_report, services, book, written.prose, refused)
            if first is None:
                raise await asyncio.to_thread(_copied_while_open, book, refused) from None
            return first


def _copied_while_open(book: Book, refused: Refused) -> Refused:
    """The refusal, with who holds the book if this folder was copied while a session had the other one."""
    lock_file = Path(book.workspace.path) / LOCK
    if refused.code != "no-active-session" or not lock_file.is_file():
        return refused
    lock = read_lock(lock_file.read_text(encoding="utf-8", errors="replace"))
    folder = lock.place.partition(":")[2] if lock else ""
    if lock is None or folder in ("", book.workspace.path):
        return refused
    return Refused(
        refused.code,
        f"no active session in this folder: it is a copy of a book that session "
        f"{lock.session or 'without a name'} in {lock.place!r} holds",
        hint=f"close it there, with the same prose: `penwright book close {quote(folder)}`",
    )


def _first_report(services: Services, book: Book, prose: BlobRef, refused: Refused) -> ClosedReport | None:
    """Find the last session's report on the same prose, when the answer to its close was lost."""
    ended = last_ending(services, book.book_id) if refused.code == "no-active-session" else None
    if ended is None or ended.report is None or ended.prose != prose:
        return None
    return ended.report.model_copy(update={"repeated": True})


async def advance_book(
    services: Services, book: Book, *, wait: Wait = quietly, on_pause: Callable[[], None] = lambda: None
) -> AdvanceReport:
    """Advance inside the running outside session, or by an errand.

    ``on_pause`` is called if the session is paused: it advances once it goes on.
    """
    async with services.engine() as engine:
        pipelines = engine.pipelines
        running = await pipelines.progress(book.book_id)
        if running is not None and running.paused:
            on_pause()
        advancing = pipelines.advance(book.book_id, place=books.place_name(services, book))
        if (moved := await wait(advancing, lambda: pipelines.progress(book.book_id))) is not None:
            return moved.report
        errand = await asyncio.to_thread(books.errand_input, services, book, kind="advance")
        report = (await pipelines.errand(errand)).advance
    if report is None:
        raise _no_report(book)
    return report


async def complete_book(
    services: Services, book: Book, *, early: bool, by_agent: bool = False
) -> CompleteReport:
    """Seal the book by an errand; an agent does it under the intent of its sessions."""
    given = await asyncio.to_thread(
        books.errand_input, services, book, kind="complete", early=early, by_agent=by_agent
    )
    async with services.engine() as engine:
        report = (await engine.pipelines.errand(given)).completion
    if report is None:
        raise _no_report(book)
    return report


def read_prose(services: Services, book: Book) -> str:
    """Standard input as prose for ``book``.

    Raises:
        UsageMistake: there is none, or it is not UTF-8.
    """
    if (incoming := services.incoming()) is None:
        raise UsageMistake(
            "no-prose",
            "prose comes on standard input",
            hint=f"for instance `penwright book close {book.words} < prose.md`",
        )
    raw = incoming.read()
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise UsageMistake(
            "prose-not-utf8",
            f"the prose is not UTF-8 at byte {error.start}; nothing was changed",
            hint="convert it, for instance with `iconv -t utf-8`, and close again",
        ) from None
    checked_delivery(text)
    return text


def _kept(services: Services, prose: str) -> BlobRef:
    with services.open_store() as store:
        return store.blobs.put(prose.encode())


def _payload(services: Services, opened: Opened) -> SessionPayload | None:
    """The stored payload; of another caller's session only settings and words, which are not secret."""
    if opened.payload is None:
        return None
    with services.open_store() as store:
        payload = SessionPayload.model_validate_json(store.blobs.get(opened.payload))
    if opened.verdict == "already-running" and not payload.session_already_run:
        return SessionPayload(
            config=payload.config,
            word_count=payload.word_count,
            session_already_run=True,
            warnings=(opened.message,) if opened.message else (),
        )
    return payload


def _no_report(book: Book) -> PermanentError:
    return PermanentError("no-report", f"the change of {book.book_id!r} ended without a report")
