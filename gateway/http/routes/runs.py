"""Runs of all pipelines, as the store remembers them."""

from datetime import datetime
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request, Response
from pydantic import BaseModel, Field

from gateway.desk.engine.pipelines import StepUnderWay
from gateway.desk.run_records.unchanged import message_of
from gateway.desk.runs import listing as run_listing
from gateway.desk.runs import pipelines, work_runs
from gateway.desk.runs.listing import RunFilter
from gateway.desk.works.subjects import subject_of
from gateway.http import run_ids
from gateway.http.asking import Asking, FromServices
from gateway.http.cursors import OnePage
from gateway.http.keys import Operation, nothing_done
from gateway.http.model_calls import CallsShown, CallWithTexts, shown_calls, shown_texts
from gateway.http.numbers import Number
from gateway.http.orders import Order
from gateway.http.routes.events import envelope
from gateway.http.strict import StrictRoute
from gateway.http.uploads import DOWNLOAD, download
from gateway.http.waiting import finished
from penwright.errors import PenwrightError
from schemas.control import KillRequest
from schemas.records import RunRow, Spending

router = APIRouter(prefix="/runs", tags=["runs"], route_class=StrictRoute)


class Run(BaseModel):
    """A run of a pipeline."""

    id: str
    run: str
    pipeline: str
    subject: str
    stage: str
    outcome: str
    """Empty while it runs."""
    words: int
    cost_micros: int | None
    """Null: it called models, and no price of them is known."""
    unknown_prices: int
    """Model calls that are not in ``cost_micros``."""
    started_at: datetime | None
    ended_at: datetime | None
    code: str
    message: str


class Runs(BaseModel):
    """Runs, newest first."""

    items: list[Run]
    next: str | None


class ShownRun(Run):
    """A run with what its model calls have used."""

    spending: Spending


class Steps(BaseModel):
    """Events of a run, in order."""

    items: list[dict[str, Any]]  # Any: as events are told
    next: int | None
    """The cursor to go on after; null at the end."""


class StepsUnderWay(BaseModel):
    """Steps that a run waits for now; empty once it has ended."""

    items: list[StepUnderWay]


class Transcript(BaseModel):
    """The entries of an agent's run, sub-agents nested."""

    items: list[dict[str, Any]]  # Any: JSON


class KillRunOrder(Order):
    """Reason why a run is ended."""

    reason: str = Field(default="killed by hand", max_length=2000)


class Told(BaseModel):
    """Message to a run, which has confirmed it."""

    status: Literal["paused", "resumed", "killed"]


class BatchOrder(Order):
    """The same for several runs."""

    runs: list[str] = Field(min_length=1, max_length=100)
    """Their ids."""
    action: Literal["pause", "resume", "kill"]
    reason: str = Field(default="killed by hand", max_length=2000)


class BatchAnswer(BaseModel):
    """Result for one of them."""

    id: str
    done: bool
    code: str = ""
    detail: str = ""


class BatchAnswers(BaseModel):
    """Results for each."""

    items: list[BatchAnswer]


@router.get("")
def list_runs(
    principal: Asking,
    services: FromServices,
    page: OnePage,
    pipeline: Annotated[str, Query(max_length=100)] = "",
    subject: Annotated[str, Query(max_length=300, description="Such as book/tide.")] = "",
    outcome: Annotated[str, Query(max_length=100)] = "",
    running: Annotated[bool, Query(description="Only runs that have not ended.")] = False,
    since: datetime | None = None,
    cost_above: Annotated[int, Query(ge=0, description="In millionths of a US dollar.")] = 0,
) -> Runs:
    """The runs, newest first."""
    wanted = RunFilter(pipeline, subject, outcome, running=running, since=since, cost_above=cost_above)
    found = run_listing.listed(services, principal, wanted, after=page.after, limit=page.limit + 1)
    items, following = page.cut(found, lambda row: row.run)
    return Runs(items=[Run.model_validate(_shown(row)) for row in items], next=following)


@router.get("/{run_id}")
def show_run(run_id: str, principal: Asking, services: FromServices) -> ShownRun:
    """A run, and what its model calls have used."""
    row = run_listing.one(services, principal, run_ids.decoded(run_id))
    return ShownRun.model_validate(_shown(row) | {"spending": run_listing.spending(services, row)})


@router.get("/{run_id}/steps")
def list_steps(
    run_id: str,
    principal: Asking,
    services: FromServices,
    after: Annotated[int, Query(ge=0, le=2**62)] = 0,
    limit: Annotated[int, Query(ge=1, le=500)] = 100,
) -> Steps:
    """List what happened in a run, as events tell it."""
    row = run_listing.one(services, principal, run_ids.decoded(run_id))
    found = run_listing.events(services, row, after=after, limit=limit)
    return Steps(
        items=[envelope(event) for event in found], next=found[-1].cursor if len(found) == limit else None
    )


