"""Having a book read for its continuity: what that costs, its start, its end."""

from dataclasses import dataclass

from gateway.desk.book import side_runs
from gateway.desk.engine import messages
from gateway.desk.engine.connection import Engine
from gateway.desk.engine.pipelines import Message
from gateway.desk.engine.waits import Wait
from gateway.desk.services import Services
from gateway.desk.works import books
from gateway.desk.works.books import Book
from penwright.adapters.models.prices import cost_micros
from penwright.domain.book.files.layout import CONFIG
from penwright.domain.book.files.yaml_files import read_config
from penwright.domain.continuity.passages import Passage
from penwright.domain.continuity.reading import MOST_UNASKED
from penwright.domain.continuity.story import BookStory
from penwright.domain.models.choice import entry_for
from penwright.domain.models.token_estimate import estimate_tokens
from penwright.errors import PenwrightError, Refused
from penwright.roles.ink_clerk.definition import instruction_tokens
from penwright.roles.ink_clerk.role_call import ROLE
from schemas.continuity import ContinuityInput, ContinuityResult
from workers.model_catalog import catalog

_TOLD_TOKENS = 300
"""Of what the clerk is told from before the passage."""
_ANSWER_PER_WORD = 0.6
"""Tokens of an answer for a word that is read."""
_LEAST_ANSWER = 150


@dataclass(frozen=True, slots=True)
class ReadingEstimate:
    """Calls, tokens and money for the unread passages."""

    words: int
    calls: int
    model: str
    input_tokens: int
    output_tokens: int
    cost_micros: int | None
    """None if the price is unknown."""


@dataclass(frozen=True, slots=True)
class Begun:
    """A reading that was started or joined."""

    session: str
    fresh: bool
    """False: one ran already."""
    result: ContinuityResult | None = None
    """None: no caller waited for its end."""


def estimate(services: Services, story: BookStory) -> ReadingEstimate:
    """Estimate the reading of what is unread; starts nothing."""
    entry = entry_for(catalog(services.loaded().settings), ROLE)
    prompt = _TOLD_TOKENS + instruction_tokens()
    read = sum(prompt + _tokens(each) for each in story.unread)
    written = sum(max(_LEAST_ANSWER, round(each.words * _ANSWER_PER_WORD)) for each in story.unread)
    cost = cost_micros(entry, input_tokens=read, output_tokens=written)
    return ReadingEstimate(story.words_unread, len(story.unread), entry.name, read, written, cost)


def _tokens(passage: Passage) -> int:
    return sum(estimate_tokens(each.text) for each in passage.blocks)


async def look_again(services: Services, engine: Engine, book: Book) -> tuple[str, ...]:
    """Have the clerk read what is new, if the book's settings say so; returns a warning if it cannot be.

    Nothing is read if that would be a long reading.
    """
    try:
        config = services.workspaces().snapshot(book.workspace, (CONFIG,)).files.get(CONFIG)
        if config is None or read_config(config.text).continuity == "off":
            return ()
        given = ContinuityInput(**side_runs.input_fields(services, book), most_words=MOST_UNASKED)
        await engine.readings.want(given)
    except PenwrightError as error:
        name = book.words
        return (f"the clerk was not started ({error.message}); `penwright book read {name}` starts it",)
    return ()


async def read(services: Services, book: Book, *, again: bool, wait: Wait | None) -> Begun:
    """Have what is unread read, or join the run that does; without ``wait``, return once it runs.

    Args:
        again: also what another version of the clerk has read, or could not read.
    """
    books.enter(services, book)
    given = ContinuityInput(**side_runs.input_fields(services, book), by_hand=True, again=again)
    async with services.engine() as engine:
        fresh, ended = await side_runs.begin(engine.readings, given, wait)
    return Begun(given.session, fresh, ended)


async def send(services: Services, book: Book, message: Message) -> None:
    """See ``messages.send``; ``nothing-reads`` if none runs."""
    nothing = Refused(
        "nothing-reads",
        f"no reading of {book.book_id!r} runs",
        hint=f"`penwright book read {book.words}` has it read",
    )
    async with services.engine() as engine:
        await messages.send(engine.readings, book.book_id, message, nothing)
