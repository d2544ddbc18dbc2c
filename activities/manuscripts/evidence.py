"""Evidence for the sections of a paper: what own sources and registries say on each."""

import asyncio
from dataclasses import dataclass

from temporalio import activity

from penwright.domain.manuscript.evidence import MOST_PASSAGES, evidence_of, words_for
from penwright.domain.manuscript.sections import bare_title
from penwright.ports.agents import AgentStates
from penwright.ports.blobs import Blobs
from penwright.ports.library import SourceLibrary
from penwright.ports.scholarly import ScholarlySources
from schemas.library import LibraryPassage
from schemas.manuscript import EvidenceGathered, GatherEvidence
from schemas.manuscript_roles import PlannedSection
from schemas.scholarly import Answer, Query


@dataclass(frozen=True)
class EvidenceActivities:
    """Asks of a worker that reaches the registries: the queue ``workflows.options.scholarly_queue``."""

    states: AgentStates
    blobs: Blobs
    sources: ScholarlySources
    library: SourceLibrary | None = None
    """None: there are no own sources."""

    @activity.defn
    async def gather_evidence(self, request: GatherEvidence) -> EvidenceGathered:
        """Find at most eight passages on a section; an outage is part of the answer. Harmless to repeat."""
        words = words_for(await asyncio.to_thread(self._planned, request), request.title)
        own = await asyncio.to_thread(self._own, request, words)
        answer = Answer()
        if len(own) < MOST_PASSAGES:
            answer = await self.sources.search(Query(text=words, limit=MOST_PASSAGES))
        found = evidence_of(own, answer, words)
        return EvidenceGathered(
            evidence=await asyncio.to_thread(self.blobs.put, found.model_dump_json().encode()),
            passages=len(found.passages),
            own=min(len(own), len(found.passages)),
            unasked=found.unasked,
        )

    def _planned(self, request: GatherEvidence) -> PlannedSection:
        """The section as it is planned; by its title alone if people took it out meanwhile."""
        row, wanted = self.states.read(request.key), bare_title(request.section)
        plan = row.section_plan if row else ()
        alone = PlannedSection(section_title=request.section, section_summary="")
        return next((each for each in plan if bare_title(each.section_title) == wanted), alone)

    def _own(self, request: GatherEvidence, words: str) -> tuple[LibraryPassage, ...]:
        if self.library is None:
            return ()
        return self.library.search(request.workspace, words, MOST_PASSAGES)
