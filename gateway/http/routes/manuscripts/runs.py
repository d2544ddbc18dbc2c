"""Runs of agents on a manuscript: begun, stopped, and what they know and were shown."""

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response
from pydantic import BaseModel, Field, JsonValue

from gateway.desk.manuscript import estimating, refused_edits, runs, settings, told_variables
from gateway.desk.manuscript.estimating import RoleEstimate
from gateway.desk.manuscript.refused_edits import Keep
from gateway.desk.manuscript.runs import LoopOptions
from gateway.desk.manuscript.settings import SETTINGS, Clashes
from gateway.desk.services import CommandStore
from gateway.desk.works import inspecting, permitted
from gateway.desk.works.documents import Document
from gateway.http import run_ids
from gateway.http.answers import StartedRun, locate
from gateway.http.asking import Asking, FromServices
from gateway.http.keys import Operation
from gateway.http.model_calls import CallsShown, shown_calls
from gateway.http.orders import Order
from gateway.http.revisions import BaseVersion, not_modified, unchanged, version_tag
from gateway.http.strict import StrictRoute
from gateway.http.waiting import finished
from penwright.errors import Refused
from schemas.agent_state import (
    LONGEST_INSTRUCTIONS,
    ActionEntry,
    AgentState,
    Hunks,
    Passes,
    PastValue,
    Score,
    Targets,
)
from schemas.manuscript import MOST_ACTIONS, MOST_MINUTES, ManuscriptLimits
from schemas.patching import OperationOutcome

router = APIRouter(prefix="/manuscripts/{novel_id}/{document}", tags=["manuscripts"], route_class=StrictRoute)

_MOST = 2**62


class WriteOrder(Order):
    """Task of a run; what is null is as the settings have it."""

    instructions: str | None = Field(default=None, max_length=LONGEST_INSTRUCTIONS)
    max_passes: Passes | None = None
    min_score: Score | None = None
    max_hunks: Hunks | None = None
    evidence: bool | None = None
    """Search sources before each section, and cite them; null: as ``Novel.yml`` says."""
    actions: int = Field(default=200, ge=1, le=MOST_ACTIONS)
    """Tried at most."""
    calls: int | None = Field(default=None, ge=1, le=_MOST)
    tokens: int | None = Field(default=None, ge=1, le=_MOST)
    minutes: int | None = Field(default=None, ge=1, le=MOST_MINUTES)
    cost_micros: int | None = Field(default=None, ge=0, le=_MOST)
    """In millionths of a US dollar."""
    intent: str = Field(default="", max_length=200)
    tag: str = Field(default="", max_length=100)
    """Tag of the override set with which its agents work; empty: as their profiles say."""


class ReviseOrder(Order):
    """One instruction for one revision."""

    instruction: str = Field(min_length=1, max_length=8_000)
    intent: str = Field(default="", max_length=200)
    tag: str = Field(default="", max_length=100)
    """Tag of the override set with which its agents work; empty: as their profiles say."""


class Estimate(BaseModel):
    """Most that a run may need."""

    items: list[RoleEstimate]


class StopWritingOrder(Order):
    """Reason why a run is stopped."""

    reason: str = Field(default="stopped by hand", max_length=2000)


class RunStopped(BaseModel):
    """The run ends after the call in hand."""

    document: str


class WritingSettings(BaseModel):
    """Settings of the next run."""

    instructions: str
    max_passes: int
    min_score: float
    max_hunks: int
    max_targets: int
    revision: str
    """As in the ETag."""


class WritingSettingsOrder(Order):
    """Settings to change; what is null stays."""

    instructions: str | None = Field(default=None, max_length=LONGEST_INSTRUCTIONS)
    max_passes: Passes | None = None
    min_score: Score | None = None
    max_hunks: Hunks | None = None
    max_targets: Targets | None = None


class ShownVariable(BaseModel):
    """Knowledge of the agents under one name, now and before."""

    name: str
    value: JsonValue
    past: list[PastValue]
    """Newest first, the present value included."""
    tokens: int
    """About how many a model counts in the value as text."""


