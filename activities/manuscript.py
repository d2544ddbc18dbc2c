"""Activities of the manuscript loop: text, row, prompts and history of one document."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Final

from temporalio import activity

from activities.agents.progress import AgentProgress
from activities.manuscripts.briefing import OPERATIONS, RESULTS, Briefing
from activities.manuscripts.run_log import ManuscriptRunLog
from activities.manuscripts.text import ManuscriptTextActivities
from activities.work_lore import WorkLore
from penwright.domain.citations.entries import read_entries
from penwright.domain.citations.references import references_in
from penwright.domain.manuscript.citing import Cited, with_entries_for
from penwright.domain.manuscript.layout import BIBLIOGRAPHY, scene_path
from penwright.domain.manuscript.left_out import emptied_told
from penwright.domain.manuscript.patching import patched_scene
from penwright.domain.manuscript.planned_sections import as_standing, headed, off_length, written_titles
from penwright.domain.manuscript.retrying import (
    applied_count,
    failed_results,
    over_limit_count,
    reasons_of,
)
from penwright.domain.manuscript.text_findings import Change, change_findings, still_there, why_unread
from penwright.domain.manuscript.wanted_length import wanted_length
from penwright.ports.agents import AgentLogs, AgentStates
from penwright.ports.blobs import Blobs
from penwright.ports.notices import Outbox
from penwright.ports.records import Records
from schemas.agent_state import ActionEntry, AgentState, StateChanges, Variable
from schemas.base import BlobRef, OpId
from schemas.intents import IntentPin
from schemas.manuscript import (
    AnnounceDraft,
    ApplyDraft,
    AskRole,
    Briefed,
    DraftApplied,
    EndManuscript,
    KeepProgress,
    LookAtManuscript,
    ManuscriptOpened,
    ManuscriptRequest,
    OpenManuscript,
    ProgressKept,
    Seen,
    UpkeepRequest,
)
from schemas.manuscript_text import (
    ApplyOperations,
    OperationsApplied,
    ReadText,
    SelectSceneIntent,
    SyncNovel,
)
from schemas.section_evidence import SectionEvidence

_STEPS: Final = {"write_section": "write", "revise_manuscript": "revise"}


@dataclass(frozen=True)
class ManuscriptActivities:
    """Activities for the host whose disk holds the novel. What a person or model did wrong is an outcome."""

    text: ManuscriptTextActivities
    states: AgentStates
    logs: AgentLogs
    progress: AgentProgress
    blobs: Blobs
    records: Records
    outbox: Outbox
    lore: WorkLore = field(default_factory=WorkLore)

    @activity.defn
    async def open_manuscript(self, request: OpenManuscript) -> ManuscriptOpened:
        """Take in the remote, pin the intent, store the settings; what an earlier run made may still count.

        Raises:
            Refused: as ``select_owner``.
        """
        instructions = await asyncio.to_thread(self._text, request.settings.instructions)
        if not instructions.strip() and not request.only_revise:
            message = "there are no instructions to write by; give some with --instructions"
            return ManuscriptOpened(verdict="refused", code="empty-instructions", message=message)
        pin, emptied = await asyncio.to_thread(self._pin, request)
        row = await asyncio.to_thread(self.states.read, request.key)
        opened = await self.progress.record(
            request.key,
            request.effect,
            _settings(request, instructions),
            [_opening(request)],
            run=request.run_name,
            base_version=row.version if row else 0,
        )
        await asyncio.to_thread(self._run_log.opened, request)
        basis = request.settings.instructions.sha256
        stands = await asyncio.to_thread(self._made_since, request, opened.state)
        return ManuscriptOpened(
            verdict="open",
            pin=pin,
            guidance_basis=basis if "format_guidance" in stands else "",
            plan_basis=basis if "section_plan" in stands else "",
            version=opened.state.version,
            emptied=emptied_told(request.subject, emptied),
        )

    def _pin(self, request: OpenManuscript) -> tuple[IntentPin, Mapping[str, int]]:
        """The intent, and the texts that people emptied."""
        fields = {"subject": request.subject, "workspace": request.workspace}
        synced = self.text.sync_novel(SyncNovel(effect=request.effect, session=request.session, **fields))
        select = SelectSceneIntent(scene=request.scene, intent=request.intent, **fields)
        return self.text.select_scene_intent(select).pin, synced.emptied

    def _made_since(self, request: OpenManuscript, state: AgentState) -> tuple[Variable, ...]:
        """Guidance and plan that were made after the instructions became what they are."""
        since = self._version(request, "instructions")
        made: tuple[Variable, ...] = ("format_guidance", "section_plan")
        return tuple(each for each in made if getattr(state, each) and self._version(request, each) > since)

    def _version(self, request: OpenManuscript, variable: Variable) -> int:
        newest = self.states.past(request.key, variable, limit=1)
        return newest[0].version if newest else 0

    @activity.defn(no_thread_cancel_exception=True)
    def look_at_manuscript(self, request: LookAtManuscript) -> Seen:
        """Text and row as they are; a person's unsaved edits are committed as theirs on the way."""
        return self._seen(request, self._row(request), request.instructions)

    @activity.defn(no_thread_cancel_exception=True)
    def brief_role(self, request: AskRole) -> Briefed:
        """The prompt of one role, from what is true now; harmless to repeat.

        Raises:
            Refused: as ``Briefing.of``.
        """
        row = self._row(request)
        seen = self._seen(request, row, request.settings.instructions)
        briefing = Briefing(self.logs, self.blobs, self.lore)
        lore = briefing.lore(request, seen, row)
        briefed = briefing.of(request, seen, row, lore)
        if lore is not None:
            self._run_log.lore(request, lore, self.blobs.put(lore.model_dump_json().encode()))
        return briefed

    @activity.defn(no_thread_cancel_exception=True)
    def apply_draft(self, request: ApplyDraft) -> DraftApplied:
        """Bring operations onto the text as it is now: one commit or none."""
        if not self._is_applied(request) and (gone := self._section_gone(request)) is not None:
            return gone
        cited = self._cited(request)
        request = request.model_copy(
            update={"operations": self.blobs.put(OPERATIONS.dump_json(cited.operations))}
        )
        said = self.text.apply_operations(_operations(request, cited.added))
        applied = self._applied(request, said).model_copy(update={"unknown_numbers": cited.unknown})
        if said.outcome != "applied" or not said.text:
            return applied
        change, text = self._change(request, cited.added), self._text(said.text)
        found = tuple(each for each in change_findings(change) if still_there(each, text))
        return applied.model_copy(update={"findings": found, "unread": why_unread(change)})

    def _cited(self, request: ApplyDraft) -> Cited:
        """The operations, with entries in place of the numbers of passages."""
        operations = OPERATIONS.validate_json(self.blobs.get(request.operations))
        if request.evidence is None or request.snapshot.text is None:
            return Cited(operations)
        found = SectionEvidence.model_validate_json(self.blobs.get(request.evidence))
        snapshot = self.text.workspaces.snapshot(request.workspace, (BIBLIOGRAPHY,))
        shelf = snapshot.files[BIBLIOGRAPHY].text if BIBLIOGRAPHY in snapshot.files else ""
        known = references_in(self._text(request.snapshot.text), read_entries(shelf).entries)
        return with_entries_for(operations, found.passages, known, request.effect.issued_at.date())

    def _change(self, request: ApplyDraft, new_citations: Sequence[str]) -> Change:
        """The model's edits of the text that it saw."""
        assert request.snapshot.text is not None, "operations are made on a text"
        row, before = self._row(request), self._text(request.snapshot.text)
        made = patched_scene(
            OPERATIONS.validate_json(self.blobs.get(request.operations)),
            before,
            before,
            max_hunks=request.max_hunks,
            new_citations=new_citations,
            once=request.action == "write_section",
        )
        return Change(
            before=before,
            after=made.text,
            planned=tuple(each.section_title for each in row.section_plan),
            told=f"{row.instructions}\n{request.wish}",
        )

    def _is_applied(self, request: ApplyDraft) -> bool:
        """Whether an earlier attempt committed it; people may have removed the section since."""
        return self.text.workspaces.find(request.workspace, request.effect) is not None

    def _section_gone(self, request: ApplyDraft) -> DraftApplied | None:
        """The author took the section's heading out of the text, or the section out of the plan."""
        if not request.section or request.snapshot.text is None:
            return None
        seen = self._seen(request, self._row(request))
        before, now = self._text(request.snapshot.text), self._text(seen.text) if seen.text else ""
        is_planned = request.section in seen.titles
        if is_planned and (headed(request.section, now) or not headed(request.section, before)):
            return None
        message = f"people removed {request.section!r} while it was being written"
        return DraftApplied(
            outcome="section-deleted",
            revision=seen.revision,
            words=seen.words,
            code="section-deleted",
            message=message,
        )

    def _applied(self, request: ApplyDraft, said: OperationsApplied) -> DraftApplied:
        asks = said.denial.asks if said.denial else None
        failed = len(failed_results(said.results)) if said.outcome in ("applied", "unchanged") else 0
        return DraftApplied(
            outcome="asks" if asks else "refused" if said.outcome == "denied" else said.outcome,
            revision=said.revision,
            words=said.words,
            results=self.blobs.put(RESULTS.dump_json(said.results)),
            reasons=reasons_of(OPERATIONS.validate_json(self.blobs.get(request.operations)), said.results),
            applied=applied_count(said.results),
            failed=failed,
            over_limit=over_limit_count(said.results),
            commit=said.commit,
            need=asks,
            code=said.denial.error_code.lower().replace("_", "-") if said.denial else said.code,
            message=f"{said.denial.message}; {said.denial.action_hint}" if said.denial else said.message,
        )

    @activity.defn
    async def keep_progress(self, request: KeepProgress) -> ProgressKept:
        """Bring row and log up to date; where people changed the same variable, their value stands."""
        version = await self._upkeep(request, now=False)
        await asyncio.to_thread(self._run_log.at_work, request)
        return ProgressKept(version=version)

    @activity.defn
    async def end_manuscript(self, request: EndManuscript) -> None:
        """The last upkeep, the run's row, and a notification unless a person ended it."""
        await self._upkeep(request, now=True)
        await asyncio.to_thread(self._run_log.ended, request)
        if (notice := self._run_log.notice(request)) is not None:
            await self.outbox.post(notice)

    async def _upkeep(self, request: UpkeepRequest, *, now: bool) -> int:
        changes = await asyncio.to_thread(self._changes, request)
        recorded = await self.progress.record(
            request.key,
            request.effect,
            changes,
            request.upkeep.entries,
            run=request.run_name,
            base_version=request.base_version,
            now=now,
        )
        return recorded.state.version

    def _changes(self, request: UpkeepRequest) -> StateChanges:
        upkeep = request.upkeep
        row, text = self._row(request), self._text_now(request) if upkeep.plan or upkeep.drafted else ""
        plan = as_standing(upkeep.plan, row.section_plan, text) if upkeep.plan is not None else None
        off = {each.title for each in off_length(plan or row.section_plan, text)}
        return StateChanges(
            instructions=self._text(upkeep.instructions) if upkeep.instructions else None,
            format_guidance=self._text(upkeep.guidance) if upkeep.guidance else None,
            section_plan=plan,
            sections_drafted=(
                tuple(each for each in upkeep.drafted if each not in off)
                if upkeep.drafted is not None
                else None
            ),
            pass_index=upkeep.pass_index,
        )

    def _text_now(self, request: ManuscriptRequest) -> str:
        read = self.text.read_text(ReadText(**_scene_fields(request)))
        return self._text(read.text) if read.text else ""

    @activity.defn
    async def announce_draft(self, request: AnnounceDraft) -> None:
        """Record that a person is asked, or what they decided; tell those who should decide."""
        await asyncio.to_thread(self._run_log.approval, request)
        if request.decision is None:
            await self.outbox.post(self._run_log.question(request))

    def _row(self, request: ManuscriptRequest) -> AgentState:
        return self.states.read(request.key) or AgentState(key=request.key)

    def _seen(self, request: ManuscriptRequest, row: AgentState, instructions: BlobRef | None = None) -> Seen:
        read = self.text.read_text(ReadText(**_scene_fields(request)))
        titles = tuple(each.section_title for each in row.section_plan)
        text = self._text(read.text) if read.text else ""
        return Seen(
            revision=read.revision,
            text=read.text,
            words=read.words,
            guided=bool(row.format_guidance.strip()),
            titles=titles,
            plan=_digest(titles),
            written=written_titles(titles, text),
            off_length=off_length(row.section_plan, text),
            wanted=wanted_length(self._text(instructions)) if instructions else None,
            version=row.version,
            left_out=read.left_out,
            code=read.code,
            message=read.message,
        )

    def _text(self, ref: BlobRef) -> str:
        return self.blobs.get(ref).decode()

    @property
    def _run_log(self) -> ManuscriptRunLog:
        return ManuscriptRunLog(self.records)


