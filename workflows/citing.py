"""Looking up works for a few sentences at once; one that fails loses nothing of the others."""

import asyncio
from abc import ABC
from collections.abc import Sequence

from temporalio import workflow
from temporalio.exceptions import ActivityError, is_cancelled_exception
from temporalio.workflow import execute_activity_method as ask

from activities.citation_scan import CitationActivities
from activities.citations.briefing import CitationBriefing
from activities.citations.comparing import ComparingActivities
from activities.citations.scholarly import ScholarlyActivities
from penwright.agents.loop.reporting import failure_cause, has_delivered
from penwright.domain import control
from penwright.domain.citations import transitions
from penwright.domain.citations.scanning import research, searching
from penwright.roles.manuscript import role_call
from schemas.base import BlobRef, Cause
from schemas.citation_scan import (
    BriefSearch,
    CitationScanInput,
    CitationScanState,
    CiteTargets,
    CompareWorks,
    GatherRecords,
    ProposeChange,
    RecordsGathered,
    Researched,
)
from schemas.citations import CitationSearch
from schemas.manuscript_roles import GeneratorAnswer, RoleBrief
from schemas.scholarly import LookUp, Reference, ReferenceVerified, VerifyReference
from workflows.agents.employing import EmploysAgent
from workflows.failures import cause_of
from workflows.options import LOOK_UP, RECORD, REPO_WRITE, at


class CitesTargets(EmploysAgent[CitationScanInput, CitationScanState], ABC):
    """A scan that researches its targets; each proposal is made as soon as its target is ready."""

    async def _cite(self, step: CiteTargets) -> CitationScanState:
        running = [asyncio.create_task(self._researched(step, number)) for number in step.numbers]
        for ready in workflow.as_completed(running):
            found = await ready
            self._state = transitions.paid(self._state, found)
            if not found.cut:
                await self._propose(step, found)
            self._show()
        return transitions.cited(self._given, self._state, workflow.now())

    async def _propose(self, step: CiteTargets, found: Researched) -> None:
        assert self._state.proposals is not None, "there are targets"
        request = ProposeChange(
            researched=found,
            text=step.text,
            bibliography=step.bibliography,
            proposals=self._state.proposals,
            effect=step.effect,
        )
        try:
            made = await ask(CitationActivities.propose_change, request, **RECORD)
        except ActivityError as error:
            self._state = transitions.lost(self._state, found.number, cause_of(error))
            return
        self._state = transitions.proposed(self._state, made)

    async def _researched(self, step: CiteTargets, number: int) -> Researched:
        spent = research.Spent(most=step.micros_each)
        try:
            return await self._research(step, number, spent)
        except ActivityError as error:
            if is_cancelled_exception(error) or control.must_end(self._state):
                return research.cut(number, spent)
            return research.failed(number, cause_of(error), spent)

    async def _research(self, step: CiteTargets, number: int, spent: research.Spent) -> Researched:
        by_hand = next((each for each in step.searches if each.number == number), None)
        if by_hand is not None:
            return await self._searched(step, by_hand)
        request = BriefSearch(
            number=number, text=step.text, proposals=step.proposals, bibliography=step.bibliography
        )
        briefed = await ask(CitationBriefing.brief_generator, request, **RECORD)
        if briefed.brief is None:
            if briefed.cause is not None:
                return research.failed(number, briefed.cause, spent)
            verified = [await self._verified(step, each) for each in briefed.claims]
            compared = await self._compared(step, number, verified=verified)
            return research.checked(number, tuple(verified), compared, spent)
        searched = await self._asked(briefed.brief, f"{number}/search", spent)
        if not isinstance(searched, GeneratorAnswer):
            return research.without(number, searched, self._state, spent)
        gathered = await self._gathered(step, searched)
        if not gathered.references:
            return research.failed(number, research.nothing_found(gathered), spent)
        compared = await self._compared(step, number, gathered.records)
        again = request.model_copy(update={"records": gathered.records, "compared": compared})
        chosen = await ask(CitationBriefing.brief_generator, again, **RECORD)
        assert chosen.brief is not None, "the same target as before"
        found = await self._chosen(step, number, chosen.brief, gathered, spent)
        return found.model_copy(update={"compared": compared})

    async def _searched(self, step: CiteTargets, wanted: CitationSearch) -> Researched:
        answer = await self._looked_up(step, searching.look_up(wanted, step.bibliography))
        gathered = await ask(CitationBriefing.gather_records, GatherRecords(answers=(answer,)), **RECORD)
        if not gathered.references:
            return research.nothing_by_hand(wanted.number, gathered)
        verified = await self._verified(step, gathered.references[0])
        compared = await self._compared(step, wanted.number, gathered.records)
        return research.found_by_hand(wanted.number, gathered.records, verified, compared)

    async def _chosen(
        self,
        step: CiteTargets,
        number: int,
        brief: RoleBrief,
        gathered: RecordsGathered,
        spent: research.Spent,
    ) -> Researched:
        picked = await self._asked(brief, f"{number}/pick", spent)
        if not isinstance(picked, GeneratorAnswer):
            return research.without(number, picked, self._state, spent)
        numbers = research.choice(picked, len(gathered.references))
        if not numbers:
            return research.failed(number, research.nothing_fits(picked), spent)
        verified = [await self._verified(step, gathered.references[each - 1]) for each in numbers]
        return research.picked(number, gathered.records, numbers, tuple(verified), picked.reason, spent)

    async def _compared(
        self,
        step: CiteTargets,
        number: int,
        records: BlobRef | None = None,
        verified: Sequence[ReferenceVerified] = (),
    ) -> BlobRef | None:
        """Compare the sentence with the novel's own sources, if it has some."""
        if step.library is None:
            return None
        request = CompareWorks(
            workspace=self._given.workspace,
            number=number,
            proposals=step.proposals,
            records=records,
            each=tuple(each.record for each in verified if each.record is not None),
        )
        queue = self._given.repo_queue
        return (await ask(ComparingActivities.compare_works, request, **at(queue, REPO_WRITE))).compared

    async def _asked(self, brief: RoleBrief, name: str, spent: research.Spent) -> GeneratorAnswer | Cause:
        call = research.call(self._given, brief, name, spent.left)
        run = await self._employ(role_call.engaged(call), {}, has_delivered)
        spent.add(run.state.spent.cost_micros, run.state.spent.unknown_prices)
        if has_delivered(run):
            return role_call.delivered(run, GeneratorAnswer)
        return failure_cause(run)

    async def _gathered(self, step: CiteTargets, searched: GeneratorAnswer) -> RecordsGathered:
        asked = research.look_ups(searched, step.bibliography)
        answers = [await self._looked_up(step, each) for each in asked]
        return await ask(CitationBriefing.gather_records, GatherRecords(answers=tuple(answers)), **RECORD)

    async def _looked_up(self, step: CiteTargets, asked: LookUp) -> BlobRef:
        request, queue = asked.model_copy(update={"library": step.library}), self._given.scholarly_queue
        return (await ask(ScholarlyActivities.look_up, request, **at(queue, LOOK_UP))).whole

    async def _verified(self, step: CiteTargets, reference: Reference) -> ReferenceVerified:
        request = VerifyReference(reference=reference, bibliography=step.bibliography, library=step.library)
        queue = self._given.scholarly_queue
        return await ask(ScholarlyActivities.verify_reference, request, **at(queue, LOOK_UP))
