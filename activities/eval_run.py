"""Activities of an eval in the store: its plan, the results of its samples, its report."""

import asyncio
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pydantic import JsonValue
from temporalio import activity

from activities.agent_run import AgentRunActivities
from activities.agents.eval_archive import EvalArchive
from activities.agents.transcripts import run_of
from penwright.agents.definition.agent import AgentDefinition
from penwright.agents.definition.experiments import declared_flags, pin
from penwright.agents.digests import json_digest
from penwright.agents.evals import running
from penwright.agents.evals.evaluators import Observation
from penwright.agents.evals.judging import crashed, judged, read_evaluator
from penwright.agents.evals.planning import Planned
from penwright.agents.prompt.parameters import read
from penwright.domain.models.choice import NAMED, entry_for, spelled
from penwright.errors import PermanentError, UsageMistake
from penwright.roles import catalogue
from schemas.agent import CallOutcome
from schemas.agent_run import Prepared, PrepareRun
from schemas.eval_run import (
    EndEval,
    EvalPlan,
    EvalRunInput,
    JudgeSample,
    OpenedEval,
    OpenEval,
    PendingSample,
    PlannedSamples,
    PlanSamples,
)
from schemas.evals import EvalReport, Sample, SampleResult
from schemas.experiment import PinnedExperiment
from schemas.model_catalog import ModelCatalog
from schemas.records import Event, RunRow

PIPELINE = "eval-run"
LARGEST_PARAMS = 16_000
"""Bytes of one sample's parameters; its task may be as long as its line."""
_LARGEST_PAGE = 40_000
_MOST_TOLD = 20
_LONGEST_REASON = 200
_EVENTS = 500


@dataclass(frozen=True)
class EvalRunActivities:
    """The steps of an eval. A repeated attempt finds what an earlier one kept."""

    archive: EvalArchive
    agents: AgentRunActivities
    """Pins an agent as each of its runs does."""
    catalog: ModelCatalog

    @activity.defn
    async def open_eval(self, request: OpenEval) -> OpenedEval:
        """Check dataset, agent, model and evaluator, and pin them, before anything costs money."""
        given = request.given
        definition = catalogue.find(given.agent).definition
        prepared = await self.agents.prepare_run(_preparation(request, definition))
        return await asyncio.to_thread(self._opened, request, definition, prepared)

    def _opened(self, request: OpenEval, definition: AgentDefinition, prepared: Prepared) -> OpenedEval:
        given = request.given
        read_evaluator(given.judged_by)
        declared_flags(definition, given.experiment.flags)
        model = entry_for(self.catalog, _role(given))
        plan = EvalPlan(
            eval_id=given.eval_id,
            dataset=given.dataset,
            dataset_name=given.dataset_name,
            judged_by=given.judged_by,
            pinned=_pinned(given, definition, prepared, spelled(model)),
        )
        samples = self.archive.dataset(plan).samples
        _check(samples, definition, given.dataset_name)
        row = _row(request.execution, plan).model_copy(update={"started_at": request.effect.issued_at})
        self.archive.records.note(row, [_event(row, "eval-opened", request, {"samples": len(samples)})])
        return OpenedEval(plan=plan, model=model.name, total=len(samples))

    @activity.defn
    async def plan_trials(self, request: PlanSamples) -> PlannedSamples:
        """The next samples without a result; those that have one are counted and passed over."""
        return await asyncio.to_thread(self._planned, request)

    def _planned(self, request: PlanSamples) -> PlannedSamples:
        samples = self.archive.planned(request.plan)
        known = {each.sample: each for each in self.archive.finished(request.plan, samples[request.start :])}
        trials: list[PendingSample] = []
        passed_over: list[SampleResult] = []
        size = 0
        for position in range(request.start, len(samples)):
            each = samples[position]
            if each.sample.id in known:
                passed_over.append(known[each.sample.id])
                continue
            if len(trials) == request.most or size > _LARGEST_PAGE:
                return _page(trials, passed_over, position)
            trials.append(self._trial(position, each))
            size += len(trials[-1].model_dump_json())
        return _page(trials, passed_over, None)

    def _trial(self, position: int, each: Planned) -> PendingSample:
        task, params = running.asked(each.sample.input)
        return PendingSample(
            position=position,
            sample=each.sample.id,
            content=each.content,
            inputs=each.inputs,
            sample_at=self.archive.blobs.put(each.sample.model_dump_json().encode("utf-8", "surrogatepass")),
            task_at=self.archive.blobs.put(task.encode("utf-8", "surrogatepass")),
            params=params,
        )

    @activity.defn
    async def judge_trial(self, request: JudgeSample) -> SampleResult:
        """Judge a sample's run and store the result; the first result is kept."""
        return await asyncio.to_thread(self._judged, request)

    def _judged(self, request: JudgeSample) -> SampleResult:
        events = list(self._transcript(request.run_id))
        _check_pins(request.plan, events)
        result = self._result(request, events)
        kept = self.archive.results.put(running.name_of(request.plan.eval_id), request.trial.inputs, result)
        return _short(kept)

    def _result(self, request: JudgeSample, events: Sequence[Event]) -> SampleResult:
        trial, ending, blobs = request.trial, request.ending, self.archive.blobs
        sample = Sample.model_validate_json(blobs.get(trial.sample_at))
        if ending.crash is not None:
            cause = ending.crash
            return crashed(sample, trial.content, cause.code, cause.message, ending.spent)
        output = ending.output
        if ending.output_at is not None:
            output = blobs.get(ending.output_at).decode("utf-8", "surrogatepass")
        observed = Observation(output, outcomes=tuple(_outcomes(events)), spent=ending.spent)
        result = judged(sample, trial.content, read_evaluator(request.plan.judged_by), observed)
        text = output if isinstance(output, str) else json.dumps(output, ensure_ascii=False)
        return result.model_copy(update={"output": blobs.put(text.encode("utf-8", "surrogatepass"))})

    def _transcript(self, run_id: str) -> Iterator[Event]:
        cursor, page = 0, self.archive.records.events_after(0, run=run_of(run_id), limit=_EVENTS)
        while page:
            yield from page
            cursor = page[-1].cursor
            page = self.archive.records.events_after(cursor, run=run_of(run_id), limit=_EVENTS)

    @activity.defn
    async def end_eval(self, request: EndEval) -> EvalReport:
        """The last step: the report over all results, those of earlier starts included."""
        return await asyncio.to_thread(self._ended, request)

    def _ended(self, request: EndEval) -> EvalReport:
        report = self.archive.report(request.plan)
        row = _row(request.execution, request.plan).model_copy(
            update={
                "stage": "ended",
                "outcome": request.outcome,
                "cost_micros": report.cost_micros,
                "ended_at": request.effect.issued_at,
            }
        )
        detail: dict[str, JsonValue] = {"outcome": request.outcome, "message": request.message[:500]}
        self.archive.records.note(row, [_event(row, "eval-ended", request, detail)])
        return report.model_copy(
            update={
                "failures": tuple(map(_short, report.failures[:_MOST_TOLD])),
                "crashes": tuple(map(_short, report.crashes[:_MOST_TOLD])),
                "unfinished": report.unfinished[:_MOST_TOLD],
            }
        )


