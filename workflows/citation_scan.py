"""The citation scan, durable. Its workflow id, ``citations/<novel>/<scene>``, is the scan's lock."""

from typing import assert_never

from temporalio import workflow
from temporalio.workflow import execute_activity_method as ask

from activities.citation_scan import CitationActivities
from activities.citations.approvals import CitationApprovalActivities
from activities.citations.bibliographies import BibliographyActivities
from activities.citations.briefing import CitationBriefing
from activities.citations.endings import CitationEndingActivities
from activities.manuscripts.text import ManuscriptTextActivities
from penwright.agents.loop.reporting import failure_cause, has_delivered
from penwright.domain import approvals
from penwright.domain.citations import proposals, transitions
from penwright.domain.citations import scan as rules
from penwright.domain.citations.scanning import approving, budget, requests, research, status
from penwright.errors import Refused
from penwright.roles.manuscript import role_call
from schemas import citation_scan as scan
from schemas.base import Progress
from schemas.citation_scan import CitationScanInput, CitationScanResult, CitationScanState, ScanReview
from schemas.citations import CitationCounts, CitationDecision, CitationSearch
from schemas.intents import ApprovalRequest
from schemas.manuscript_roles import Targeted
from workflows.approving import Approvable
from workflows.citing import CitesTargets
from workflows.failures import concluded
from workflows.holding import HoldsDocument
from workflows.options import PROSE_WRITE, RECORD, REMOTE, REPO_WRITE, at
from workflows.steering import should_continue_as_new


