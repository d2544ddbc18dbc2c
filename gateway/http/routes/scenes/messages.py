"""Messages of a scene: read, said, made again, edited, chosen.

A person's text, and another choice, are kept beside what was there: no two changes of a message can lose
words, so none of them names the revision that it was made from.
"""

from datetime import datetime
from typing import Annotated, Literal

from fastapi import APIRouter, Query, Response
from pydantic import BaseModel, ConfigDict, Field

from gateway.desk.engine.waits import at_most
from gateway.desk.scene import changes, chapters, permitted, rounds, views
from gateway.desk.scene.direction import LONGEST_NOTE
from gateway.desk.scene.orders import LONGEST_TEXT, RoundKind, RoundOptions
from gateway.http import run_ids
from gateway.http.answers import StartedRun, locate
from gateway.http.asking import Asking, FromServices
from gateway.http.cursors import OnePage
from gateway.http.keys import Operation, session_of
from gateway.http.numbers import MOST, Number
from gateway.http.orders import Order
from gateway.http.strict import StrictRoute
from gateway.http.waiting import finished
from penwright.domain.text.whole_numbers import whole_number
from penwright.errors import UsageMistake
from schemas.scene import Alternative, SceneMessage, Speaker

_QUEUES_S = 30.0

router = APIRouter(prefix="/scenes/{scene_id}", tags=["scenes"], route_class=StrictRoute)


class SaidAlternative(BaseModel):
    """One text of a message, and who wrote it."""

    number: int
    """From 1."""
    text: str
    kind: Literal["person", "model"]
    author: str
    """The person, or the model."""
    demo: bool
    stopped: bool
    """Whether a person ended the round while it was written."""
    at: datetime


class Message(BaseModel):
    """A message; its text is that of the chosen alternative."""

    number: int
    """Its place in what is played, from 1; 0 of one that is not played now."""
    round: int
    speaker: Speaker
    speaker_id: str
    name: str
    text: str
    chosen: int
    """Number of the chosen alternative."""
    alternatives: list[SaidAlternative]
    undone: bool


class Messages(BaseModel):
    """Messages, newest first; ``next`` goes on to older ones."""

    items: list[Message]
    next: str | None


class Chapter(BaseModel):
    """Messages in a row that the same people heard, told in short; its texts are a model's."""

    model_config = ConfigDict(from_attributes=True)

    rounds: tuple[int, int]
    """Numbers of the first and the last; so are the messages."""
    messages: tuple[int, int]
    heading: str
    line: str
    text: str
    heard_by: list[str]
    """Ids of those whose prompts may have it."""


class Chapters(BaseModel):
    """The summary of a scene, oldest first."""

    items: list[Chapter]


class Limits(Order):
    """Limits of one round, and how it is played."""

    minutes: int | None = Field(default=None, ge=1, le=24 * 60)
    cost_micros: int | None = Field(default=None, ge=0, le=10**12)
    """In millionths of a US dollar."""
    tag: str = Field(default="", max_length=100)
    """Tag of the override set with which its agents work; empty: as their profiles say."""
    queue: bool = False
    """Whether it waits up to 30 seconds for the end of a round that runs, in place of a refusal."""


class SayOrder(Limits):
    """The user's message."""

    text: str = Field(min_length=1, max_length=LONGEST_TEXT)
    voice: str = Field(default="", max_length=200)
    """A character that was taken over, who says it; empty: the persona."""


class ContinueOrder(Limits):
    """Nothing is said; the cast plays on."""

    direct: str = Field(default="", max_length=LONGEST_NOTE)
    """What the director is to arrange, such as a time, a place, who comes in: its plan then waits."""


class NarrateOrder(Limits):
    """Request to the narrator; empty: describe the scene."""

    text: str = Field(default="", max_length=LONGEST_TEXT)


class RegenerateOrder(Limits):
    """The reply that is made anew."""

    message: int | None = Field(default=None, ge=1, le=MOST)
    """Its number; null: the whole last round."""


class EditOrder(Order):
    """A text of the caller's own."""

    text: str = Field(min_length=1, max_length=LONGEST_TEXT)


class ChooseOrder(Order):
    """The alternative that counts from now on."""

    alternative: int = Field(ge=1, le=MOST)


@router.get("/messages")
def list_messages(scene_id: str, principal: Asking, services: FromServices, page: OnePage) -> Messages:
    """List what was said, newest first, without what was taken back."""
    scene = permitted.scene(services, principal, "read", scene_id)
    found = views.messages(services, scene.id, newest=page.limit + 1, before=_before(page.after))
    items, following = page.cut(found[::-1], lambda each: str(each.number))
    return Messages(items=[_shown(each) for each in items], next=following)


@router.get("/messages/{number}")
def show_message(scene_id: str, number: Number, principal: Asking, services: FromServices) -> Message:
    """One message with all its alternatives."""
    scene = permitted.scene(services, principal, "read", scene_id)
    return _shown(views.message(services, scene.id, str(number))[1])


