"""What an outside agent may ask, for every command that serves one."""

import asyncio
from typing import TYPE_CHECKING

from gateway.desk.services import Services
from schemas.outside_session import SessionProse

if TYPE_CHECKING:
    from gateway.desk.books import Book
    from schemas.book import AdvanceReport, ClosedReport, CompleteReport, SessionPayload
    from schemas.book_session import Opened
    from schemas.intents import Selected
    from schemas.outside_session import DeliverProse


def open_book(
    services: Services, named: str, opener: str = "", intent: str = ""
) -> "tuple[Opened, SessionPayload | None]":
    """Open an outside session; the payload is None only where the opening failed before it had one."""
    from gateway.desk import books

    found = books.find(services, named)
    opener = opener or books.new_session(services.now())
    given = books.session_input(services, found, outside=True, opener=opener, intent=intent)

    async def ask() -> "Opened":
        async with services.engine() as engine:
            return await engine.pipelines.open(given)

    with services.open_store() as store:
        books.register(store, services, found, services.now())
        opened = asyncio.run(ask())
        payload = _payload(store.blobs.get(opened.payload), opened) if opened.payload else None
    return opened, payload


def select_intent(services: Services, named: str, intent: str) -> "Selected":
    """The handshake: work for ``intent`` from now on, as it is worded now."""
    from gateway.desk import books

    found = books.find(services, named)

    async def ask() -> "Selected":
        async with services.engine() as engine:
            return await engine.pipelines.select(found.book_id, intent)

    return asyncio.run(ask())


def close_book(
    services: Services, named: str, summary: str, human_edits: list[str], *, arcs_closed: bool = False
) -> "ClosedReport":
    """Hand the prose on standard input to the running outside session."""
    from gateway.desk import books
    from schemas.outside_session import DeliverProse

    found = books.find(services, named)
    prose = read_prose(services)
    with services.open_store() as store:
        kept = store.blobs.put(prose.encode())
    written = SessionProse(
        prose=kept, summary=summary, human_edits=tuple(human_edits), arcs_closed=arcs_closed
    )
    return asyncio.run(_deliver(services, found, DeliverProse(written=written)))


async def _deliver(services: Services, found: "Book", delivery: "DeliverProse") -> "ClosedReport":
    from gateway.cli.live import wait_showing

    async with services.engine() as engine:
        pipelines = engine.pipelines
        # A close that a person must allow waits for them, and says so.
        closed = await wait_showing(
            pipelines.close(found.book_id, delivery),
            lambda: pipelines.progress(found.book_id),
            quiet=False,
            resumes=f"penwright book resume {found.book_id}",
        )
        return closed.report


def advance_book(services: Services, named: str) -> "AdvanceReport":
    """Advance inside the running outside session, or by an errand."""
    from gateway.desk import books
    from penwright.errors import PermanentError

    found = books.find(services, named)

    async def ask() -> "AdvanceReport | None":
        async with services.engine() as engine:
            if (moved := await engine.pipelines.advance(found.book_id)) is not None:
                return moved.report
            return (
                await engine.pipelines.errand(books.errand_input(services, found, kind="advance"))
            ).advance

    if (report := asyncio.run(ask())) is None:
        raise PermanentError("no-report", f"the errand for {found.book_id!r} ended without a report")
    return report


def complete_book(services: Services, named: str, *, early: bool) -> "CompleteReport":
    """Seal the book by an errand."""
    from gateway.desk import books
    from penwright.errors import PermanentError

    found = books.find(services, named)
    given = books.errand_input(services, found, kind="complete", early=early)

    async def ask() -> "CompleteReport | None":
        async with services.engine() as engine:
            return (await engine.pipelines.errand(given)).completion

    if (report := asyncio.run(ask())) is None:
        raise PermanentError("no-report", f"the errand for {found.book_id!r} ended without a report")
    return report


def read_prose(services: Services) -> str:
    """Standard input as prose; a named error for anything that cannot be."""
    from penwright.domain.book.closing import checked_delivery
    from penwright.errors import UsageMistake

    if (incoming := services.incoming()) is None:
        raise UsageMistake(
            "no-prose",
            "prose comes on standard input",
            hint="for instance `penwright book close < prose.md`",
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


def _payload(content: bytes, opened: "Opened") -> "SessionPayload":
    """The stored payload; of another caller's session only what is nobody's secret, the settings."""
    from schemas.book import SessionPayload

    payload = SessionPayload.model_validate_json(content)
    if opened.verdict == "already-running" and not payload.session_already_run:
        return SessionPayload(config=payload.config, session_already_run=True)
    return payload
