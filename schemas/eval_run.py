"""An agent run over a dataset: what starts it, what it asks of the world, and how it ends."""

from typing import Annotated, Literal

from pydantic import Field, JsonValue

from schemas.agent_run import RunLimits, RunQueues, RunUsage
from schemas.base import BlobRef, Cause, Effect, Value
from schemas.control import PipelineState
from schemas.evals import EvalReport, SampleId
from schemas.experiment import Experiment, PinnedExperiment

EvalOutcome = Literal["completed", "stopped", "failed"]
"""``completed`` says that every sample has a result, not that any of them is good."""

UNATTENDED = RunLimits(approval_s=0)
"""Nobody sits beside an eval: a call that wants a person's yes is denied at once."""


class PendingSample(Value):
    """A sample that has no result yet."""

    position: int
    """In the dataset, from 0."""
    sample: SampleId
    content: str
    inputs: str
    """Digests, see ``penwright.agents.evals.planning``."""
    sample_at: BlobRef
    """The sample as JSON."""
    task_at: BlobRef
    """What the agent is asked."""
    params: dict[str, JsonValue] = {}
    """What fills the agent's sections."""


class Tally(Value):
    """Results counted."""

    passed: int = 0
    failed: int = 0
    crashed: int = 0
    cost_micros: int = 0


class EvalPlan(Value):
    """Everything that decides what an eval's results are; the store keeps it, so that others find them."""

    eval_id: str
    dataset: BlobRef
    """JSON lines."""
    dataset_name: str
    judged_by: JsonValue
    """Description of the evaluator."""
    pinned: PinnedExperiment


# Orders.


class OpenEval(Value):
    """Check everything that can be checked before money is spent, and pin it."""

    effect: Effect
    execution: str
    given: "EvalRunInput"


class PlanSamples(Value):
    """Find the next samples without a result, from a position of the dataset on."""

    plan: EvalPlan
    start: int
    most: int


class RunSamples(Value):
    """Run these, some at a time."""

    trials: tuple[PendingSample, ...]


class JudgeSample(Value):
    """Judge what a sample's run came to, and keep the result."""

    plan: EvalPlan
    trial: PendingSample
    run_id: str
    ending: "SampleRunResult"


class EndEval(Value):
    """Write down how the eval ended."""

    effect: Effect
    execution: str
    plan: EvalPlan
    outcome: EvalOutcome
    message: str = ""


# Outcomes.


class OpenedEval(Value):
    plan: EvalPlan
    model: str
    """Name of the model that answers, by the settings."""
    total: int
    """Samples of the dataset."""


class PlannedSamples(Value):
    trials: tuple[PendingSample, ...]
    finished: Tally = Tally()
    """Of the samples that were passed over, for they have a result."""
    next: int | None = None
    """Where to look on; None at the end of the dataset."""


class SampleRunResult(Value):
    """What a sample's run came to."""

    crash: Cause | None = None
    """Why there is no answer."""
    output: JsonValue = None
    output_at: BlobRef | None = None
    """The whole text, where it was too long to be carried."""
    spent: RunUsage = RunUsage()


# The eval.


class EvalRunState(PipelineState):
    """Where an eval stands. Carried when it continues as new."""

    execution: str = ""
    """Names this start of the eval; the same across continue-as-new."""
    plan: EvalPlan | None = None
    model: str = ""
    total: int = 0
    trials: tuple[PendingSample, ...] = ()
    """Planned, and without a result."""
    next: int | None = 0
    tally: Tally = Tally()
    report: EvalReport | None = None


class EvalRunInput(Value):
    """One agent, one dataset, one experiment."""

    eval_id: str
    dataset: BlobRef
    dataset_name: str
    agent: str
    """``namespace/key``."""
    experiment: Experiment
    """Its model: a name of the settings."""
    model_role: str = "agent"
    """Whose model answers when the experiment names none."""
    subject: str = ""
    """What every sample works on; empty: nothing in particular."""
    judged_by: JsonValue = "contains"
    at_once: Annotated[int, Field(ge=1, le=64)] = 4
    per_segment: Annotated[int, Field(ge=1, le=200)] = 100
    """Samples after which the workflow continues as new."""
    sample_s: Annotated[int, Field(ge=1)] = 1_800
    """The longest that a sample may take."""
    limits: RunLimits = UNATTENDED
    """Of each sample's run."""
    queues: RunQueues = RunQueues()
    state: EvalRunState | None = None
    """Carried by a run that continues as new."""


class EvalRunResult(Value):
    """How an eval ended."""

    outcome: EvalOutcome
    code: str = ""
    """Why, unless it completed; stable kebab-case."""
    message: str = ""
    eval_id: str
    report: EvalReport | None = None
    """In short: few failures, their reasons cut. The store has all of it."""


for _model in (OpenEval, JudgeSample):
    _model.model_rebuild()
