"""The writer's answer: what a reply is read as, and when it is enough."""

from typing import Annotated

from pydantic import BaseModel, Field

from penwright.agents.definition.reply_reading import RawReply
from penwright.agents.guardrails.guardrail import Completion, CompletionChecker, Trajectory
from penwright.agents.state import StateView
from penwright.agents.tools.tool import Arguments
from penwright.domain.book.review.session_reply import (
    SessionReply,
    is_short,
    parse_continuation,
    parse_session_reply,
)
from penwright.domain.prose.cut_end import LONGEST_QUOTE
from penwright.domain.trailers import joined_models
from penwright.errors import ModelMistake
from penwright.roles.prompt_file import PromptFile
from schemas.base import BlobRef, Value
from schemas.book import SessionPayload

_HERE = "penwright.roles.ink_writer"
GO_ON = PromptFile.load(_HERE, "go_on.md", "written", "words_wanted", "missing")
CUT = PromptFile.load(_HERE, "cut.md", "sentence")
_LAST_WORDS = 60
"""Words in which a session that was cut off at its full length comes to its end."""
_AGAIN = PromptFile.load(_HERE, "again.md", "problem")


class SessionTask(Arguments):
    """What one session asks of the writer."""

    language: str
    """Of the book."""
    words_wanted: Annotated[int, Field(ge=0)]
    """New words; 0 when it only reworks."""
    may_look: bool = True
    """Whether its context has room for what the tools show."""
    payload: BlobRef | None = None
    """What the session opened with, which a reply is read against; None outside of a session."""


class SessionOutput(Value):
    """A session as its writer delivers it."""

    prose: BlobRef
    """The blocks as the book keeps them."""
    said: BlobRef
    """The reply that it begins with, word for word."""
    words: int
    """Words a reader sees, reworked passages included."""
    new_words: int
    words_wanted: int
    summary: str
    instructions_answered: int
    arcs_closed: bool
    went_on: bool = False
    """Whether it was asked for more already."""
    cut: bool = False
    """Whether it was cut off, or stopped in the middle of a sentence; that one is not in ``prose``."""
    stops_in: str = ""
    """The sentence in which it stopped, its last part; empty if it ends whole."""
    repairs: tuple[str, ...] = ()
    """What had to be put right."""
    warnings: tuple[str, ...] = ()
    """Parts of the replies that are not in ``prose``, for the author."""
    model: str = ""
    """As in ``trailers.MODEL``."""
    demo: bool = False


def read_answer(arrival: RawReply) -> SessionOutput:
    """Parse the session in a reply; a continuation is appended to the prose that was too short.

    Raises:
        ModelMistake: as ``parse_session_reply``.
    """
    before = None if arrival.before is None else SessionOutput.model_validate(arrival.before)
    if before is None:
        said = arrival.blobs.put(arrival.text.encode("utf-8", "surrogatepass"))
        return _output(arrival, _reply(arrival, arrival.text, cut_off=arrival.cut_off), said)
    first = arrival.blobs.get(before.said).decode("utf-8", "surrogatepass")
    # A short session is a session; what was written is not thrown away for what was not.
    more = parse_continuation(arrival.text, cut_off=arrival.cut_off)
    longer = _reply(arrival, first, cut_off=before.cut).with_more(more)
    output = _output(arrival, longer, before.said)
    both = joined_models(before.model, output.model)
    return output.model_copy(update={"went_on": True, "demo": before.demo or output.demo, "model": both})


def _reply(arrival: RawReply, text: str, *, cut_off: bool) -> SessionReply:
    task = arrival.param(SessionTask)
    payload = SessionPayload.model_validate_json(arrival.blobs.get(task.payload)) if task.payload else None
    asked = payload.current_review.instructions if payload else ()
    try:
        return parse_session_reply(text, words_wanted=task.words_wanted, instructions=asked, cut_off=cut_off)
    except ModelMistake as mistake:
        again = _AGAIN.fill(problem=mistake.message)
        raise ModelMistake(mistake.code, mistake.message, ask=again) from mistake


def _output(arrival: RawReply, told: SessionReply, said: BlobRef) -> SessionOutput:
    reply = told.ended()
    return SessionOutput(
        prose=arrival.blobs.put(reply.prose.encode("utf-8", "replace")),
        said=said,
        words=reply.words,
        new_words=reply.new_words,
        words_wanted=arrival.param(SessionTask).words_wanted,
        summary=reply.summary,
        instructions_answered=len(reply.reworked),
        arcs_closed=reply.arcs_closed,
        repairs=reply.repairs,
        warnings=reply.warnings,
        cut=told.cut,
        stops_in=told.unfinished[-LONGEST_QUOTE:],
        model=arrival.model,
        demo=arrival.demo,
    )


class LongEnough(CompletionChecker):
    """Done when the new prose ends whole and is nearly as long as was wanted, or the writer was asked once to
    go on."""

    name: str = "long-enough"

    def check(self, trajectory: Trajectory, output: BaseModel | str | None, state: StateView) -> Completion:
        assert isinstance(output, SessionOutput), "the writer answers nothing else"
        short = is_short(output.new_words, output.words_wanted)
        if output.went_on or not (short or output.cut):
            return Completion(complete=True)
        return Completion(complete=False, reason=_go_on(output))


def _go_on(output: SessionOutput) -> str:
    """The request to add what is missing."""
    missing = max(output.words_wanted - output.new_words, _LAST_WORDS)
    asked = GO_ON.fill(
        written=str(output.new_words), words_wanted=str(output.words_wanted), missing=str(missing)
    )
    return f"{CUT.fill(sentence=output.stops_in)}\n\n{asked}" if output.stops_in else asked
