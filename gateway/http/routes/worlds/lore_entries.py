"""Entries of lorebooks, and the places where books are active."""

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Response
from pydantic import BaseModel, Field

from gateway.desk.principals import Principal, require
from gateway.desk.services import Services
from gateway.desk.worlds import exact_changes, lorebooks, permitted
from gateway.desk.worlds.kinds import LOREBOOK
from gateway.desk.worlds.lorebooks import Place
from gateway.desk.worlds.storing import EntityFields
from gateway.http.asking import Asking, FromServices
from gateway.http.keys import Operation
from gateway.http.orders import Order
from gateway.http.revisions import BaseVersion, version_tag
from gateway.http.routes.worlds.editing import FieldValues
from gateway.http.strict import StrictRoute
from schemas.lore import Lorebook, LoreEntry

router = APIRouter(prefix="/lorebooks/{lorebook_id}", tags=["worlds"], route_class=StrictRoute)

BookId = Annotated[str, Path(max_length=200)]
Uid = Annotated[str, Path(min_length=1, max_length=200)]
Level = Literal["world", "campaign", "arc", "scene", "character", "book", "novel"]


class EntryOrder(Order):
    """A new entry: its content, and the fields that are not as usual."""

    content: str = Field(min_length=1, max_length=1_000_000)
    values: dict[str, Any] = Field(default={}, max_length=100)
    """Any: JSON by field."""


class Active(BaseModel):
    """Whether a book is active in everything below a place."""

    level: Level
    at: str
    active: bool
    changed: bool
    """False: it was so already."""


@router.post("/entries", status_code=201)
def add_entry(
    lorebook_id: BookId,
    given: EntryOrder,
    response: Response,
    operation: Operation,
    principal: Asking,
    services: FromServices,
) -> LoreEntry:
    """Add an entry at the end of a book; the answer's ETag is the book's."""
    book = _book(services, principal, lorebook_id)
    wanted = EntityFields(values={**given.values, "content": given.content})
    stored, entry = lorebooks.add_entry(services, book.id, wanted)
    response.headers["etag"] = version_tag(stored.version)
    return entry


@router.patch("/entries/{uid}")
def change_entry(
    lorebook_id: BookId,
    uid: Uid,
    given: FieldValues,
    version: BaseVersion,
    response: Response,
    principal: Asking,
    services: FromServices,
) -> LoreEntry:
    """Set fields of an entry; `If-Match` names the version of the book."""
    book = _book(services, principal, lorebook_id)
    subject = lorebooks.entry_subject(services, book.id, uid)
    made, now = exact_changes.change(subject, version, given.values)
    response.headers["etag"] = version_tag(now)
    return made


@router.delete("/entries/{uid}", status_code=204)
def remove_entry(lorebook_id: BookId, uid: Uid, principal: Asking, services: FromServices) -> None:
    """Remove an entry."""
    lorebooks.remove_entry(services, _book(services, principal, lorebook_id).id, uid)


@router.put("/places/{level}/{at}")
def attach_book(
    lorebook_id: BookId, level: Level, at: Uid, principal: Asking, services: FromServices
) -> Active:
    """Make a book active in everything below a place; a work needs the right to write it, too."""
    place = _place(principal, level, at)
    made = lorebooks.attach(services, _book(services, principal, lorebook_id).id, place)
    return Active(level=level, at=made.attachment.at, active=True, changed=made.changed)


@router.delete("/places/{level}/{at}")
def detach_book(
    lorebook_id: BookId, level: Level, at: Uid, principal: Asking, services: FromServices
) -> Active:
    """Let a book be active there no more."""
    place = _place(principal, level, at)
    made = lorebooks.detach(services, _book(services, principal, lorebook_id).id, place)
    return Active(level=level, at=made.attachment.at, active=False, changed=made.changed)


def _place(principal: Principal, level: Level, at: str) -> Place:
    if level in ("book", "novel"):
        require(principal, "write", f"{level}/{at}")
    return Place(level, at)


def _book(services: Services, principal: Principal, lorebook_id: str) -> Lorebook:
    found: Lorebook = permitted.entity(services, principal, "write", LOREBOOK, lorebook_id)
    return found
