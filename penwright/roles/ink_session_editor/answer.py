"""The editor's answer: its edits, made and taken if they leave the draft no worse."""

from penwright.agents.definition.reply_reading import RawReply
from penwright.agents.tools.tool import Arguments
from penwright.domain.book.craft import session_draft
from penwright.domain.book.review.delivery import read_delivery
from penwright.domain.book.review.markers import new_block
from penwright.domain.prose.editing import edited
from penwright.domain.prose.findings import findings
from penwright.domain.prose.mending import Edited, why_worse
from penwright.domain.text.words import count_words
from penwright.roles.ink_writer.answer import MOST_FINDINGS
from penwright.roles.ink_writer.briefing import words_wanted
from penwright.roles.reply import stored
from schemas.base import BlobRef, Value
from schemas.book import SessionPayload
from schemas.outside_session import SessionProse
from schemas.prose import BookIndex, CraftReport, Finding


class EditingTask(Arguments):
    """The task of a session's editor."""

    language: str
    """Of the book."""
    edits: int
    """The most that it may propose."""
    payload: BlobRef
    """The payload of the session's opening."""
    index: BlobRef
    """See ``schemas.book_session.Opened.index``."""
    written: BlobRef
    """The draft as its writer delivered it: a ``SessionProse`` as JSON."""


class EditorOutput(Value):
    """A draft after its editor has read it."""

    prose: BlobRef
    """The blocks as the book keeps them; those of the draft if no edit was taken."""
    words: int
    craft: CraftReport
    model: str = ""
    """The editor's, as in ``trailers.MODEL``; empty if no edit was taken."""


def new_prose(blocks: str) -> str:
    """The new prose of a session's blocks; empty if it is not one block at their end."""
    prose = read_delivery(blocks).prose
    return prose if prose and blocks.endswith(_last(prose)) else ""


def read_edits(arrival: RawReply) -> EditorOutput:
    """Make the edits of a reply; the draft stands if there is none to be read, or they would make it worse.

    A reply that was cut off counts as none.
    """
    task = arrival.param(EditingTask)
    written = stored(arrival, SessionProse, task.written)
    blocks = arrival.blobs.get(written.prose).decode()
    draft = new_prose(blocks)
    text, made, why_none = edited(draft, "" if arrival.cut_off else arrival.text)
    if not made:
        return _unedited(written, why_none)
    payload = stored(arrival, SessionPayload, task.payload)
    index = stored(arrival, BookIndex, task.index)
    before, after = (_findings(payload, index, written, each) for each in (draft, text))
    if worse := why_worse(before, after, Edited(draft, text, words_wanted(payload))):
        return _unedited(written, f"with the editor's edits {worse}")
    kept = blocks.removesuffix(_last(draft)) + _last(text)
    return EditorOutput(
        prose=arrival.blobs.put(kept.encode("utf-8", "replace")),
        words=written.words + count_words(text) - count_words(draft),
        craft=written.craft.model_copy(
            update={"edits": made, "findings": (*_elsewhere(written), *after)[:MOST_FINDINGS]}
        ),
        model=arrival.model,
    )


def _unedited(written: SessionProse, why: str) -> EditorOutput:
    craft = written.craft.model_copy(update={"unedited": why})
    return EditorOutput(prose=written.prose, words=written.words, craft=craft)


def _elsewhere(written: SessionProse) -> tuple[Finding, ...]:
    """Findings without a place in the prose, which edits leave as they are."""
    return tuple(each for each in written.craft.findings if not each.quote)


def _findings(
    payload: SessionPayload, index: BookIndex, written: SessionProse, prose: str
) -> tuple[Finding, ...]:
    draft = session_draft(payload, prose, words_wanted=words_wanted(payload), told=written.craft.told)
    return findings(draft, index)


def _last(prose: str) -> str:
    return f"{new_block(prose)}\n"
