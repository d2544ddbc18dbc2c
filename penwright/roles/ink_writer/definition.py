"""The book writer as an agent: how it writes, this session's task, and what it delivers."""

from pydantic import BaseModel

from penwright.agents.definition.agent import AgentDefinition, Section
from penwright.agents.guardrails.policies import IntentSelected
from penwright.agents.state import StateView
from penwright.roles.ink_writer.answer import SessionOutput, SessionTask, read_answer
from penwright.roles.ink_writer.completion import SessionDone
from penwright.roles.ink_writer.tools import ADVANCE, READ_CHAPTER, SEARCH_BOOK, SELECT
from penwright.roles.prompt_file import PromptFile

_HERE = "penwright.roles.ink_writer"


def _may_look(params: BaseModel | None, state: StateView) -> bool:
    return isinstance(params, SessionTask) and params.may_look


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
            key="book",
            title="What you can look up and change",
            body=_text("tools.md"),
            params=SessionTask,
            enabled=_may_look,
            tools=(READ_CHAPTER, SEARCH_BOOK, SELECT, ADVANCE),
            policies=(IntentSelected(),),
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
    output=SessionOutput,
    reads=read_answer,
    completion=SessionDone(),
    repairs=1,
)
EXAMPLE = (SessionTask(language="English", words_wanted=400),)
"""Parameters to look at it with."""
