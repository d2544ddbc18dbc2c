"""Which entries of a lorebook a text mentions: marks for people, no lore of a prompt."""

from itertools import chain
from typing import Annotated

from fastapi import APIRouter, Path, Request
from pydantic import BaseModel, Field

from gateway.desk.worlds.mentions import LONGEST, MentionDesk
from gateway.http.asking import Asking
from gateway.http.orders import Order
from gateway.http.strict import ReadingRoute
from penwright.domain.lore.mentions import Mention
from penwright.domain.lore.naming import name_of
from penwright.domain.text.merging.changesets import unit_places

router = APIRouter(prefix="/lorebooks/{lorebook_id}", tags=["worlds"], route_class=ReadingRoute)


class MarkedText(Order):
    """A text that a person reads, such as the lines that an editor shows."""

    text: str = Field(max_length=LONGEST)


class Mark(BaseModel):
    """A stretch in which keys occur; keys that overlap are one."""

    start: int
    end: int
    """In UTF-16 units of the text, as the editor counts."""
    entries: list[str]
    """Uids of those whose keys these are."""


class MentionedEntry(BaseModel):
    """An entry that is mentioned."""

    uid: str
    name: str
    """Its title; without one its first keys."""


class FoundMentions(BaseModel):
    """The marks in the order of the text, and the entries in the order of their first mention."""

    marks: list[Mark]
    entries: list[MentionedEntry]


@router.post("/mentions")
def find_mentions(
    request: Request,
    lorebook_id: Annotated[str, Path(max_length=200)],
    given: MarkedText,
    principal: Asking,
) -> FoundMentions:
    """Find where the keys of a lorebook occur in a text, as for a scene; no prompt gets lore by it."""
    desk: MentionDesk = request.app.state.mentions
    return _told(given.text, desk.find(principal, lorebook_id, given.text))


def _told(text: str, found: tuple[Mention, ...]) -> FoundMentions:
    edges = unit_places(text, tuple(chain.from_iterable((each.start, each.end) for each in found)))
    marks = [
        Mark(start=start, end=end, entries=[entry.uid for entry in each.entries])
        for each, start, end in zip(found, edges[::2], edges[1::2], strict=True)
    ]
    entries = {entry.uid: entry for each in found for entry in each.entries}
    named = [MentionedEntry(uid=uid, name=name_of(entry)) for uid, entry in entries.items()]
    return FoundMentions(marks=marks, entries=named)
