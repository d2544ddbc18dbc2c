"""Audits of a manuscript's citations: one is started, and the report of the last one is read."""

from collections import Counter
from datetime import datetime

from fastapi import APIRouter, Response
from pydantic import BaseModel

from gateway.desk.citations import auditing
from gateway.desk.evidence.last_audits import last_audit
from gateway.desk.works import permitted
from gateway.http import run_ids
from gateway.http.answers import StartedRun, locate
from gateway.http.asking import Asking, FromServices
from gateway.http.keys import Operation
from gateway.http.orders import Order
from gateway.http.strict import StrictRoute
from gateway.http.waiting import finished
from penwright.domain.citations.auditing.steps import run_name
from penwright.errors import NotFound, Refused
from schemas.citation_audit import AuditedEntry, EntryState, PlacedFinding

router = APIRouter(
    prefix="/manuscripts/{novel_id}/{document}/citations/audit", tags=["citations"], route_class=StrictRoute
)


class AuditWish(Order):
    """Options of an audit."""

    wait: bool = False
    """Ask registries again after the time for which they put it off."""


class ShownAudit(BaseModel):
    """The report of an audit that has ended."""

    ended_at: datetime
    counts: dict[EntryState, int]
    entries: list[AuditedEntry]
    findings: list[PlacedFinding]
    """Faults of citations, found before a registry was asked."""


@router.get("")
def show_audit(novel_id: str, document: str, principal: Asking, services: FromServices) -> ShownAudit:
    """The last audit that has ended: each entry, compared with what the registries have."""
    found = permitted.document(services, principal, "read", novel_id, document)
    with services.open_store() as store:
        last = last_audit(store, found.name)
    if last is None:
        said = f"no audit of {found.name!r} has a report"
        raise NotFound("no-audit", said, hint="start one; its report is here when it has ended")
    entries = list(last.report.entries)
    return ShownAudit(
        ended_at=last.at,
        counts=dict(Counter(each.state for each in entries)),
        entries=entries,
        findings=list(last.report.findings),
    )


@router.post("", status_code=202)
def start_audit(
    novel_id: str,
    document: str,
    given: AuditWish,
    response: Response,
    operation: Operation,
    principal: Asking,
    services: FromServices,
) -> StartedRun:
    """Look every entry up in the registries, without a model; 409 while an audit runs."""
    found = permitted.document(services, principal, "run", novel_id, document)
    order = auditing.of_document(services, found, waits=given.wait)
    if not finished(auditing.start(services, order)):
        said = f"an audit of {found.name!r} runs; nothing was started"
        raise Refused("audit-runs", said, hint="its report is here when it has ended")
    run_id = run_ids.encoded(run_name(found.name, order.given.session))
    locate(response, "runs", run_id)
    return StartedRun(run_id=run_id, session=order.given.session)
