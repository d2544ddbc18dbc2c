"""The run of an agent in memory: definition, input, state, rendered prompt."""

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from pydantic import BaseModel, JsonValue

from penwright.agents.definition.agent import AgentDefinition
from penwright.agents.definition.experiments import declared_flags
from penwright.agents.definition.flags import Flags
from penwright.agents.guardrails.guardrail import Trajectory
from penwright.agents.loop import budgeting, transcript
from penwright.agents.prompt.overrides import texts_of
from penwright.agents.prompt.parameters import Parameters, bind, read
from penwright.agents.prompt.rendering import Rendered, render
from penwright.agents.prompt.slice_tracking import slices_read
from penwright.agents.state import State, apply, dump_state, empty_state, load_state
from penwright.domain import control
from penwright.errors import BrokenDefinition, UsageMistake
from schemas.agent import AgentMessage, SerializedState
from schemas.agent_run import AgentRunInput, AgentRunState, EndReason, NewMessage, RunLimits, RunUsage
from schemas.base import Effect

KEPT_OUTCOMES = 100
"""Outcomes of calls that a run keeps; feedback sees no older ones."""


@dataclass(frozen=True, slots=True)
class Run:
    """All that the loop decides by. Every transition returns a new one."""

    definition: AgentDefinition
    given: AgentRunInput
    parameters: Parameters
    state: AgentRunState
    """Its ``slices`` are out of date; use ``slices`` of this class."""
    slices: State
    shown: Rendered
    """The prompt in this state."""
    read_slices: tuple[type[BaseModel], ...]
    """Slices that ``shown`` depends on; it is rendered again only when they change."""
    continues_soon: bool = False
    """Whether it is to continue as new as soon as it can, see ``loop.can_continue_as_new``."""

    @property
    def limits(self) -> RunLimits:
        """The given ones; the deadline is put off by what the run has waited in queues."""
        limits, queued = self.given.limits, control.queued(self.state)
        if limits.deadline is None or not queued:
            return limits
        return limits.model_copy(update={"deadline": limits.deadline + queued})

    # Any: values of any field of the state.
    def with_state(self, **changes: Any) -> "Run":
        """A copy with changed fields of the state."""
        return replace(self, state=self.state.model_copy(update=changes))

    def after_step(self, **changes: Any) -> "Run":
        """A copy after a step; the step's position is not used again."""
        return replace(self, state=control.after_step(self.state, **changes))

    def steered(self, change: Callable[[AgentRunState], AgentRunState]) -> "Run":
        """The same run, its control changed by a transition of ``penwright.domain.control``."""
        return replace(self, state=change(self.state))

    def spending(self, more: RunUsage) -> "Run":
        """A copy with usage added."""
        paid = control.spent(self.state, more.cost_micros, more.unknown_prices)
        spent = budgeting.add_usage(self.state.spent, more)
        return replace(self, state=paid.model_copy(update={"spent": spent}))

    def with_slices(self, slices: State) -> "Run":
        """A copy with other slices; rendered again only if the prompt reads one that changed."""
        if slices is self.slices:
            return self
        held = replace(self, slices=slices)
        same = all(self.slices.all(kind) == slices.all(kind) for kind in self.read_slices)
        return held if same else held.rendered_again()

    def rendered_again(self) -> "Run":
        view = (self.definition, self.parameters, self.slices)
        shown = render(*view, texts_of(self.state.overrides))
        return replace(self, shown=shown, read_slices=slices_read(*view))

    def with_entry(self, kind: transcript.EntryType, at: datetime, /, **detail: JsonValue) -> "Run":
        """A copy with a transcript entry added."""
        return replace(self, state=transcript.noted(self.state, self.given.source, kind, at, detail))

    def with_end_reason(self, ending: EndReason) -> "Run":
        """A copy with an end reason; an earlier one is kept."""
        return self.with_state(ending=self.state.ending or ending).steered(control.resumed)

    def with_message(self, message: AgentMessage) -> "Run":
        """A copy with a message for the model added."""
        return self.with_state(new=(*self.state.new, NewMessage(message=message)))

    def effect(self, now: datetime) -> Effect:
        """The op id and time of the step at this position."""
        return control.effect(f"{self.given.run_id}#", self.state, now)

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
    """A new run, or the continuation of one. Invalid parameters end it.

    Raises:
        BrokenDefinition: unless that, too, ends it (``given.ends_broken``).
    """
    registry = definition.registry
    state = given.state or AgentRunState(new=_task(given))
    slices = load_state(state.slices, registry) if given.state else empty_state(registry)
    try:
        parameters = _parameters(definition, given)
        slices = slices if given.state else apply(slices, _flags(definition, given))
    except (UsageMistake, BrokenDefinition) as mistake:
        if isinstance(mistake, BrokenDefinition) and not given.ends_broken:
            raise
        ending = EndReason(outcome="failed", code=mistake.code, message=mistake.message)
        return Run(definition, given, bind(definition), state, slices, _NOTHING, ()).with_end_reason(ending)
    return Run(definition, given, parameters, state, slices, _NOTHING, ()).rendered_again()


def _parameters(definition: AgentDefinition, given: AgentRunInput) -> Parameters:
    """The parameters of all sections, also of those that only a later state enables."""
    parameters = read(definition, given.params)
    for place in definition.places:
        parameters.of(place)
    return parameters


def _flags(definition: AgentDefinition, given: AgentRunInput) -> tuple[Flags, ...]:
    """The flags of the run; a sub-agent takes those of its caller's that it declares."""
    known = definition.flags.model_fields if definition.flags else ()
    texts = {name: text for name, text in given.flags.items() if not given.depth or name in known}
    flags = declared_flags(definition, texts)
    return () if flags is None else (flags,)


def _task(given: AgentRunInput) -> tuple[NewMessage, ...]:
    if not given.task and given.task_at is None:
        return ()
    return (NewMessage(message=AgentMessage(role="user", content=given.task), text=given.task_at),)


def serialized_state(run: Run) -> AgentRunState:
    """The state with its slices, as JSON."""
    return run.state.model_copy(update={"slices": dump_state(run.slices)})


def call_key(given: AgentRunInput, number: int) -> str:
    """The op id of a call, by its position: the same in every attempt and after continuing as new."""
    return f"{given.run_id}/call/{number}"


def slices_of(run: Run, kinds: Collection[type[BaseModel]]) -> SerializedState:
    return dump_state(run.slices, kinds) if kinds else SerializedState()
