"""The tools of a book that an outside agent is given."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated

from pydantic import Field

from penwright.agents.tools.tool import Arguments
from penwright.roles.outside_agent import admission
from penwright.roles.outside_agent.admission import OutsideTool

LONGEST_DELIVERY = 2 * 1024 * 1024
"""Bytes of a call that carries prose, as JSON: hundreds of sessions' worth."""

Session = Annotated[str, Field(min_length=1, max_length=100)]
IntentId = Annotated[str, Field(min_length=1, max_length=200)]
Offset = Annotated[int, Field(ge=0)]


class OpenSession(Arguments):
    retry_key: Annotated[str, Field(max_length=100)] = ""
    """Any word of your own. The same word again, when an answer was lost, gives you the same session."""


class SelectActiveIntent(Arguments):
    session: Session
    """What `open_session` gave you."""
    intent_id: IntentId
    """An intent in progress, such as INT-001."""


class ReadChapter(Arguments):
    number: Annotated[int, Field(ge=1, le=9999)]
    """The chapter whose outline you want."""
    offset: Offset = 0
    """Characters to skip; `next_offset` of the answer before."""


class ReadMaterial(Arguments):
    path: Annotated[str, Field(min_length=1, max_length=1024)]
    """Such as `Characters.md`, `Review/current.md` or `Current version/Full_Book.md`."""
    offset: Offset = 0
    """Characters to skip; `next_offset` of the answer before."""


class SearchBook(Arguments):
    text: Annotated[str, Field(min_length=1, max_length=200)]
    """Words as they stand in the text, within one paragraph; upper and lower case are the same."""
    most: Annotated[int, Field(ge=1, le=50)] = 20
    """How many places to show."""


class ReadStory(Arguments):
    chapter: Annotated[int, Field(ge=0, le=9999)] = 0
    """Only this chapter; 0: all of them."""


class ReadFacts(Arguments):
    about: Annotated[str, Field(max_length=200)] = ""
    """Any name of a person, place or thing; without it, those of whom most is told come first."""
    chapter: Annotated[int, Field(ge=0, le=9999)] = 0
    """Only what stands in this chapter; 0: in any."""
    most: Annotated[int, Field(ge=1, le=200)] = 30
    """How many people, places and things to show."""


class ReadThreads(Arguments):
    paid: bool = False
    """Also questions that the story has answered."""


class ReadBrief(Arguments):
    pass


class ReadContradictions(Arguments):
    pass


class AdvanceChapter(Arguments):
    session: Session
    """What `open_session` gave you."""


class DeliverProse(Arguments):
    session: Session
    """What `open_session` gave you."""
    prose: Annotated[str, Field(min_length=1)]
    """Markdown. New prose, and a rework of each instruction you answer, in the markers of the book."""
    summary: Annotated[str, Field(max_length=10_000)] = ""
    """One paragraph on what happens, for those who write on."""
    human_edits: Annotated[tuple[str, ...], Field(max_length=200)] = ()
    """Paths from the payload's `human_edits` that you took into account."""
    arcs_closed: bool = False
    """Whether every arc of the outline is closed with this prose."""


class SessionStatus(Arguments):
    session: Annotated[str, Field(max_length=100)] = ""
    """What `open_session` gave you; without it you are told less."""


_TOOLS = (
    OutsideTool(
        "open_session",
        "Take the book for a session of yours and get what you need to write. Changes no text.",
        OpenSession,
        writes=True,
    ),
    OutsideTool(
        "select_active_intent",
        "Say which intent you work for. Required before anything may be changed, and again after its entry "
        "was changed. Answers with its scope, constraints, criteria and history.",
        SelectActiveIntent,
        writes=True,
    ),
    OutsideTool("read_chapter", "Read the committed outline of a chapter.", ReadChapter),
    OutsideTool(
        "read_material",
        "Read a committed text of the book: material, review, changelog, or the book itself.",
        ReadMaterial,
    ),
    OutsideTool(
        "search_book",
        "Find passages by their words in the committed texts of the book, the newest first.",
        SearchBook,
    ),
    OutsideTool("read_story", "Read what happens in each chapter, as far as it was read.", ReadStory),
    OutsideTool(
        "read_facts",
        "Read what the book states of its people, places and things, each with its quote and chapter.",
        ReadFacts,
    ),
    OutsideTool(
        "read_threads", "Read the questions that the story has opened and not answered.", ReadThreads
    ),
    OutsideTool("read_brief", "Read what the next session's writer is told of the book.", ReadBrief),
    OutsideTool(
        "read_contradictions",
        "Read where the book contradicts itself, both quotes of each. The author decides on them.",
        ReadContradictions,
    ),
    OutsideTool(
        "advance_chapter",
        "Move on to the next chapter when this one is full; answers with its outline, or what is missing.",
        AdvanceChapter,
        writes=True,
    ),
    OutsideTool(
        "deliver_prose",
        "Hand in the session's prose: one commit under the selected intent, then a push. Ends the session.",
        DeliverProse,
        writes=True,
        longest=LONGEST_DELIVERY,
        shorter="deliver this session's prose only",
    ),
    OutsideTool(
        "session_status", "Show where the book and the running session stand. Changes nothing.", SessionStatus
    ),
)
TOOLS: Mapping[str, OutsideTool] = MappingProxyType({tool.name: tool for tool in _TOOLS})


def admitted(name: str, arguments: Mapping[str, object]) -> Arguments:
    """The arguments of a call of a book's tool; raises as ``admission.admitted``."""
    return admission.admitted(TOOLS, name, arguments)
