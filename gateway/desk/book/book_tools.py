"""The book tools of an outside agent: reads at the tip, everything else as a workflow update."""

import asyncio
import secrets
from typing import assert_never

from gateway.desk.book import story
from gateway.desk.book.continuity import checked_story, continuity_value
from gateway.desk.book.overview import book_status
from gateway.desk.kept_connection import KeptConnection
from gateway.desk.services import Services
from gateway.desk.tool_desk import Answer, Caller
from gateway.desk.works import books
from gateway.desk.works.ended_sessions import ending_of
from penwright.agents.files.filesystem import TreeFiles
from penwright.agents.tools.tool import Arguments
from penwright.domain.book.closing import checked_delivery
from penwright.domain.outside_agent import where_open
from penwright.errors import PenwrightError, Refused
from penwright.roles.outside_agent import reading, searching, tools
from schemas.base import BlobRef
from schemas.book import SessionPayload
from schemas.book_session import BookSessionResult, Opened
from schemas.outside_agent import HandshakeResult
from schemas.outside_session import DeliverProse, SessionProse, SessionView

_GONE = frozenset({"no-active-session", "other-session"})


class BookToolService:
    """One book, served to outside agents for as long as the process lives."""

    def __init__(self, services: Services, named: str) -> None:
        self._services = services
        self._named = named
        self._connection = KeptConnection(services.engine)

    async def carry_out(self, caller: Caller, asked: Arguments) -> Answer:
        """One call; raises what the pipelines and the book's rules raise."""
        match asked:
            case tools.OpenSession():
                return await self._open_session(caller, asked)
            case tools.SelectActiveIntent():
                return await self._select(asked)
            case tools.ReadChapter() | tools.ReadMaterial() | tools.SearchBook():
                return await asyncio.to_thread(self._read, asked)
            case (
                tools.ReadStory()
                | tools.ReadFacts()
                | tools.ReadThreads()
                | tools.ReadBrief()
                | tools.ReadContradictions()
            ):
                return await asyncio.to_thread(self._read_story, asked)
            case tools.AdvanceChapter():
                return await self._advance(asked)
            case tools.DeliverProse():
                return await self._deliver(caller, asked)
            case tools.SessionStatus():
                return await self._status(asked)
            case _:
                raise AssertionError(f"no tool takes {type(asked).__name__}")

    async def doing(self) -> str:
        """Say what the book's session does now, in a sentence; empty when that is unknown."""
        try:
            book = await self._book()
            async with self._connection.use() as engine:
                progress = await engine.pipelines.progress(book.book_id)
        except PenwrightError:
            return ""
        return progress.detail if progress else ""

    async def close(self) -> None:
        """Close the connection."""
        await self._connection.close()

    async def _open_session(self, caller: Caller, asked: tools.OpenSession) -> Answer:
        book = await self._book()
        opener = f"{caller.who}#{asked.retry_key or caller.connection or secrets.token_hex(8)}"
        given = books.session_input(self._services, book, outside=True, opener=opener, who=caller.who)
        await asyncio.to_thread(self._register, book)
        async with self._connection.use() as engine:
            opened = await engine.pipelines.open(given)
            if opened.verdict == "already-running":
                running = await engine.pipelines.session_view(book.book_id, "")
        if opened.verdict == "already-running":
            raise _held(running)
        if opened.verdict != "open":
            raise Refused(opened.code or opened.verdict, opened.message or f"the book is {opened.verdict}")
        return await asyncio.to_thread(self._opened_answer, opened)

    async def _select(self, asked: tools.SelectActiveIntent) -> Answer:
        book = await self._book()
        try:
            async with self._connection.use() as engine:
                selected = await engine.pipelines.select(
                    book.book_id, asked.intent_id, asked.session, place=books.place_name(self._services, book)
                )
        except Refused as refused:
            raise await self._why(book, asked.session, refused) from refused
        handshake = HandshakeResult(
            intent=selected.pin.intent_id, context=selected.context, overlaps=selected.overlaps
        )
        return handshake.model_dump(mode="json")

    async def _advance(self, asked: tools.AdvanceChapter) -> Answer:
        book = await self._book()
        try:
            async with self._connection.use() as engine:
                moved = await engine.pipelines.advance(
                    book.book_id, asked.session, place=books.place_name(self._services, book)
                )
            if moved is None:
                raise Refused("no-active-session", "no session of this book is open; nothing was changed")
        except Refused as refused:
            raise await self._why(book, asked.session, refused) from refused
        return moved.report.model_dump(mode="json", exclude_none=True)

    async def _deliver(self, caller: Caller, asked: tools.DeliverProse) -> Answer:
        checked_delivery(asked.prose)
        book = await self._book()
        prose = await asyncio.to_thread(self._keep, asked.prose)
        written = SessionProse(
            prose=prose,
            summary=asked.summary,
            human_edits=asked.human_edits,
            arcs_closed=asked.arcs_closed,
            who=caller.who,
        )
        delivery = DeliverProse(
            written=written, session=asked.session, place=books.place_name(self._services, book)
        )
        try:
            async with self._connection.use() as engine:
                closed = await engine.pipelines.close(book.book_id, delivery)
        except Refused as refused:
            ended = await self._ending(book, asked.session) if refused.code in _GONE else None
            if ended is None or ended.prose != prose or ended.report is None:
                raise _over(ended, refused) from refused
            return {**ended.report.model_dump(mode="json"), "commit": ended.commit, "repeated": True}
        return {**closed.report.model_dump(mode="json"), "commit": closed.commit}

    async def _status(self, asked: tools.SessionStatus) -> Answer:
        book = await self._book()
        async with self._connection.use() as engine:
            standing = await engine.pipelines.session_view(book.book_id, asked.session)
        stands = await asyncio.to_thread(book_status, self._services, book)
        ended = await self._ending(book, asked.session) if asked.session else None
        return {
            "book": stands.model_dump(mode="json"),
            "session": standing.model_dump(mode="json", exclude={"place"}) if standing else None,
            "ended": _ending_answer(ended) if ended else None,
        }

    def _read(self, asked: tools.ReadChapter | tools.ReadMaterial | tools.SearchBook) -> Answer:
        book = books.find(self._services, self._named)
        with self._services.workspaces().tree(book.workspace) as tree:
            files = TreeFiles(tree)
            match asked:
                case tools.ReadChapter():
                    found = reading.read_chapter(files, asked.number, asked.offset)
                case tools.ReadMaterial():
                    found = reading.read_material(files, asked.path, asked.offset)
                case tools.SearchBook():
                    return searching.search(files, asked.text, asked.most).model_dump(mode="json")
                case _:
                    assert_never(asked)
        return found.model_dump(mode="json")

    def _read_story(self, asked: Arguments) -> Answer:
        book = books.find(self._services, self._named)
        if isinstance(asked, tools.ReadContradictions):
            return continuity_value(checked_story(self._services, book))
        at = story.story_of(self._services, book)
        match asked:
            case tools.ReadStory():
                told = story.story_value(at)
                chapters = [each for each in told["chapters"] if asked.chapter in (0, each["chapter"])]
                return {**told, "chapters": chapters}
            case tools.ReadFacts():
                found = story.facts_of(at, asked.about, asked.chapter or None)
                return {**story.facts_value(at, found[: asked.most]), "left_out": len(found[asked.most :])}
            case tools.ReadThreads():
                return story.threads_value(at, story.threads_of(at, paid=asked.paid))
            case _:
                return story.brief_value(at)

    async def _book(self) -> books.Book:
        return await asyncio.to_thread(books.find, self._services, self._named)

    def _register(self, book: books.Book) -> None:
        with self._services.open_store() as store:
            books.register(store, self._services, book)

    def _keep(self, prose: str) -> BlobRef:
        with self._services.open_store() as store:
            return store.blobs.put(prose.encode())

    def _opened_answer(self, opened: Opened) -> Answer:
        assert opened.payload is not None, "an open verdict carries a payload"
        with self._services.open_store() as store:
            payload = SessionPayload.model_validate_json(store.blobs.get(opened.payload))
        fitting, left_out = reading.fitted(payload)
        return {
            "session": opened.session,
            "words_wanted": opened.words_wanted,
            "minutes": opened.timeout_minutes,
            **fitting.model_dump(mode="json", exclude={"kill_requested", "session_already_run"}),
            "left_out": [each.model_dump(mode="json") for each in left_out],
        }

    async def _ending(self, book: books.Book, session: str) -> BookSessionResult | None:
        """Find the end of a session; None while it runs, or if the store does not know it."""
        return await asyncio.to_thread(ending_of, self._services, book.book_id, session)

    async def _why(self, book: books.Book, session: str, refused: Refused) -> Refused:
        """Explain why a session does not answer: how it ended says more than that it does not run."""
        if refused.code not in _GONE:
            return refused
        return _over(await self._ending(book, session), refused)


def _held(running: SessionView | None) -> Refused:
    who = running.who if running and running.who else "another agent"
    doing = running.progress.detail if running else "it is ending"
    where = f"; {where_open(running.place)}" if running and running.place else ""
    return Refused("already-running", f"{who} has this book now: {doing}{where}. Nothing was changed")


def _over(ended: BookSessionResult | None, refused: Refused) -> Refused:
    if ended is None:
        return refused
    if ended.outcome in ("closed", "completed"):
        return Refused("already-delivered", "this session has its prose and is over; nothing was changed")
    return Refused(ended.code or "session-over", f"the session is over: {ended.message or ended.outcome}")


def _ending_answer(ended: BookSessionResult) -> Answer:
    fields = {"outcome", "code", "message", "commit", "push", "report", "snapshot_tag"}
    return ended.model_dump(mode="json", include=fields)
