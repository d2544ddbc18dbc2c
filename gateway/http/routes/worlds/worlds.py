"""Worlds, campaigns, arcs, characters, personas and lorebooks, which scenes share."""

from typing import Annotated, Any, TypeVar

from fastapi import APIRouter, Query, Response
from pydantic import BaseModel, Field

from gateway.desk.worlds import cards, lore_files, permitted, storing, views
from gateway.desk.worlds.kinds import ARC, CAMPAIGN, CHARACTER, LOREBOOK, PERSONA, WORLD, EntityKind
from gateway.desk.worlds.lorebooks import Place
from gateway.desk.worlds.storing import EntityFields
from gateway.http.answers import locate
from gateway.http.asking import Asking, FromServices
from gateway.http.cursors import OnePage
from gateway.http.keys import Operation
from gateway.http.orders import Order
from gateway.http.revisions import version_tag
from gateway.http.strict import StrictRoute
from gateway.http.uploads import DOWNLOAD, UPLOAD, Content, FileName, download
from penwright.errors import UsageMistake
from penwright.ports.portions import Portion
from schemas.cards import CardForm, FieldReport, LoreDialect
from schemas.lore import Lorebook
from schemas.worlds import Arc, Campaign, Character, Persona, World

router = APIRouter(tags=["worlds"], route_class=StrictRoute)

Again = Annotated[bool, Query(description="Also if this very file was taken in before.")]


Told = TypeVar("Told", bound=BaseModel)


class ListedThing(BaseModel):
    """One thing in a list."""

    id: str
    name: str
    below: int
    """Campaigns of a world, arcs of a campaign; places that a lorebook is attached to."""
    version: int


class ListedThings(BaseModel):
    """Things by id."""

    items: list[ListedThing]
    next: str | None


class ThingOrder(Order):
    """A new world, character or persona."""

    name: str = Field(min_length=1, max_length=200)
    description: str = Field(default="", max_length=100_000)


class NewWorld(World):
    """A world that was made."""

    namesakes: tuple[str, ...]
    """Ids of others of that name; the same of the things below."""


class NewCharacter(Character):
    """A character that was made."""

    namesakes: tuple[str, ...]


class NewPersona(Persona):
    """A persona that was made."""

    namesakes: tuple[str, ...]


class NewLorebook(Lorebook):
    """A lorebook that was made."""

    namesakes: tuple[str, ...]


class TakenCard(BaseModel):
    """A card that is a character now."""

    character: Character
    lorebook: str
    """Id of its own lorebook; empty: it has none."""
    namesakes: list[str]
    report: list[FieldReport]
    """Result for each field of the file."""


class TakenLorebook(BaseModel):
    """A file that is a lorebook now."""

    lorebook: Lorebook
    report: list[FieldReport]


@router.get("/worlds")
def list_worlds(principal: Asking, services: FromServices, page: OnePage) -> ListedThings:
    """The worlds."""
    return _listed(services, principal, page, WORLD)


@router.post("/worlds", status_code=201)
def create_world(
    given: ThingOrder, response: Response, operation: Operation, principal: Asking, services: FromServices
) -> NewWorld:
    """Make a world."""
    permitted.worlds(principal, "write")
    made = _made(services, WORLD, NewWorld, given)
    locate(response, "worlds", made.id)
    return made


@router.get("/worlds/{world_id}")
def show_world(world_id: str, response: Response, principal: Asking, services: FromServices) -> World:
    """A world."""
    found: World = _shown(services, principal, response, WORLD, world_id)
    return found


@router.get("/worlds/{world_id}/campaigns")
def list_campaigns(world_id: str, principal: Asking, services: FromServices, page: OnePage) -> ListedThings:
    """The campaigns of a world."""
    permitted.entity(services, principal, "read", WORLD, world_id)
    return _listed(services, principal, page, CAMPAIGN, below=world_id)


@router.post("/worlds/{world_id}/campaigns", status_code=201)
def create_campaign(
    world_id: str,
    given: ThingOrder,
    response: Response,
    operation: Operation,
    principal: Asking,
    services: FromServices,
) -> Campaign:
    """Make a campaign in a world."""
    permitted.entity(services, principal, "write", WORLD, world_id)
    new = Campaign(id="", world=world_id, name=given.name)
    made: Campaign = storing.create(services, CAMPAIGN, new, _described(given))
    locate(response, "campaigns", made.id)
    return made


