"""The last audit of a document's citations, as the store keeps it."""

from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from gateway.desk.services import CommandStore
from penwright.domain.citations.auditing.steps import PIPELINE
from penwright.errors import PenwrightError
from schemas.base import BlobRef
from schemas.citation_audit import AuditReport

_RUNS: Final = 20
"""Newest audits of a document that are looked at."""


@dataclass(frozen=True, slots=True)
class LastAudit:
    """An audit that has ended."""

    at: datetime
    report: AuditReport


def last_audit(store: CommandStore, document: str) -> LastAudit | None:
    """The last audit of ``<novel>/<scene>`` that has a report; None without one.

    One that an earlier version of the program made has none.
    """
    for row in store.records.runs(subject=document, pipeline=PIPELINE, limit=_RUNS):
        if row.ended_at and (kept := row.detail.get("report")):
            with suppress(PenwrightError):
                content = store.blobs.get(BlobRef.model_validate(kept))
                return LastAudit(row.ended_at, AuditReport.model_validate_json(content))
    return None
