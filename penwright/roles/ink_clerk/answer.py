"""The clerk's answer: a reading, with nothing in it that the passage does not say in its own words."""

from collections.abc import Iterable, Iterator
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from penwright.agents.definition.reply_reading import RawReply
from penwright.agents.tools.tool import Arguments
from penwright.domain.continuity.quotes import PassageSearch, QuotedBlock
from penwright.errors import ModelMistake
from penwright.roles.reply import (
    JsonReply,
    Line,
    Objects,
    OptionalText,
    Texts,
    json_reply,
    kept,
    stored,
    word,
)
from schemas.base import BlobRef, Value
from schemas.continuity import Entity, Fact, Mode, PassageText, Reading, Step, ThreadStep

MANY_WORDS = 300
"""Of a passage from which a clerk must bring something."""
SUMMARY_WORDS = 90
_SILENT = "Read the passage again, and list its summary and what it states, each with a quote from it."


class ClerkTask(Arguments):
    """The task of a clerk."""

    language: str
    """Of the book."""
    passage: BlobRef | None = None
    """A ``PassageText`` as JSON; None in a trial, which has no text."""
    words: int = 0
    at: str = ""
    """As in ``Reading.at``."""
    reader: str = ""
    """As in ``Reading.reader``."""


_NO_TEXT = PassageText(chapter=1, blocks=(), texts=())


class ClerkOutput(Value):
    """A passage that was read."""

    reading: BlobRef
    """A ``Reading`` as JSON."""
    stated: int
    lost: int


# Any, here and below: the model may have written anything.
def _none_as_empty(value: Any) -> Any:
    return () if value is None else value


Names = Annotated[Texts, BeforeValidator(_none_as_empty)]


class EntityReply(JsonReply):
    also_called = {"aliases": "also", "evidence": "quote"}

    name: Line
    also: Names = ()
    quote: OptionalText = ""


class FactReply(JsonReply):
    also_called = {"subject": "about", "predicate": "trait", "object": "value", "evidence": "quote"}

    about: Line
    trait: Annotated[str, Field(min_length=1, max_length=40), BeforeValidator(word)]
    value: Line
    mode: Annotated[Mode, BeforeValidator(word)] = "told"
    quote: OptionalText = ""


class ThreadReply(JsonReply):
    also_called = {"name": "thread", "status": "step", "evidence": "quote"}

    thread: Line
    step: Annotated[Step, BeforeValidator(word)]
    quote: OptionalText = ""


class ClerkReply(JsonReply):
    summary: OptionalText = ""
    people: Annotated[tuple[EntityReply, ...], *Objects] = ()
    places: Annotated[tuple[EntityReply, ...], *Objects] = ()
    things: Annotated[tuple[EntityReply, ...], *Objects] = ()
    facts: Annotated[tuple[FactReply, ...], *Objects] = ()
    threads: Annotated[tuple[ThreadReply, ...], *Objects] = ()


def read_clerk(arrival: RawReply) -> ClerkOutput:
    """The statements whose quotes stand in the passage; the others are counted.

    Raises:
        ModelMistake: as ``json_reply``; ``nothing-read``: a long passage, and no summary or no statement.
    """
    said, task = json_reply(arrival, ClerkReply), arrival.param(ClerkTask)
    passage = stored(arrival, PassageText, task.passage) if task.passage else _NO_TEXT
    reading = _reading(said, PassageSearch.of(passage)).model_copy(
        update={
            "reader": task.reader,
            "at": task.at,
            "words": task.words,
            "model": arrival.model,
        }
    )
    if task.words >= MANY_WORDS and not (reading.summary and reading.stated):
        raise ModelMistake("nothing-read", "the clerk named nothing that the passage says", ask=_SILENT)
    return ClerkOutput(
        reading=kept(arrival, reading.model_dump_json()), stated=len(reading.stated), lost=reading.lost
    )


def _reading(said: ClerkReply, passage: PassageSearch) -> Reading:
    kinds: tuple[tuple[Literal["person", "place", "thing"], Iterable[EntityReply]], ...] = (
        ("person", said.people),
        ("place", said.places),
        ("thing", said.things),
    )
    entities = tuple(
        Entity(kind=kind, name=each.name, also=each.also, block=at.block, quote=at.quote)
        for kind, replies in kinds
        for each, at in _placed(replies, passage)
    )
    facts = tuple(
        Fact(about=e.about, trait=e.trait, value=e.value, mode=e.mode, block=at.block, quote=at.quote)
        for e, at in _placed(said.facts, passage)
    )
    threads = tuple(
        ThreadStep(thread=each.thread, step=each.step, block=at.block, quote=at.quote)
        for each, at in _placed(said.threads, passage)
    )
    given = len((*said.people, *said.places, *said.things, *said.facts, *said.threads))
    return Reading(
        blocks=passage.blocks,
        summary=_shortened(said.summary),
        entities=entities,
        facts=facts,
        threads=threads,
        lost=given - len((*entities, *facts, *threads)),
    )


def _shortened(summary: str) -> str:
    words = summary.split()
    return " ".join(words[:SUMMARY_WORDS]) + (" …" if len(words) > SUMMARY_WORDS else "")


def _placed(replies: Iterable[Any], passage: PassageSearch) -> Iterator[tuple[Any, QuotedBlock]]:
    for each in replies:
        if (place := passage.find(each.quote)) is not None:
            yield each, place
