"""End of a citation scan: record it, and notify people of what waits for them."""

import asyncio
from dataclasses import dataclass
from datetime import UTC, datetime

from temporalio import activity

from activities.run_log import run_end
from penwright.domain.citations.scanning.status import PIPELINE
from penwright.domain.control import shown_outcome
from penwright.domain.manuscript.naming import options_of
from penwright.ports.notices import Outbox
from penwright.ports.records import Records
from schemas.citation_scan import CitationScanResult, EndScan
from schemas.notices import Notice

_NEWSWORTHY = frozenset({"waiting", "failed"})


@dataclass(frozen=True)
class CitationEndingActivities:
    """The last step of every scan."""

    records: Records
    outbox: Outbox

    @activity.defn
    async def end_scan(self, request: EndScan) -> None:
        """Each part is harmless to repeat."""
        await asyncio.to_thread(self._record, request)
        if request.result.outcome in _NEWSWORTHY:
            await self.outbox.post(_notice(request))

    def _record(self, request: EndScan) -> None:
        ended = request.result
        subject = f"{request.subject}/{request.scene}"
        run = f"citations/{subject}#{request.session}"
        row, event = run_end(
            run,
            PIPELINE,
            subject,
            request.effect,
            outcome=shown_outcome(ended.outcome, ended.code),
            data=ended.model_dump(mode="json", exclude_defaults=True),
            detail={
                "counts": ended.counts.model_dump(),
                "code": ended.code,
                "message": ended.message,
                "unknown_prices": ended.unknown_prices,
            },
            cost_micros=ended.cost_micros,
            started_at=_begun(request.session) or request.effect.issued_at,
        )
        self.records.note(row, [event])


def _begun(session: str) -> datetime | None:
    """When the scan was ordered, which its session is called after."""
    try:
        return datetime.strptime(session[:16], "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
    except ValueError:
        return None


def _notice(request: EndScan) -> Notice:
    ended = request.result
    return Notice(
        key=request.effect.op_id,
        subject=request.subject,
        title=f"{request.subject}/{request.scene}: citation scan {shown_outcome(ended.outcome, ended.code)}",
        body=_body(ended),
        data=ended.model_dump(mode="json", exclude_none=True),
        at=request.effect.issued_at,
    )


def _body(ended: CitationScanResult) -> str:
    if ended.outcome == "waiting":
        named = options_of(ended.novel, ended.scene)
        return f"{ended.message}. `penwright cite review {named}` shows them."
    return f"{ended.message} ({ended.code})"
