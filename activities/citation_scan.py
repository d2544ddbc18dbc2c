"""Activities of the citation scan: numbered sentences, proposals, operations, and the rows it leaves."""

import asyncio
from dataclasses import dataclass

from pydantic import TypeAdapter
from temporalio import activity

from penwright.domain.citations import proposals as rules
from penwright.domain.citations.changes import edits_for, is_of_its_works, stale_message, unconfirmed_message
from penwright.domain.citations.entries import read_entries
from penwright.domain.citations.references import references_in
from penwright.domain.citations.scanning.offering import (
    FoundWork,
    checked,
    insertion,
    nothing_offered,
    with_proposed,
)
from penwright.domain.citations.scanning.searching import as_before, shown, with_others
from penwright.domain.citations.scanning.storing import KeptTarget, merged, read_rows, reconciled, rows_of
from penwright.domain.citations.sentences import sentences_of
from penwright.domain.citations.support.comparing import support_by_abstract, weakest
from penwright.domain.citations.targets import settled, targets_of, windows_of, with_marked
from penwright.domain.text.inline_citations import entries_in, find_citations
from penwright.errors import NotFound, WorkspaceBusy
from penwright.ports.agents import AgentStates
from penwright.ports.blobs import Blobs
from schemas.agent_state import StateChanges, StateKey, StateWritten, WriteState
from schemas.base import BlobRef, Value
from schemas.citation_scan import (
    ChangeProposed,
    ComparedWorks,
    EditsPlanned,
    KeepScan,
    PlanEdits,
    ProposalList,
    ProposalsKept,
    ProposeChange,
    RecordList,
    Researched,
    ScanKept,
    ScanRequest,
    SentenceWindow,
    SetTargets,
    Surveyed,
    SurveyText,
    TakeUpScan,
)
from schemas.citations import CitationProposal, CitationTarget, ClaimSupport
from schemas.patching import Operation
from schemas.scholarly import ReferenceVerified, ScholarlyRecord

_MOST_FINDINGS = 50
_TRIES = 5
"""Number of times rows are written again when a device changes them at the same time."""
_OPERATIONS = TypeAdapter(tuple[Operation, ...])


