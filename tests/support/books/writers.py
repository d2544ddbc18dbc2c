"""A session's writer at work without Temporal: real turns, a scripted model, and the rules of the loop."""

from dataclasses import dataclass, field

from temporalio.testing import ActivityEnvironment

from activities.agents.conversation import Conversation
from activities.agents.transcripts import Transcripts
from activities.agents.turn import AgentTurnActivities
from activities.books.writing import WritingActivities
from penwright.adapters.clock import SystemClock
from penwright.adapters.models.ledgered import LedgeredModel
from penwright.adapters.models.scripted import Script, ScriptedAnswer, ScriptedProvider
from penwright.agents.loop import steps as loop
from penwright.agents.loop.reporting import has_delivered
from penwright.agents.loop.run import Run
from penwright.domain.prose.indexing import index_of
from penwright.errors import PermanentError
from penwright.ports.models import LanguageModel
from penwright.roles.ink_session_editor import role_call as editors
from penwright.roles.ink_writer import role_call
from schemas.agent_run import CallModel, EndRun, Pins, Prepared, PrepareRun
from schemas.base import Cause
from schemas.book import SessionPayload
from schemas.book_session import Brief, EditProse, WriteProse
from schemas.model import ModelRequest, ModelResponse
from schemas.outside_session import SessionProse
from tests.support.books.sessions import NOON, given
from tests.support.doubles.store import MemoryStore, memory_store


@dataclass
class WritersDesk:
    """One session's writer with its doubles."""

    store: MemoryStore
    provider: ScriptedProvider
    model: LanguageModel

    book: str = ""
    """What the book holds, for the rules of prose; empty: its prose is not checked."""
    briefed: list[str] = field(default_factory=list)
    """Prompts of the editor."""

    async def brief(self, payload: SessionPayload) -> Brief:
        order = self._order(payload)
        return await ActivityEnvironment().run(WritingActivities(self.store.blobs).brief_writer, order)

    def _order(self, payload: SessionPayload) -> WriteProse:
        ref = self.store.blobs.put(payload.model_dump_json().encode())
        index = index_of([self.book], payload.config.language).model_dump_json().encode()
        kept = self.store.blobs.put(index) if self.book else None
        return WriteProse(payload=ref, index=kept)

    async def run(self, brief: Brief) -> Run:
        """Run to the end. Passing errors are raised for Temporal to retry."""
        return await self._driven(role_call.engaged(given(), brief))

    async def _driven(self, run: Run) -> Run:
        while step := loop.next_step(run.given, run, run.effect(NOON)):
            match step:
                case PrepareRun():
                    run = loop.prepared(run, Prepared(pins=Pins(definition="sha256:d")), NOON)
                case CallModel():
                    run = await self._turn(run, step)
                case EndRun():
                    run = loop.ended(run, step)
                case _:
                    raise AssertionError(step)
        return run

    async def _turn(self, run: Run, step: CallModel) -> Run:
        conversation = Conversation(self.store.messages, self.store.blobs)
        turns = AgentTurnActivities(self.model, conversation, Transcripts(self.store.records))
        try:
            answer = await ActivityEnvironment().run(turns.call_model, step)
        except PermanentError as error:
            return loop.failed(run, step, Cause(code=error.code, message=error.message), NOON)
        return loop.answered(run, step, answer, NOON)

    async def write(self, payload: SessionPayload) -> SessionProse | Cause:
        """The writer's result as the session gets it."""
        brief = await self.brief(payload)
        run = await self.run(brief)
        if not has_delivered(run):
            return role_call.failure_cause(run)
        written = role_call.delivered(run, brief)
        return await self._edited(payload, written) if brief.awaits_editor else written

    async def _edited(self, payload: SessionPayload, written: SessionProse) -> SessionProse:
        order = self._order(payload)
        assert order.index is not None, "a draft that is edited is checked"
        asked = EditProse(payload=order.payload, index=order.index, written=written)
        brief = await ActivityEnvironment().run(WritingActivities(self.store.blobs).brief_editor, asked)
        self.briefed.append(self.store.blobs.get(brief.task).decode())
        return editors.edited(written, await self._driven(editors.engaged(given(), brief)))

    def prose(self, written: SessionProse) -> str:
        return self.store.blobs.get(written.prose).decode()

    @property
    def turns(self) -> list[str]:
        """Positions of the calls that were made, attempts of one call included."""
        return [attempt.op_id.removeprefix("book/b/s#") for attempt in self.provider.attempts]


@dataclass
class CutOff:
    """A model whose replies stop at the token limit, after the first ``whole`` of them."""

    model: LanguageModel
    whole: int = 0

    async def complete(self, request: ModelRequest) -> ModelResponse:
        answer = await self.model.complete(request)
        self.whole -= 1
        return answer if self.whole >= 0 else answer.model_copy(update={"finish_reason": "length"})


def writers_desk(*answers: ScriptedAnswer, model: LanguageModel | None = None, book: str = "") -> WritersDesk:
    store = memory_store(clock=SystemClock())
    provider = ScriptedProvider(Script(answers=answers, otherwise="demo"))
    return WritersDesk(store, provider, model or LedgeredModel(provider, store.ledger), book)
