"""A scene's role at work without Temporal: real turns, a model that says what it is told, and the loop."""

from dataclasses import dataclass, field

from penwright.adapters.clock import SystemClock
from penwright.agents.loop.run import Run
from penwright.ports.models import LanguageModel
from penwright.roles.scene import role_call
from schemas.director_round import SceneBrief, SceneCall, SceneRole
from schemas.envelope import Envelope, EnvelopeKept, PromptMessage, TokenBudget
from tests.support.agents.role_desk import driven
from tests.support.doubles.store import MemoryStore, memory_store


@dataclass
class SceneDesk:
    """One role with its doubles."""

    model: LanguageModel
    store: MemoryStore = field(default_factory=lambda: memory_store(clock=SystemClock()))
    said: tuple[PromptMessage, ...] = ()
    """The messages that the prompt shows."""

    def call(self, role: SceneRole, task: str = "Do it.", *, stream_to: str = "", **params: str) -> SceneCall:
        budget = TokenBudget(context=8_000, answer=700, fixed=100, counter="about")
        shown = Envelope(
            request_type="user",
            scene="quay",
            round=2,
            persona_name="Mira",
            last_round=self.said,
            budget=budget,
        )
        kept = self.store.blobs.put(shown.model_dump_json().encode())
        brief = SceneBrief(
            role=role,
            task=self.store.blobs.put(task.encode()),
            params=params,
            turn_tokens=700,
            envelope=EnvelopeKept(envelope=kept, budget=budget),
        )
        return SceneCall(
            brief=brief,
            run_id="scene/quay#s1:4",
            subject="scene/quay",
            model_queue="m",
            tool_queue="t",
            cost_micros=5_000,
            stream_to=stream_to,
        )

    async def run(self, call: SceneCall) -> Run:
        """Run to the end."""
        return await driven(role_call.engaged(call), self.model, self.store)
