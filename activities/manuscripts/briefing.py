"""The prompt of a role in the manuscript loop: text and row are read when it is made, and for it alone."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from pydantic import TypeAdapter

from activities.work_lore import WorkLore
from penwright.domain.lore.telling import THE_TEXT
from penwright.domain.manuscript.entries import findings_in, told_history
from penwright.domain.manuscript.evidence import numbered_passage
from penwright.domain.manuscript.placeholders import Accumulated, Sources
from penwright.domain.manuscript.policy import NOT_PLANNED
from penwright.domain.manuscript.retrying import applied_count, told_of_failures
from penwright.domain.manuscript.sections import bare_title
from penwright.domain.manuscript.text_findings import still_there
from penwright.domain.prose.rule_texts import described
from penwright.errors import Refused
from penwright.ports.agents import AgentLogs
from penwright.ports.blobs import Blobs
from penwright.roles.manuscript.briefing import prompt
from schemas.agent_state import ActionEntry, AgentState
from schemas.lore import LoreTold
from schemas.manuscript import AskRole, Briefed, ManuscriptSettings, Seen
from schemas.manuscript_roles import (
    Critiqued,
    CritiqueHanded,
    EvidenceHanded,
    FailedOperations,
    Handed,
    LegalActions,
    LoreHanded,
    PlannedSection,
    RoleBrief,
    RunSettings,
    SectionOrder,
)
from schemas.patching import Operation, OperationResult
from schemas.section_evidence import SectionEvidence

OPERATIONS = TypeAdapter(tuple[Operation, ...])
_RECENT = 5_000
"""Entries of the log, of all documents, among which a run's newest actions are looked for."""
_WRITING = ("writer", "reviser")
"""Roles that write text of the author's world."""
RESULTS = TypeAdapter(tuple[OperationResult, ...])


@dataclass(frozen=True, slots=True)
class Briefing:
    """Makes the prompts."""

    logs: AgentLogs
    blobs: Blobs
    lorebooks: WorkLore = field(default_factory=WorkLore)

    def lore(self, request: AskRole, seen: Seen, row: AgentState) -> LoreTold | None:
        """Choose the novel's lore for a role that writes; None for others, and without lorebooks.

        Raises:
            Refused: as ``of``.
        """
        if request.role not in _WRITING:
            return None
        texts = {
            "the instructions": self.blobs.get(request.settings.instructions).decode(),
            "the guidance": row.format_guidance,
            **(_section_texts(request, row, seen) if request.section else {}),
            **(_critique_texts(request.critique) if request.critique is not None else {}),
            THE_TEXT: self.blobs.get(seen.text).decode() if seen.text else "",
        }
        return self.lorebooks.in_novel(request.subject, request.scene, texts)

    def of(self, request: AskRole, seen: Seen, row: AgentState, lore: LoreTold | None = None) -> Briefed:
        """The prompt of one step.

        Args:
            lore: what ``lore`` tells.

        Raises:
            Refused: ``section-not-planned`` when people took the section out of the plan meanwhile.
        """
        sources = Sources(
            step=request.run_id,
            settings=self._settings(request.settings),
            read_now=lambda: self._now(request, seen, row),
            handed=(*self._handed(request, row, seen), *_lore_handed(request, lore)),
        )
        made = prompt(request.role, sources, manuscript=seen.text if request.role == "critic" else None)
        brief = RoleBrief(
            role=request.role,
            task=self.blobs.put(made.text.encode("utf-8", "surrogatepass")),
            params=made.params,
            turn_tokens=made.max_output_tokens,
        )
        return Briefed(brief=brief, seen=seen, basis=request.settings.instructions.sha256)

    def _settings(self, settings: ManuscriptSettings) -> RunSettings:
        return RunSettings(
            instructions=self.blobs.get(settings.instructions).decode(),
            max_passes=settings.max_passes,
            min_score=settings.min_score,
            max_hunks=settings.max_hunks,
        )

    def _now(self, request: AskRole, seen: Seen, row: AgentState) -> Accumulated:
        return Accumulated(
            current_manuscript=self.blobs.get(seen.text).decode() if seen.text else "",
            manuscript_word_count=seen.words,
            section_plan=_planned(row, seen),
            sections_drafted=row.sections_drafted,
            format_guidance=row.format_guidance,
            pass_index=request.pass_index,
            last_history_entry=told_history(self._recent(request)),
        )

    def _recent(self, request: AskRole) -> list[ActionEntry]:
        """The run's newest actions, oldest first."""
        newest = self.logs.newest(request.key, run=request.run_name, kind="action")
        if newest is None:
            return []
        after = max(0, newest.number - _RECENT)
        found = self.logs.read(request.key, after=after, run=request.run_name, kind="action")
        return [each.entry for each in found if isinstance(each.entry, ActionEntry)]

    def _handed(self, request: AskRole, row: AgentState, seen: Seen) -> list[Handed]:
        """Collect what other roles made for this step, and for no other."""
        step, handed = request.run_id, list[Handed]()
        if request.section:
            handed.append(_order(request, row, seen))
        if request.evidence is not None:
            found = SectionEvidence.model_validate_json(self.blobs.get(request.evidence))
            lines = tuple(map(numbered_passage, found.passages))
            handed.append(EvidenceHanded(for_step=step, evidence=lines, unasked=found.unasked))
        if (said := request.critique) is not None:
            critique = CritiqueHanded(
                for_step=step,
                critique_summary=said.critique_summary,
                critique_score=said.score,
                action_items=(*said.action_items, *self._faults(request, seen)),
            )
            handed.append(critique)
        if request.legal:
            handed.append(LegalActions(for_step=step, legal_actions=request.legal))
        if request.again is not None and request.answers_to is not None:
            results = RESULTS.validate_json(self.blobs.get(request.again))
            operations = OPERATIONS.validate_json(self.blobs.get(request.answers_to))
            told = told_of_failures(operations, results)
            failed = FailedOperations(for_step=step, failed_operations=told, applied=applied_count(results))
            handed.append(failed)
        return handed

    def _faults(self, request: AskRole, seen: Seen) -> tuple[str, ...]:
        """Faults in recent edits that a reviser has not mended yet."""
        if request.role != "reviser" or seen.text is None:
            return ()
        found, text = findings_in(self._recent(request)), self.blobs.get(seen.text).decode()
        return tuple(described(each) for each in found if still_there(each, text))


