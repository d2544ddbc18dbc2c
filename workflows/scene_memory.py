"""A scene's memories and summary, durable, made beside its rounds: no round waits for them."""

from typing import assert_never

from temporalio import workflow
from temporalio.exceptions import ActivityError, is_cancelled_exception
from temporalio.workflow import execute_activity_method as ask

from activities.director_round import DirectorRoundActivities
from activities.scene_memory import SceneMemoryRunActivities
from activities.scenes.briefing import SceneBriefing
from penwright.agents.loop.reporting import failure_cause, has_delivered
from penwright.agents.loop.run import Run
from penwright.domain import control
from penwright.domain.scene import round_calls
from penwright.domain.scene.memory import run as rules
from penwright.roles.scene import role_call
from schemas.base import Cause, Progress
from schemas.director_round import KeepSummary, RememberRound, SceneBrief, SummariseScene
from schemas.memory import Remembered
from schemas.scene_memory import (
    EndSceneMemory,
    LookAtScene,
    SceneMemoryInput,
    SceneMemoryResult,
    SceneMemoryState,
    SummaryTold,
)
from workflows.agents.employing import EmploysAgent
from workflows.failures import cause_of, concluded
from workflows.options import RECORD, REMEMBER, at, briefs_queue
from workflows.steering import should_continue_as_new


@workflow.defn
class SceneMemory(EmploysAgent[SceneMemoryInput, SceneMemoryState]):
    """Runs as ``scene-memory/<scene-id>`` until nothing of the scene lacks its memories or summary."""

    @workflow.init
    def __init__(self, given: SceneMemoryInput) -> None:
        prefix = f"{rules.run_name(given.scene, given.session)}:"
        super().__init__(given, given.state or SceneMemoryState(), op_prefix=prefix)
        self._briefs = briefs_queue(given.model_queue) if given.model_queue else ""

    @workflow.run
    async def run(self, given: SceneMemoryInput) -> SceneMemoryResult:
        self._show()
        while step := await self._next(rules.next_step):
            self._state = await self._attempt(step, self._take, rules.failed)
            self._show()
            if should_continue_as_new():
                workflow.continue_as_new(given.model_copy(update={"state": self._state}))
        if further := rules.again(given, self._state):
            workflow.continue_as_new(further)
        return concluded(rules.result(self._state))

    async def _take(self, step: rules.Step) -> SceneMemoryState:
        match step:
            case LookAtScene():
                self._state = rules.begun(self._state)
                found = await ask(SceneMemoryRunActivities.look_at_scene, step, **RECORD)
                return rules.looked(self._state, found)
            case RememberRound():
                remembered = await workflow.execute_activity(
                    "remember", step, result_type=Remembered, **at(self._briefs, REMEMBER)
                )
                return rules.remembered(self._state, step, remembered)
            case SummariseScene():
                return await self._summarise(step)
            case EndSceneMemory():
                await ask(SceneMemoryRunActivities.end_scene_memory, step, **RECORD)
                return rules.ended(self._state)
            case _:
                assert_never(step)

    async def _summarise(self, step: SummariseScene) -> SceneMemoryState:
        """Have a portion summed up, and tell how it went: whoever heard of its start hears of its end."""
        brief = await ask(SceneBriefing.brief_role, step, **at(self._briefs, RECORD))
        try:
            self._state, cause = await self._summed_up(step, brief)
        except ActivityError as error:
            if is_cancelled_exception(error):
                raise
            cause = cause_of(error)
            self._state = rules.unsummarised(self._state, cause)
        told = SummaryTold(
            effect=step.effect,
            scene=step.scene,
            session=self._given.session,
            round=step.round,
            cause=cause,
        )
        await ask(SceneMemoryRunActivities.tell_summary, told, **RECORD)
        return self._state

    async def _summed_up(
        self, step: SummariseScene, brief: SceneBrief
    ) -> tuple[SceneMemoryState, Cause | None]:
        if (cause := round_calls.too_small(brief)) is not None:
            return rules.unsummarised(self._state, cause), cause
        if control.must_end(self._state):
            return control.after_step(self._state), None
        run = await self._employ(
            role_call.engaged(rules.call_of(self._given, self._state, brief)), {}, lambda run: True
        )
        spent = role_call.spent_on(brief, run)
        if not has_delivered(run):
            cause = self._why_nothing(run)
            return rules.unsummarised(self._state, cause, **spent), cause
        keeping = KeepSummary(
            effect=step.effect,
            scene=step.scene,
            summary=role_call.summary_of(run),
            envelope=brief.envelope.envelope,
        )
        to = await ask(DirectorRoundActivities.keep_summary, keeping, **RECORD)
        return rules.summarised(self._state, to, **spent), None

    def _why_nothing(self, run: Run) -> Cause:
        """Cause for which there is no summary; where nobody stopped it, a spent budget did."""
        stop = run.state.control.stop
        if stop is None or control.must_end(self._state):
            return failure_cause(run)
        return Cause(code="budget-spent", message=stop.reason)

    @workflow.signal
    def wanted(self) -> None:
        """Something was played in the scene, or came into it."""
        self._state = rules.wanted(self._state)

    def _progress(self) -> Progress:
        return rules.progress(self._given, self._state)
