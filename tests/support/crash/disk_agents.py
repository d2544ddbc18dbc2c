"""Agents with their pages and letters in a folder, so that a killed process loses nothing."""

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from penwright.adapters.models.scripted import Fault, ScriptedAnswer
from penwright.agents.definition.agent import AgentDefinition, Section
from penwright.agents.guardrails.known_files import FileSeen, FileWritten
from penwright.agents.tools.resources import plain
from penwright.agents.tools.sub_agent import SubAgent
from penwright.agents.tools.tool import Failed, Ok, Tool, ToolContext, ToolResult
from penwright.roles import catalogue
from tests.support.crash.points import outlast, strike
from tests.support.workflows.librarian import Page, Question, Writing, calls, numbered, says


@dataclass(frozen=True, slots=True)
class Archive:
    """One file per key and effect: a repeated key finds its first effect."""

    folder: Path

    @property
    def pages(self) -> dict[str, str]:
        """Every page as the writings so far left it, each after the one before."""
        pages = {"a": "The lamp is lit.\n", "b": "Nobody comes.\n"}
        for _, written in self.done("written"):
            pages[written["path"]] = pages.get(written["path"], "") + written["text"]
        return pages

    def done(self, kind: str) -> list[tuple[str, dict[str, Any]]]:  # Any: JSON
        """Key and content of each effect, in the order in which they happened."""
        files = sorted((self.folder / kind).glob("*.json"), key=lambda file: int(file.stem))
        done = [json.loads(file.read_text(encoding="utf-8")) for file in files]
        return [(one.pop("key"), one) for one in done]

    def do(self, kind: str, key: str, **content: str) -> int:
        """Once per key, whole or not at all; its place in the order."""
        before = [known for known, _ in self.done(kind)]
        if key in before:
            return before.index(key) + 1
        place = self.folder / kind / f"{len(before) + 1}.json"
        place.parent.mkdir(parents=True, exist_ok=True)
        half = place.with_suffix(".half")
        half.write_text(json.dumps({"key": key, **content}), encoding="utf-8")
        strike("during")
        half.replace(place)
        strike("done")
        return len(before) + 1


async def _read(params: Page, context: ToolContext) -> ToolResult:
    pages = context.resource(Archive).pages
    strike("during")
    await outlast()
    if params.path not in pages:
        return Failed(code="no-such-page", message=f"There is no page {params.path!r}.")
    text = pages[params.path]
    return Ok(text=text, events=(FileSeen(path=params.path, digest=f"digest of {text}"),))


async def _write(params: Writing, context: ToolContext) -> ToolResult:
    archive = context.resource(Archive)
    place = archive.do("written", context.key, path=params.path, text=params.text)
    await outlast()
    digest = f"digest of {archive.pages[params.path]}"
    written = FileWritten(path=params.path, digest=digest)
    return Ok(text=f"wrote {params.path}", events=(written,), commit=f"commit-{place}")


async def _send(params: Writing, context: ToolContext) -> ToolResult:
    place = context.resource(Archive).do("sent", context.key, path=params.path, text=params.text)
    return Ok(text=f"letter {place} to {params.path}")


def _question(params: Any) -> str:  # Any: a Question
    return str(params.text)


READ = Tool(
    name="read_page",
    description="Read a page.",
    params=Page,
    effect="read",
    handler=_read,
    events=(FileSeen,),
)
WRITE = Tool(
    name="write_page",
    description="Add to a page.",
    params=Writing,
    effect="workspace-write",
    handler=_write,
)
SEND = Tool(
    name="send_letter", description="Send a letter.", params=Writing, effect="external", handler=_send
)
ASK = Tool(
    name="ask_reader",
    description="Have a reader look it up.",
    params=Question,
    effect="read",
    handler=SubAgent(agent="test/reader", task=_question),
)
READER = AgentDefinition(
    namespace="test",
    key="reader",
    title="A reader",
    sections=(Section(key="desk", title="Desk", body="Look things up.", tools=(READ,)),),
)
ARCHIVIST = AgentDefinition(
    namespace="test",
    key="archivist",
    title="An archivist",
    sections=(Section(key="desk", title="Desk", body="Keep the pages.", tools=(READ, WRITE, SEND, ASK)),),
)
AGENTS = (catalogue.Entry(ARCHIVIST), catalogue.Entry(READER))
BINDINGS = (plain(Archive, lambda _: Archive(Path(os.environ["HOME"]) / "archive")),)

TURNS: Sequence[ScriptedAnswer] = numbered(
    calls(("read_page", {"path": "a"})),
    calls(("write_page", {"path": "a", "text": "It burns low.\n"})),
    calls(("ask_reader", {"text": "How does the lamp burn?"})),
    calls(("read_page", {"path": "a"})),  # the reader's
    says("Low."),  # the reader's
    calls(("send_letter", {"path": "ada", "text": "Bring oil."})),
    calls(
        ("read_page", {"path": "a"}),
        ("read_page", {"path": "b"}),
        ("write_page", {"path": "b", "text": "Ada was told.\n"}),
    ),
    says("All is told."),
)
"""Eight turns and seven calls of tools that touch the world; a person must allow the letter."""
TOOL_CALLS = 7
CHANGES = (2, 4, 7)
"""Which of them change something."""
LETTER, LETTER_CHANGE = 4, 2
"""Which of the calls, and of the changes, is the letter."""


def struck(turn: int, fault: Fault) -> Sequence[ScriptedAnswer]:
    """The turns, but the model fails once in one of them."""
    hit = {"fault": fault, "times": 1}
    return [answer.model_copy(update=hit if answer.call == turn else {}) for answer in TURNS]
