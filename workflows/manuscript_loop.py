"""The manuscript loop, durable: a second start under ``manuscript/<novel>/<scene>`` is the same run."""

from typing import assert_never

from temporalio import workflow
from temporalio.workflow import execute_activity_method as ask

from activities.manuscript import ManuscriptActivities
from activities.manuscripts.evidence import EvidenceActivities, LibraryActivities
from activities.manuscripts.text import ManuscriptTextActivities
from penwright.agents.loop.reporting import has_delivered
from penwright.domain import approvals
from penwright.domain.manuscript import drafting, transitions
from penwright.domain.manuscript import loop as rules
from penwright.domain.manuscript import loop_status as status
from penwright.errors import Refused
from penwright.roles.manuscript import loop_answer, role_call
from schemas import manuscript as loop
from schemas.base import Progress
from schemas.manuscript import ManuscriptInput, ManuscriptResult, ManuscriptState
from schemas.manuscript_text import PushNovel
from workflows.agents.employing import EmploysAgent
from workflows.approving import Approvable
from workflows.failures import concluded
from workflows.holding import HoldsDocument
from workflows.options import LOOK_UP, PROSE_WRITE, RECORD, REMOTE, REPO_WRITE, at, scholarly_queue
from workflows.steering import should_continue_as_new


@workflow.defn
class ManuscriptLoop(
    Approvable[ManuscriptInput, ManuscriptState],
    EmploysAgent[ManuscriptInput, ManuscriptState],
    HoldsDocument,
):
    """Has a manuscript planned, written, criticised and revised; however it ends, the document is let go."""

    @workflow.init
    def __init__(self, given: ManuscriptInput) -> None:
        state = given.state or ManuscriptState()
        super().__init__(given, state, op_prefix=f"{given.run_name}:")

    @workflow.run
    async def run(self, given: ManuscriptInput) -> ManuscriptResult:
        self._show()
        while step := await self._next(rules.next_step):
            self._state = await self._attempt(step, self._take, transitions.failed)
            self._show()
            if should_continue_as_new():
                await self._let_go()
                state = transitions.carried(self._state)
                workflow.continue_as_new(given.model_copy(update={"state": state}))
        await self._let_go()
        await workflow.wait_condition(workflow.all_handlers_finished)
        return concluded(status.result(given, self._state))

    async def _take(self, step: rules.Step) -> ManuscriptState:
        queue = self._given.repo_queue
        match step:
            case loop.HoldDocument():
                held = await self._hold(step.holder, waits=self._waits)
                return transitions.held(self._state, held)
            case loop.OpenManuscript():
                opened = await ask(ManuscriptActivities.open_manuscript, step, **at(queue, REPO_WRITE))
                return transitions.opened(self._given, self._state, opened, workflow.now())
            case loop.LookAtManuscript():
                seen = await ask(ManuscriptActivities.look_at_manuscript, step, **at(queue, REPO_WRITE))
                return transitions.looked(self._given, self._state, seen, workflow.now())
            case loop.GatherEvidence():
                found = await self._gathered(step)
                return transitions.gathered(self._given, self._state, step.section, found, workflow.now())
            case loop.AskRole():
                return await self._ask_role(step)
            case loop.ApplyDraft():
                applied = await ask(ManuscriptActivities.apply_draft, step, **at(queue, PROSE_WRITE))
                return drafting.draft_applied(self._given, self._state, step, applied, workflow.now())
            case loop.AnnounceDraft():
                telling = workflow.start_activity_method(
                    ManuscriptActivities.announce_draft, step, **at(queue, RECORD)
                )
                return await self._announced(telling, step.decision)
            case approvals.AwaitDecision():
                return await self._decision()
            case loop.KeepProgress():
                kept = await ask(ManuscriptActivities.keep_progress, step, **at(queue, RECORD))
                return transitions.kept(self._state, kept, step.upkeep)
            case PushNovel():
                pushed = await ask(ManuscriptTextActivities.push_novel, step, **at(queue, REMOTE))
                return transitions.pushed(self._given, self._state, pushed, workflow.now())
            case loop.EndManuscript():
                await ask(ManuscriptActivities.end_manuscript, step, **at(queue, RECORD))
                return transitions.ended(self._state, step.result)
            case _:
                assert_never(step)

    async def _gathered(self, step: loop.GatherEvidence) -> loop.EvidenceGathered:
        """Own sources are searched where they lie, registries asked where they are reached."""
        queue = self._given.repo_queue
        searched = await ask(LibraryActivities.search_library, step, **at(queue, REPO_WRITE))
        request = loop.AskRegistries(searched=searched)
        queue = scholarly_queue(workflow.info().task_queue)
        return await ask(EvidenceActivities.gather_evidence, request, **at(queue, LOOK_UP))

    async def _ask_role(self, step: loop.AskRole) -> ManuscriptState:
        """One role's run; its reply is applied by a later step, unless the loop has to end before."""
        briefed = await ask(ManuscriptActivities.brief_role, step, **at(self._given.repo_queue, REPO_WRITE))
        if not rules.goes_on(self._state):
            return transitions.not_asked(self._given, self._state, step, workflow.now())
        answered = await self._answered(step, briefed)
        again = loop_answer.second_opinion(self._given, answered)
        if again is not None and rules.goes_on(self._state):
            answered = loop_answer.with_second(answered, await self._answered(again, briefed))
        return transitions.answered(self._given, self._state, answered, workflow.now())

    async def _answered(self, step: loop.AskRole, briefed: loop.Briefed) -> loop.RoleAnswered:
        call = loop_answer.call_of(self._given, step, briefed)
        run = await self._employ(role_call.engaged(call), {}, has_delivered)
        return loop_answer.answer_of(step, briefed, run, workflow.now())

    def _waits(self) -> bool:
        """Whether a busy document is waited for: only by a run that had it before it continued as new."""
        return self._given.state is not None and rules.goes_on(self._state)

    @workflow.update
    async def stop(self, request: loop.StopRequest) -> Progress:
        """End after the call in hand; its reply is kept and not applied."""
        self._state = transitions.stopped(self._given, self._state, request, workflow.now())
        return self._progress()

    @workflow.update
    async def amend(self, request: loop.AmendRequest) -> loop.Amended:
        """Other instructions, from the next prompt on."""
        self._state = transitions.amended(self._given, self._state, request, workflow.now())
        return transitions.answer_to_amend(self._state, request)

    @amend.validator
    def _may_amend(self, request: loop.AmendRequest) -> None:
        if refusal := transitions.unamendable(self._given, self._state, request):
            raise Refused(*refusal)

    @workflow.query
    def state(self) -> ManuscriptState:
        return self._state

    def _progress(self) -> Progress:
        return status.progress(self._given, self._state)
