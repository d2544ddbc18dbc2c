"""The citation generator as an agent: it proposes searches, then picks records by number."""

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from penwright.agents.definition.agent import AgentDefinition
from penwright.agents.definition.reply_reading import RawReply
from penwright.domain.manuscript import placeholders as known
from penwright.errors import ModelMistake
from penwright.roles.reply import (
    Count,
    JsonReply,
    Line,
    Objects,
    OptionalLine,
    OptionalText,
    Texts,
    as_tuple,
    json_reply,
    whole_number,
    word,
)
from penwright.roles.tasks.sections import craft, material
from penwright.roles.tasks.task_file import TaskFile
from penwright.roles.tasks.task_params import TaskParams
from schemas.manuscript_roles import (
    GeneratorAnswer,
    ProposedIdentifier,
    ProposedQuery,
)

_HERE = "penwright.roles.citations.citation_generator"
TASK = TaskFile.load(
    _HERE,
    *(known.SENTENCE_CITATION_TARGET, known.REASON_CITATION_TARGET, known.SECTION_TITLE_CITATION_TARGET),
    *(known.SENTENCE_BEFORE_CITATION_TARGET, known.SENTENCE_AFTER_CITATION_TARGET, known.TITLE_OF_MANUSCRIPT),
    *(known.EVIDENCE_TYPE_CITATION_TARGET, known.EXISTING_CITATIONS, known.FOUND_RECORDS),
)
MOST_PROPOSED = 4
"""Queries, and as many identifiers, that are asked of one sentence; further ones are left out."""


# Any: the model may have written anything.
def _year(value: Any) -> Any:
    return None if value in (None, "", 0) else value


def _none_as_empty(value: Any) -> Any:
    return () if value is None else value


Year = Annotated[int, Field(ge=1000, le=2200), BeforeValidator(whole_number)]


class QueryReply(JsonReply):
    also_called = {"query": "text"}

    text: OptionalLine = ""
    title: OptionalLine = ""
    authors: Annotated[Texts, BeforeValidator(_none_as_empty)] = ()
    year: Annotated[Year | None, BeforeValidator(_year)] = None


class IdentifierReply(JsonReply):
    also_called = {"type": "kind"}

    kind: Annotated[Literal["doi", "pmid", "arxiv"], BeforeValidator(word)]
    value: Line


class GeneratorReply(JsonReply):
    queries: Annotated[tuple[QueryReply, ...], *Objects] = ()
    identifiers: Annotated[tuple[IdentifierReply, ...], *Objects] = ()
    chosen: Annotated[tuple[Count, ...], Field(max_length=20), BeforeValidator(as_tuple)] | None = None
    reason: OptionalText = ""
    notes: OptionalText = ""


def read_generator(arrival: RawReply) -> GeneratorAnswer:
    """Searches where no records were given, else a choice among them.

    Raises:
        ModelMistake: as ``json_reply``; ``no-search``, ``no-choice`` or ``unknown-record``.
    """
    said, records = json_reply(arrival, GeneratorReply), arrival.param(TaskParams).records
    answer = _picked(said, records) if records else _searched(said)
    return answer.model_copy(update={"notes": said.notes, "model": arrival.model, "demo": arrival.demo})


def _searched(said: GeneratorReply) -> GeneratorAnswer:
    queries = tuple(
        ProposedQuery.model_validate(each.model_dump()) for each in said.queries if each.text or each.title
    )
    identifiers = tuple(ProposedIdentifier.model_validate(each.model_dump()) for each in said.identifiers)
    if not queries and not identifiers:
        raise ModelMistake(
            "no-search", "The reply proposed nothing to search for. Give at least one query with a text."
        )
    return GeneratorAnswer(queries=queries[:MOST_PROPOSED], identifiers=identifiers[:MOST_PROPOSED])


def _picked(said: GeneratorReply, records: int) -> GeneratorAnswer:
    if said.chosen is None:
        raise ModelMistake("no-choice", "Records were given: answer with `chosen`, a list that may be empty.")
    for number in said.chosen:
        if not 1 <= number <= records:
            raise ModelMistake(
                "unknown-record", f"No record has the number {number}; they go from 1 to {records}."
            )
    return GeneratorAnswer(chosen=tuple(dict.fromkeys(said.chosen)), reason=said.reason)


CITATION_GENERATOR = AgentDefinition(
    namespace="manuscript",
    key="citation-generator",
    title="The researcher behind one sentence's citation",
    sections=(craft(_HERE), material()),
    output=GeneratorAnswer,
    reads=read_generator,
    wanted=GeneratorReply,
    repairs=1,
)
