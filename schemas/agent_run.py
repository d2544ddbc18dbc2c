"""The run of an agent: its input, state and result, and the requests and results of its activities."""

from datetime import datetime
from typing import Literal

from pydantic import JsonValue

from schemas.agent import (
    AgentMessage,
    CallKind,
    CallOutcome,
    SerializedEvent,
    SerializedState,
    SkippedOverride,
    ToolCall,
)
from schemas.base import BlobRef, Cause, CommitSha, Effect, Value
from schemas.control import PipelineState
from schemas.model import CutText
from schemas.overrides import ResolvedOverrides

RunOutcome = Literal["completed", "unfinished", "failed", "cancelled", "budget", "deadline"]
"""``unfinished``: the agent stopped before its completion checker was content; ``budget`` and ``deadline``:
it was stopped, and what it said in its last turn is in the result."""

CallStatus = Literal["ok", "failed", "stale", "oversize", "exhausted", "cancelled"]
"""Outcome of a call on the worker; ``exhausted``: its infrastructure was unavailable."""

TurnKind = Literal["work", "last"]
"""``last``: the wind-down. No tool is offered, and the model is asked for what it has."""

BudgetLevel = Literal["free", "low", "spent"]
"""``low``: only the last turn may still start; ``spent``: nothing may."""


class RunLimits(Value):
    """Caps of a run; None is unlimited. The rule for all of them is in ``budgeting``."""

    model_calls: int | None = 60
    tool_calls: int | None = 400
    input_tokens: int | None = None
    output_tokens: int | None = None
    total_tokens: int | None = None
    cost_micros: int | None = None
    deadline: datetime | None = None
    """Timezone-aware; the last turn begins ``last_turn_s`` before it."""
    last_turn_s: int = 60
    last_turn_tokens: int = 1_024
    """Output of the wind-down turn; set aside from the caps."""
    turn_tokens: int = 8_192
    """Output of any other turn."""
    context_tokens: int | None = None
    """The most tokens of a prompt with its answer; the model's own window may be smaller."""
    calls_per_turn: int = 32
    parallel: int = 8
    """Reads that run in parallel."""
    completion_rounds: int = 5
    """Number of times the completion checker may send the agent back to work."""
    approval_s: int = 86_400
    depth: int = 3
    """Sub-agents below this run."""
    segment_steps: int | None = None
    """Steps after which the run continues as new; None: when Temporal suggests it, after some thousands.
    Small values keep histories readable."""


class RunQueues(Value):
    """Task queues of the processes that can do it; empty: the workflow's own."""

    models: str = ""
    tools: str = ""


class ChainHead(Value):
    """The newest message of a chain that is stored."""

    digest: str
    count: int
    """Messages up to here."""


class NewMessage(Value):
    """A message after the head. A worker's result is in the history already, so its text is a reference."""

    message: AgentMessage
    text: BlobRef | None = None
    """Precedes ``message.content``."""


class RunUsage(Value):
    """The usage of a run, its sub-agents included."""

    model_calls: int = 0
    tool_calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost_micros: int = 0
    unknown_prices: int = 0
    """Calls of unknown price; they count as 0."""


class Pins(Value):
    """Resolved once for the whole run."""

    definition: str = ""
    """Digest of the definition."""
    overrides: str = ""
    """Digest of the resolved set; empty when there is none."""
    overrides_at: BlobRef | None = None
    """The resolved set as JSON."""


class TranscriptEntry(Value):
    """One event of a run's transcript."""

    source: str
    """``main``, or the id of a sub-agent."""
    sequence: int
    """From 1, without gaps, within a source; continuing as new changes nothing about it."""
    type: str
    at: datetime
    """UTC."""
    detail: dict[str, JsonValue] = {}


# Requests.


class PrepareRun(Value):
    """Look up the definition, resolve overrides, and pin both."""

    effect: Effect
    agent: str
    run_id: str
    subject: str
    params: dict[str, JsonValue]
    override_tag: str
    flags: dict[str, str]
    model_role: str = ""
    """Whose profile names the override set if ``override_tag`` names none."""
    shared_tag: str = ""
    """See ``AgentRunInput.shared_tag``."""


