"""A run of an agent while it works: its definition, what it was given, where it stands."""

from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from pydantic import BaseModel, JsonValue

from penwright.agents.definition.agent import AgentDefinition
from penwright.agents.definition.experiments import declared_flags
from penwright.agents.definition.flags import Flags
from penwright.agents.definition.run_slices import registry_of
from penwright.agents.guardrails.guardrail import Trajectory
from penwright.agents.loop import transcript
from penwright.agents.prompt.overrides import texts_of
from penwright.agents.prompt.parameters import Parameters, bind, read
from penwright.agents.prompt.rendering import Rendered, render
from penwright.agents.prompt.slice_tracking import slices_looked_at
from penwright.agents.state import State, apply, at_rest, empty_state, from_rest
from penwright.errors import UsageMistake
from schemas.agent import AgentMessage, StateAtRest
from schemas.agent_run import AgentRunInput, AgentRunState, Ending, NewMessage, RunLimits
from schemas.base import Effect, OpId

KEPT_OUTCOMES = 100
"""Outcomes of calls that a run remembers; feedback looks back no further."""


@dataclass(frozen=True, slots=True)
class Run:
    """Everything the loop decides by. Every fold returns another one."""

    definition: AgentDefinition
    given: AgentRunInput
    parameters: Parameters
    state: AgentRunState
    """``slices`` of it are out of date; see ``slices`` here."""
    slices: State
    shown: Rendered
    """What the model is told in this state."""
    looked_at: tuple[type[BaseModel], ...]
    """Slices that ``shown`` depends on; as long as they stay the same, so does it."""

    @property
    def limits(self) -> RunLimits:
        return self.given.limits

    # Any: values of any field of the state.
    def but(self, **changes: Any) -> "Run":
        """The same run, its state changed."""
        return replace(self, state=self.state.model_copy(update=changes))

    def after_step(self, **changes: Any) -> "Run":
        """The same run with a step behind it; the step's position is not used again."""
        return self.but(**changes, effects=self.state.effects + 1)

    def holding(self, slices: State) -> "Run":
        """The same run in another state; rendered anew only if it looks at what changed."""
        if slices is self.slices:
            return self
        held = replace(self, slices=slices)
        same = all(self.slices.all(kind) == slices.all(kind) for kind in self.looked_at)
        return held if same else held.shown_anew()

    def shown_anew(self) -> "Run":
        view = (self.definition, self.parameters, self.slices)
        shown = render(*view, texts_of(self.state.overrides))
        return replace(self, shown=shown, looked_at=slices_looked_at(*view))

    def noting(self, kind: transcript.EntryType, at: datetime, /, **detail: JsonValue) -> "Run":
        """The same run with one more entry in its transcript."""
        return replace(self, state=transcript.noted(self.state, self.given.source, kind, at, detail))

    def ending(self, ending: Ending) -> "Run":
        """The first reason to end counts."""
        return self.but(ending=self.state.ending or ending, paused=False)

    def saying(self, message: AgentMessage) -> "Run":
        """The same run with one more message for the model."""
        return self.but(new=(*self.state.new, NewMessage(message=message)))

    def effect(self, now: datetime) -> Effect:
        """Identity of the step at this position."""
        return Effect(op_id=OpId(f"{self.given.run_id}#{self.state.effects}"), issued_at=now)

    def trajectory(self, now: datetime) -> Trajectory:
        """The run so far, as feedback and completion see it."""
        return Trajectory(
            outcomes=self.state.outcomes,
            started_at=self.state.started_at or now,
            now=now,
            deadline=self.limits.deadline,
        )


_NOTHING = Rendered(
    text="", digest="", offers=(), tools_digest="", tools={}, policies={}, paths=(), skills=()
)


def begin(definition: AgentDefinition, given: AgentRunInput) -> Run:
    """A run at its beginning, or where the one it continues stood. Parameters that do not fit end it."""
    registry = registry_of(definition)
    state = given.state or AgentRunState(new=_task(given))
    slices = from_rest(state.slices, registry) if given.state else empty_state(registry)
    try:
        parameters = _parameters(definition, given)
        slices = slices if given.state else apply(slices, _flags(definition, given))
    except UsageMistake as mistake:
        ending = Ending(outcome="failed", code=mistake.code, message=mistake.message)
        return Run(definition, given, bind(definition), state, slices, _NOTHING, ()).ending(ending)
    return Run(definition, given, parameters, state, slices, _NOTHING, ()).shown_anew()


def _parameters(definition: AgentDefinition, given: AgentRunInput) -> Parameters:
    """What fills the sections, those that only a later state enables too."""
    parameters = read(definition, given.params)
    for place in definition.places:
        parameters.of(place)
    return parameters


def _flags(definition: AgentDefinition, given: AgentRunInput) -> tuple[Flags, ...]:
    """The flags of the run; a sub-agent takes those of its caller's that it declares itself."""
    known = definition.flags.model_fields if definition.flags else ()
    texts = {name: text for name, text in given.flags.items() if not given.depth or name in known}
    flags = declared_flags(definition, texts)
    return () if flags is None else (flags,)


def _task(given: AgentRunInput) -> tuple[NewMessage, ...]:
    if not given.task and given.task_at is None:
        return ()
    return (NewMessage(message=AgentMessage(role="user", content=given.task), text=given.task_at),)


def state_at_rest(run: Run) -> AgentRunState:
    """The state with its slices, as JSON."""
    return run.state.model_copy(update={"slices": at_rest(run.slices)})


def call_key(given: AgentRunInput, number: int) -> str:
    """Names a call's effect by its position: the same in every attempt and after continuing as new."""
    return f"{given.run_id}/call/{number}"


def slices_of(run: Run, kinds: Collection[type[BaseModel]]) -> StateAtRest:
    return at_rest(run.slices, kinds) if kinds else StateAtRest()
