"""Sessions of the built-in writer: start, follow, pause, resume and kill them."""

from collections.abc import Callable
from pathlib import Path

from gateway.desk.engine.messages import not_acknowledged
from gateway.desk.engine.pipelines import NO_ANSWER, Message, Pipelines
from gateway.desk.engine.waits import Wait, quietly
from gateway.desk.services import Services
from gateway.desk.works import books
from gateway.desk.works.books import Book
from gateway.desk.works.override_tags import checked_tag
from penwright.domain.book.files.layout import COMPLETE
from penwright.errors import EngineUnavailable, Refused
from schemas.book_session import BookSessionInput, BookSessionResult
from schemas.control import KillRequest


def session_of(services: Services, book: Book, intent: str, tag: str = "") -> BookSessionInput:
    """The order for one session of the built-in writer; the book is registered.

    Args:
        tag: of the override set of its agents; raises as ``checked_tag``.
    """
    tag = checked_tag(services, tag, "session")
    given = books.session_input(services, book, outside=False, intent=intent, tag=tag)
    books.enter(services, book)
    return given


async def write(
    services: Services,
    given: BookSessionInput,
    wait: Wait | None,
    on_start: Callable[[], None] = lambda: None,
) -> BookSessionResult | None:
    """Start a session and wait for its end; without ``wait``, return as soon as it is started.

    Args:
        on_start: called just before the engine is asked to start it; until then nothing runs.

    Raises:
        Refused: ``already-running``.
    """
    async with services.engine() as engine:
        pipelines = engine.pipelines
        on_start()
        await pipelines.start(given)
        return await _ending(pipelines, given, wait) if wait else None


async def watch(
    services: Services, book: Book, wait: Wait = quietly, on_silence: Callable[[], None] = lambda: None
) -> BookSessionResult:
    """Wait for the end of the session that runs; ``on_silence`` is called when no worker answers.

    Raises:
        Refused: ``nothing-runs``.
    """
    async with services.engine() as engine:
        if not await _is_running(engine.pipelines, book, on_silence):
            raise Refused(
                "nothing-runs",
                f"no session of {book.book_id!r} is running",
                hint=f"`penwright book log {book.words}` lists the sessions so far",
            )
        return await _ending(engine.pipelines, book, wait)


async def send(services: Services, book: Book, message: Message) -> None:
    """Kill, pause or resume the running session; returns once it has confirmed that.

    Raises:
        Refused: ``nothing-runs``.
        EngineUnavailable: the engine does not run, or the error of ``not_acknowledged``.
    """
    later = _what_else(book, message)
    try:
        async with services.engine() as engine:
            answer = await engine.pipelines.signal(book.book_id, message)
            idle = answer.found != "session"
            if idle and message == "pause" and await engine.schedules.find(book.book_id):
                later = f"`penwright book schedule {book.book_id} --pause` stops its schedule; {later}"
    except EngineUnavailable as error:
        hint = f"nothing runs without it: start it with `penwright up --detach`; {later}"
        raise EngineUnavailable(error.code, error.message, hint=hint) from error
    if answer.stuck:
        raise not_acknowledged(book.book_id, answer)
    if answer.found != "session":
        what = ": another change of it is under way and ends by itself" if answer.found == "errand" else ""
        raise Refused("nothing-runs", f"no session of {book.book_id!r} is running{what}", hint=later)
    if not answer.heard:
        raise not_acknowledged(book.book_id, answer)


def _what_else(book: Book, message: Message) -> str:
    """Say what else a person may do who wanted to tell a session something that does not run."""
    if isinstance(message, KillRequest):
        return f"to stop the next session, create the file '.ink-kill' in {book.workspace.path}"
    shows = f"`penwright book log {book.words}` lists the sessions so far"
    if message == "pause":
        return shows
    if Path(book.workspace.path, COMPLETE).exists():
        return f"the book is complete, so none begins; {shows}"
    return f"`penwright book session {book.words}` begins one, {shows}"


async def _ending(pipelines: Pipelines, book: Book | BookSessionInput, wait: Wait) -> BookSessionResult:
    return await wait(pipelines.result(book.book_id), lambda: pipelines.progress(book.book_id))


async def _is_running(pipelines: Pipelines, book: Book, on_silence: Callable[[], None]) -> bool:
    """Whether a session or another change holds the book; a workflow without a worker holds it, too."""
    try:
        return await pipelines.progress(book.book_id) is not None
    except EngineUnavailable as silence:
        if silence.code != NO_ANSWER:
            raise
        on_silence()
        return True
