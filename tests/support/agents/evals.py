"""Samples, results and observations that are as small as can be."""

from typing import Literal

from pydantic import JsonValue

from penwright.agents.evals.evaluators import Observation
from schemas.agent import CallKind, CallOutcome
from schemas.agent_run import RunUsage
from schemas.evals import Sample, SampleResult

Outcome = Literal["passed", "failed", "crashed"]


def a_sample(
    id: str = "s1", *, input: JsonValue = "Describe the dawn.", expected: JsonValue = "grey"
) -> Sample:
    return Sample(id=id, input=input, expected=expected)


def a_result(
    sample: str = "s1", outcome: Outcome = "passed", *, content: str = "c", cost_micros: int | None = 5
) -> SampleResult:
    code = "model-down" if outcome == "crashed" else ""
    value = 1.0 if outcome == "passed" else 0.0
    return SampleResult(
        sample=sample,
        content=content,
        outcome=outcome,
        value=value,
        code=code,
        reason="" if outcome == "passed" else f"{outcome} for a reason",
        tokens=10,
        cost_micros=cost_micros,
    )


def results(*outcomes: Outcome) -> list[SampleResult]:
    return [a_result(f"s{number}", outcome) for number, outcome in enumerate(outcomes)]


def an_outcome(tool: str, kind: CallKind = "succeeded", *, number: int = 1) -> CallOutcome:
    return CallOutcome(number=number, key=f"run/call/{number}", call_id="c", tool=tool, kind=kind, message="")


def observed(output: JsonValue = "", *outcomes: CallOutcome, spent: RunUsage | None = None) -> Observation:
    return Observation(output, outcomes, spent=spent or RunUsage())
