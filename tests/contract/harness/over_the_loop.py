"""Our own loop as a harness: a built-in agent with a model scripted by the scenario, turn by turn."""

import asyncio
import json
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

from temporalio.client import Client, WorkflowHandle
from temporalio.worker import Worker

from activities.agent_run import AgentRunActivities
from activities.agents.conversation import Conversation
from activities.agents.tools import AgentToolActivities
from activities.agents.transcripts import Transcripts, run_of
from activities.agents.turn import AgentTurnActivities
from penwright.adapters.clock import SystemClock
from penwright.adapters.models.scripted import Script, ScriptedAnswer, ScriptedCall, ScriptedProvider
from penwright.adapters.workspace import GitWorkspaces
from penwright.agents.tools.resources import opened
from penwright.domain.book.profile import BOOK_PROFILE
from penwright.domain.intents.gate import IntentGate
from penwright.domain.trace.recorder.recording import LedgerRecorder
from penwright.errors import PassingError
from penwright.roles.ink_editor.definition import INK_EDITOR
from schemas.agent import CallOutcome
from schemas.agent_run import AgentRunInput, AgentRunResult, AgentRunState, RunLimits
from schemas.base import Effect
from schemas.control import KillRequest
from schemas.model import ModelRequest, ModelResponse
from schemas.records import BookRow
from schemas.workspace import Denial, MutationPlan, Published
from tests.contract.harness.harness import Call, Can, Outcome
from tests.support.books.running_books import RunningBook
from tests.support.doubles.override_files import MemoryOverrideFiles
from tests.support.doubles.store import MemoryStore, memory_store
from tests.support.engine.home import until
from workers.agents import BookWorkbench
from workers.temporal_plugin import WORKFLOWS
from workers.wiring import activity_methods
from workflows.agents.loop import AgentLoop

FILES_INTENT = """\
schema_version: 1
active_intents:
  - id: INT-001
    name: Keep the material
    status: IN_PROGRESS
    owned_scope:
      - "Global Material/*.md"
"""
"""A registry under which an agent may write material."""
_CAN = frozenset({Can.REFUSE, Can.READ, Can.TOGETHER, Can.TWINS, Can.OVERSIZE, Can.FILES, Can.LOSE})
_PATIENCE_S = 60.0


class DictatedModel:
    """The scripted model, whose script is handed to it line by line while it plays."""

    def __init__(self) -> None:
        self.asked: asyncio.Queue[ModelRequest] = asyncio.Queue()
        """Every turn once, when it begins."""
        self._lines: dict[str, asyncio.Future[ScriptedAnswer]] = {}

    async def complete(self, request: ModelRequest) -> ModelResponse:
        """Implements ``LanguageModel``; every attempt of a turn gets the same reply."""
        turn = request.effect.op_id
        if turn not in self._lines:
            self._lines[turn] = asyncio.get_running_loop().create_future()
            self.asked.put_nowait(request)
        line = await asyncio.shield(self._lines[turn])
        return await ScriptedProvider(Script(answers=(line,))).complete(request)

    def say(self, turn: ModelRequest, line: ScriptedAnswer) -> None:
        """The model's reply in a turn."""
        self._lines[turn.effect.op_id].set_result(line)


@dataclass(frozen=True)
class LossyWorkspaces(GitWorkspaces):
    """Repositories whose answer to a publish may be lost on its way."""

    losing: threading.Event = field(default_factory=threading.Event)

    def publish(self, plan: MutationPlan, effect: Effect) -> Published:
        published = GitWorkspaces.publish(self, plan, effect)
        if self.losing.is_set():
            self.losing.clear()
            raise PassingError("answer-lost", "the commit was made, and its answer was lost")
        return published


@dataclass
class Runs:
    """One run of the editor after another. Implements ``Steering``."""

    client: Client
    book: RunningBook
    queue: str = field(default_factory=lambda: uuid4().hex)
    run_id: str = ""
    """Of the newest run."""
    _handle: WorkflowHandle[AgentLoop, AgentRunResult] | None = None

    @property
    def present(self) -> WorkflowHandle[AgentLoop, AgentRunResult]:
        assert self._handle is not None, "no run has begun"
        return self._handle

    async def begin(self) -> None:
        self.run_id = uuid4().hex
        given = AgentRunInput(
            agent=INK_EDITOR.name,
            run_id=self.run_id,
            subject=self.book.book_id,
            task="Change what you are asked to change.",
            limits=RunLimits(model_calls=None, tool_calls=None),
        )
        self._handle = await self.client.start_workflow(
            AgentLoop.run, given, id=run_of(given.run_id), task_queue=self.queue
        )

    async def standing(self) -> AgentRunState:
        return await self.present.query(AgentLoop.state)

    async def state(self) -> dict[str, Any]:  # Any: JSON
        return (await self.standing()).slices.model_dump(mode="json")

    async def pause(self) -> None:
        await self.present.signal(AgentLoop.pause)

    async def resume(self) -> None:
        await self.present.signal(AgentLoop.resume)

    async def kill(self, reason: str) -> None:
        await self.present.signal(AgentLoop.kill, KillRequest(who="ada", reason=reason))
        await self.over()

    async def arrived(self) -> None:
        loop = asyncio.get_running_loop()

        def has_come() -> bool:
            return bool(asyncio.run_coroutine_threadsafe(self.standing(), loop).result().open_calls)

        await asyncio.to_thread(until, has_come)

    async def over(self) -> None:
        await self.present.result()

    async def quiet(self) -> None:
        if self._handle is not None and not (await self.standing()).control.ended:
            await self.kill("the scenario is over")
        self._handle = None

    @property
    def at_work(self) -> bool:
        return self._handle is not None