@router.get("/{run_id}/under-way")
def list_steps_under_way(run_id: str, principal: Asking, services: FromServices) -> StepsUnderWay:
    """The steps that a run waits for, with their attempts and what the last one failed with."""
    row = run_listing.one(services, principal, run_ids.decoded(run_id))
    found = finished(work_runs.under_way(services, row.run))
    return StepsUnderWay(items=list(found))


@router.get("/{run_id}/transcript")
def show_transcript(run_id: str, principal: Asking, services: FromServices) -> Transcript:
    """The entries of an agent's run, with what it said and was answered."""
    row = run_listing.one(services, principal, run_ids.decoded(run_id))
    return Transcript(items=run_listing.transcript(services, row))


@router.get("/{run_id}/calls")
def list_run_calls(run_id: str, principal: Asking, services: FromServices) -> CallsShown:
    """The calls of models that a run made, with tokens and cost; at most 200."""
    row = run_listing.one(services, principal, run_ids.decoded(run_id))
    return shown_calls(work_runs.shown(services, row.run, {}).calls)


@router.get("/{run_id}/calls/{number}")
def show_run_call(run_id: str, number: Number, principal: Asking, services: FromServices) -> CallWithTexts:
    """One of these calls, with what the model was sent and what it said."""
    row = run_listing.one(services, principal, run_ids.decoded(run_id))
    return shown_texts(work_runs.call_of(services, row, number))


@router.get("/{run_id}/bundle", response_class=Response, responses=DOWNLOAD)
def bundle_run(run_id: str, principal: Asking, services: FromServices) -> Response:
    """All that is known of a run of an agent, or of a session's writer, in one zip; known secrets removed."""
    row = run_listing.one(services, principal, run_ids.decoded(run_id), scope="admin")
    name, content = finished(run_listing.bundle(services, row))
    return download(content, name)


@router.post("/batch")
def steer_runs(
    given: BatchOrder, request: Request, operation: Operation, principal: Asking, services: FromServices
) -> BatchAnswers:
    """Pause, resume or kill several runs; each has its own answer."""
    items = [_one_of(services, principal, each, given) for each in given.runs]
    if not any(each.done for each in items):
        nothing_done(request)
    return BatchAnswers(items=items)


@router.post("/{run_id}/pause")
def pause_run(run_id: str, operation: Operation, principal: Asking, services: FromServices) -> Told:
    """Pause a run after its step in hand."""
    return _told(services, principal, run_id, "pause", "")


@router.post("/{run_id}/resume")
def resume_run(run_id: str, operation: Operation, principal: Asking, services: FromServices) -> Told:
    """Let a paused run go on."""
    return _told(services, principal, run_id, "resume", "")


@router.post("/{run_id}/kill")
def kill_run(
    run_id: str, given: KillRunOrder, operation: Operation, principal: Asking, services: FromServices
) -> Told:
    """End a run at its next safe point; what is done stays."""
    return _told(services, principal, run_id, "kill", given.reason)


def _told(
    services: FromServices,
    principal: Asking,
    run_id: str,
    action: Literal["pause", "resume", "kill"],
    reason: str,
) -> Told:
    row = run_listing.one(services, principal, run_ids.decoded(run_id), scope="run")
    message = KillRequest(who=principal.name, reason=reason) if action == "kill" else action
    finished(pipelines.steer(services, principal, row, message))
    done: dict[str, Literal["paused", "resumed", "killed"]] = {
        "pause": "paused",
        "resume": "resumed",
        "kill": "killed",
    }
    return Told(status=done[action])


def _one_of(services: FromServices, principal: Asking, run_id: str, given: BatchOrder) -> BatchAnswer:
    try:
        _told(services, principal, run_id, given.action, given.reason)
    except PenwrightError as error:
        return BatchAnswer(id=run_id, done=False, code=error.code, detail=error.message)
    return BatchAnswer(id=run_id, done=True)


def _shown(row: RunRow) -> dict[str, Any]:  # Any: the fields of a run
    return row.model_dump(exclude={"detail"}) | {
        "id": run_ids.encoded(row.run),
        "cost_micros": row.cost_micros or (None if row.unknown_prices else 0),
        "unknown_prices": row.unknown_prices,
        "subject": subject_of(row.subject),
        "code": str(row.detail.get("code", "")),
        "message": message_of(row),
    }
