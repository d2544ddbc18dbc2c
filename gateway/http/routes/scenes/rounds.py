"""Rounds of a scene: looked at, with what each role was shown; steered, ended, taken back."""

from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import BaseModel, Field

from gateway.desk.scene import changes, direction, permitted, rounds, steering, views
from gateway.desk.scene.steering import Verb
from gateway.desk.scene.views import ShownEnvelope
from gateway.desk.worlds import permitted as shared
from gateway.http.asking import Asking, FromServices
from gateway.http.keys import Operation
from gateway.http.numbers import MOST, Number, Take
from gateway.http.orders import Order
from gateway.http.strict import StrictRoute
from gateway.http.waiting import finished
from penwright.domain.scene.plan.holding import MOST_TURNS
from schemas.director import ApprovedTurn
from schemas.envelope import Envelope, Telemetry
from schemas.scene import NumberedRound

router = APIRouter(prefix="/scenes/{scene_id}", tags=["scenes"], route_class=StrictRoute)

Name = Annotated[str, Field(min_length=1, max_length=200)]


class Rounds(BaseModel):
    """Rounds, newest first."""

    items: list[NumberedRound]


class Call(BaseModel):
    """Envelope that one role was shown in one call of a round."""

    step: str
    who: str
    """``director``, or the id of a character."""
    envelope: Envelope | None
    missing: str
    """Reason why it is not there."""


class Calls(BaseModel):
    """The calls of a round, in order."""

    items: list[Call]


class RoundTokens(BaseModel):
    """The tokens of the newest prompts, oldest first."""

    items: list[Telemetry]


class WhoOrder(Order):
    """A character, or with ``hand-over`` a persona: its id or name."""

    who: Name


class SteeredRound(BaseModel):
    """Steering that was asked for, and its round."""

    who: str
    name: str
    running: bool
    """The round that runs was told; otherwise the next one takes it along."""


class NoteOrder(Order):
    """Note for the director."""

    text: str = Field(max_length=direction.LONGEST_NOTE)
    """Empty with ``standing``: what was said before is taken back."""
    standing: bool = False
    """In every round from now on; otherwise in the round that runs, or else in the next one."""


class Noted(BaseModel):
    """The director is told."""

    running: bool
    """The round that runs has heard it."""


class OrderedTurn(ApprovedTurn, extra="forbid"):
    """A turn as a caller sends it."""


class ApprovalOrder(Order):
    """The plan that is approved, as it is or otherwise."""

    pass_number: int = Field(ge=1, le=MOST)
    """Of the plan that was looked at."""
    turns: list[OrderedTurn] | None = Field(default=None, max_length=MOST_TURNS)
    """Turns in this order; null: as planned."""


class Approved(BaseModel):
    """The plan is played."""

    pass_number: int


class StopRoundOrder(Order):
    """Reason why a round is ended."""

    reason: str = Field(default="stopped by hand", max_length=2000)


class Stopped(BaseModel):
    """The round was told, and ends."""

    scene: str


class Undone(BaseModel):
    """The round that was taken back; its messages are hidden, not deleted."""

    round: int
    take: int
    messages: list[str]


class BroughtBack(Order):
    """The round that is to come back; both 0: the one that was taken back last."""

    round: int = Field(default=0, ge=0, le=MOST)
    take: int = Field(default=0, ge=0, le=MOST)
    """0: the only take that is not played."""


class Redone(BaseModel):
    """The round that is back, with its messages."""

    round: int
    take: int
    messages: list[str]


@router.get("/rounds")
def list_rounds(
    scene_id: str,
    principal: Asking,
    services: FromServices,
    limit: Annotated[int, Query(ge=1, le=200)] = 20,
) -> Rounds:
    """The newest rounds, each with its plan, turns and changes."""
    scene = permitted.scene(services, principal, "read", scene_id)
    return Rounds(items=list(views.log(services, scene.id, newest=limit)[1][::-1]))


@router.get("/rounds/{number}")
def show_round(
    scene_id: str, number: Number, principal: Asking, services: FromServices, take: Take = 0
) -> NumberedRound:
    """One round: who was to act and why, what was said, what it changed."""
    scene = permitted.scene(services, principal, "read", scene_id)
    return views.timeline(services, scene.id, number, take)[1]


@router.get("/rounds/{number}/envelopes")
def show_envelopes(
    scene_id: str,
    number: Number,
    principal: Asking,
    services: FromServices,
    who: Annotated[str, Query(max_length=200, description="`director`, or a character.")] = "",
    take: Take = 0,
) -> Calls:
    """Show what the director and the cast were shown, with the sizes of its parts."""
    scene = permitted.scene(services, principal, "read", scene_id)
    whose = permitted.reader(services, principal, scene, who)
    found = views.envelopes(services, scene.id, whose, number, take)
    return Calls(items=[_call(each) for each in found])