@dataclass
class LoopHarness:
    """One worker for one book; a session is a run of the built-in editor."""

    runs: Runs
    can: frozenset[Can] = _CAN
    _model: DictatedModel = field(default_factory=DictatedModel)
    _store: MemoryStore = field(default_factory=lambda: memory_store(clock=SystemClock()))
    _open: AsyncExitStack = field(default_factory=AsyncExitStack)
    _turn: ModelRequest | None = None
    """The turn that the model was asked for last."""
    _ids: int = 0
    _notes: int = 0

    @property
    def who(self) -> str:
        return INK_EDITOR.name

    async def start(self) -> None:
        self._workspaces = LossyWorkspaces(
            SystemClock(),
            IntentGate(BOOK_PROFILE),
            LedgerRecorder("conformance", BOOK_PROFILE),
            profile=BOOK_PROFILE,
        )
        store, book = self._store, self.runs.book
        store.records.register(BookRow(book_id=book.book_id, path=str(book.folder)))
        workshop = await self._open.enter_async_context(opened(()))
        bench = BookWorkbench(workshop, self._workspaces, store.records, "main")
        talk, told = Conversation(store.messages, store.blobs), Transcripts(store.records)
        activities: list[Callable[..., Any]] = [  # Any: an activity's own types
            *activity_methods(AgentRunActivities(MemoryOverrideFiles(), talk, told, _Nobody())),
            *activity_methods(AgentTurnActivities(self._model, talk, told)),
            *activity_methods(AgentToolActivities(bench, store.blobs)),
        ]
        worker = Worker(
            self.runs.client, task_queue=self.runs.queue, workflows=WORKFLOWS, activities=activities
        )
        await self._open.enter_async_context(worker)

    async def stop(self) -> None:
        await self._open.aclose()

    async def kill(self) -> None:
        raise AssertionError("its process is that of the test")

    def lose(self) -> None:
        self._workspaces.losing.set()

    async def open(self, key: str) -> str:
        await self.runs.quiet()
        await self.runs.begin()
        self._turn = await self._asked()
        return ""

    def selecting(self, session: str, intent: str) -> Call:
        return Call("select_active_intent", {"intent_id": intent})

    def writing(self, session: str, prose: str) -> Call:
        self._notes += 1
        arguments = {"path": f"Global Material/Note {self._notes}.md", "content": f"{prose}\n"}
        return Call("write_to_file", {**arguments, "mutation_class": "INTENT_EVOLUTION"})

    async def call(self, call: Call, heard: list[str] | None = None) -> Outcome:
        return (await self.together([call]))[0]

    async def together(self, calls: Sequence[Call]) -> list[Outcome]:
        self._ids += 1
        return await self._made(calls, [f"call-{self._ids}-{n}" for n in range(len(calls))])

    async def twins(self, calls: Sequence[Call]) -> list[Outcome]:
        return await self._made(calls, ["twin"] * len(calls))

    async def _made(self, calls: Sequence[Call], ids: Sequence[str]) -> list[Outcome]:
        """The calls of one turn, and their results in the next request."""
        if not self.runs.at_work:
            await self.open("")
        assert self._turn is not None, "the model was asked"
        line = [
            ScriptedCall(name=call.tool, arguments=dict(call.arguments), id=each)
            for call, each in zip(calls, ids, strict=True)
        ]
        before = (await self.runs.standing()).calls
        self._model.say(self._turn, ScriptedAnswer(tool_calls=tuple(line)))
        asked = await self._asked_or_over()
        state = await self.runs.standing()
        if asked is not None and state.calls == before:
            return [self._unread(asked)] * len(calls)
        outcomes = state.outcomes[-len(calls) :]
        told = [one.message for one in outcomes] if asked is None else _results(asked, len(calls))
        return [_outcome(one, text) for one, text in zip(outcomes, told, strict=True)]

    def _unread(self, asked: ModelRequest) -> Outcome:
        """Of a reply of which nothing was used, so that no call of it was ever one."""
        run = run_of(self.runs.run_id)
        told = [event for event in self._store.records.events_after(0, run=run) if event.kind == "agent-told"]
        code = str(told[-1].data["code"]).upper().replace("-", "_")
        return Outcome({"message": asked.messages[-1].content}, code)

    async def _asked_or_over(self) -> ModelRequest | None:
        """The model's next turn; None if the run ended before it."""
        asked = asyncio.ensure_future(self._asked())
        over = asyncio.ensure_future(self.runs.over())
        await asyncio.wait({asked, over}, return_when=asyncio.FIRST_COMPLETED)
        for each in (asked, over):
            each.cancel()
        self._turn = asked.result() if asked.done() and not asked.cancelled() else None
        return self._turn

    async def _asked(self) -> ModelRequest:
        return await asyncio.wait_for(self._model.asked.get(), _PATIENCE_S)


class _Nobody:
    """Implements ``Notifier``: no call of the editor's waits for a person."""

    def notify(self, *, title: str, body: str, key: str, data: Mapping[str, object]) -> tuple[str, ...]:
        raise AssertionError(title)


def _results(asked: ModelRequest, count: int) -> list[str]:
    results = [message.content for message in asked.messages if message.role == "tool"]
    return results[-count:]


def _outcome(one: CallOutcome, text: str) -> Outcome:
    """The message of a call's result; rules of the book return JSON, those of the loop plain text."""
    code = "" if one.kind == "succeeded" else one.code.upper().replace("-", "_")
    value = json.loads(text) if text.startswith("{") else {"message": text}
    assert not code or value["message"], one
    if "error_code" in value:
        denial = Denial.model_validate(value)
        assert (denial.error_code, bool(denial.action_hint)) == (code, True)
    return Outcome(value, code)