def _preparation(request: OpenEval, definition: AgentDefinition) -> PrepareRun:
    given = request.given
    return PrepareRun(
        effect=request.effect,
        agent=definition.name,
        run_id=running.name_of(given.eval_id),
        subject=given.subject,
        params={},
        override_tag=given.experiment.tag,
        flags=given.experiment.flags,
    )


def _pinned(
    given: EvalRunInput, definition: AgentDefinition, prepared: Prepared, model: str
) -> PinnedExperiment:
    named = given.experiment.model_copy(update={"model": model})
    pinned = pin(named, definition, prepared.pins.definition, prepared.overrides)
    if not given.subject:
        return pinned
    return pinned.model_copy(update={"digest": json_digest([pinned.digest, given.subject])})


def _role(given: EvalRunInput) -> str:
    return f"{NAMED}{given.experiment.model}" if given.experiment.model else given.model_role


def _check(samples: Sequence[Sample], definition: AgentDefinition, name: str) -> None:
    """Let samples pass that the agent can be asked."""
    wrong = [f"{sample.id!r}: {why}" for sample in samples if (why := _unaskable(sample, definition))]
    if wrong:
        more = f" (and {len(wrong) - _MOST_TOLD} more)" if len(wrong) > _MOST_TOLD else ""
        raise UsageMistake(
            "bad-sample",
            f"The dataset {name!r} has samples that {definition.name!r} cannot be asked: "
            f"{'; '.join(wrong[:_MOST_TOLD])}{more}. Correct them.",
        )


def _unaskable(sample: Sample, definition: AgentDefinition) -> str:
    """Say why it cannot be asked; empty if it can."""
    try:
        _, params = running.asked(sample.input)
        parameters = read(definition, params)
        for place in definition.places:
            parameters.of(place)
    except UsageMistake as mistake:
        return mistake.message
    size = len(json.dumps(params).encode())
    return f"its params are {size} bytes of {LARGEST_PARAMS}" if size > LARGEST_PARAMS else ""


def _page(
    trials: Sequence[PendingSample], passed_over: Sequence[SampleResult], next_: int | None
) -> PlannedSamples:
    return PlannedSamples(trials=tuple(trials), finished=running.tally_of(passed_over), next=next_)


def _check_pins(plan: EvalPlan, events: Sequence[Event]) -> None:
    """Reject a run whose definition or overrides differ from the eval's pins."""
    for event in events:
        if event.kind != "run-prepared":
            continue
        found = (event.data.get("definition"), event.data.get("overrides"))
        if found != (plan.pinned.definition, plan.pinned.overrides):
            raise PermanentError(
                "experiment-changed",
                f"the agent {plan.pinned.agent!r} or its overrides changed while the eval "
                f"{plan.eval_id!r} ran; start it again: it is run as it is now",
            )


def _outcomes(events: Sequence[Event]) -> Iterator[CallOutcome]:
    """The run's own calls; those of a sub-agent are in its transcript."""
    for event in events:
        if event.kind == "call-ended":
            yield CallOutcome.model_validate({"call_id": "", "message": "", **event.data})


def _short(result: SampleResult) -> SampleResult:
    """A result as a history holds it."""
    return result.model_copy(update={"reason": result.reason[:_LONGEST_REASON]})


def _row(execution: str, plan: EvalPlan) -> RunRow:
    name = running.name_of(plan.eval_id)
    return RunRow(
        run=f"{name}#{execution}",
        pipeline=PIPELINE,
        subject=name,
        stage="run",
        detail={"plan": plan.model_dump(mode="json")},
    )


def _event(row: RunRow, kind: str, request: OpenEval | EndEval, data: dict[str, JsonValue]) -> Event:
    return Event(
        run=row.run,
        subject=row.subject,
        kind=kind,
        at=request.effect.issued_at,
        op_id=request.effect.op_id,
        data=data,
    )
