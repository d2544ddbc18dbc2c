"""Worlds, campaigns, arcs, characters, personas and lorebooks, which scenes share."""

from collections.abc import Callable
from typing import Annotated, Any, TypeVar

from fastapi import APIRouter, Path, Query, Response
from pydantic import BaseModel, Field

from gateway.desk.worlds import cards, lore_files, permitted, storing, views
from gateway.desk.worlds.kinds import ARC, CAMPAIGN, CHARACTER, LOREBOOK, PERSONA, WORLD, Kind
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
    permitted.thing(services, principal, "write", WORLD, world_id)
    new = Campaign(id="", world=world_id, name=given.name)
    made: Campaign = storing.create(services, CAMPAIGN, new, _described(given))
    locate(response, "campaigns", made.id)
    return made


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
    permitted.thing(services, principal, "write", CAMPAIGN, campaign_id)
    position = views.next_arc_position(services, campaign_id)
    new = Arc(id="", campaign=campaign_id, name=given.name, position=position)
    made: Arc = storing.create(services, ARC, new, _described(given))
    locate(response, "arcs", made.id)
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


@router.get("/characters/{character_id}/export", response_class=Response, responses=DOWNLOAD)
def export_card(
    character_id: str, principal: Asking, services: FromServices, format: Annotated[CardForm, Query()]
) -> Response:
    """A character as a card, with the lorebook that is attached to it."""
    found = permitted.thing(services, principal, "read", CHARACTER, character_id)
    made = cards.export_card(services, found.id, format)
    return download(made.content, f"{found.id}{cards.SUFFIXES[format]}")


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


@router.get("/lorebooks/{lorebook_id}/export", response_class=Response, responses=DOWNLOAD)
def export_lorebook(
    lorebook_id: str,
    principal: Asking,
    services: FromServices,
    format: Annotated[LoreDialect | None, Query(description="Default: as it came in.")] = None,
) -> Response:
    """A lorebook as other programs read it."""
    found = permitted.thing(services, principal, "read", LOREBOOK, lorebook_id)
    return download(lore_files.export_lore(services, found.id, format).content, f"{found.id}.json")


# Any, here and below: kinds have no common type of their things.
def _showing(kind: Kind[Any]) -> Callable[..., Any]:
    thing_id = Annotated[str, Path(alias=f"{kind.word}_id")]

    def show(id: thing_id, response: Response, principal: Asking, services: FromServices) -> Any:
        found = permitted.thing(services, principal, "read", kind, id)
        response.headers["etag"] = version_tag(found.version)
        return found

    return show


def _listing(kind: Kind[Any]) -> Callable[..., ListedThings]:
    def every(principal: Asking, services: FromServices, page: OnePage) -> ListedThings:
        return _listed(services, principal, page, kind)

    return every


def _listing_below(kind: Kind[Any], above: Kind[Any]) -> Callable[..., ListedThings]:
    thing_id = Annotated[str, Path(alias=f"{above.word}_id")]

    def below(id: thing_id, principal: Asking, services: FromServices, page: OnePage) -> ListedThings:
        permitted.thing(services, principal, "read", above, id)
        return _listed(services, principal, page, kind, below=id)

    return below


def _creating(kind: Kind[Any], answer: type[Told]) -> Callable[..., Told]:
    def create(
        given: ThingOrder, response: Response, operation: Operation, principal: Asking, services: FromServices
    ) -> Told:
        permitted.worlds(principal, "write")
        made = storing.create(services, kind, kind.type(id="", name=given.name), _described(given))
        locate(response, kind.plural, made.id)
        others = storing.namesakes(services, kind, made)
        return answer.model_validate({**made.model_dump(), "namesakes": others})

    return create


def _listed(
    services: FromServices, principal: Asking, page: OnePage, kind: Kind[Any], *, below: str = ""
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


def _described(given: ThingOrder) -> EntityFields:
    return EntityFields(values={"description": given.description} if given.description else {})


def _add_shown(kind: Kind[Any], about: str) -> None:
    router.add_api_route(
        f"/{kind.plural}/{{{kind.word}_id}}",
        _showing(kind),
        methods=["GET"],
        response_model=kind.type,
        name=f"show_{kind.word}",
        description=about,
    )


def _add_listed(kind: Kind[Any], about: str, above: Kind[Any] | None = None) -> None:
    place = f"/{above.plural}/{{{above.word}_id}}" if above else ""
    router.add_api_route(
        f"{place}/{kind.plural}",
        _listing_below(kind, above) if above else _listing(kind),
        methods=["GET"],
        name=f"list_{kind.plural}",
        description=about,
    )


def _add_created(kind: Kind[Any], answer: type[BaseModel], about: str) -> None:
    router.add_api_route(
        f"/{kind.plural}",
        _creating(kind, answer),
        methods=["POST"],
        status_code=201,
        response_model=answer,
        name=f"create_{kind.word}",
        description=about,
    )


_add_listed(WORLD, "The worlds.")
_add_listed(CAMPAIGN, "The campaigns of a world.", WORLD)
_add_listed(ARC, "The arcs of a campaign.", CAMPAIGN)
_add_listed(CHARACTER, "The characters.")
_add_listed(PERSONA, "Those whom users speak as.")
_add_listed(LOREBOOK, "The lorebooks.")
_add_created(WORLD, NewWorld, "Make a world.")
_add_created(CHARACTER, NewCharacter, "Make a character.")
_add_created(PERSONA, NewPersona, "Make a persona.")
_add_created(LOREBOOK, NewLorebook, "Make a lorebook without entries, which is active nowhere yet.")
_add_shown(WORLD, "A world.")
_add_shown(CAMPAIGN, "A campaign.")
_add_shown(ARC, "An arc.")
_add_shown(CHARACTER, "A character, secrets included.")
_add_shown(PERSONA, "A persona.")
_add_shown(LOREBOOK, "A lorebook with its entries.")
