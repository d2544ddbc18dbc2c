"""Edits, field by field, and removals of what scenes share; each names the version it was made from."""

from collections.abc import Callable
from typing import Annotated, Any

from fastapi import APIRouter, Path, Response
from pydantic import BaseModel, Field

from gateway.desk.worlds import exact_changes, permitted, removing, storing
from gateway.desk.worlds.kinds import ARC, CAMPAIGN, CHARACTER, LOREBOOK, PERSONA, WORLD, EntityKind
from gateway.desk.worlds.removing import Belongings
from gateway.http.asking import Asking, FromServices
from gateway.http.orders import Order
from gateway.http.revisions import BaseVersion, version_tag
from gateway.http.strict import StrictRoute

router = APIRouter(tags=["worlds"], route_class=StrictRoute)

FieldName = Annotated[str, Field(min_length=1, max_length=100)]


class FieldValues(Order):
    """Fields that are set, as JSON by name; the others stay."""

    values: dict[FieldName, Any] = Field(min_length=1, max_length=100)


class Removed(BaseModel):
    """Ids of what is, or was, removed together with a thing."""

    campaigns: list[str]
    arcs: list[str]
    scenes: list[str]
    rounds: int
    overrides: list[str]
    attachments: list[str]
    entries: int
    present_in: list[str]
    """Scenes in which it is: a character must be taken out of them first; of a persona they stay."""


# Any, here and below: kinds have no common type of their things.
def _changing(kind: EntityKind[Any]) -> Callable[..., Any]:
    thing_id = Annotated[str, Path(alias=f"{kind.word}_id", max_length=200)]

    def change(
        id: thing_id,
        given: FieldValues,
        version: BaseVersion,
        response: Response,
        principal: Asking,
        services: FromServices,
    ) -> Any:
        found = permitted.entity(services, principal, "write", kind, id)
        subject = storing.subject(services, kind, found.id)
        made, now = exact_changes.change(subject, version, given.values)
        response.headers["etag"] = version_tag(now)
        return made

    return change


def _removing(kind: EntityKind[Any]) -> Callable[..., Removed]:
    thing_id = Annotated[str, Path(alias=f"{kind.word}_id", max_length=200)]

    def remove(
        id: thing_id,
        version: BaseVersion,
        principal: Asking,
        services: FromServices,
    ) -> Removed:
        return _removed(exact_changes.remove(services, principal, kind, id, version).goes)

    return remove


def _previewing(kind: EntityKind[Any]) -> Callable[..., Removed]:
    thing_id = Annotated[str, Path(alias=f"{kind.word}_id", max_length=200)]

    def preview(
        id: thing_id,
        principal: Asking,
        services: FromServices,
    ) -> Removed:
        found = permitted.entity(services, principal, "read", kind, id)
        return _removed(removing.removal(services, kind, found.id).goes)

    return preview


def _removed(goes: Belongings) -> Removed:
    return Removed.model_validate(
        {name: getattr(goes, name) for name in Removed.model_fields}, from_attributes=True
    )


def _add(kind: EntityKind[Any]) -> None:
    """The three routes of a kind."""
    place = f"/{kind.plural}/{{{kind.word}_id}}"
    router.add_api_route(
        place,
        _changing(kind),
        methods=["PATCH"],
        response_model=kind.type,
        name=f"change_{kind.word}",
        description=f"Set fields of {_one(kind)}; the version of `If-Match` must be the stored one.",
    )
    router.add_api_route(
        place,
        _removing(kind),
        methods=["DELETE"],
        name=f"remove_{kind.word}",
        description=f"Remove {_one(kind)} with all that belongs to it, and say what that was.",
    )
    router.add_api_route(
        f"{place}/removal",
        _previewing(kind),
        methods=["GET"],
        name=f"preview_removal_of_{kind.word}",
        description=f"What would go with {_one(kind)}.",
    )


def _one(kind: EntityKind[Any]) -> str:
    return f"{'an' if kind.word[0] in 'aeiou' else 'a'} {kind.word}"


for _kind in (WORLD, CAMPAIGN, ARC, CHARACTER, PERSONA, LOREBOOK):
    _add(_kind)