class CallModel(Value):
    """Render the prompt, append the new messages to the chain, ask the model, append its answer."""

    effect: Effect
    agent: str
    run_id: str
    subject: str
    params: dict[str, JsonValue]
    flags: dict[str, str]
    pins: Pins
    model_role: str
    state: SerializedState
    """The slices that the rendering reads, and no others."""
    prompt_digest: str
    """Of the system text rendered by the workflow; a worker that renders another text has another build."""
    head: ChainHead | None
    new: tuple[NewMessage, ...]
    kind: TurnKind
    max_output_tokens: int
    context_tokens: int | None = None
    before: JsonValue = None
    """The output that was sent back as incomplete, where the definition parses answers on the worker."""
    stream_to: str = ""
    entries: tuple[TranscriptEntry, ...] = ()
    """To be stored beside it, each once by source and sequence."""


class RunToolCall(Value):
    """Run one tool call, exactly once by ``effect.op_id``."""

    effect: Effect
    agent: str
    run_id: str
    subject: str
    number: int
    call_id: str
    tool: str
    arguments: dict[str, JsonValue]
    """Checked against the tool's parameters."""
    facts: dict[str, str] = {}
    """Expected files, digest by path (empty: absent), when the call runs; else it is stale."""
    state: SerializedState
    """The slices that the tool reads."""
    queue: str = ""
    alone: bool = False
    """Whether it changes something; it is then never interrupted, only awaited."""


class StartChild(Value):
    """Run a sub-agent; its answer is the call's result."""

    effect: Effect
    number: int
    call_id: str
    tool: str
    given: "AgentRunInput"
    alone: bool = False
    """As of ``RunToolCall``."""


class CheckWork(Value):
    """Have the checkers that look at the world look at an answer."""

    effect: Effect
    agent: str
    run_id: str
    subject: str
    output: JsonValue
    state: SerializedState
    """The slices that they read."""
    queue: str = ""


class Batch(Value):
    """Requests that run in parallel; their results come in this order."""

    orders: tuple[RunToolCall | StartChild, ...]


class AnnounceCall(Value):
    """Notify people that a call waits for approval."""

    effect: Effect
    agent: str
    run_id: str
    subject: str
    request: "CallApproval"


class StoreMessages(Value):
    """Append messages to the chain and make sure that all of it is stored."""

    effect: Effect
    run_id: str
    subject: str
    head: ChainHead | None
    new: tuple[NewMessage, ...]
    entries: tuple[TranscriptEntry, ...] = ()


class EndRun(Value):
    """Record how the run ended."""

    effect: Effect
    result: "AgentRunResult"
    head: ChainHead | None
    new: tuple[NewMessage, ...]
    entries: tuple[TranscriptEntry, ...] = ()


# Results.


class Prepared(Value):
    pins: Pins
    overrides: ResolvedOverrides = ResolvedOverrides()
    """The resolved set itself, because the workflow renders sections too."""
    override_tag: str = ""
    """Its tag, by the run's input or the settings; empty: none."""


class ModelAnswered(Value):
    """The model's reply, stored in the chain."""

    head: ChainHead | None
    """With the answer in the chain; without one where there was a ``mistake``."""
    prompt_at: BlobRef | None = None
    """The system text as it was sent; the other messages are those of ``head``, the answer left out."""
    mistake: Cause | None = None
    """Reason why the turn is unusable, as advice to the model; only the usage is set besides."""
    text: str = ""
    text_at: BlobRef | None = None
    """The whole text, where it is too long for a history; ``text`` is its beginning then."""
    thought_at: BlobRef | None = None
    """``AgentMessage.thought`` of the answer, as JSON; None: it has none."""
    calls: tuple[ToolCall, ...] = ()
    """As shortened by ``turn_size``, in the chain too: arguments too long for a history are removed."""
    cut_calls: tuple[int, ...] = ()
    """Positions in ``calls``, from 0."""
    answer: JsonValue = None
    """The output, where the definition parses answers on the worker; None if there was none in the text."""
    unread: Cause | None = None
    """Reason why there was none."""
    finish_reason: Literal["stop", "length", "refusal", "tool", "other"] = "stop"
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    """Of the input: read from the vendor's cache."""
    thought_tokens: int = 0
    """Of the output: thought."""
    cost_micros: int | None = 0
    """Millionths of a US dollar, of all attempts; None when the price is unknown."""
    model: str = ""
    provider: str = ""
    instead_of: str = ""
    """The model that was unavailable or refused, so that this fallback answered."""
    demo: bool = False
    failed_attempts: int = 0
    """Attempts before this answer that told of no use; each may have used as much as it."""
    failed_use: RunUsage = RunUsage()
    """Usage of the other attempts before this answer, by their vendors or as the ledger counts it."""
    waited_s: float = 0.0
    """Time the call waited for its vendor's permit before it was made."""
    cut: tuple[CutText, ...] = ()
    """Texts for which the prompt had no room."""


