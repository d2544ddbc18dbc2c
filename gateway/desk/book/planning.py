"""Having outlines of a book made by its planner: the start, the end."""

from dataclasses import dataclass

from gateway.desk.book import side_runs
from gateway.desk.book.overview import read_view
from gateway.desk.engine import messages
from gateway.desk.engine.pipelines import Message
from gateway.desk.engine.waits import Wait
from gateway.desk.services import Services
from gateway.desk.works import books
from gateway.desk.works.books import Book
from penwright.domain.book.plan_run import run_name
from penwright.domain.book.planning import outlines_to_plan
from penwright.errors import Refused, UsageMistake
from schemas.planning import PlanningInput, PlanningResult

LONGEST_PREMISE = 20_000
"""Characters."""
MOST_CHAPTERS = 50
"""Of one planning: each is a call of the planner."""


@dataclass(frozen=True, slots=True)
class BegunPlanning:
    """A planning that was started or joined, or for which nothing was missing."""

    session: str = ""
    """Of the run that was asked for; empty: nothing was missing, and nothing runs."""
    run: str = ""
    """The name of the run that makes them, among all runs; empty as above, or where another was joined."""
    fresh: bool = True
    """False: one ran already, and this wish was not added to it."""
    result: PlanningResult | None = None
    """None: no caller waited for its end."""


async def plan(
    services: Services, book: Book, chapters: int, *, premise: str | None, wait: Wait | None
) -> BegunPlanning:
    """Have missing outlines made, or join the run that does; without ``wait``, return once it runs.

    Args:
        chapters: the next ones that are to have outlines; the book's own comes first if it has none.
        premise: of a book without an outline.

    Raises:
        UsageMistake: ``empty-premise`` or ``premise-too-long``.
        Refused: see ``outlines_to_plan``.
    """
    _check(premise)
    missing = outlines_to_plan(read_view(services, book), chapters, premise=premise is not None)
    async with services.engine() as engine:
        running = await engine.plannings.progress(book.book_id) is not None
        if not missing and not running:
            return BegunPlanning()
        books.enter(services, book)
        given = _input(services, book, chapters, premise)
        fresh, ended = await side_runs.begin(engine.plannings, given, wait)
    run = run_name(book.book_id, given.session) if fresh else ""
    return BegunPlanning(given.session, run, fresh, ended)


def _input(services: Services, book: Book, chapters: int, premise: str | None) -> PlanningInput:
    stored = None
    if premise is not None:
        with services.open_store() as store:
            stored = store.blobs.put(premise.strip().encode("utf-8", "replace"))
    return PlanningInput(**side_runs.input_fields(services, book), chapters=chapters, premise=stored)


def _check(premise: str | None) -> None:
    if premise is None:
        return
    if not premise.strip():
        raise UsageMistake(
            "empty-premise", "the premise is empty", hint="say who wants what, and why it is hard"
        )
    if len(premise) > LONGEST_PREMISE:
        raise UsageMistake(
            "premise-too-long",
            f"the premise has {len(premise):,} characters; it may have {LONGEST_PREMISE:,}",
            hint="put what is longer into 'Global Material/Lore.md' or 'Characters.md'",
        )


async def send(services: Services, book: Book, message: Message) -> None:
    """See ``messages.send``; ``nothing-plans`` if none runs."""
    nothing = Refused(
        "nothing-plans",
        f"no planning of {book.book_id!r} runs",
        hint=f"`penwright book plan {book.words} --chapters 3` has outlines made",
    )
    async with services.engine() as engine:
        await messages.send(engine.plannings, book.book_id, message, nothing)
