"""Scenes taken in from a chat of SillyTavern, and given out as a file."""

import asyncio
from typing import Annotated

from fastapi import APIRouter, Query, Response
from pydantic import BaseModel, Field

from gateway.desk.scene import exports, imports, permitted, remembering
from gateway.desk.scene.creating import NewScene
from gateway.desk.scene.exports import Form
from gateway.desk.scene.remembering import MemoryOutlook
from gateway.desk.worlds import permitted as shared
from gateway.http.answers import locate
from gateway.http.asking import Asking, FromServices
from gateway.http.keys import Operation
from gateway.http.strict import StrictRoute
from gateway.http.uploads import DOWNLOAD, UPLOAD, Content, download
from schemas.cards import FieldReport
from schemas.worlds import Scene

router = APIRouter(prefix="/scenes", tags=["scenes"], route_class=StrictRoute)

NameQuery = Annotated[str, Query(max_length=200)]


SpeakerQuery = Annotated[str, Field(max_length=500, pattern="=")]


class ImportedChat(BaseModel):
    """A chat that is a scene now."""

    scene: Scene
    rounds: int
    messages: int
    made: list[str]
    """Names of what was created for it."""
    report: list[FieldReport]
    """Result for each field of the file."""
    namesakes: list[str]
    """Ids of other scenes of this title."""
    later: MemoryOutlook
    """Memories and summary, which are made in the background."""


@router.post("/import", status_code=201, openapi_extra=UPLOAD)
async def import_chat(
    content: Content,
    response: Response,
    operation: Operation,
    principal: Asking,
    services: FromServices,
    arc: NameQuery = "",
    world: NameQuery = "",
    title: NameQuery = "",
    persona: NameQuery = "",
    speakers: Annotated[
        list[SpeakerQuery] | None,
        Query(alias="as", max_length=200, description="`NAME=ID`: who speaks there, where several have it."),
    ] = None,
) -> ImportedChat:
    """Make a scene of a chat or of our own JSON, every alternative included; unknown people are made.

    A long chat is stored by portions: until its end, the scene's `importing` says how many rounds it has
    (`rounds` of them are stored). The same request goes on with one that was broken off.
    """
    shared.worlds(principal, "write")
    wish = NewScene(title=title, arc=arc, world=world, persona=persona)
    meant = _meant(speakers)
    done = await asyncio.to_thread(
        imports.import_chat, services, content, wish, meant=meant, who=principal.name
    )
    later = await remembering.begin(services, done)
    scene = done.scene
    locate(response, "scenes", scene.id)
    return ImportedChat(
        scene=scene,
        rounds=done.rounds,
        messages=done.messages,
        made=list(done.made),
        report=list(done.report),
        namesakes=list(await asyncio.to_thread(permitted.namesakes, services, principal, scene)),
        later=later,
    )


@router.get("/{scene_id}/export", response_class=Response, responses=DOWNLOAD)
def export_scene(
    scene_id: str, principal: Asking, services: FromServices, format: Annotated[Form, Query()]
) -> Response:
    """A scene as Markdown to read, JSON with everything, or a chat for SillyTavern."""
    scene = permitted.scene(services, principal, "read", scene_id)
    made = exports.written(services, scene.id, format, people=permitted.people(services, principal, scene))
    return download(made.content, made.name)


def _meant(speakers: list[str] | None) -> dict[str, str]:
    return {name: id for name, _, id in (each.rpartition("=") for each in speakers or ())}
