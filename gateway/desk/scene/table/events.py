"""Changes at the table of one seat since it looked last: the difference between two of its own views.

No event of the store is passed on, so an event can tell nothing that the view does not; a round in which
the seat's character was elsewhere makes none but that a round began and ended.
"""

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import Final, Literal

from gateway.desk.scene.table.views import SeatMessage, SeatTable, table_of
from gateway.desk.services import Services
from penwright.errors import UsageMistake
from schemas.seats import Seat

_TAIL: Final = 50
"""Newest messages whose change is told."""
_NEW: Final = 100
_PART: Final = re.compile(r"[0-9a-f]{0,20}")

EventKind = Literal["hello", "message", "changed", "here", "turn", "round"]


@dataclass(frozen=True, slots=True)
class SeatEvent:
    """A change. After ``changed`` the messages are read anew, after the last three kinds their part is."""

    mark: str
    """Cursor from which the next look goes on."""
    kind: EventKind
    message: SeatMessage | None = None


@dataclass(frozen=True, slots=True)
class _Mark:
    last: str = ""
    """Id of the newest message."""
    said: str = ""
    here: str = ""
    turn: str = ""
    round: str = ""

    def __str__(self) -> str:
        return ".".join(getattr(self, each.name) for each in fields(self))


def events_of(services: Services, seat: Seat, after: str = "") -> tuple[SeatEvent, ...]:
    """List what changed since a mark, in order, each once; without a mark, where the table stands.

    Raises:
        UsageMistake: ``bad-cursor``.
    """
    table = table_of(services, seat, limit=_NEW)
    now = _mark_of(table)
    return tuple(_since(_read(after), now, table)) if after else (SeatEvent(str(now), "hello"),)


def _since(was: _Mark, now: _Mark, table: SeatTable) -> Iterator[SeatEvent]:
    new = _new(was, table)
    if new is None:
        was = replace(was, last=now.last, said=now.said)
        yield SeatEvent(str(was), "changed")
    for place in new or ():
        message = table.messages[place]
        was = replace(was, last=message.id, said=_said(table.messages[: place + 1]))
        yield SeatEvent(str(was), "message", message)
    kinds: tuple[Literal["here", "turn", "round"], ...] = ("here", "turn", "round")
    for kind in kinds:
        if getattr(was, kind) != getattr(now, kind):
            was = replace(was, **{kind: getattr(now, kind)})
            yield SeatEvent(str(was), kind)


def _new(was: _Mark, table: SeatTable) -> Sequence[int] | None:
    """Places of the new messages; None if older ones changed, or too many are new."""
    ids = [each.id for each in table.messages]
    if not was.last:
        return None if table.older else range(len(ids))
    known = ids.index(was.last) + 1 if was.last in ids else 0
    is_same = known > 0 and _said(table.messages[:known]) == was.said
    return range(known, len(ids)) if is_same else None


def _mark_of(table: SeatTable) -> _Mark:
    return _Mark(
        last=table.messages[-1].id if table.messages else "",
        said=_said(table.messages),
        here=_hash(repr((table.is_in, table.here, table.place, table.character))),
        turn=_hash(repr(table.turn)),
        round=_hash(repr(table.running)),
    )


def _said(messages: Sequence[SeatMessage]) -> str:
    return _hash(repr([asdict(each) for each in messages[-_TAIL:]]))


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def _read(mark: str) -> _Mark:
    parts = mark.split(".")
    if len(parts) != len(fields(_Mark)) or not all(map(_PART.fullmatch, parts)):
        raise UsageMistake("bad-cursor", "the cursor is none of ours", hint="begin without one")
    return _Mark(*parts)
