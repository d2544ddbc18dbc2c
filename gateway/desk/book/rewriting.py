"""Rewrite a passage of the validated book: order it, and wait for the new passage to be read."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from gateway.desk.book.story import whole_book
from gateway.desk.engine.pipelines import Pipelines
from gateway.desk.engine.waits import Wait
from gateway.desk.services import Services
from gateway.desk.works import books
from gateway.desk.works.books import Book
from gateway.desk.works.override_tags import checked_tag
from penwright.domain.book.files.layout import FULL_BOOK
from penwright.domain.book.rewriting.finding import FoundPassage, find_passage, refuse_unclear
from penwright.errors import EngineUnavailable
from schemas.book_session import BookSessionInput, BookSessionResult, RewriteOrder
from schemas.intents import ApprovalRequest

_PERIOD_S = 0.5


@dataclass(frozen=True, slots=True)
class RewriteRun:
    """A rewrite that waits for a person, or has ended."""

    asked: ApprovalRequest | None = None
    """The new passage, which a person is to approve or deny."""
    result: BookSessionResult | None = None


def passage_of(services: Services, book: Book, order: RewriteOrder) -> FoundPassage:
    """The passage that an order means at the tip; nothing is started. Raises as ``find_passage``."""
    view = whole_book(services, book)
    return find_passage(view.text(FULL_BOOK), view, order)


def rewrite_of(
    services: Services, book: Book, order: RewriteOrder, intent: str = "", tag: str = ""
) -> BookSessionInput:
    """The session that carries the order out; the book is registered. Raises as ``refuse_unclear``.

    Args:
        tag: of the override set of its agents; raises as ``checked_tag``.
    """
    refuse_unclear(order)
    tag = checked_tag(services, tag, "session")
    given = books.session_input(services, book, outside=False, intent=intent, tag=tag)
    books.enter(services, book)
    return given.model_copy(update={"rewrite": order})


async def rewrite(
    services: Services,
    given: BookSessionInput,
    wait: Wait | None,
    on_start: Callable[[], None] = lambda: None,
) -> RewriteRun | None:
    """Start it and wait until a person is asked, or it ends; without ``wait``, return once it is started.

    Raises:
        Refused: ``already-running``.
    """
    async with services.engine() as engine:
        on_start()
        await engine.pipelines.start(given)
        if wait is None:
            return None
        return await wait(
            _asked_or_ended(engine.pipelines, given), lambda: engine.pipelines.progress(given.book_id)
        )


async def ended(services: Services, given: BookSessionInput, wait: Wait) -> BookSessionResult:
    """Wait for the end, after a person has decided."""
    async with services.engine() as engine:
        return await wait(
            engine.pipelines.result(given.book_id), lambda: engine.pipelines.progress(given.book_id)
        )


async def _asked_or_ended(pipelines: Pipelines, given: BookSessionInput) -> RewriteRun:
    """A worker that gives no answer for a while is told by what waits."""
    while True:
        with suppress(EngineUnavailable):
            progress = await pipelines.progress(given.book_id)
            if progress is None:
                return RewriteRun(result=await pipelines.result(given.book_id))
            asks = progress.stage == "approval"
            if asks and (asked := await pipelines.pending(given.book_id)) is not None:
                return RewriteRun(asked=asked)
        await asyncio.sleep(_PERIOD_S)
