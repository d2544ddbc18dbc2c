"""The writer's answer: what its replies are read as, and what it is asked for next."""

from dataclasses import replace
from typing import Annotated, Literal

from pydantic import Field

from penwright.agents.definition.reply_reading import RawReply
from penwright.agents.tools.tool import Arguments
from penwright.domain.book.craft import session_draft
from penwright.domain.book.review.session_reply import (
    SessionReply,
    is_short,
    parse_answers,
    parse_continuation,
    parse_session_reply,
)
from penwright.domain.book.rewriting.answer import only_the_passage
from penwright.domain.prose.cut_end import LONGEST_QUOTE
from penwright.domain.prose.findings import findings
from penwright.domain.prose.mending import Edited, is_worth_mending, mended, why_no_better
from penwright.domain.prose.task import located
from penwright.domain.trailers import joined_models
from penwright.errors import ModelMistake
from penwright.roles.prompt_file import PromptFile
from penwright.roles.reply import kept, stored
from schemas.base import BlobRef, Value
from schemas.book import SessionPayload
from schemas.prose import BookIndex, CraftReport, Finding

_AGAIN = PromptFile.load("penwright.roles.ink_writer", "again.md", "problem")
Request = Literal["more", "rework", "mend"]
"""Requests to a writer after its first reply, each at most once and in this order: the prose that is
missing, answers to instructions that it left out, edits of what was found in its prose."""

MOST_FINDINGS = 60
"""So many are kept."""


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
    index: BlobRef | None = None
    """See ``schemas.book_session.Opened.index``; None if the prose is not checked."""


class LaterReply(Value):
    """A reply after the first one."""

    asked: Request
    text: BlobRef
    cut: bool = False
    """Whether it stopped at the token limit."""


class SessionOutput(Value):
    """A session as its writer delivers it."""

    prose: BlobRef
    """The blocks as the book keeps them."""
    said: BlobRef
    """The reply that it begins with, word for word."""
    said_cut: bool = False
    """Whether that reply was cut off, or stopped in the middle of a sentence."""
    later: tuple[LaterReply, ...] = ()
    words: int
    """Words a reader sees, reworked passages included."""
    new_words: int
    words_wanted: int
    summary: str
    instructions_answered: int
    unanswered: tuple[str, ...] = ()
    """Instructions of the author that it has no passage for."""
    arcs_closed: bool
    went_on: bool = False
    """Whether it was asked for more already."""
    cut: bool = False
    """Whether it was cut off, or stopped in the middle of a sentence; that one is not in ``prose``."""
    stops_in: str = ""
    """The sentence in which it stopped, its last part; empty if it ends whole."""
    craft: CraftReport = CraftReport()
    """Of its new prose."""
    mends: bool = False
    """Whether the writer may be asked to mend what was found."""
    repairs: tuple[str, ...] = ()
    """Repairs of the reply."""
    warnings: tuple[str, ...] = ()
    """Parts of the replies that are not in ``prose``, for the author."""
    model: str = ""
    """As in ``trailers.MODEL``."""
    demo: bool = False


def next_request(output: SessionOutput) -> Request | None:
    """The next request to its writer; None when the session is done."""
    asked = {each.asked for each in output.later}
    if "mend" in asked:
        return None
    if "rework" not in asked:
        if not output.went_on and (output.cut or is_short(output.new_words, output.words_wanted)):
            return "more"
        if output.unanswered:
            return "rework"
    return "mend" if output.mends and is_worth_mending(output.craft.findings) else None


def read_answer(arrival: RawReply) -> SessionOutput:
    """Parse the session in a reply; a later one continues the prose, answers instructions, or mends.

    A later reply that cannot be used leaves the session as it was: what was written is not thrown away for
    what was not.

    Raises:
        ModelMistake: as ``parse_session_reply``, of the first reply.
    """
    text, payload = kept(arrival, arrival.text), _payload(arrival)
    if arrival.before is None:
        reply = _first(arrival, payload, arrival.text, cut_off=arrival.cut_off)
        return _output(arrival, payload, reply, text).model_copy(update={"said_cut": reply.cut})
    before = SessionOutput.model_validate(arrival.before)
    last = LaterReply(asked=next_request(before) or "more", text=text, cut=arrival.cut_off)
    reply = _first(arrival, payload, _text(arrival, before.said), cut_off=before.said_cut or before.cut)
    for each in before.later:
        reply = _with_later(reply, each, _text(arrival, each.text))
    if last.asked == "mend":
        output = _mended(arrival, payload, before, reply.ended())
    else:
        output = _output(arrival, payload, _with_later(reply, last, arrival.text), before.said)
    return output.model_copy(
        update={
            "said_cut": before.said_cut,
            "later": (*before.later, last),
            "went_on": before.went_on or last.asked == "more",
            "demo": before.demo or output.demo,
            "model": joined_models(before.model, output.model),
        }
    )