@router.get("/campaigns/{campaign_id}")
def show_campaign(
    campaign_id: str, response: Response, principal: Asking, services: FromServices
) -> Campaign:
    """A campaign."""
    found: Campaign = _shown(services, principal, response, CAMPAIGN, campaign_id)
    return found


@router.get("/campaigns/{campaign_id}/arcs")
def list_arcs(campaign_id: str, principal: Asking, services: FromServices, page: OnePage) -> ListedThings:
    """The arcs of a campaign."""
    permitted.entity(services, principal, "read", CAMPAIGN, campaign_id)
    return _listed(services, principal, page, ARC, below=campaign_id)


@router.post("/campaigns/{campaign_id}/arcs", status_code=201)
def create_arc(
    campaign_id: str,
    given: ThingOrder,
    response: Response,
    operation: Operation,
    principal: Asking,
    services: FromServices,
) -> Arc:
    """Make an arc of a campaign."""
    permitted.entity(services, principal, "write", CAMPAIGN, campaign_id)
    position = views.next_arc_position(services, campaign_id)
    new = Arc(id="", campaign=campaign_id, name=given.name, position=position)
    made: Arc = storing.create(services, ARC, new, _described(given))
    locate(response, "arcs", made.id)
    return made


@router.get("/arcs/{arc_id}")
def show_arc(arc_id: str, response: Response, principal: Asking, services: FromServices) -> Arc:
    """An arc."""
    found: Arc = _shown(services, principal, response, ARC, arc_id)
    return found


@router.get("/characters")
def list_characters(principal: Asking, services: FromServices, page: OnePage) -> ListedThings:
    """The characters."""
    return _listed(services, principal, page, CHARACTER)


@router.post("/characters", status_code=201)
def create_character(
    given: ThingOrder, response: Response, operation: Operation, principal: Asking, services: FromServices
) -> NewCharacter:
    """Make a character."""
    permitted.worlds(principal, "write")
    made = _made(services, CHARACTER, NewCharacter, given)
    locate(response, "characters", made.id)
    return made


@router.post("/characters/import", status_code=201, openapi_extra=UPLOAD)
def import_card(
    content: Content,
    file_name: FileName,
    response: Response,
    operation: Operation,
    principal: Asking,
    services: FromServices,
    again: Again = False,
) -> TakenCard:
    """Take a card (PNG, WebP, JSON, YAML, CHARX) in with its lorebook; its text is data, and nothing more."""
    permitted.worlds(principal, "write")
    made = cards.take_card(services, content, file_name, again=again)
    locate(response, "characters", made.character.id)
    return TakenCard(
        character=made.character,
        lorebook=made.book.id if made.book else "",
        namesakes=list(made.namesakes),
        report=list(made.read.report),
    )


@router.get("/characters/{character_id}")
def show_character(
    character_id: str, response: Response, principal: Asking, services: FromServices
) -> Character:
    """A character, secrets included."""
    found: Character = _shown(services, principal, response, CHARACTER, character_id)
    return found


@router.get("/characters/{character_id}/export", response_class=Response, responses=DOWNLOAD)
def export_card(
    character_id: str, principal: Asking, services: FromServices, format: Annotated[CardForm, Query()]
) -> Response:
    """A character as a card, with the lorebook that is attached to it."""
    found = permitted.entity(services, principal, "read", CHARACTER, character_id)
    made = cards.export_card(services, found.id, format)
    return download(made.content, f"{found.id}{cards.SUFFIXES[format]}")


@router.get("/personas")
def list_personas(principal: Asking, services: FromServices, page: OnePage) -> ListedThings:
    """Those whom users speak as."""
    return _listed(services, principal, page, PERSONA)


@router.post("/personas", status_code=201)
def create_persona(
    given: ThingOrder, operation: Operation, principal: Asking, services: FromServices
) -> NewPersona:
    """Make a persona."""
    permitted.worlds(principal, "write")
    return _made(services, PERSONA, NewPersona, given)


