"""Evals carried out by Temporal: an agent that is asked riddles, and a model that knows some answers."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, ClassVar, NoReturn
from uuid import uuid4

from temporalio.client import Client, WorkflowHandle
from temporalio.worker import Worker

from activities.agent_run import AgentRunActivities
from activities.agents.conversation import Conversation
from activities.agents.eval_archive import EvalArchive
from activities.agents.transcripts import Transcripts
from activities.agents.turn import AgentTurnActivities
from activities.eval_run import EvalRunActivities
from activities.queue_time import QueueTimeActivities
from penwright.adapters.clock import SystemClock
from penwright.adapters.models.router import ModelRouter
from penwright.agents.definition.agent import AgentDefinition, Section
from penwright.agents.definition.flags import Flags
from penwright.agents.evals.running import name_of
from penwright.agents.state import Event, Reducer, StateView
from penwright.errors import ModelFinal
from penwright.ports.models import LanguageModel
from penwright.roles import catalogue
from schemas.eval_run import EvalRunInput, EvalRunResult
from schemas.experiment import Experiment
from schemas.model import ModelRequest, ModelResponse, Usage
from schemas.model_catalog import ModelCatalog
from tests.support.doubles.override_files import MemoryOverrideFiles
from tests.support.doubles.store import MemoryStore, memory_store
from workers.temporal_plugin import WORKFLOWS
from workers.wiring import activity_methods
from workflows.agents.eval_run import EvalRun


class Manner(Flags):
    """How the oracle speaks."""

    event_name: ClassVar[str] = "oracle.manner"

    mood: str = "calm"


ORACLE = AgentDefinition(
    namespace="test",
    key="oracle",
    title="An oracle",
    sections=(Section(key="cave", title="Cave", body="Answer riddles."),),
    flags=Manner,
)


class Wrath(Manner):
    """A manner whose own code is broken."""

    event_name: ClassVar[str] = "oracle.wrath"

    @classmethod
    def reducers(cls) -> Mapping[type[Event], Reducer]:
        return {cls: _rage}


def _rage(state: StateView, event: Event) -> NoReturn:
    raise ZeroDivisionError("no such mood")


WRATHFUL = AgentDefinition(
    namespace="test", key="wrathful", title="An oracle", sections=ORACLE.sections, flags=Wrath
)
catalogue.register_agents(catalogue.Entry(ORACLE), catalogue.Entry(WRATHFUL))


class Knowing:
    """A model that answers by the question alone, and counts how often it was asked each."""

    def __init__(self, answers: Mapping[str, str]) -> None:
        self.answers = dict(answers)
        """By question; it is unavailable for good to all others."""
        self.asked: Counter[str] = Counter()
        self.silent: set[str] = set()
        """Questions that it does not answer until a test clears this set."""
        self.most_at_once = 0
        self._at_once = 0

    async def complete(self, request: ModelRequest) -> ModelResponse:
        question = next(each.content for each in request.messages if each.role == "user")
        self.asked[question] += 1
        self._at_once += 1
        self.most_at_once = max(self.most_at_once, self._at_once)
        try:
            return await self._answer(question)
        finally:
            self._at_once -= 1

    async def until_asked(self, *questions: str) -> None:
        async with asyncio.timeout(30):
            while not all(self.asked[each] for each in questions):  # noqa: ASYNC110  # a counter has no event to await
                await asyncio.sleep(0.01)

    async def _answer(self, question: str) -> ModelResponse:
        while question in self.silent:  # noqa: ASYNC110  # tests empty it from another place
            await asyncio.sleep(0.01)
        if question not in self.answers:
            raise ModelFinal("model-down", "The provider is gone.")
        return ModelResponse(
            text=self.answers[question],
            model="knowing",
            provider="test",
            finish_reason="stop",
            usage=Usage(input_tokens=2, output_tokens=1, cost_micros=5),
        )


class NoNotifier:
    def notify(self, *, title: str, body: str, key: str, data: Mapping[str, object]) -> tuple[str, ...]:
        return ()


@dataclass
class Hall:
    """Where evals are held: one queue, one store, workers as a test wants them."""

    client: Client
    model: LanguageModel
    catalog: ModelCatalog = field(default_factory=ModelCatalog)
    store: MemoryStore = field(default_factory=lambda: memory_store(clock=SystemClock()))
    overrides: MemoryOverrideFiles = field(default_factory=MemoryOverrideFiles)
    queue: str = field(default_factory=lambda: uuid4().hex)

    @property
    def archive(self) -> EvalArchive:
        return EvalArchive(self.store.records, self.store.evals, self.store.blobs)

    def given(self, *lines: str, **changes: Any) -> EvalRunInput:  # Any: fields of the input
        """An eval named after the queue over a dataset of these lines."""
        fields = {
            "eval_id": self.queue,
            "dataset": self.store.blobs.put("\n".join(lines).encode()),
            "dataset_name": "riddles.jsonl",
            "agent": "test/oracle",
            "experiment": Experiment(name="plain"),
            "judged_by": "exact",
        }
        return EvalRunInput.model_validate(fields | changes)

    async def start(self, given: EvalRunInput) -> WorkflowHandle[EvalRun, EvalRunResult]:
        return await self.client.start_workflow(
            EvalRun.run, given, id=name_of(given.eval_id), task_queue=self.queue
        )

    async def run(self, given: EvalRunInput) -> EvalRunResult:
        return await (await self.start(given)).result()

    async def until_finished(self, samples: Sequence[str]) -> None:
        """Until these samples have results."""
        async with asyncio.timeout(30):
            while not set(samples) <= self.finished:  # noqa: ASYNC110  # the store has no event to await
                await asyncio.sleep(0.02)

    @property
    def finished(self) -> set[str]:
        return {result.sample for result in self.store.evals.of_run(name_of(self.queue))}

    @asynccontextmanager
    async def worker(self) -> AsyncIterator[None]:
        conversation = Conversation(self.store.messages, self.store.blobs)
        transcripts = Transcripts(self.store.records)
        agents = AgentRunActivities(self.overrides, conversation, transcripts, NoNotifier())
        asks = [
            *activity_methods(agents),
            *activity_methods(AgentTurnActivities(self.model, conversation, transcripts)),
            *activity_methods(EvalRunActivities(self.archive, agents, self.catalog)),
            *activity_methods(QueueTimeActivities(SystemClock())),
        ]
        async with Worker(self.client, task_queue=self.queue, workflows=WORKFLOWS, activities=asks):
            yield


def routed(hall: Hall) -> ModelRouter:
    """The models of the hall's catalog, with their ledger."""
    return ModelRouter(hall.catalog, ledger=hall.store.ledger)


def riddle(number: int, expected: str) -> str:
    """A line of a dataset; its id is ``s<number>``, its question ``q<number>``."""
    return f'{{"id": "s{number}", "input": "q{number}", "expected": "{expected}"}}'