class ToolCallResult(Value):
    """The result of one tool call."""

    number: int
    fate: CallStatus
    text: str = ""
    """Text that the model reads."""
    text_at: BlobRef | None = None
    """``text``, stored; absent where it could not be."""
    whole_at: BlobRef | None = None
    """The whole result, where ``text`` is an excerpt."""
    code: str = ""
    events: tuple[SerializedEvent, ...] = ()
    commit: str = ""
    spent: RunUsage = RunUsage()
    """Of a sub-agent."""


class CheckerVerdict(Value):
    """Finding of one checker."""

    checker: str
    complete: bool
    reason: str = ""


class Checked(Value):
    """The verdicts of all checkers that were asked."""

    verdicts: tuple[CheckerVerdict, ...]


class Stored(Value):
    head: ChainHead | None


# A person's decision on one call.


class CallApproval(Value):
    """A call that waits for approval."""

    id: str
    """The call's key."""
    number: int
    tool: str
    arguments: str
    """As JSON, shortened for reading."""
    digest: str
    """Of tool and whole arguments; a decision names it."""
    asked_at: datetime
    expires_at: datetime


class CallDecision(Value):
    approval: str
    digest: str
    decided: Literal["approved", "denied", "expired"]
    by: str
    """Person who decided, as the transport knows them."""
    reason: str = ""
    remember: bool = False
    """Whether further calls of this tool in this run need no approval."""


# Calls of an outside harness, which thinks in the place of a model.


class OutsideCall(Value):
    """A tool call, or the final answer."""

    id: str
    """Unique among the calls of the run."""
    tool: str
    arguments: str
    """JSON text as received; it may be invalid."""
    who: str
    """The program that calls, as the transport knows it."""


class OutsideAnswer(Value):
    """The one outcome of such a call."""

    number: int
    kind: CallKind
    code: str = ""
    """Reason why it did not succeed."""
    text: str
    """Text that the agent reads; after the text of ``text_at``."""
    text_at: BlobRef | None = None
    commit: str = ""
    """Commit of a workspace write."""
    tools: str = ""
    """Digest of the tools that can be called from now on."""
    ended: RunOutcome | None = None
    """Set if the run is over with it."""


# The run.


class OpenCall(Value):
    """A call of the present turn that has no outcome yet."""

    number: int
    key: str
    call: ToolCall
    cut: bool = False
    """Whether its arguments were too long to be carried."""


class EndReason(Value):
    """Reason why no further turn follows."""

    outcome: RunOutcome
    code: str = ""
    message: str = ""


