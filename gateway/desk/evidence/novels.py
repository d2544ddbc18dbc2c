"""The reader's copy of a novel or paper: its text with the evidence that scans, people and audits left."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import partial

from gateway.desk.evidence.copies import CopyText, signed_copy
from gateway.desk.evidence.last_audits import last_audit
from gateway.desk.manuscript import scenes
from gateway.desk.manuscript.exports import Converter, Copier
from gateway.desk.services import CommandStore, Services
from gateway.desk.trace import traces
from gateway.desk.works import inspecting
from gateway.desk.works.documents import Document
from gateway.desk.works.novels import Novel
from penwright.domain.citations.cited_versions import is_cited
from penwright.domain.citations.entries import read_entries
from penwright.domain.citations.exchange.exporting import ExportedCitations
from penwright.domain.citations.scanning.storing import KeptTarget, read_rows
from penwright.domain.evidence.citations import Gathered, Known, dates_of, name_of
from penwright.domain.evidence.marking import unmarked
from penwright.domain.manuscript.layout import scene_path
from penwright.domain.manuscript.texts import as_lf
from penwright.domain.trace.reports.blame import blame
from penwright.domain.trace.source import TraceSource
from schemas.base import BlobRef
from schemas.readers_copy import CopyTitle
from schemas.section_evidence import SectionEvidence
from schemas.workspace import FileVersion

_VERSIONS = 500
"""Newest versions of a document's citations that are read for the days of its look-ups and decisions."""


def novel_copy(services: Services, novel: Novel) -> Copier:
    """Return what makes a signed copy of scenes of a novel.

    It raises:
        EngineUnavailable: what scans have found is known to the running engine alone.
        PermanentError: as ``key_of``.
    """
    return partial(_copy, services, novel)


def _copy(
    services: Services,
    novel: Novel,
    names: Sequence[str],
    text: str,
    cited: ExportedCitations,
    converted: Converter,
) -> bytes:
    documents = [Document(novel, each) for each in names]
    versions = [scenes.versions(services, novel, each) for each in names]
    with traces.opened(services, novel.workspace.path) as (source, _), services.open_store() as store:
        blames = [blame(source, scene_path(each)) for each in names]
        known = [_known(store, source, *pair) for pair in zip(documents, versions, strict=True)]
        title = CopyTitle(
            id=novel.novel_id,
            kind=novel.kind,
            title=novel.title,
            author=novel.config.author,
            language=novel.config.language,
            commit=source.tip,
        )
    shown = CopyText(title, unmarked(cited.text), unmarked(text), read_entries(cited.bibliography).entries)
    return signed_copy(services, shown, converted, blames, known)


def _known(
    store: CommandStore, source: TraceSource, found: Document, versions: Sequence[FileVersion]
) -> Known:
    state = store.agent_states.read(found.key)
    kept = read_rows(state.citation_targets) if state else ()
    past = store.agent_states.past(found.key, "citation_targets", limit=_VERSIONS)
    found_on, accepted_at = dates_of(past)
    audit = last_audit(store, found.name)
    return Known(
        kept=kept,
        found_on=found_on,
        gathered=tuple(_gathered(store, found)),
        accepted_at=accepted_at,
        put_in=_put_in(source, scene_path(found.scene), versions, kept),
        audited={each.key: each for each in audit.report.entries} if audit else {},
        audited_on=audit.at.date().isoformat() if audit else "",
    )


def _gathered(store: CommandStore, found: Document) -> Iterator[Gathered]:
    """The passages that writers of the document were shown, of its newest plan first."""
    for entry in reversed(inspecting.actions(store, found.key)):
        if entry.action == "gather_evidence" and (kept := entry.detail.get("evidence")):
            shown = SectionEvidence.model_validate_json(store.blobs.get(BlobRef.model_validate(kept)))
            yield from (Gathered(each, entry.at) for each in shown.passages)


def _put_in(
    source: TraceSource, path: str, versions: Iterable[FileVersion], kept: Iterable[KeptTarget]
) -> Mapping[str, tuple[str, datetime]]:
    """The commit of a scan since which each change stands in the text, and when, by name of its target."""
    left = {name_of(each): each.proposal.change.after for each in kept if each.proposal.change}
    made: dict[str, tuple[str, datetime]] = {}
    for version in filter(is_cited, versions):
        text = as_lf((source.at(version.commit, path) or b"").decode("utf-8", "replace"))
        left = {name: after for name, after in left.items() if after in text}
        made |= dict.fromkeys(left, (version.commit, version.at))
    return made
