"""The tools an outside agent is given, and which of its calls are taken at all."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from types import MappingProxyType
from typing import Annotated

from pydantic import Field, ValidationError

from penwright.agents.tools.tool import Arguments
from penwright.errors import UsageMistake

LONGEST_CALL = 48 * 1024
"""Bytes of a call's arguments, as JSON."""
LONGEST_DELIVERY = 2 * 1024 * 1024
"""The same for a call that carries prose: hundreds of sessions' worth."""
_MOST_PROBLEMS = 10

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


@dataclass(frozen=True, slots=True)
class BookTool:
    """One tool for outside agents."""

    name: str
    description: str
    params: type[Arguments]
    writes: bool = False
    """Whether it may change something."""
    longest: int = LONGEST_CALL


_TOOLS = (
    BookTool(
        "open_session",
        "Take the book for a session of yours and get what you need to write. Changes no text.",
        OpenSession,
        writes=True,
    ),
    BookTool(
        "select_active_intent",
        "Say which intent you work for. Required before anything may be changed, and again after its entry "
        "was changed. Answers with its scope, constraints, criteria and history.",
        SelectActiveIntent,
        writes=True,
    ),
    BookTool("read_chapter", "Read the committed outline of a chapter.", ReadChapter),
    BookTool(
        "read_material",
        "Read a committed text of the book: material, review, changelog, or the book itself.",
        ReadMaterial,
    ),
    BookTool("search_book", "Find words in the committed texts of the book.", SearchBook),
    BookTool(
        "advance_chapter",
        "Move on to the next chapter when this one is full; answers with its outline, or what is missing.",
        AdvanceChapter,
        writes=True,
    ),
    BookTool(
        "deliver_prose",
        "Hand in the session's prose: one commit under the selected intent, then a push. Ends the session.",
        DeliverProse,
        writes=True,
        longest=LONGEST_DELIVERY,
    ),
    BookTool(
        "session_status", "Show where the book and the running session stand. Changes nothing.", SessionStatus
    ),
)
TOOLS: Mapping[str, BookTool] = MappingProxyType({tool.name: tool for tool in _TOOLS})


def admitted(name: str, arguments: Mapping[str, object]) -> Arguments:
    """The arguments of a call as its tool's own type: nothing unknown, nothing coerced.

    Raises:
        UsageMistake: ``unknown-tool``, ``arguments-too-long`` or ``invalid-arguments``, naming the fields.
    """
    tool = TOOLS.get(name)
    if tool is None:
        raise _unknown(name)
    try:
        text = json.dumps(arguments, ensure_ascii=False)
    except RecursionError:
        raise _invalid(tool, [("arguments", "are nested too deep")]) from None
    size = len(text.encode("utf-8", "surrogatepass"))
    if size > tool.longest:
        raise _too_long(tool, size)
    if halves := [key for key, value in arguments.items() if _is_torn(value)]:
        raise _invalid(tool, [(str(key), "holds half of a surrogate pair") for key in halves])
    try:
        return tool.params.model_validate_json(text, strict=True)
    except ValidationError as error:
        found = error.errors(include_url=False, include_context=False, include_input=False)
        raise _invalid(
            tool, [(".".join(map(str, one["loc"])) or "arguments", one["msg"]) for one in found]
        ) from None


def _is_torn(value: object) -> bool:
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return True
    return False


def _unknown(name: str) -> UsageMistake:
    near = get_close_matches(name[:64], TOOLS, n=1)
    meant = f"did you mean {near[0]!r}? " if near else ""
    return UsageMistake(
        "unknown-tool",
        f"there is no tool {name[:64]!r}; {meant}nothing was done",
        tools=", ".join(TOOLS),
    )


def _too_long(tool: BookTool, size: int) -> UsageMistake:
    better = "deliver this session's prose only" if tool.params is DeliverProse else "send less"
    return UsageMistake(
        "arguments-too-long",
        f"the arguments of {tool.name!r} have {size} bytes, {tool.longest} are taken; nothing was changed",
        action_hint=f"{better}, and call again",
        bytes=str(size),
        most_bytes=str(tool.longest),
    )


def _invalid(tool: BookTool, problems: list[tuple[str, str]]) -> UsageMistake:
    shown = [(field[:80], problem) for field, problem in problems[:_MOST_PROBLEMS]]
    listed = "; ".join(f"{field}: {problem}" for field, problem in shown)
    return UsageMistake(
        "invalid-arguments",
        f"the arguments of {tool.name!r} do not fit, and the call was not made: {listed}",
        fields=", ".join(field for field, _ in shown),
        problems=listed,
        known_fields=", ".join(tool.params.model_fields),
    )
