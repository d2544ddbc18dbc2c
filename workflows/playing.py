"""The calls of a scene's roles: brief, ask the model, take what came of it; a halt cuts each off."""

from abc import ABC

from temporalio.exceptions import ActivityError, is_cancelled_exception
from temporalio.workflow import execute_activity_method as ask

from activities.director_round import DirectorRoundActivities
from activities.scenes.briefing import SceneBriefing
from penwright.agents.loop.reporting import failure_cause, has_delivered
from penwright.agents.loop.run import Run
from penwright.domain import control
from penwright.domain.scene import round_calls, transitions, turn_transitions
from penwright.roles.scene import role_call
from schemas.director import WorldUpdate
from schemas.director_round import (
    Act,
    Acted,
    BriefRole,
    Direct,
    Directed,
    DirectorRoundInput,
    DirectorRoundState,
    KeepSummary,
    SceneBrief,
    SummariseScene,
    UpdateWorld,
)
from workflows.agents.employing import EmploysAgent
from workflows.failures import cause_of
from workflows.options import RECORD, at, briefs_queue
from workflows.steering import CANCELLED


class PlaysRoles(EmploysAgent[DirectorRoundInput, DirectorRoundState], ABC):
    """A round that has a director, a cast and the others do their part. What fails is that part's outcome."""

    async def _direct(self, step: Direct) -> DirectorRoundState:
        try:
            brief, run = await self._asked(step, f"director-{step.pass_number}")
        except ActivityError as error:
            outcome = Directed(cause=cause_of(error))
        else:
            cause = round_calls.too_small(brief)
            outcome = Directed(
                envelope=brief.envelope, timers=brief.timers, cause=cause, **role_call.spent_on(brief, run)
            )
            if run is not None:
                has = has_delivered(run)
                outcome = outcome.model_copy(
                    update={
                        "plan": role_call.director_plan(run) if has else None,
                        "author": role_call.author_of(run) if has else None,
                        "cause": None if has else failure_cause(run),
                        "raw": role_call.raw_of(run),
                        "failures": role_call.failures_of(run),
                    }
                )
        return transitions.directed(self._given, self._state, step, outcome)

    async def _act(self, step: Act) -> DirectorRoundState:
        try:
            brief, run = await self._asked(step, step.who or "narrator", streams=True)
        except ActivityError as error:
            return turn_transitions.acted(self._state, step, Acted(cause=cause_of(error)))
        cause = round_calls.too_small(brief)
        spent = role_call.spent_on(brief, run)
        outcome = Acted(envelope=brief.envelope, timers=brief.timers, cause=cause, **spent)
        if run is not None and has_delivered(run):
            text, reply = role_call.reply_of(run)
            said = {"text": text, "reply": reply, "note": role_call.note_of(run)}
            outcome = outcome.model_copy(update={**said, "author": role_call.author_of(run)})
        elif run is not None:
            why = {"cause": failure_cause(run), "stopped": role_call.was_stopped(run)}
            outcome = outcome.model_copy(update=why)
        return turn_transitions.acted(self._state, step, outcome)

    async def _update_world(self, step: UpdateWorld) -> DirectorRoundState:
        brief, run = await self._asked(step, "world-agent")
        spent = role_call.spent_on(brief, run)
        if run is None or not has_delivered(run):
            return transitions.world_updated(self._state, WorldUpdate(unchanged=True), None, **spent)
        update, author = role_call.world_update(run), role_call.author_of(run)
        return transitions.world_updated(self._state, update, author, **spent)

    async def _summarise(self, step: SummariseScene) -> DirectorRoundState:
        brief, run = await self._asked(step, "summariser")
        spent = role_call.spent_on(brief, run)
        if run is None or not has_delivered(run):
            return transitions.summarised(self._state, None, **spent)
        keeping = KeepSummary(
            effect=step.effect,
            scene=step.scene,
            summary=role_call.summary_of(run),
            envelope=brief.envelope.envelope,
        )
        await ask(DirectorRoundActivities.keep_summary, keeping, **RECORD)
        return transitions.summarised(self._state, role_call.author_of(run), **spent)

    async def _asked(
        self, step: BriefRole, name: str, *, streams: bool = False
    ) -> tuple[SceneBrief, Run | None]:
        """One call of a role; no run where its prompt does not fit, or where the round has to end before."""
        brief = await self._briefed(step)
        self._state = transitions.unshown(self._state, brief.envelope.unshown)
        if brief.envelope.code or control.must_end(self._state):
            return brief, None
        call = round_calls.call_of(self._given, self._state, step, brief, name, streams=streams)
        return brief, await self._employ(role_call.engaged(call), {}, has_delivered)

    @property
    def _briefs_queue(self) -> str:
        models = self._given.model_queue
        return briefs_queue(models) if models else ""

    async def _briefed(self, step: BriefRole) -> SceneBrief:
        try:
            return await ask(SceneBriefing.brief_role, step, **at(self._briefs_queue, RECORD))
        except ActivityError as error:
            if is_cancelled_exception(error):
                self._state = control.stopped(self._state, CANCELLED)
            raise
