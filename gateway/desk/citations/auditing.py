"""Audits of citations: of a document or of files, now or on a timetable, without a model."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from hashlib import sha256
from pathlib import Path
from typing import Final, Literal

from gateway.desk.citations.references import format_of, read_file
from gateway.desk.engine import messages
from gateway.desk.engine.citations import ScheduledAudit
from gateway.desk.engine.pipelines import Message, Timetable
from gateway.desk.engine.waits import Wait
from gateway.desk.manuscript import scenes
from gateway.desk.services import Services
from gateway.desk.works import books, novels
from gateway.desk.works.documents import Document
from penwright.domain.manuscript.layout import BIBLIOGRAPHY
from penwright.domain.manuscript.texts import as_lf
from penwright.errors import Refused, UsageMistake
from schemas.citation_audit import AuditReport, CitationAuditInput, CitationAuditResult, CitedText
from schemas.citations import ReferenceFormat

TEXTS: Final = (".md", ".markdown", ".txt", ".qmd", ".rmd")
"""Endings of files that are read as texts with citations in them."""
REFERENCES: Final = (".bib", ".bibtex", ".ris", ".json", ".csljson")


@dataclass(frozen=True, slots=True)
class Audited:
    """An audit that has ended."""

    result: CitationAuditResult
    report: AuditReport


@dataclass(frozen=True, slots=True)
class AuditOrder:
    """Subject of an audit, and the name of its run."""

    name: str
    given: CitationAuditInput


def is_file(named: str) -> bool:
    """Whether a command's argument names a file, and no document of the desk."""
    place = Path(named)
    return place.is_file() or (place.suffix.lower() in (*TEXTS, *REFERENCES) and not place.is_dir())


def of_document(services: Services, found: Document, *, waits: bool = False) -> AuditOrder:
    """The order for a document and its bibliography; raises ``NotFound`` (``no-such-scene``)."""
    scenes.check(services, found.novel, found.scene)
    novels.enter(services, found.novel)
    given = CitationAuditInput(
        subject=found.name,
        session=books.new_session(services.now()),
        workspace=found.novel.workspace,
        scene=found.scene,
        waits=waits,
        repo_queue=services.defaults().repo_queue,
    )
    return AuditOrder(found.name, given)


def of_files(services: Services, files: Sequence[Path], *, waits: bool = False) -> AuditOrder:
    """The order for texts and files of references; a text alone is read with the references.bib beside it.

    Raises:
        NotFound: ``no-such-file``.
        UsageMistake: ``unknown-reference-format``, ``references-not-text``.
    """
    beside = files[0].with_name(BIBLIOGRAPHY)
    is_alone = len(files) == 1 and files[0].suffix.lower() in TEXTS
    chosen = (*files, beside) if is_alone and beside.is_file() else tuple(files)
    contents = [(each, read_file(each).text) for each in chosen]
    with services.open_store() as store:
        texts = tuple(
            CitedText(name=str(each), form=_form_of(each), text=store.blobs.put(as_lf(content).encode()))
            for each, content in contents
        )
    digest = sha256("\n".join(f"{each.name} {each.text.sha256}" for each in texts).encode()).hexdigest()
    given = CitationAuditInput(
        subject=files[0].name, session=books.new_session(services.now()), texts=texts, waits=waits
    )
    return AuditOrder(f"files/{digest[:16]}", given)


async def audit(services: Services, order: AuditOrder, wait: Wait) -> Audited:
    """Audit, or join the audit of the same that runs; raises what ended it if it failed."""
    async with services.engine() as engine:
        audits = engine.audits
        await audits.start(order.name, order.given)
        ended = await wait(audits.result(order.name), lambda: audits.progress(order.name))
    return Audited(ended, await asyncio.to_thread(_report, services, ended))


async def start(services: Services, order: AuditOrder) -> bool:
    """Start an audit without waiting for its end; False if one of the same runs already."""
    async with services.engine() as engine:
        return await engine.audits.start(order.name, order.given)


async def schedule(services: Services, found: Document, every: timedelta) -> ScheduledAudit:
    """Audit a document on a timetable, and notify of what is retracted later."""
    order = await asyncio.to_thread(of_document, services, found)
    if every < _LEAST:
        said = "registries need not be asked for one document more often than once an hour"
        raise UsageMistake("bad-interval", said, hint="give at least `--every 1h`, for instance 7d")
    async with services.engine() as engine:
        return await engine.audits.schedule(order.given, Timetable(every=every, window=min(every, _WINDOW)))


async def unschedule(services: Services, found: Document) -> None:
    """Delete the timetable; ``Refused`` (``not-scheduled``) if there is none."""
    async with services.engine() as engine:
        await engine.audits.unschedule(found.name)


async def send(services: Services, found: Document, message: Message) -> None:
    """Kill, pause or resume the audit of a document; returns once that is confirmed.

    Raises:
        Refused: ``no-audit``.
        EngineUnavailable: no worker confirmed it in time.
    """
    nothing = Refused(
        "no-audit", f"no audit of {found.name!r} runs", hint="the report of the last one is kept"
    )
    async with services.engine() as engine:
        await messages.send(engine.audits, found.name, message, nothing)


_LEAST: Final = timedelta(hours=1)
_WINDOW: Final = timedelta(minutes=30)
"""Time over which the audits of many documents are spread."""


def _form_of(file: Path) -> Literal["text"] | ReferenceFormat:
    suffix = file.suffix.lower()
    if suffix in TEXTS:
        return "text"
    if suffix not in REFERENCES:
        said = f"{file.name!r} is no text or file of references that can be audited"
        hint = "name Markdown, BibTeX, RIS or CSL-JSON"
        raise UsageMistake("unknown-reference-format", said, hint=hint)
    return format_of(file)


def _report(services: Services, ended: CitationAuditResult) -> AuditReport:
    if ended.report is None:
        return AuditReport()
    with services.open_store() as store:
        return AuditReport.model_validate_json(store.blobs.get(ended.report))