def _scene_fields(request: ManuscriptRequest) -> dict[str, object]:
    return {name: getattr(request, name) for name in ("effect", "subject", "workspace", "session", "scene")}


def _operations(request: ApplyDraft, new_citations: Sequence[str]) -> ApplyOperations:
    assert request.snapshot.text is not None, "operations are made on a text"
    return ApplyOperations.model_validate(
        {
            **_scene_fields(request),
            "snapshot": request.snapshot.text,
            "operations": request.operations,
            "step": _STEPS[request.action],
            "max_hunks": request.max_hunks,
            "new_citations": new_citations,
            "pin": request.pin,
            "approval": request.approval,
            "model": request.model,
            "overrides": request.overrides,
            "message": _commit_message(request),
        }
    )


def _commit_message(request: ApplyDraft) -> str:
    """The commit's subject; empty: the step and the file, for what is about no one section."""
    section = " ".join(request.section.split())
    return f"Write {section!r} in {scene_path(request.scene)}" if section else ""


def _settings(request: OpenManuscript, instructions: str) -> StateChanges:
    settings = request.settings
    if request.only_revise:
        return StateChanges(run=request.run_name, pass_index=0)
    return StateChanges(
        instructions=instructions,
        max_passes=settings.max_passes,
        min_score=settings.min_score,
        max_hunks=settings.max_hunks,
        run=request.run_name,
        pass_index=0,
    )


def _opening(request: OpenManuscript) -> ActionEntry:
    return ActionEntry(
        op_id=OpId(f"{request.effect.op_id}:entry"),
        run=request.run_name,
        at=request.effect.issued_at,
        action="open",
        outcome="done",
        summary="The run began.",
        detail={"basis": request.settings.instructions.sha256},
    )


def _digest(titles: Sequence[str]) -> str:
    return sha256("\0".join(titles).encode()).hexdigest() if titles else ""
