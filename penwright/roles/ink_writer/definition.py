"""The book writer as an agent: how it writes, the intent it writes under, and this session's task."""

from typing import Annotated

from pydantic import BaseModel, Field

from penwright.agents.definition import AgentDefinition, Section
from penwright.agents.state import StateView
from penwright.agents.tool import Arguments
from penwright.roles.prompt_file import PromptFile

_HERE = "penwright.roles.ink_writer"


class SessionTask(Arguments):
    """What one session asks of the writer."""

    language: str
    """Of the book."""
    words_wanted: Annotated[int, Field(ge=0)]
    """New words; 0 when it only reworks."""
    intent: str = ""
    """The intent it writes under, as an agent is told of it; empty if there is none."""


def _has_intent(params: BaseModel | None, state: StateView) -> bool:
    return isinstance(params, SessionTask) and bool(params.intent)


def _wants_words(params: BaseModel | None, state: StateView) -> bool:
    return isinstance(params, SessionTask) and params.words_wanted > 0


def _only_reworks(params: BaseModel | None, state: StateView) -> bool:
    return not _wants_words(params, state)


def _text(name: str, *placeholders: str) -> str:
    return PromptFile.load(_HERE, name, *placeholders).text


INK_WRITER = AgentDefinition(
    namespace="ink",
    key="writer",
    title="The writer of a book session",
    sections=(
        Section(
            key="craft",
            title="How you write",
            body=_text("system.md", "language"),
            params=SessionTask,
        ),
        Section(
            key="intent",
            title="What you write for",
            body=_text("intent.md", "intent"),
            params=SessionTask,
            enabled=_has_intent,
        ),
        Section(
            key="new-words",
            title="Your task",
            body=_text("write.md", "words_wanted"),
            params=SessionTask,
            enabled=_wants_words,
        ),
        Section(
            key="rework",
            title="Your task",
            body=_text("rework_only.md"),
            params=SessionTask,
            enabled=_only_reworks,
        ),
    ),
)
EXAMPLE = (SessionTask(language="English", words_wanted=400),)
"""Parameters to look at it with."""