class AgentRunState(PipelineState):
    """The state of a run. Passed on when it continues as new, then without stored ``entries``."""

    pins: Pins | None = None
    overrides: ResolvedOverrides = ResolvedOverrides()
    started_at: datetime | None = None
    slices: SerializedState = SerializedState()
    """Filled when the state is carried or asked for; a run at work holds its items as typed values."""
    head: ChainHead | None = None
    new: tuple[NewMessage, ...] = ()
    open_calls: tuple[OpenCall, ...] = ()
    batch: tuple[RunToolCall | StartChild, ...] = ()
    """Running."""
    approval: CallApproval | None = None
    announced: bool = False
    """Whether people were notified of ``approval``."""
    decision: CallDecision | None = None
    allowed_tools: tuple[str, ...] = ()
    """Tools whose calls a person allowed for the rest of the run."""
    outcomes: tuple[CallOutcome, ...] = ()
    """The newest; messages are left out of older ones."""
    spent: RunUsage = RunUsage()
    last_turn: RunUsage | None = None
    """Usage of the newest turn; None before the first."""
    calls: int = 0
    """Tool calls numbered so far."""
    turns: int = 0
    """Answers of the model so far, those of sub-agents left out."""
    models: tuple[str, ...] = ()
    """Names of the models that answered, each once, the first first."""
    instead_of: tuple[str, ...] = ()
    """Names of the models that were away or refused, so that a fallback answered, each once."""
    override_tag: str = ""
    """As prepared."""
    unshown: tuple[str, ...] = ()
    """Names of texts that a person is warned of, as a prompt had no room for all of them."""
    turn_calls: int = 0
    """Of the newest turn."""
    sequence: int = 0
    """Transcript entries so far."""
    entries: tuple[TranscriptEntry, ...] = ()
    """Not stored yet."""
    rounds: int = 0
    repairs: int = 0
    """Consecutive turns with an unusable answer."""
    complaints: tuple[str, ...] = ()
    """Fault of each unusable answer, its code first; for the evidence of the run."""
    winding: EndReason | None = None
    """Set when only the last turn is left: the end reason after it."""
    output: JsonValue = None
    output_at: BlobRef | None = None
    checking: bool = False
    """Whether checkers are to look at ``output``."""
    ending: EndReason | None = None


class AgentRunInput(Value):
    """One run of one agent."""

    agent: str
    """``namespace/key``."""
    run_id: str
    """Stable across continue-as-new; keys of calls begin with it."""
    subject: str
    """Subject that it works on: a book, a manuscript, a scene."""
    task: str = ""
    """The task, as the user's message."""
    task_at: BlobRef | None = None
    """The stored task; precedes ``task``."""
    params: dict[str, JsonValue] = {}
    """Fields of the sections' parameters, by name of their type."""
    override_tag: str = ""
    shared_tag: str = ""
    """Tag that was given to all agents of a pipeline: one that has no such set works as its profile says."""
    flags: dict[str, str] = {}
    model_role: str = "agent"
    limits: RunLimits = RunLimits()
    queues: RunQueues = RunQueues()
    stream_to: str = ""
    """Target of the pieces of its prose while they come, see ``ModelRequest.stream_to``."""
    source: str = "main"
    """Names the run in its transcript; a sub-agent's key otherwise."""
    depth: int = 0
    """Number of agents above it."""
    outside: bool = False
    """Whether an outside harness thinks: its calls come as updates, and no model is asked."""
    ends_broken: bool = False
    """Whether a broken definition ends it. Otherwise it waits until that is repaired, and goes on."""
    state: AgentRunState | None = None
    """Set when it continues as new."""


class AgentRunResult(Value):
    """Result of a run. Unfinished work never looks like success."""

    outcome: RunOutcome
    code: str = ""
    """End reason, unless it completed; stable kebab-case."""
    message: str = ""
    agent: str
    run_id: str
    subject: str
    output: JsonValue = None
    """Text, or the JSON of the definition's output type; of an unfinished run, what it last had."""
    output_at: BlobRef | None = None
    """The whole text, where it was too long to be carried."""
    commit: CommitSha | None = None
    """The newest one its calls published."""
    spent: RunUsage = RunUsage()
    models: tuple[str, ...] = ()
    """Names of the models that answered, each once; those of sub-agents left out."""
    instead_of: tuple[str, ...] = ()
    """Names of the models that were away or refused, so that a fallback answered, each once."""
    tool_calls: int = 0
    head: ChainHead | None = None
    state: SerializedState = SerializedState()
    skipped_overrides: tuple[SkippedOverride, ...] = ()


for _model in (AnnounceCall, EndRun, StartChild, Batch, AgentRunState):
    _model.model_rebuild()