@router.get("/chapters")
def list_chapters(
    scene_id: str,
    principal: Asking,
    services: FromServices,
    who: Annotated[str, Query(max_length=200, description="A character's id: only what it heard.")] = "",
) -> Chapters:
    """The summary of a scene, oldest chapter first: a heading, a line and the text of each."""
    scene = permitted.scene(services, principal, "read", scene_id)
    _, told = chapters.chapters(
        services, scene.id, permitted.person(services, principal, scene, who) if who else ""
    )
    return Chapters(items=[Chapter.model_validate(each) for each in told])


@router.post("/messages", status_code=202)
def say(
    scene_id: str,
    given: SayOrder,
    response: Response,
    operation: Operation,
    principal: Asking,
    services: FromServices,
) -> StartedRun:
    """Say something; the director decides who answers, and the cast does. 409 while a round runs."""
    said = {"text": given.text, "voice": given.voice}
    return _begun(services, principal, response, operation, scene_id, "message", given, **said)


@router.post("/continue", status_code=202)
def play_on(
    scene_id: str,
    given: ContinueOrder,
    response: Response,
    operation: Operation,
    principal: Asking,
    services: FromServices,
) -> StartedRun:
    """Let the cast play on."""
    direct = given.direct.strip()
    return _begun(services, principal, response, operation, scene_id, "continue", given, direct=direct)


@router.post("/narrate", status_code=202)
def narrate(
    scene_id: str,
    given: NarrateOrder,
    response: Response,
    operation: Operation,
    principal: Asking,
    services: FromServices,
) -> StartedRun:
    """Have the narrator describe something; no character acts, and no state changes."""
    return _begun(services, principal, response, operation, scene_id, "narrate", given, text=given.text)


@router.post("/regenerate", status_code=202)
def regenerate(
    scene_id: str,
    given: RegenerateOrder,
    response: Response,
    operation: Operation,
    principal: Asking,
    services: FromServices,
) -> StartedRun:
    """Have a reply, or the last round, made anew; the old stays as an alternative."""
    message = "" if given.message is None else str(given.message)
    return _begun(services, principal, response, operation, scene_id, "regenerate", given, message=message)


@router.post("/messages/{number}/edit")
def edit_message(
    scene_id: str,
    number: Number,
    given: EditOrder,
    operation: Operation,
    principal: Asking,
    services: FromServices,
) -> Message:
    """Give a message a text of one's own, as an alternative that is chosen; 409 while a round runs."""
    scene = permitted.scene(services, principal, "write", scene_id)
    return _shown(changes.edit(services, scene.id, str(number), given.text, who=principal.name)[1])


@router.post("/messages/{number}/choose")
def choose_alternative(
    scene_id: str,
    number: Number,
    given: ChooseOrder,
    operation: Operation,
    principal: Asking,
    services: FromServices,
) -> Message:
    """Take another alternative of a message; 409 while a round runs."""
    scene = permitted.scene(services, principal, "write", scene_id)
    return _shown(changes.choose(services, scene.id, str(number), given.alternative, who=principal.name)[1])


def _begun(
    services: FromServices,
    principal: Asking,
    response: Response,
    operation: Operation,
    scene_id: str,
    kind: RoundKind,
    limits: Limits,
    *,
    text: str = "",
    message: str = "",
    voice: str = "",
    direct: str = "",
) -> StartedRun:
    """Start a round as the caller, and tell where its run is."""
    scene = permitted.scene(services, principal, "run", scene_id)
    wanted = RoundOptions(
        kind=kind,
        text=text,
        message=message,
        direct=direct,
        voice=permitted.person(services, principal, scene, voice) if voice else "",
        minutes=limits.minutes,
        cost_micros=limits.cost_micros,
        tag=limits.tag,
        who=principal.name,
        within=permitted.people(services, principal, scene),
        session=session_of(operation),
    )
    begun = rounds.begin(services, scene.id, wanted, queue=limits.queue, turn=at_most(_QUEUES_S))
    played = finished(begun)
    run_id = run_ids.encoded(f"scene/{scene.id}#{played.given.session}")
    locate(response, "runs", run_id)
    return StartedRun(run_id=run_id, session=played.given.session)


def _before(cursor: str) -> int:
    if not cursor:
        return 0
    if number := whole_number(cursor, MOST):
        return number
    raise UsageMistake("bad-cursor", "the cursor is none of ours", hint="begin without one")


def _shown(message: SceneMessage) -> Message:
    told = message.model_dump(include={"number", "round", "speaker", "speaker_id", "name", "undone"})
    return Message(
        **told,
        text=message.text,
        chosen=message.chosen + 1,
        alternatives=[_alternative(each) for each in message.alternatives],
    )


def _alternative(each: Alternative) -> SaidAlternative:
    return SaidAlternative(
        number=each.index + 1,
        text=each.text,
        kind=each.author.kind,
        author=each.author.name,
        demo=each.author.demo,
        stopped=each.stopped,
        at=each.at,
    )
