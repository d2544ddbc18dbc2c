"""Sentences compared with the text of works that are the novel's own sources."""

from dataclasses import dataclass

from temporalio import activity

from activities.citation_scan import target_of
from activities.publishing import in_one_repository
from penwright.domain.citations.support.comparing import support_in
from penwright.ports.blobs import Blobs
from penwright.ports.library import SourceLibrary
from penwright.ports.workspaces import Workspaces
from schemas.citation_scan import ComparedWorks, CompareWorks, ProposalList, RecordList, WorksCompared
from schemas.citations import ClaimSupport
from schemas.scholarly import ScholarlyRecord


@dataclass(frozen=True)
class ComparingActivities:
    """Activities for one host's repositories."""

    workspaces: Workspaces
    library: SourceLibrary
    blobs: Blobs

    @activity.defn(no_thread_cancel_exception=True)
    @in_one_repository
    def compare_works(self, request: CompareWorks) -> WorksCompared:
        """Compare a sentence with each work that is an own source, which is read if need be. Repeatable."""
        listed = ProposalList.model_validate_json(self.blobs.get(request.proposals)).proposals
        sentence = target_of(listed, request.number).text
        works = tuple(self._compared(request, sentence, each) for each in self._records(request))
        kept = self.blobs.put(ComparedWorks(works=works).model_dump_json().encode())
        return WorksCompared(compared=kept)

    def _records(self, request: CompareWorks) -> tuple[ScholarlyRecord, ...]:
        if request.records is not None:
            return RecordList.model_validate_json(self.blobs.get(request.records)).records
        return tuple(ScholarlyRecord.model_validate_json(self.blobs.get(each)) for each in request.each)

    def _compared(self, request: CompareWorks, sentence: str, work: ScholarlyRecord) -> ClaimSupport | None:
        passages = self.library.passages_of(request.workspace, work)
        return support_in(sentence, work, passages) if passages else None