@dataclass(frozen=True)
class CitationActivities:
    """Activities for any worker that reaches the store."""

    blobs: Blobs
    states: AgentStates

    @activity.defn
    async def survey_text(self, request: SurveyText) -> Surveyed:
        """Number the sentences; harmless to repeat."""
        return await asyncio.to_thread(self._survey, request)

    def _survey(self, request: SurveyText) -> Surveyed:
        text = self._text(request.text)
        sentences = sentences_of(text)
        windows = tuple(
            SentenceWindow(
                text=self.blobs.put(each.text.encode()), numbers=(each.numbers[0], each.numbers[-1])
            )
            for each in windows_of(sentences)
        )
        findings = find_citations(text).findings[:_MOST_FINDINGS]
        return Surveyed(sentences=len(sentences), windows=windows, findings=findings)

    @activity.defn
    async def take_up_scan(self, request: TakeUpScan) -> ProposalsKept:
        """The proposals that the last scan left.

        Raises:
            NotFound: ``no-scan``.
        """
        return await asyncio.to_thread(self._take_up, request)

    def _take_up(self, request: TakeUpScan) -> ProposalsKept:
        text = self._text(request.text) if request.text else ""
        kept = [each for each in reconciled(self._kept(request), text) if not each.earlier]
        if not kept:
            where = f"{request.subject}/{request.scene}"
            raise NotFound("no-scan", f"{where} was not scanned yet; `penwright cite scan NOVEL` scans it")
        return ProposalsKept(
            proposals=self._put(ProposalList(proposals=tuple(each.proposal for each in kept))),
            standings=tuple(each.standing for each in kept),
        )

    @activity.defn
    async def set_targets(self, request: SetTargets) -> ProposalsKept:
        """Make targets of the sentences named; harmless to repeat."""
        return await asyncio.to_thread(self._set_targets, request)

    def _set_targets(self, request: SetTargets) -> ProposalsKept:
        text, kept = self._text(request.text), self._kept(request)
        sentences = sentences_of(text)
        chosen = with_marked(sentences, request.chosen)
        targets = targets_of(sentences, chosen, references_in(text))
        left = settled(
            targets,
            {each.verified for each in kept if each.verified},
            {each.rejected for each in kept if each.rejected},
        )
        made = tuple(left.get(each.number, CitationProposal(target=each)) for each in targets)
        return ProposalsKept(
            proposals=self._put(ProposalList(proposals=made)), standings=tuple(map(rules.standing_of, made))
        )

    @activity.defn
    async def propose_change(self, request: ProposeChange) -> ChangeProposed:
        """Make a proposal of what was found; the same entry for a work that another target has."""
        return await asyncio.to_thread(self._propose, request)

    def _propose(self, request: ProposeChange) -> ChangeProposed:
        others = self._proposals(request.proposals)
        made = self._made(request, target_of(others, request.researched.number), others)
        number = made.target.number
        after = tuple(made if each.target.number == number else each for each in others)
        return ChangeProposed(
            proposals=self._put(ProposalList(proposals=after)), standing=rules.standing_of(made)
        )

    def _made(
        self, request: ProposeChange, target: CitationTarget, others: tuple[CitationProposal, ...]
    ) -> CitationProposal:
        found = request.researched
        before = next(each for each in others if each.target.number == target.number)
        if found.cause is not None:
            cause = found.cause
            return as_before(before, cause) if found.by_hand else nothing_offered(target, cause)
        shelf = read_entries(self._text(request.bibliography)).entries if request.bibliography else ()
        references = with_proposed(references_in(self._text(request.text), shelf), others)
        if found.records is None:
            works = self._known(found)
            compared = weakest(each.compared(target.text) for each in works) if works else None
            return checked(target, [each.verdict for each in found.verified], references, compared)
        today = request.effect.issued_at.date()
        records = RecordList.model_validate_json(self.blobs.get(found.records)).records
        works, own = self._works(records, found), self._own(found.compared, len(records))
        made = insertion(target, works, found.reason, references, today)
        others_found = [
            shown(each, said or support_by_abstract(target.text, each))
            for each, said in zip(records, own, strict=True)
        ]
        return with_others(made, others_found, before if found.by_hand else None)

    def _works(self, records: tuple[ScholarlyRecord, ...], found: Researched) -> list[FoundWork]:
        own = self._own(found.compared, len(records))
        return [
            FoundWork(self._record(records[number - 1], each), each.verdict, own[number - 1])
            for number, each in zip(found.chosen, found.verified, strict=True)
        ]

    def _known(self, found: Researched) -> list[FoundWork]:
        """The works of citations that stand in the text already, as far as registries have them."""
        recorded = [(each.record, each.verdict) for each in found.verified if each.record is not None]
        own = self._own(found.compared, len(recorded))
        return [
            FoundWork(ScholarlyRecord.model_validate_json(self.blobs.get(record)), verdict, said)
            for (record, verdict), said in zip(recorded, own, strict=True)
        ]

    def _own(self, compared: BlobRef | None, works: int) -> tuple[ClaimSupport | None, ...]:
        return own_texts(self.blobs, compared) or (None,) * works

    def _record(self, picked: ScholarlyRecord, verified: ReferenceVerified) -> ScholarlyRecord:
        """The record that the verdict is about; the picked one if it confirms no other."""
        if verified.record is None or verified.verdict.status != "verified":
            return picked
        record = ScholarlyRecord.model_validate_json(self.blobs.get(verified.record))
        return record if record.abstract else record.model_copy(update={"abstract": picked.abstract})

    @activity.defn
    async def plan_edits(self, request: PlanEdits) -> EditsPlanned:
        """Operations on the newest text; harmless to repeat."""
        return await asyncio.to_thread(self._plan_edits, request)

    def _plan_edits(self, request: PlanEdits) -> EditsPlanned:
        all_of = self._proposals(request.proposals)
        asked = [each for each in all_of if each.target.number in request.numbers]
        proposals = [each for each in asked if is_of_its_works(each)]
        edits = edits_for(self._text(request.text), proposals, all_of)
        stored = self.blobs.put(_OPERATIONS.dump_json(edits.operations)) if edits.operations else None
        by_number = {each.target.number: each.target for each in proposals}
        return EditsPlanned(
            operations=stored,
            numbers=edits.numbers,
            present=edits.present,
            stale={
                **{number: stale_message(by_number[number]) for number in edits.stale},
                **{
                    each.target.number: unconfirmed_message(each.target)
                    for each in asked
                    if each not in proposals
                },
            },
        )

    @activity.defn
    async def keep_scan(self, request: KeepScan) -> ScanKept:
        """Store the targets in ``agent_state``, on top of what devices changed; idempotent by op id.

        Raises:
            WorkspaceBusy: ``state-contended``.
        """
        return await asyncio.to_thread(self._keep, request)

    def _keep(self, request: KeepScan) -> ScanKept:
        proposals = self._proposals(request.proposals)
        text = self._text(request.text) if request.text else ""
        key = _key(request)
        for _ in range(_TRIES):
            before = self.states.read(key)
            earlier = read_rows(before.citation_targets) if before else ()
            changes = StateChanges(
                max_targets=request.max_targets,
                citation_targets=rows_of(merged(proposals, request.standings, earlier, text)),
                existing_citations=entries_in(text),
            )
            written = self.states.write(
                WriteState(
                    key=key,
                    changes=changes,
                    base_version=before.version if before else 0,
                    op_id=request.effect.op_id,
                    by=request.run,
                    at=request.effect.issued_at,
                )
            )
            if isinstance(written, StateWritten):
                return ScanKept(version=written.state.version)
        raise WorkspaceBusy("state-contended", "devices keep changing the agents' state; trying again soon")

    def _kept(self, request: ScanRequest) -> tuple[KeptTarget, ...]:
        state = self.states.read(_key(request))
        return read_rows(state.citation_targets) if state else ()

    def _proposals(self, ref: BlobRef) -> tuple[CitationProposal, ...]:
        return ProposalList.model_validate_json(self.blobs.get(ref)).proposals

    def _text(self, ref: BlobRef) -> str:
        return self.blobs.get(ref).decode()

    def _put(self, value: Value) -> BlobRef:
        return self.blobs.put(value.model_dump_json().encode())


def _key(request: ScanRequest) -> StateKey:
    return StateKey(principal=request.principal, novel=request.subject, scene=request.scene)


def own_texts(blobs: Blobs, compared: BlobRef | None) -> tuple[ClaimSupport | None, ...]:
    """Support of a sentence by the novel's own sources, in the order of the works; empty: it has none."""
    return ComparedWorks.model_validate_json(blobs.get(compared)).works if compared else ()


def target_of(proposals: tuple[CitationProposal, ...], number: int) -> CitationTarget:
    """The target with this number."""
    return next(each.target for each in proposals if each.target.number == number)
