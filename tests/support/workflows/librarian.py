"""An agent whose work is done by Temporal: a librarian with a shelf, a scripted model, a store in memory."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar, cast
from uuid import uuid4

from temporalio.client import Client, WorkflowFailureError, WorkflowHandle
from temporalio.worker import Worker

from activities.agent_run import AgentRunActivities
from activities.agents.conversation import Conversation
from activities.agents.tools import AgentToolActivities, Workbench
from activities.agents.transcripts import Transcripts, run_of
from activities.agents.turn import AgentTurnActivities
from activities.queue_time import QueueTimeActivities
from penwright.adapters.clock import SystemClock
from penwright.adapters.message_chains import CachedMessageChains
from penwright.adapters.models.router import ModelRouter
from penwright.adapters.models.scripted import ScriptedAnswer, ScriptedCall
from penwright.agents.definition.agent import AgentDefinition, Section
from penwright.agents.files.filesystem import Filesystem
from penwright.agents.guardrails.known_files import FileSeen, FileWritten
from penwright.agents.guardrails.policies import ReadBeforeWrite
from penwright.agents.tools.sub_agent import SubAgent
from penwright.agents.tools.tool import Arguments, Failed, Ok, Tool, ToolContext, ToolResult
from penwright.errors import NotFound, PassingError
from penwright.ports.models import LanguageModel
from penwright.roles import catalogue
from schemas.agent_run import AgentRunInput, AgentRunResult, CheckWork, RunLimits, RunToolCall
from schemas.records import Event
from tests.support.agents.scripted_model import calls_made, write_script
from tests.support.doubles.override_files import MemoryOverrideFiles
from tests.support.doubles.store import MemoryMessageGroups, MemoryStore, memory_store
from workers.temporal_plugin import WORKFLOWS
from workers.wiring import activity_methods
from workflows.agents.loop import AgentLoop

Resource = TypeVar("Resource")


class Shelf:
    """Pages in memory, with a count of their actual changes."""

    def __init__(self, pages: Mapping[str, str] | None = None) -> None:
        self.pages = dict(pages or {})
        self.done: list[str] = []
        """Keys of calls that wrote, once each."""
        self.faults: dict[str, int] = {}
        """How often a page still refuses."""
        self.when_read: Callable[[str], None] = lambda path: None

    def digest(self, path: str) -> str:
        return f"digest of {self.pages[path]}" if path in self.pages else ""

    def write(self, key: str, path: str, text: str) -> None:
        if key not in self.done:
            self.done.append(key)
            self.pages[path] = text


class Page(Arguments):
    path: str
    """Which page."""


class Writing(Arguments):
    path: str
    """Which page."""
    text: str
    """What shall stand there."""


class Question(Arguments):
    text: str
    """What to look up."""


async def read_page(params: Page, context: ToolContext) -> ToolResult:
    shelf = context.resource(Shelf)
    shelf.when_read(params.path)
    if shelf.faults.get(params.path, 0) > 0:
        shelf.faults[params.path] -= 1
        raise PassingError("shelf-busy", "the shelf did not answer; it will again")
    if params.path not in shelf.pages:
        return Failed(code="no-such-page", message=f"There is no page {params.path!r}.")
    seen = FileSeen(path=params.path, digest=shelf.digest(params.path))
    return Ok(text=shelf.pages[params.path], events=(seen,))


async def write_page(params: Writing, context: ToolContext) -> ToolResult:
    shelf = context.resource(Shelf)
    shelf.write(context.key, params.path, params.text)
    written = FileWritten(path=params.path, digest=shelf.digest(params.path))
    return Ok(text=f"wrote {params.path}", events=(written,), commit=f"commit-{len(shelf.done)}")


async def send_letter(params: Writing, context: ToolContext) -> ToolResult:
    context.resource(Shelf).write(context.key, f"letters/{params.path}", params.text)
    return Ok(text=f"sent to {params.path}")


def _asked(params: Any) -> str:  # Any: a Question
    return str(params.text)


READ = Tool(
    name="read_page",
    description="Read a page.",
    params=Page,
    effect="read",
    handler=read_page,
    events=(FileSeen,),
)
WRITE = Tool(
    name="write_page",
    description="Write a page.",
    params=Writing,
    effect="workspace-write",
    handler=write_page,
)
SEND = Tool(
    name="send_letter",
    description="Send a letter.",
    params=Writing,
    effect="external",
    handler=send_letter,
)
ASK = Tool(
    name="ask_clerk",
    description="Have a clerk look it up.",
    params=Question,
    effect="read",
    handler=SubAgent(agent="test/clerk", task=_asked),
)
CLERK = AgentDefinition(
    namespace="test",
    key="clerk",
    title="A clerk",
    sections=(Section(key="desk", title="Desk", body="Look things up.", tools=(READ,)),),
)
LIBRARIAN = AgentDefinition(
    namespace="test",
    key="librarian",
    title="A librarian",
    sections=(Section(key="desk", title="Desk", body="Keep the pages.", tools=(READ, WRITE, SEND, ASK)),),
    policies=(ReadBeforeWrite(read=("read_page",), write=("write_page",)),),
)
AGENTS = (catalogue.Entry(LIBRARIAN), catalogue.Entry(CLERK))
catalogue.register_agents(*AGENTS)


@dataclass(frozen=True, slots=True)
class _Bound:
    shelf: Shelf

    def get(self, protocol: type[Resource]) -> Resource:
        if protocol not in (Shelf, Filesystem):
            raise NotFound("resource-unbound", f"nobody bound {protocol.__name__}")
        return cast(Resource, self.shelf)


@dataclass(frozen=True, slots=True)
class Bench:
    """A workbench with one shelf on it."""

    shelf: Shelf

    @asynccontextmanager
    async def call(self, order: RunToolCall | CheckWork) -> AsyncIterator[_Bound]:
        yield _Bound(self.shelf)

    def publisher(self, order: RunToolCall) -> None:
        """A shelf is no workspace."""


@dataclass
class Library:
    """One queue, one worker, everything outside it at hand."""

    client: Client
    queue: str
    shelf: Shelf
    store: MemoryStore
    loop: asyncio.AbstractEventLoop
    overrides: MemoryOverrideFiles = field(default_factory=MemoryOverrideFiles)
    tags: dict[str, str] = field(default_factory=dict)
    """Of override sets, by role, as settings name them."""
    script: Path = Path()
    model: LanguageModel = field(init=False)
    asked: "asyncio.Queue[Mapping[str, Any]]" = field(default_factory=asyncio.Queue)  # a request's fields

    def notify(self, *, title: str, body: str, key: str, data: Mapping[str, Any]) -> tuple[str, ...]:
        self.loop.call_soon_threadsafe(self.asked.put_nowait, data["request"])
        return ()

    async def until_notified(self) -> Mapping[str, Any]:
        """The request in the notice to people."""
        return await asyncio.wait_for(self.asked.get(), 30)

    async def until_asked(self, times: int = 1) -> None:
        """Until the model was asked so often."""
        async with asyncio.timeout(30):
            while len(calls_made(self.script)) < times:  # noqa: ASYNC110  # the script file is polled
                await asyncio.sleep(0.02)

    # Any: fields of the input.
    def given(self, task: str = "Keep the pages.", **changes: Any) -> AgentRunInput:
        fields = {"agent": "test/librarian", "run_id": self.queue, "subject": "shelf", "limits": RunLimits()}
        return AgentRunInput(task=task, **(fields | changes))

    async def start(self, given: AgentRunInput | None = None) -> WorkflowHandle[AgentLoop, AgentRunResult]:
        given = given or self.given()
        return await self.client.start_workflow(
            AgentLoop.run, given, id=run_of(given.run_id), task_queue=self.queue
        )

    async def run(self, given: AgentRunInput | None = None) -> AgentRunResult:
        return await (await self.start(given)).result()

    def worker(self, queue: str) -> Worker:
        """One that serves a queue with all that a run asks for."""
        activities = self.activities(self.model)
        return Worker(self.client, task_queue=queue, workflows=WORKFLOWS, activities=activities)

    async def until_ended(self) -> None:
        """Until the run of this queue has ended, well or not: a worker that closes under a step may hang."""
        with suppress(WorkflowFailureError):
            await self.client.get_workflow_handle(run_of(self.queue)).result()

    def transcript(self, run_id: str | None = None) -> list[Event]:
        return list(self.store.records.events_after(0, run=run_of(run_id or self.queue)))

    def activities(
        self, model: LanguageModel, workbench: Workbench | None = None
    ) -> Sequence[Callable[..., Any]]:
        conversation = Conversation(self.store.messages, self.store.blobs)
        transcripts = Transcripts(self.store.records)
        return [
            *activity_methods(AgentRunActivities(self.overrides, conversation, transcripts, self, self.tags)),
            *activity_methods(AgentTurnActivities(model, conversation, transcripts)),
            *activity_methods(AgentToolActivities(workbench or Bench(self.shelf), self.store.blobs)),
            *activity_methods(QueueTimeActivities(SystemClock())),
        ]


class LossySegments(MemoryMessageGroups):
    """A store whose messages may be gone from one moment to the next."""

    def lose(self) -> None:
        self._kept.clear()


@asynccontextmanager
async def library(
    client: Client,
    folder: Path,
    *answers: ScriptedAnswer,
    pages: Mapping[str, str] | None = None,
    groups: MemoryMessageGroups | None = None,
) -> AsyncIterator[Library]:
    """A worker whose model says ``answers``, one after another."""
    store = replace(
        memory_store(clock=SystemClock()),
        messages=CachedMessageChains(groups or MemoryMessageGroups(), cached_characters=0),
    )
    script = write_script(folder / "script.json", *numbered(*answers), otherwise="fail")
    here = Library(client, uuid4().hex, Shelf(pages), store, asyncio.get_running_loop())
    here.script = folder / "script.json"
    here.model = ModelRouter(script, ledger=store.ledger)
    async with here.worker(here.queue):
        yield here


def numbered(*answers: ScriptedAnswer) -> Sequence[ScriptedAnswer]:
    """Each is the answer to one call, in their order."""
    return [answer.model_copy(update={"call": number}) for number, answer in enumerate(answers, 1)]


def says(text: str) -> ScriptedAnswer:
    return ScriptedAnswer(text=text)


def calls(*made: tuple[str, dict[str, Any] | str]) -> ScriptedAnswer:  # Any: arguments
    """An answer that calls tools, by name and arguments."""
    return ScriptedAnswer(
        tool_calls=tuple(ScriptedCall(name=name, arguments=arguments) for name, arguments in made)
    )
