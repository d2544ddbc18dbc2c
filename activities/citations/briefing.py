"""The prompts of a citation scan's agents, and what registries found, as one list to pick from."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass

from temporalio import activity

from activities.citation_scan import own_texts, target_of
from penwright.domain.citations.answers import is_unanswered, merged, reason_of
from penwright.domain.citations.claims import reference_of
from penwright.domain.citations.entries import Entry, read_entries, read_entry
from penwright.domain.citations.scanning.offering import line_of
from penwright.domain.citations.sentences import sentences_of
from penwright.domain.citations.support.comparing import support_by_abstract
from penwright.domain.citations.targets import neighbours, title_of
from penwright.domain.citations.works import same_work
from penwright.domain.manuscript.placeholders import Accumulated, Sources
from penwright.domain.text.citation_tokens import tokens_of
from penwright.domain.text.inline_citations import entries_in, find_citations, keys_named_in, unknown_key
from penwright.ports.blobs import Blobs
from penwright.roles.manuscript.briefing import prompt
from schemas.base import BlobRef, Cause
from schemas.citation_scan import (
    BriefSearch,
    GatherRecords,
    NameTargets,
    ProposalList,
    RecordList,
    RecordsGathered,
    TargetBriefed,
)
from schemas.citations import CitationFinding, CitationTarget
from schemas.manuscript_roles import (
    CitationOrder,
    FoundRecords,
    Handed,
    ManuscriptRole,
    RoleBrief,
    RunSettings,
    TargetsFound,
)
from schemas.scholarly import Answer, Reference, ScholarlyRecord

_MOST_RECORDS = 12
"""Works that the generator picks from."""
_FIELD = 200
"""Characters of a field that names a work in a history."""
_CITATIONS_SHOWN = 12_000
"""Characters of the document's own entries in the generator's prompt."""


@dataclass(frozen=True)
class CitationBriefing:
    """Activities for any worker that reaches the store."""

    blobs: Blobs

    @activity.defn
    async def brief_orchestrator(self, request: NameTargets) -> RoleBrief:
        """The orchestrator's prompt; harmless to repeat."""
        return await asyncio.to_thread(self._brief_orchestrator, request)

    def _brief_orchestrator(self, request: NameTargets) -> RoleBrief:
        step = f"name-{request.turn}"
        wanted = TargetsFound(
            for_step=step, already_identified_targets=request.before, targets_wanted=request.wanted
        )
        shown = Accumulated(current_manuscript=self._text(request.window.text))
        sources = _sources(step, shown, wanted, max_targets=request.limit)
        return self._brief("citation-orchestrator", sources, sentences=request.sentences)

    @activity.defn
    async def brief_generator(self, request: BriefSearch) -> TargetBriefed:
        """The generator's prompt for a target, or what the target's citations claim; harmless to repeat."""
        return await asyncio.to_thread(self._brief_generator, request)

    def _brief_generator(self, request: BriefSearch) -> TargetBriefed:
        target = target_of(
            ProposalList.model_validate_json(self.blobs.get(request.proposals)).proposals, request.number
        )
        if target.kind != "insert":
            claims, finding = _claims(target, self._entries(request))
            cause = Cause(code=finding.code, message=finding.message) if finding else None
            return TargetBriefed(kind=target.kind, claims=claims, cause=cause)
        step = f"cite-{request.number}"
        text = self._text(request.text)
        handed: list[Handed] = [_order(step, target, text)]
        if request.records is not None:
            handed.append(FoundRecords(for_step=step, found_records=self._candidates(request, target)))
        shown = Accumulated(current_manuscript="", existing_citations=_shown_citations(text))
        brief = self._brief("citation-generator", _sources(step, shown, *handed))
        return TargetBriefed(kind=target.kind, brief=brief)

    def _candidates(self, request: BriefSearch, target: CitationTarget) -> tuple[str, ...]:
        """The records found, each with what its work says of the sentence."""
        assert request.records is not None, "there is something to pick from"
        records = RecordList.model_validate_json(self.blobs.get(request.records)).records
        own = own_texts(self.blobs, request.compared) or (None,) * len(records)
        pairs = zip(records, own, strict=True)
        return tuple(line_of(each, said or support_by_abstract(target.text, each)) for each, said in pairs)

    def _entries(self, request: BriefSearch) -> dict[str, Entry]:
        """Entries of the document by key; those of the text before those of ``references.bib``."""
        shelf = read_entries(self._text(request.bibliography)).entries if request.bibliography else ()
        read = map(read_entry, entries_in(self._text(request.text)))
        inline = (each for each in read if isinstance(each, Entry))
        return {each.key: each for each in (*shelf, *inline)}

    @activity.defn
    async def gather_records(self, request: GatherRecords) -> RecordsGathered:
        """Gather what registries find, each work once; harmless to repeat."""
        return await asyncio.to_thread(self._gather, request)

    def _gather(self, request: GatherRecords) -> RecordsGathered:
        answers = [Answer.model_validate_json(self.blobs.get(each)) for each in request.answers]
        records = _each_once([record for answer in answers for record in answer.records])
        outages = {
            f"{outage.source} ({reason_of(outage)})" for answer in answers for outage in answer.outages
        }
        return RecordsGathered(
            records=self.blobs.put(RecordList(records=records).model_dump_json().encode()),
            references=tuple(map(_short, records)),
            outages=tuple(sorted(outages)),
            unanswered=is_unanswered(merged(answers)),
        )

    def _brief(self, role: ManuscriptRole, sources: Sources, *, sentences: int = 0) -> RoleBrief:
        made = prompt(role, sources, sentences=sentences)
        return RoleBrief(
            role=role,
            task=self.blobs.put(made.text.encode()),
            params=made.params,
            turn_tokens=made.max_output_tokens,
        )

    def _text(self, ref: BlobRef) -> str:
        return self.blobs.get(ref).decode()