@workflow.defn
class CitationScan(Approvable[CitationScanInput, CitationScanState], CitesTargets, HoldsDocument):
    """Finds sentences that need citations, proposes works for them, and applies what was accepted."""

    @workflow.init
    def __init__(self, given: CitationScanInput) -> None:
        state = given.state or CitationScanState()
        super().__init__(given, state, op_prefix=f"{status.run_name(given)}:")

    @workflow.run
    async def run(self, given: CitationScanInput) -> CitationScanResult:
        self._show()
        while step := await self._next(rules.next_step):
            self._state = await self._attempt(step, self._take, transitions.failed)
            self._show()
            if should_continue_as_new():
                await self._let_go()
                state = transitions.let_go(self._state)
                workflow.continue_as_new(given.model_copy(update={"state": state}))
        await self._let_go()
        await workflow.wait_condition(workflow.all_handlers_finished)
        return concluded(status.result(given, self._state))

    async def _take(self, step: rules.Step) -> CitationScanState:
        match step:
            case scan.HoldDocument():
                held = await self._hold(step.holder, waits=lambda: rules.may_wait(self._given, self._state))
                return transitions.held(self._state, held)
            case scan.OpenScan():
                return await self._open(step)
            case scan.NameTargets():
                return await self._name(step)
            case scan.SetTargets():
                targets = await ask(CitationActivities.set_targets, step, **RECORD)
                return transitions.targets_set(self._given, self._state, targets, workflow.now())
            case scan.CiteTargets():
                return await self._cite(step)
            case scan.KeepScan():
                await ask(CitationActivities.keep_scan, step, **RECORD)
                return transitions.kept(self._state, step)
            case scan.ApplyChanges():
                return await self._apply(step)
            case scan.AnnounceChanges():
                telling = workflow.start_activity_method(
                    CitationApprovalActivities.announce_changes, step, **RECORD
                )
                told = await self._announced(telling, step.decision)
                return told if step.decision is None else approving.decided(told)
            case approvals.AwaitDecision():
                return await self._decision()
            case scan.AwaitDecisions():
                return await self._decisions()
            case scan.PushScan():
                pushing, queue = requests.pushing(step), self._given.repo_queue
                pushed = await ask(ManuscriptTextActivities.push_novel, pushing, **at(queue, REMOTE))
                return transitions.pushed(self._state, pushed)
            case scan.EndScan():
                self._state = transitions.ending(self._state)
                await ask(CitationEndingActivities.end_scan, step, **RECORD)
                return transitions.ended(self._state)
            case _:
                assert_never(step)

    async def _open(self, step: scan.OpenScan) -> CitationScanState:
        queue, left, surveyed = self._given.repo_queue, None, None
        reading, selecting = requests.reading(step), requests.selecting(step)
        looking = requests.looking_for_references(step)
        read = await ask(ManuscriptTextActivities.read_text, reading, **at(queue, REPO_WRITE))
        selected = await ask(ManuscriptTextActivities.select_scene_intent, selecting, **at(queue, REPO_WRITE))
        shelf = await ask(BibliographyActivities.read_bibliography, looking, **at(queue, REPO_WRITE))
        if step.again:
            taking = requests.taking_up(step, read.text)
            left = await ask(CitationActivities.take_up_scan, taking, **RECORD)
        elif read.text is not None:
            surveying = requests.surveying(step, read.text)
            surveyed = await ask(CitationActivities.survey_text, surveying, **RECORD)
        opened = requests.opened(read, selected, shelf, surveyed)
        return transitions.opened(self._given, self._state, opened, left, workflow.now())

    async def _name(self, step: scan.NameTargets) -> CitationScanState:
        brief = await ask(CitationBriefing.brief_orchestrator, step, **RECORD)
        call = research.call(self._given, brief, f"name-{step.turn}", step.micros_left)
        run = role_call.engaged(call)
        run = await self._employ(run, {}, has_delivered)
        spent = run.state.spent
        cost = {"cost_micros": spent.cost_micros, "unknown_prices": spent.unknown_prices}
        if not has_delivered(run):
            cause = failure_cause(run)
            short = budget.is_short(cause, step.micros_left)
            return transitions.named(self._state, step, scan.TargetsNamed(cause=cause, capped=short, **cost))
        chosen = role_call.delivered(run, Targeted).citation_targets
        return transitions.named(self._state, step, scan.TargetsNamed(chosen=chosen, **cost))

    async def _apply(self, step: scan.ApplyChanges) -> CitationScanState:
        queue = self._given.repo_queue
        read = await ask(ManuscriptTextActivities.read_text, requests.reading(step), **at(queue, REPO_WRITE))
        if read.text is None:
            return transitions.applied(self._state, step, requests.unreadable(step, read))
        planned = await ask(CitationActivities.plan_edits, requests.planning(step, read.text), **RECORD)
        if planned.operations is None:
            return transitions.applied(self._state, step, requests.unchanged(planned, read))
        applying = requests.applying(step, read.text, planned.operations)
        done = await ask(ManuscriptTextActivities.apply_operations, applying, **at(queue, PROSE_WRITE))
        if done.denial is not None and (need := done.denial.asks) is not None:
            return approving.asked(self._state, step, need, planned.operations, workflow.now())
        return transitions.applied(self._state, step, requests.changed(planned, done))

    async def _decisions(self) -> CitationScanState:
        """Others may have the document meanwhile; what was accepted is applied at once."""
        before = self._wanted()  # a decision may come while the document is let go
        await self._let_go()
        self._state = transitions.let_go(self._state)
        await self._until(lambda: self._wanted() != before)
        return transitions.awaited(self._state)

    def _wanted(self) -> object:
        """State that people change: their decisions, and what they have looked up."""
        return self._state.standings, self._state.sought

    @workflow.update
    async def decide(self, decision: CitationDecision) -> CitationCounts:
        """Accept or reject proposals; answers with the counts after it."""
        self._state = transitions.decided(self._state, decision, workflow.now())
        return proposals.counts(self._state.standings)

    @decide.validator
    def _may_decide_proposals(self, decision: CitationDecision) -> None:
        if refusal := rules.undecidable(self._state, decision):
            raise Refused(*refusal)

    @workflow.update
    async def search(self, wanted: CitationSearch) -> CitationCounts:
        """Look another work up for a target; answers with the counts before that."""
        self._state = transitions.sought(self._state, wanted)
        return proposals.counts(self._state.standings)

    @search.validator
    def _may_search(self, wanted: CitationSearch) -> None:
        if refusal := rules.unsearchable(self._state, wanted):
            raise Refused(*refusal)

    @workflow.query
    def pending_approval(self) -> ApprovalRequest | None:
        """Approval that a person is asked for; None while none is asked."""
        return self._state.asked if approvals.is_waiting(self._state) else None

    @workflow.query
    def review(self) -> ScanReview:
        return status.review(self._state)

    def _progress(self) -> Progress:
        return status.progress(self._given, self._state)
