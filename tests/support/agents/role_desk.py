"""A manuscript role at work without Temporal: real turns, a model that says what it is told, and the loop."""

from dataclasses import dataclass, field
from datetime import UTC, datetime

from temporalio.testing import ActivityEnvironment

from activities.agents.conversation import Conversation
from activities.agents.transcripts import Transcripts
from activities.agents.turn import AgentTurnActivities
from penwright.adapters.clock import SystemClock
from penwright.agents.loop import steps as loop
from penwright.agents.loop.run import Run
from penwright.ports.models import LanguageModel
from penwright.roles.manuscript import role_call
from schemas.agent_run import CallModel, EndRun, Pins, Prepared, PrepareRun
from schemas.manuscript_roles import ManuscriptRole, RoleBrief, RoleCall
from schemas.model import ModelRequest, ModelResponse, Usage
from tests.support.agents.role_replies import TASK
from tests.support.doubles.store import MemoryStore, memory_store

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


@dataclass
class Replying:
    """A model that gives replies in their order; one that begins with ``CUT`` stopped at its longest."""

    replies: list[str]
    requests: list[ModelRequest] = field(default_factory=list)

    async def complete(self, request: ModelRequest) -> ModelResponse:
        self.requests.append(request)
        text = self.replies.pop(0)
        return ModelResponse(
            text=text.removeprefix(CUT),
            model="some-model",
            provider="test",
            finish_reason="length" if text.startswith(CUT) else "stop",
            usage=Usage(input_tokens=3, output_tokens=2, cost_micros=1),
        )


CUT = "(cut)"


@dataclass
class RoleDesk:
    """One role with its doubles."""

    model: LanguageModel
    store: MemoryStore = field(default_factory=lambda: memory_store(clock=SystemClock()))

    def call(self, role: ManuscriptRole, task: str = "Do it.") -> RoleCall:
        brief = RoleBrief(
            role=role,
            task=self.store.blobs.put(task.encode()),
            params={"TaskParams": TASK.model_dump(mode="json")},
            turn_tokens=900,
        )
        return RoleCall(
            brief=brief, run_id="manuscript/n/s/4", subject="n/s", model_queue="m", cost_micros=5_000
        )

    async def run(self, call: RoleCall) -> Run:
        """Run to the end."""
        return await driven(role_call.engaged(call), self.model, self.store)


async def driven(run: Run, model: LanguageModel, store: MemoryStore) -> Run:
    """Drive a run to its end."""
    while step := loop.next_step(run.given, run, run.effect(NOON)):
        match step:
            case PrepareRun():
                run = loop.prepared(run, Prepared(pins=Pins(definition="sha256:d")), NOON)
            case CallModel():
                run = await _turn(run, step, model, store)
            case EndRun():
                run = loop.ended(run, step)
            case _:
                raise AssertionError(step)
    return run


async def _turn(run: Run, step: CallModel, model: LanguageModel, store: MemoryStore) -> Run:
    conversation = Conversation(store.messages, store.blobs)
    turns = AgentTurnActivities(model, conversation, Transcripts(store.records))
    answer = await ActivityEnvironment().run(turns.call_model, step)
    return loop.answered(run, step, answer, NOON)
