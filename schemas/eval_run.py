"""An eval runs an agent over a dataset: its input, state and result, and those of its activities."""

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
"""Evals run unattended: a call that needs approval is denied at once."""


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
    """The task."""
    params: dict[str, JsonValue] = {}
    """Parameters of the agent's sections."""


class Tally(Value):
    """Counts of results."""

    passed: int = 0
    failed: int = 0
    crashed: int = 0
    cost_micros: int = 0


class EvalPlan(Value):
    """All that determines an eval's results; stored, so that results can be found again."""

    eval_id: str
    dataset: BlobRef
    """JSON lines."""
    dataset_name: str
    judged_by: JsonValue
    """Description of the evaluator."""
    pinned: PinnedExperiment


# Requests.


class OpenEval(Value):
    """Check all that can be checked before money is spent, and pin it."""

    effect: Effect
    execution: str
    given: "EvalRunInput"


class PlanSamples(Value):
    """Find the next samples without a result, from a position of the dataset on."""

    plan: EvalPlan
    start: int
    most: int


class RunSamples(Value):
    """Run these samples, some at a time."""

    trials: tuple[PendingSample, ...]


class JudgeSample(Value):
    """Judge a sample's run and store the result."""

    plan: EvalPlan
    trial: PendingSample
    run_id: str
    ending: "SampleRunResult"


class EndEval(Value):
    """Record how the eval ended."""

    effect: Effect
    execution: str
    plan: EvalPlan
    outcome: EvalOutcome
    message: str = ""


# Results.


class OpenedEval(Value):
    plan: EvalPlan
    model: str
    """Name of the model that answers, by the settings."""
    total: int
    """Samples of the dataset."""


class PlannedSamples(Value):
    trials: tuple[PendingSample, ...]
    finished: Tally = Tally()
    """Of the skipped samples, which have a result."""
    next: int | None = None
    """Position to continue from; None at the end of the dataset."""


class SampleRunResult(Value):
    """The result of a sample's run."""

    crash: Cause | None = None
    """Cause for which there is no answer."""
    output: JsonValue = None
    output_at: BlobRef | None = None
    """The whole text, where it was too long to be carried."""
    spent: RunUsage = RunUsage()


# The eval.


class EvalRunState(PipelineState):
    """The state of an eval. Passed on when it continues as new."""

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
    """Subject that every sample works on; empty: nothing in particular."""
    judged_by: JsonValue = "contains"
    at_once: Annotated[int, Field(ge=1, le=64)] = 4
    per_segment: Annotated[int, Field(ge=1, le=200)] = 100
    """Samples after which the workflow continues as new."""
    sample_s: Annotated[int, Field(ge=1)] = 1_800
    """Time limit of a sample, in seconds."""
    limits: RunLimits = UNATTENDED
    """Of each sample's run."""
    queues: RunQueues = RunQueues()
    state: EvalRunState | None = None
    """Set when it continues as new."""


class EvalRunResult(Value):
    """Result of an eval."""

    outcome: EvalOutcome
    code: str = ""
    """End reason, unless it completed; stable kebab-case."""
    message: str = ""
    eval_id: str
    report: EvalReport | None = None
    """Shortened: few failures, with truncated reasons. The store has all."""


for _model in (OpenEval, JudgeSample):
    _model.model_rebuild()
