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
from schemas.manuscript import AskRegistries, EvidenceGathered, GatherEvidence, LibrarySearched
from schemas.manuscript_roles import PlannedSection
from schemas.scholarly import Answer, Query
from schemas.section_evidence import OwnPassages


@dataclass(frozen=True)
class LibraryActivities:
    """Activities for the host whose disk holds the novel and its sources."""

    states: AgentStates
    blobs: Blobs
    library: SourceLibrary | None
    """None: settings leave own sources out."""

    @activity.defn(no_thread_cancel_exception=True)
    def search_library(self, request: GatherEvidence) -> LibrarySearched:
        """Find passages of own sources on a planned section. Harmless to repeat."""
        words = words_for(self._planned(request), request.title)
        found = self.library.search(request.workspace, words, MOST_PASSAGES) if self.library else ()
        kept = self.blobs.put(OwnPassages(passages=found).model_dump_json().encode())
        return LibrarySearched(words=words, passages=kept, found=len(found))

    def _planned(self, request: GatherEvidence) -> PlannedSection:
        """The section as it is planned; by its title alone if people took it out meanwhile."""
        row, wanted = self.states.read(request.key), bare_title(request.section)
        plan = row.section_plan if row else ()
        alone = PlannedSection(section_title=request.section, section_summary="")
        return next((each for each in plan if bare_title(each.section_title) == wanted), alone)


@dataclass(frozen=True)
class EvidenceActivities:
    """Activities for a worker that reaches registries: the queue ``workflows.options.scholarly_queue``."""

    blobs: Blobs
    sources: ScholarlySources

    @activity.defn
    async def gather_evidence(self, request: AskRegistries) -> EvidenceGathered:
        """Number what own sources say, and abstracts of registries where there is room for them.

        An outage is part of the answer. Harmless to repeat.
        """
        searched = request.searched
        answer = Answer()
        if searched.found < MOST_PASSAGES:
            answer = await self.sources.search(Query(text=searched.words, limit=MOST_PASSAGES))
        kept = await asyncio.to_thread(self.blobs.get, searched.passages)
        found = evidence_of(OwnPassages.model_validate_json(kept).passages, answer, searched.words)
        return EvidenceGathered(
            evidence=await asyncio.to_thread(self.blobs.put, found.model_dump_json().encode()),
            passages=len(found.passages),
            own=min(searched.found, len(found.passages)),
            unasked=found.unasked,
        )
