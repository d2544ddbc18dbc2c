"""The director round, durable. Its workflow id, ``scene/<scene-id>``, is the scene's lock."""

from typing import Final, assert_never

from temporalio import workflow
from temporalio.workflow import execute_activity_method as ask

from activities.director_round import DirectorRoundActivities
from penwright.domain import control
from penwright.domain.scene import round as rules
from penwright.domain.scene import round_status as status
from penwright.domain.scene import steering, transitions, turn_transitions
from penwright.domain.scene.plan.holding import holds
from penwright.errors import Refused
from schemas import director_round as round
from schemas.base import Progress
from schemas.control import KillRequest
from schemas.director import PlanApproval, Steering
from schemas.director_round import DirectorRoundInput, DirectorRoundResult, DirectorRoundState
from schemas.memory import Remembered
from schemas.scene import CloseRound, KeepPass
from workflows.failures import concluded
from workflows.options import PROSE_WRITE, RECORD, REMEMBER, at
from workflows.playing import PlaysRoles
from workflows.steering import should_continue_as_new

PRESENT_FIRST: Final = "present-first"
"""Marks rounds in which a name means the present character before absent ones of the same name."""

TAKES_TURNS: Final = "takes-turns"
"""Marks rounds in which a pass may do without a model."""

NARRATOR_PLANNED: Final = "narrator-planned"
"""Marks rounds in which a plan may have the narrator act."""

MEMORY_APART: Final = "memory-apart"
"""Marks rounds whose memories and summary are made by ``SceneMemory``."""


@workflow.defn
class DirectorRound(PlaysRoles):
    """Plays one round: the director plans, the cast speaks, the director looks at what they said."""

    @workflow.init
    def __init__(self, given: DirectorRoundInput) -> None:
        state = given.state or DirectorRoundState(steering=given.steering)
        super().__init__(given, state, op_prefix=f"{status.run_name(given)}:")

    @workflow.run
    async def run(self, given: DirectorRoundInput) -> DirectorRoundResult:
        self._show()
        while step := await self._next(rules.next_step):
            self._state = await self._attempt(step, self._take, transitions.failed)
            self._show()
            if should_continue_as_new():
                workflow.continue_as_new(given.model_copy(update={"state": self._state}))
        await workflow.wait_condition(workflow.all_handlers_finished)
        return concluded(status.result(given, self._state))

    async def _take(self, step: rules.Step) -> DirectorRoundState:
        match step:
            case round.BeginRound():
                opened = await ask(DirectorRoundActivities.begin_round, step, **RECORD)
                return transitions.opened(
                    self._given,
                    self._state,
                    opened,
                    workflow.now(),
                    present_first=workflow.patched(PRESENT_FIRST),
                    takes_turns=workflow.patched(TAKES_TURNS),
                    narrator_planned=workflow.patched(NARRATOR_PLANNED),
                    memory_apart=workflow.patched(MEMORY_APART),
                )
            case round.Direct():
                return await self._direct(step)
            case round.TakeTurns():
                return transitions.turns_taken(self._state)
            case round.AwaitPlan():
                await self._until(lambda: not holds(rules.settings_of(self._state), self._state.passes))
                return control.after_step(self._state)
            case round.Act():
                return await self._act(step)
            case round.UpdateWorld():
                return await self._update_world(step)
            case KeepPass():
                await ask(DirectorRoundActivities.keep_pass, step, **PROSE_WRITE)
                return transitions.pass_kept(self._state, step)
            case round.KeepSpoken():
                kept = await ask(DirectorRoundActivities.keep_turn, step, **PROSE_WRITE)
                return turn_transitions.turn_kept(self._state, kept)
            case CloseRound():
                await ask(DirectorRoundActivities.close_round, step, **PROSE_WRITE)
                return transitions.closed(self._state)
            case round.RememberRound():
                queue = self._briefs_queue
                remembered = await workflow.execute_activity(
                    "remember", step, result_type=Remembered, **at(queue, REMEMBER)
                )
                return transitions.remembered(self._state, remembered)
            case round.SummariseScene():
                return await self._summarise(step)
            case round.EndRound():
                await ask(DirectorRoundActivities.end_round, step, **RECORD)
                return transitions.ended(self._state)
            case _:
                assert_never(step)

    @workflow.update
    async def halt(self, request: KillRequest) -> None:
        """End now, in the middle of a reply; what is spoken stays."""
        self._state = steering.halted(self._state, request)

    @workflow.update
    async def steer(self, asked: Steering) -> None:
        """Set who acts next, who must not act, and whom the user speaks as from the next round on."""
        self._state = steering.steered(self._state, asked)

    @steer.validator
    def _may_steer(self, asked: Steering) -> None:
        if refusal := steering.unsteerable(self._given, self._state, asked):
            raise Refused(*refusal)

    @workflow.update
    async def approve_plan(self, approval: PlanApproval) -> None:
        """Play the plan that is held, as it is or as a person wants it."""
        self._state = steering.approved(self._state, approval)

    @approve_plan.validator
    def _may_approve(self, approval: PlanApproval) -> None:
        if refusal := steering.unapprovable(self._state, approval):
            raise Refused(*refusal)

    @workflow.query
    def state(self) -> DirectorRoundState:
        return self._state

    def _progress(self) -> Progress:
        return status.progress(self._given, self._state)
