"""Drives the pure loop: a scripted model, tools that really run, a clock that ticks."""

from collections import Counter
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any, TypeVar

from penwright.agents.calls import results as concluding
from penwright.agents.definition.agent import AgentDefinition
from penwright.agents.guardrails.completion import looked, world_checkers
from penwright.agents.loop import reporting, steering
from penwright.agents.loop import steps as loop
from penwright.agents.loop.run import Run, begin
from penwright.agents.loop.stopping import interruption_cause
from penwright.agents.state import State, load_state
from penwright.agents.tools.tool import Stale, ToolResult
from penwright.domain import control
from penwright.errors import NotFound, PassingError, PenwrightError
from schemas.agent import AgentMessage, ToolCall
from schemas.agent_run import (
    AgentRunInput,
    AgentRunResult,
    AnnounceCall,
    Batch,
    CallDecision,
    CallModel,
    Checked,
    CheckerVerdict,
    CheckWork,
    EndRun,
    ModelAnswered,
    NewMessage,
    Pins,
    Prepared,
    PrepareRun,
    RunLimits,
    RunToolCall,
    StartChild,
    Stored,
    StoreMessages,
    ToolCallResult,
    TranscriptEntry,
)
from schemas.base import BlobRef, Cause, Value
from schemas.control import KillRequest
from tests.support.agents.messages import extended

Resource = TypeVar("Resource")
Wire = TypeVar("Wire", bound=Value)
Result = TypeVar("Result")
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
ATTEMPTS = 3


@dataclass(frozen=True, slots=True)
class Said:
    """One turn of the scripted model."""

    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    finish_reason: str = "stop"
    input_tokens: int = 10
    output_tokens: int = 5
    cost_micros: int | None = 1
    text_at: BlobRef | None = None
    cut_calls: tuple[int, ...] = ()
    mistake: Cause | None = None
    model: str = ""
    instead_of: str = ""


Line = Said | PenwrightError


def say(text: str, **use: Any) -> Said:  # Any: numbers and reasons of a turn
    return Said(text=text, **use)


def call(name: str, arguments: str = "{}", *, label: str = "c1") -> ToolCall:
    return ToolCall(id=label, name=name, arguments=arguments)


def calls(*made: ToolCall, **use: Any) -> Said:  # Any: as above
    return Said(calls=made, finish_reason="tool", **use)


def given_run(task: str = "Do it.", **changes: Any) -> AgentRunInput:  # Any: fields of the input
    return AgentRunInput(agent="test/agent", run_id="run-1", subject="book-1", task=task, **changes)


def stopped(run: Run, who: str, reason: str) -> Run:
    """A run that a person has killed."""
    request = KillRequest(who=who, reason=reason)
    return run.steered(lambda state: control.stopped(state, request))


def limits(**changes: Any) -> RunLimits:  # Any: fields of the limits
    return RunLimits(**changes)


@dataclass(slots=True)
class Context:
    """The context of a handler."""

    key: str
    state: State
    resources: dict[type, object]

    def resource(self, protocol: type[Resource]) -> Resource:
        found = self.resources.get(protocol)
        if not isinstance(found, protocol):
            raise NotFound("resource-unbound", f"nobody bound {protocol.__name__}")
        return found


@dataclass(slots=True)
class _World:
    """Resources of checkers."""

    resources: dict[type, object]

    def get(self, kind: type[Resource]) -> Resource:
        found = self.resources[kind]
        assert isinstance(found, kind), "bound by its type"
        return found