class ShownVariables(BaseModel):
    """Everything that the agents know."""

    version: int
    items: dict[str, JsonValue]


class EditNotMade(BaseModel):
    """One edit that an action did not make, and why."""

    number: int
    """Of the edit in its reply, from 1."""
    outcome: OperationOutcome
    message: str
    find: str
    replace: str
    nearest: str
    """The text in question: passages that it may mean; of a ``conflict`` what people wrote meanwhile."""
    wanted: str
    """Of a ``conflict``: the same passage as the agent would have it."""


class ShownAction(ActionEntry):
    """An action with the edits that it did not make."""

    not_made: list[EditNotMade] = []


class Actions(BaseModel):
    """Actions of the agents, oldest first."""

    items: list[ShownAction]


class ConflictSettled(Order):
    """Choice that settles a conflict."""

    action: str
    """``op_id`` of the action."""
    number: int = Field(ge=1)
    """Of the edit in its reply."""
    keep: Keep
    """``mine``: the text stays; ``edit``: the agent's version takes the passage's place."""


@router.post("/write", status_code=202)
def write_manuscript(
    novel_id: str,
    document: str,
    given: WriteOrder,
    response: Response,
    operation: Operation,
    principal: Asking,
    services: FromServices,
) -> StartedRun:
    """Have agents plan, write, criticise and revise; 409 while a run goes on."""
    found = permitted.document(services, principal, "run", novel_id, document)
    limits = given.model_dump(include={"calls", "tokens", "minutes", "cost_micros"})
    wanted = LoopOptions(
        **given.model_dump(
            include={"instructions", "max_passes", "min_score", "max_hunks", "evidence", "intent", "tag"}
        ),
        limits=ManuscriptLimits(decisions=given.actions, **limits),
        who=principal.name,
    )
    written = finished(runs.write(services, found, wanted, wait=None))
    if not written.fresh:
        raise Refused(
            "already-running", f"a run on {found.name!r} goes on; nothing was started", hint="stop it first"
        )
    return begun("manuscript", found, written.given.session, response)


@router.post("/revise", status_code=202)
def revise_manuscript(
    novel_id: str,
    document: str,
    given: ReviseOrder,
    response: Response,
    operation: Operation,
    principal: Asking,
    services: FromServices,
) -> StartedRun:
    """Have one instruction carried out by the reviser, in one commit; 409 while a run goes on."""
    found = permitted.document(services, principal, "run", novel_id, document)
    revised = runs.revise(
        services,
        found,
        given.instruction,
        intent=given.intent,
        tag=given.tag,
        who=principal.name,
        wait=None,
    )
    return begun("manuscript", found, finished(revised).given.session, response)


@router.get("/estimate")
def estimate_run(
    novel_id: str,
    document: str,
    principal: Asking,
    services: FromServices,
    max_passes: Annotated[Passes | None, Query(description="In place of the settings'.")] = None,
) -> Estimate:
    """The calls, tokens and money of a run that needs all its passes; nothing is started."""
    found = permitted.document(services, principal, "read", novel_id, document)
    rows = estimating.estimate_now(services, found, LoopOptions(max_passes=max_passes))
    return Estimate(items=list(rows))


@router.post("/stop")
def stop_manuscript(
    novel_id: str,
    document: str,
    given: StopWritingOrder,
    operation: Operation,
    principal: Asking,
    services: FromServices,
) -> RunStopped:
    """End the run after the call in hand; what is written stays."""
    found = permitted.document(services, principal, "run", novel_id, document)
    finished(runs.stop(services, found, given.reason, who=principal.name))
    return RunStopped(document=found.name)


@router.get("/settings", responses={304: {"description": "the caller has this revision"}})
def show_writing_settings(
    novel_id: str,
    document: str,
    request: Request,
    response: Response,
    principal: Asking,
    services: FromServices,
) -> WritingSettings:
    """Show the settings of the next run."""
    found = permitted.document(services, principal, "read", novel_id, document)
    now = settings.read(services, found)
    if unchanged(request, f"v{now.version}"):
        return not_modified(f"v{now.version}")  # type: ignore[return-value]
    return _settings(now, response)