def _section_texts(request: AskRole, row: AgentState, seen: Seen) -> dict[str, str]:
    order = _order(request, row, seen)
    return {"the section's summary": f"{order.section_title}\n\n{order.section_summary}"}


def _critique_texts(said: Critiqued) -> dict[str, str]:
    return {"the critique": "\n\n".join([said.critique_summary, *said.action_items])}


def _lore_handed(request: AskRole, lore: LoreTold | None) -> Iterator[LoreHanded]:
    if lore is not None and lore.text:
        yield LoreHanded(for_step=request.run_id, lore=lore.text)


def _planned(row: AgentState, seen: Seen) -> tuple[PlannedSection, ...]:
    written = {bare_title(title) for title in seen.written}
    return tuple(
        each.model_copy(
            update={"status": "drafted" if bare_title(each.section_title) in written else "pending"}
        )
        for each in row.section_plan
    )


def _order(request: AskRole, row: AgentState, seen: Seen) -> SectionOrder:
    wanted = bare_title(request.section)
    planned = next((each for each in row.section_plan if bare_title(each.section_title) == wanted), None)
    if planned is None:
        raise Refused(
            NOT_PLANNED,
            f"people took {request.section!r} out of the plan meanwhile; nothing was written",
        )
    return SectionOrder(
        for_step=request.run_id,
        section_title=planned.section_title,
        section_summary="\n\n".join([planned.section_summary, *_to_be_mended(request.section, seen)]),
        section_word_count=planned.section_word_count,
    )


def _to_be_mended(title: str, seen: Seen) -> Iterator[str]:
    """Tell the writer that the section stands already and is not as long as planned."""
    for each in seen.off_length:
        if bare_title(each.title) == bare_title(title):
            verb = "lengthen" if each.words < each.planned else "shorten"
            yield (
                f"This section stands already with {each.words} words, and {each.planned} are wanted: {verb} "
                "it by edits of its passages. Do not write its heading again."
            )