@dataclass(slots=True)
class World:
    """Everything outside the loop, with a record of its requests."""

    definition: AgentDefinition
    lines: list[Line]
    now: datetime = NOON
    tick: timedelta = timedelta(seconds=1)
    files: dict[str, str] = field(default_factory=dict)
    """Digest by path."""
    children: dict[str, "World"] = field(default_factory=dict)
    """By agent."""
    decide: Callable[[AnnounceCall], CallDecision | None] = lambda announced: None
    before: Callable[[Run, loop.Step], Run] = lambda run, step: run
    """Called before each step, for a person's action; it may change the world as well."""
    during: Callable[[Run, loop.Step], Run] = lambda run, step: run
    """Called during each step, for a person's action."""
    rest_after: int = 0
    """Steps after which the run continues as new, again and again; 0: never."""

    asked: list[CallModel] = field(default_factory=list)
    batches: list[tuple[str, ...]] = field(default_factory=list)
    attempts: Counter[str] = field(default_factory=Counter)
    """By key of the call."""
    orders: list[RunToolCall] = field(default_factory=list)
    kept: dict[str, bytes] = field(default_factory=dict)
    chain: list[AgentMessage] = field(default_factory=list)
    entries: list[TranscriptEntry] = field(default_factory=list)
    ended: list[AgentRunResult] = field(default_factory=list)
    largest: int = 0
    """Bytes of the largest order or outcome."""
    segments: int = 1
    announced: list[AnnounceCall] = field(default_factory=list)

    def play(self, given: AgentRunInput | None = None, *, most: int = 5_000) -> Run:
        """The whole run. ``most`` steps are enough for every test; a loop that never ends fails."""
        run = begin(self.definition, _wired(given or given_run()))
        taken = 0
        while (step := self._step(run, taken)) is not None:
            assert taken < most, "the loop never ends"
            taken += 1
            run = self._take(self.before(run, step), step)
            self.now += self.tick
            if self.rest_after and taken >= self.rest_after and loop.can_continue_as_new(run):
                run, taken, self.segments = (
                    begin(self.definition, self._wire(loop.carried(run))),
                    0,
                    self.segments + 1,
                )
        return run

    def _step(self, run: Run, taken: int) -> loop.Step | None:
        left = steering.time_left(run, self.now)
        if left is not None and not left:
            run = steering.timed_out(run, self.now)
        if self.rest_after and taken >= self.rest_after:
            run = replace(run, continues_soon=True)
        return loop.next_step(run.given, run, run.effect(self.now))

    def result(self) -> AgentRunResult:
        """How the run ended, as it was written down."""
        assert len(self.ended) == 1, "a run ends once"
        return self.ended[0]

    def told(self) -> list[str]:
        """The tool messages, in the order of the chain."""
        return [message.content for message in self.chain if message.role == "tool"]

    def _take(self, run: Run, step: loop.Step) -> Run:
        left = steering.time_left(run, self.now)
        if left is not None and not left:
            run = steering.timed_out(run, self.now)
        match step:
            case PrepareRun():
                self._wire(step)
                return loop.prepared(run, Prepared(pins=Pins(definition="d1")), self.now)
            case CallModel():
                return self._model(run, self._wire(step))
            case Batch():
                return self._batch(run, self._wire(step))
            case CheckWork():
                return loop.checked(run, self._check(self._wire(step)), self.now)
            case AnnounceCall():
                self.announced.append(step)
                run = loop.announced(run)
                decision = self.decide(step)
                return run if decision is None else steering.decided(run, decision)
            case loop.AwaitDecision():
                if run.state.decision is None and run.state.control.stop is None:
                    left = steering.time_left(run, self.now)
                    assert left is not None, "nobody would ever decide"
                    self.now += left
                return loop.decision_received(steering.timed_out(run, self.now), self.now)
            case loop.AwaitCall():
                raise AssertionError("in these runs a model thinks")
            case loop.CancelCalls():
                return loop.calls_cancelled(run, self.now)
            case StoreMessages():
                self._wire(step)
                self._note(step.entries)
                return loop.stored(run, step, Stored(head=self._append(step.new)))
            case EndRun():
                self._note(self._wire(step).entries)
                self._append(step.new)
                self.ended.append(step.result)
                return loop.ended(run, step)

    def _check(self, step: CheckWork) -> Checked:
        checkers = world_checkers(self.definition.completion)
        state = load_state(step.state, self.definition.registry)
        output = step.output if isinstance(step.output, str) else None
        found = [
            (each.name, at_once(looked(each, output, state, _World({World: self})))) for each in checkers
        ]
        verdicts = [CheckerVerdict(checker=name, **one.model_dump()) for name, one in found]
        return Checked(verdicts=tuple(verdicts))

    def _model(self, run: Run, step: CallModel) -> Run:
        self.asked.append(step)
        line = self.lines.pop(0)
        run = self.during(run, step)
        if loop.should_interrupt(run, step):
            return loop.interrupted(run, self.now)
        if isinstance(line, PenwrightError):
            cause = Cause(code=line.code, message=line.message, details=dict(line.details))
            return loop.failed(run, step, cause, self.now)
        self._note(step.entries)
        self._append(step.new)
        if line.mistake is not None:
            answer = ModelAnswered(head=extended(None, self.chain), mistake=line.mistake)
            return loop.answered(run, step, self._wire(answer), self.now)
        spoken = AgentMessage(role="assistant", content=line.text, tool_calls=line.calls)
        answer = ModelAnswered(
            head=self._append((NewMessage(message=spoken),)),
            text=line.text,
            text_at=line.text_at,
            calls=line.calls,
            cut_calls=line.cut_calls,
            finish_reason=line.finish_reason,
            input_tokens=line.input_tokens,
            output_tokens=line.output_tokens,
            cost_micros=line.cost_micros,
            model=line.model,
            instead_of=line.instead_of,
        )
        return loop.answered(run, step, self._wire(answer), self.now)

    def _batch(self, run: Run, step: Batch) -> Run:
        self.batches.append(tuple(order.tool for order in step.orders))
        run = self.during(run, step)
        outcomes = []
        for order in step.orders:
            why = interruption_cause(run)
            if why is not None and loop.is_interruptible(order):
                outcomes.append(concluding.cut(order, why))
            elif isinstance(order, StartChild):
                outcomes.append(self._child(order))
            else:
                outcomes.append(self._carry_out(order))
        return loop.carried_out(run, [self._wire(outcome) for outcome in outcomes], self.now)

    def _child(self, order: StartChild) -> ToolCallResult:
        world = self.children[order.given.agent]
        world.now = self.now
        world.ended.clear()
        world.play(order.given)
        self.entries += world.entries
        return concluding.child_ended(order, world.result())

    def _carry_out(self, order: RunToolCall) -> ToolCallResult:
        """As a worker would: attempts under one key, then the infrastructure is given up."""
        self.orders.append(order)
        for _ in range(ATTEMPTS):
            self.attempts[order.effect.op_id] += 1
            try:
                return self._attempt(order)
            except PassingError as error:
                cause = Cause(code=error.code, message=error.message, final=False)
        return concluding.lost(order, cause)

    def _attempt(self, order: RunToolCall) -> ToolCallResult:
        tool = self.definition.tools[order.tool]
        try:
            carried = concluding.answer(tool, order.number, self._handled(order))
        except PenwrightError as error:
            mistaken = concluding.mistaken(tool, order.number, error)
            if mistaken is None:
                raise
            carried = mistaken
        if concluding.is_long(carried):
            carried = concluding.excerpted(carried, self._keep(carried.text))
        return carried.model_copy(update={"text_at": self._keep(carried.text)})

    def _handled(self, order: RunToolCall) -> ToolResult:
        changed = tuple(path for path, digest in order.facts.items() if self.files.get(path, "") != digest)
        if changed:
            return Stale(message="A file is not what you believe it is.", paths=changed)
        tool = self.definition.tools[order.tool]
        state = load_state(order.state, self.definition.registry)
        params = tool.params.model_validate(order.arguments)
        context = Context(order.effect.op_id, state, {World: self})
        return at_once(tool.handler(params, context))  # type: ignore[arg-type]  # a worker's handler

    def _keep(self, text: str) -> BlobRef:
        content = text.encode()
        ref = BlobRef(sha256=sha256(content).hexdigest(), size=len(content))
        self.kept[ref.sha256] = content
        return ref

    def _append(self, new: Sequence[NewMessage]) -> Any:  # Any: a head, unless nothing was ever said
        for one in new:
            front = self.kept[one.text.sha256].decode() if one.text else ""
            whole = one.message.model_copy(update={"content": front + one.message.content})
            self.chain.append(whole)
        return extended(None, self.chain)

    def _note(self, entries: Sequence[TranscriptEntry]) -> None:
        """As a store would: each once, by source and sequence."""
        known = {(entry.source, entry.sequence) for entry in self.entries}
        self.entries += [entry for entry in entries if (entry.source, entry.sequence) not in known]

    def _wire(self, value: Wire) -> Wire:
        """The value after a JSON round trip; it must be unchanged."""
        text = value.model_dump_json()
        self.largest = max(self.largest, len(text.encode()))
        return _wired(value)


def _wired(value: Wire) -> Wire:
    crossed = type(value).model_validate_json(value.model_dump_json())
    assert crossed == value, "nothing may be lost at a boundary"
    return crossed


def at_once(work: Coroutine[Any, Any, Result]) -> Result:
    """The result of a handler that awaits nothing."""
    try:
        work.send(None)
    except StopIteration as done:
        result: Result = done.value
        return result
    raise AssertionError("a handler of these tests awaits nothing")


def outcomes(run: Run) -> list[tuple[str, str]]:
    """Kind and code of every call, in order."""
    return [(one.kind, one.code) for one in run.state.outcomes]


def stage_of(run: Run) -> str:
    return reporting.stage(run)