@router.patch("/settings")
def change_writing_settings(
    novel_id: str,
    document: str,
    given: WritingSettingsOrder,
    response: Response,
    base: BaseVersion,
    principal: Asking,
    services: FromServices,
) -> WritingSettings:
    """Set what the next run is given; 412 if the same setting was changed since the revision in If-Match."""
    found = permitted.document(services, principal, "write", novel_id, document)
    values = given.model_dump(exclude_none=True)
    written = settings.change(services, found, values, based_on=base, who=principal.name)
    if isinstance(written, Clashes):
        names = ", ".join(each.name for each in written.clashes)
        raise Refused(
            "stale-revision",
            f"{names} changed after version {written.based_on}; nothing was stored",
            hint="read the settings again",
        )
    return _settings(written.state, response)


@router.get("/variables")
def list_variables(novel_id: str, document: str, principal: Asking, services: FromServices) -> ShownVariables:
    """Everything that the agents know of a document."""
    found = permitted.document(services, principal, "read", novel_id, document)
    known = told_variables.variables(services, found)
    return ShownVariables(version=known.version, items={each.name: each.value for each in known.views})


@router.get("/variables/{name}")
def show_variable(
    novel_id: str, document: str, name: str, principal: Asking, services: FromServices
) -> ShownVariable:
    """One of them, with the values that it had, and who stored them."""
    found = permitted.document(services, principal, "read", novel_id, document)
    view = told_variables.variable(services, found, name)
    tokens = told_variables.tokens(told_variables.written_out(view.value))
    return ShownVariable(name=view.name, value=view.value, past=list(view.past), tokens=tokens)


@router.get("/actions")
def list_actions(
    novel_id: str,
    document: str,
    principal: Asking,
    services: FromServices,
    limit: Annotated[int, Query(ge=1, le=1000)] = 100,
) -> Actions:
    """The newest actions of all runs, with their scores and reasons."""
    found = permitted.document(services, principal, "read", novel_id, document)
    with services.open_store() as store:
        return Actions(
            items=[_shown_action(store, each) for each in inspecting.actions(store, found.key)[-limit:]]
        )


@router.post("/settle", status_code=204)
def settle_conflict(
    novel_id: str,
    document: str,
    given: ConflictSettled,
    operation: Operation,
    principal: Asking,
    services: FromServices,
) -> None:
    """Settle a conflict between an edit of the agents and what people wrote meanwhile."""
    found = permitted.document(services, principal, "write", novel_id, document)
    finished(
        refused_edits.decide(services, found, given.action, given.number, given.keep, who=principal.name)
    )


def _shown_action(store: CommandStore, entry: ActionEntry) -> ShownAction:
    not_made = [
        EditNotMade.model_validate(each, from_attributes=True)
        for each in refused_edits.of_entry(store, entry)
    ]
    return ShownAction(**entry.model_dump(), not_made=not_made)


@router.get("/calls")
def list_calls(
    novel_id: str,
    document: str,
    principal: Asking,
    services: FromServices,
    limit: Annotated[int, Query(ge=1, le=1000)] = 100,
) -> CallsShown:
    """The newest calls of models, oldest first."""
    found = permitted.document(services, principal, "read", novel_id, document)
    with services.open_store() as store:
        return shown_calls(inspecting.calls(store, found.key)[-limit:])


def begun(pipeline: str, found: Document, session: str, response: Response) -> StartedRun:
    """Tell where a run on a document is."""
    run_id = run_ids.encoded(f"{pipeline}/{found.name}#{session}")
    locate(response, "runs", run_id)
    return StartedRun(run_id=run_id, session=session)


def _settings(now: AgentState, response: Response) -> WritingSettings:
    response.headers["etag"] = version_tag(now.version)
    told: dict[str, Any] = {name: getattr(now, name) for name in SETTINGS}  # Any: of each setting's type
    return WritingSettings(**told, revision=f"v{now.version}")