@router.get("/personas/{persona_id}")
def show_persona(persona_id: str, response: Response, principal: Asking, services: FromServices) -> Persona:
    """A persona."""
    found: Persona = _shown(services, principal, response, PERSONA, persona_id)
    return found


@router.post("/lorebooks", status_code=201)
def create_lorebook(
    given: ThingOrder, response: Response, operation: Operation, principal: Asking, services: FromServices
) -> NewLorebook:
    """Make a lorebook without entries, which is active nowhere yet."""
    permitted.worlds(principal, "write")
    made = _made(services, LOREBOOK, NewLorebook, given)
    locate(response, "lorebooks", made.id)
    return made


@router.get("/lorebooks")
def list_lorebooks(principal: Asking, services: FromServices, page: OnePage) -> ListedThings:
    """The lorebooks."""
    return _listed(services, principal, page, LOREBOOK)


@router.post("/lorebooks/import", status_code=201, openapi_extra=UPLOAD)
def import_lorebook(
    content: Content,
    file_name: FileName,
    response: Response,
    operation: Operation,
    principal: Asking,
    services: FromServices,
    world: Annotated[str, Query(max_length=200, description="Where it is active.")] = "",
    scene: Annotated[str, Query(max_length=200, description="The same; not both.")] = "",
    again: Again = False,
) -> TakenLorebook:
    """Take a lorebook in: World Info of SillyTavern, or the book of a card."""
    permitted.worlds(principal, "write")
    if world and scene:
        raise UsageMistake("two-places", "a lorebook is attached to a world or to a scene, not to both here")
    place = Place("world", world) if world else Place("scene", scene) if scene else None
    made = lore_files.take_lore(services, content, file_name, place=place, again=again)
    locate(response, "lorebooks", made.book.id)
    return TakenLorebook(lorebook=made.book, report=list(made.read.report))


@router.get("/lorebooks/{lorebook_id}")
def show_lorebook(
    lorebook_id: str, response: Response, principal: Asking, services: FromServices
) -> Lorebook:
    """A lorebook with its entries."""
    found: Lorebook = _shown(services, principal, response, LOREBOOK, lorebook_id)
    return found


@router.get("/lorebooks/{lorebook_id}/export", response_class=Response, responses=DOWNLOAD)
def export_lorebook(
    lorebook_id: str,
    principal: Asking,
    services: FromServices,
    format: Annotated[LoreDialect | None, Query(description="Default: as it came in.")] = None,
) -> Response:
    """A lorebook as other programs read it."""
    found = permitted.entity(services, principal, "read", LOREBOOK, lorebook_id)
    return download(lore_files.export_lore(services, found.id, format).content, f"{found.id}.json")


# Any in ``EntityKind`` and what it shows: kinds have no common type of their things.
def _shown(
    services: FromServices, principal: Asking, response: Response, kind: EntityKind[Any], id: str
) -> Any:
    """A thing that ``principal`` may read; its version is the answer's ETag."""
    found = permitted.entity(services, principal, "read", kind, id)
    response.headers["etag"] = version_tag(found.version)
    return found


def _listed(
    services: FromServices, principal: Asking, page: OnePage, kind: EntityKind[Any], *, below: str = ""
) -> ListedThings:
    permitted.worlds(principal, "read")
    above = (below,) if below else None
    found, _ = views.part(services, kind, Portion(page.limit + 1, above=above, after=page.after))
    items, following = page.cut(found, lambda each: str(each.thing.id))
    listed = [
        ListedThing(
            id=each.thing.id, name=kind.name_of(each.thing), below=each.below, version=each.thing.version
        )
        for each in items
    ]
    return ListedThings(items=listed, next=following)


def _made(services: FromServices, kind: EntityKind[Any], answer: type[Told], given: ThingOrder) -> Told:
    """A new thing, with the ids of its namesakes."""
    made = storing.create(services, kind, kind.type(id="", name=given.name), _described(given))
    others = storing.namesakes(services, kind, made)
    return answer.model_validate({**made.model_dump(), "namesakes": others})


def _described(given: ThingOrder) -> EntityFields:
    return EntityFields(values={"description": given.description} if given.description else {})