@router.get("/tokens")
def show_token_use(scene_id: str, principal: Asking, services: FromServices) -> RoundTokens:
    """Show how the newest prompts used their tokens."""
    scene = permitted.scene(services, principal, "read", scene_id)
    return RoundTokens(items=list(views.telemetry(services, scene.id)))


@router.post("/force")
def force_character(
    scene_id: str, given: WhoOrder, operation: Operation, principal: Asking, services: FromServices
) -> SteeredRound:
    """Have a character act next: in the round that runs, or else in the next one."""
    return _steered(services, principal, scene_id, "force", given.who)


@router.post("/veto")
def veto_character(
    scene_id: str, given: WhoOrder, operation: Operation, principal: Asking, services: FromServices
) -> SteeredRound:
    """Keep a character from acting in the round that runs, or else in the next one."""
    return _steered(services, principal, scene_id, "veto", given.who)


@router.post("/hand-over")
def hand_over(
    scene_id: str, given: WhoOrder, operation: Operation, principal: Asking, services: FromServices
) -> SteeredRound:
    """Speak as another persona from the next round on."""
    return _steered(services, principal, scene_id, "hand-over", given.who)


@router.post("/note")
def note_for_director(
    scene_id: str, given: NoteOrder, operation: Operation, principal: Asking, services: FromServices
) -> Noted:
    """Tell the director something, for one round or for all that follow."""
    scene = permitted.scene(services, principal, "run", scene_id)
    within = permitted.people(services, principal, scene)
    heard = direction.note(services, scene.id, given.text, standing=given.standing, within=within)
    return Noted(running=finished(heard))


@router.post("/plan/reject")
def reject_plan(scene_id: str, operation: Operation, principal: Asking, services: FromServices) -> Stopped:
    """Take back the plan that waits; the round is as if it had not begun."""
    scene = permitted.scene(services, principal, "run", scene_id)
    done = finished(direction.reject(services, scene.id, who=principal.name))
    return Stopped(scene=done.id)


@router.post("/plan")
def approve_plan(
    scene_id: str, given: ApprovalOrder, operation: Operation, principal: Asking, services: FromServices
) -> Approved:
    """Have the plan that waits be played, as it is or changed."""
    scene = permitted.scene(services, principal, "run", scene_id)
    turns = given.turns and [
        each.model_copy(update={"who": permitted.person(services, principal, scene, each.who)})
        for each in given.turns
    ]
    done = finished(
        direction.approve(services, scene.id, turns, pass_number=given.pass_number, who=principal.name)
    )
    return Approved(pass_number=done.number)


@router.post("/stop")
def stop_round(
    scene_id: str, given: StopRoundOrder, operation: Operation, principal: Asking, services: FromServices
) -> Stopped:
    """End the round in mid-reply: what is spoken stays, no other character acts."""
    scene = permitted.scene(services, principal, "run", scene_id)
    stopped = finished(rounds.stop(services, scene.id, given.reason, who=principal.name))
    return Stopped(scene=stopped.id)


@router.post("/undo")
def undo_round(scene_id: str, operation: Operation, principal: Asking, services: FromServices) -> Undone:
    """Take the newest round back: its messages, states and memories."""
    scene = permitted.scene(services, principal, "write", scene_id)
    done = changes.undo(services, scene.id, who=principal.name)[1]
    return Undone(round=done.name.number, take=done.name.take, messages=list(done.messages))


@router.post("/redo")
def redo_round(
    scene_id: str, given: BroughtBack, operation: Operation, principal: Asking, services: FromServices
) -> Redone:
    """Bring back a round that was taken back, or another take of the newest one."""
    scene = permitted.scene(services, principal, "write", scene_id)
    done = changes.redo(services, scene.id, given.round, given.take, who=principal.name)[1]
    return Redone(round=done.name.number, take=done.name.take, messages=list(done.messages))


def _steered(services: FromServices, principal: Asking, scene_id: str, verb: Verb, who: str) -> SteeredRound:
    scene = permitted.scene(services, principal, "run", scene_id)
    if verb == "hand-over":
        shared.worlds(principal, "run")
    else:
        who = permitted.person(services, principal, scene, who)
    done = finished(steering.steer(services, scene.id, verb, who))
    return SteeredRound(who=done.who, name=done.name, running=done.running)


def _call(each: ShownEnvelope) -> Call:
    return Call(step=each.step, who=each.who, envelope=each.envelope, missing=each.missing)