def _text(arrival: RawReply, at: BlobRef) -> str:
    return arrival.blobs.get(at).decode("utf-8", "surrogatepass")


def _payload(arrival: RawReply) -> SessionPayload | None:
    at = arrival.param(SessionTask).payload
    return stored(arrival, SessionPayload, at) if at else None


def _first(arrival: RawReply, payload: SessionPayload | None, text: str, *, cut_off: bool) -> SessionReply:
    wanted = arrival.param(SessionTask).words_wanted
    asked = payload.current_review.instructions if payload else ()
    try:
        reply = parse_session_reply(text, words_wanted=wanted, instructions=asked, cut_off=cut_off)
        if payload and payload.rewrite_chapter:
            return only_the_passage(reply, payload, cut_off=cut_off)
        return reply
    except ModelMistake as mistake:
        again = _AGAIN.fill(problem=mistake.message)
        raise ModelMistake(mistake.code, mistake.message, ask=again) from mistake


def _with_later(reply: SessionReply, later: LaterReply, text: str) -> SessionReply:
    """Continued, or with answers; a mend, which is the last reply, is read by ``_mended``."""
    if later.asked == "more":
        return reply.with_more(parse_continuation(text, cut_off=later.cut))
    return reply.with_answers(parse_answers(text, reply.unanswered))


def _mended(
    arrival: RawReply, payload: SessionPayload | None, before: SessionOutput, draft: SessionReply
) -> SessionOutput:
    """The session with the edits of its writer, if they make it better; else its draft, and the reason."""
    prose, why_none = mended(draft.new_prose, arrival.text)
    if why_none:
        return unmended(before, "the writer's edits were cut off" if arrival.cut_off else why_none)
    after = _output(arrival, payload, replace(draft, new_prose=prose), before.said)
    found, left = before.craft.findings, after.craft.findings
    edits = Edited(draft.new_prose, prose, before.words_wanted)
    if no_better := why_no_better(found, left, edits):
        return unmended(before, f"with the writer's edits {no_better}")
    craft = after.craft.model_copy(update={"mended": len(found) - len(left)})
    return after.model_copy(update={"craft": craft})


def unmended(draft: SessionOutput, why: str) -> SessionOutput:
    """The draft as it stands, with the reason why none of its writer's edits was taken."""
    craft = draft.craft.model_copy(update={"unmended": " ".join(why.split())})
    return draft.model_copy(update={"craft": craft})


def _output(
    arrival: RawReply, payload: SessionPayload | None, told: SessionReply, said: BlobRef
) -> SessionOutput:
    reply, task = told.ended(), arrival.param(SessionTask)
    return SessionOutput(
        prose=arrival.blobs.put(reply.prose.encode("utf-8", "replace")),
        said=said,
        words=reply.words,
        new_words=reply.new_words,
        words_wanted=task.words_wanted,
        summary=reply.summary,
        instructions_answered=len(reply.reworked),
        unanswered=tuple(each.instruction for each in reply.unanswered),
        arcs_closed=reply.arcs_closed,
        repairs=reply.repairs,
        warnings=reply.warnings,
        cut=told.cut,
        stops_in=told.unfinished[-LONGEST_QUOTE:],
        craft=CraftReport(
            plan=reply.plan.lines,
            told=located(reply.told, reply.new_prose),
            findings=_findings(arrival, reply, payload),
        ),
        mends=payload is not None and payload.config.craft in ("mend", "edit"),
        model=arrival.model,
        demo=arrival.demo,
    )


def _findings(arrival: RawReply, reply: SessionReply, payload: SessionPayload | None) -> tuple[Finding, ...]:
    task = arrival.param(SessionTask)
    if task.index is None or payload is None or not reply.new_prose:
        return ()
    draft = session_draft(
        payload, reply.new_prose, words_wanted=task.words_wanted, told=reply.told
    ).model_copy(update={"unanswered": tuple(each.instruction for each in reply.unanswered)})
    return findings(draft, stored(arrival, BookIndex, task.index))[:MOST_FINDINGS]