def _sources(step: str, shown: Accumulated, *handed: Handed, max_targets: int = 10) -> Sources:
    settings = RunSettings(instructions="", max_targets=max_targets)
    return Sources(step=step, settings=settings, read_now=lambda: shown, handed=handed)


def _order(step: str, target: CitationTarget, text: str) -> CitationOrder:
    before, after = neighbours(sentences_of(text), target)
    return CitationOrder(
        for_step=step,
        title_of_manuscript=title_of(text),
        sentence_before_citation_target=before,
        sentence_citation_target=target.text,
        sentence_after_citation_target=after,
        reason_citation_target=target.reason,
        section_title_citation_target=target.section,
        evidence_type_citation_target=target.evidence,
    )


def _claims(
    target: CitationTarget, entries: Mapping[str, Entry]
) -> tuple[tuple[Reference, ...], CitationFinding | None]:
    """The works that a sentence's citations name; what is wrong with the first that cannot be read."""
    read = [read_entry(each.entry) for each in find_citations(target.text).citations]
    read += [
        entries.get(key) or unknown_key(key) for key, _ in keys_named_in(target.text, tokens_of(target.text))
    ]
    finding = next((each for each in read if isinstance(each, CitationFinding)), None)
    claims = tuple(reference_of(each) for each in read if isinstance(each, Entry))
    return (() if finding else claims), finding


def _shown_citations(text: str) -> tuple[str, ...]:
    entries, size = [], 0
    for entry in entries_in(text):
        size += len(entry)
        if size > _CITATIONS_SHOWN:
            break
        entries.append(entry)
    return tuple(entries)


def _each_once(records: list[ScholarlyRecord]) -> tuple[ScholarlyRecord, ...]:
    kept: list[ScholarlyRecord] = []
    for record in records:
        if record.title and not any(same_work(record, each) for each in kept):
            kept.append(record)
    return tuple(kept[:_MOST_RECORDS])


def _short(record: ScholarlyRecord) -> Reference:
    """Shorten a record to a name of its work, small enough for a history."""
    named = Reference.model_validate(record.model_dump())
    cut = {name: value[:_FIELD] for name, value in named if isinstance(value, str)}
    return named.model_copy(update={**cut, "authors": record.people[:3], "title": named.title[:500]})
