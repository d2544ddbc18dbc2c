"""All texts that the seats of a scene show now: read through the same doors as their people use."""

from collections.abc import Iterator
from typing import Any, Final

from pydantic import TypeAdapter

from gateway.desk.scene.table import events, exporting, views
from gateway.desk.scene.table.events import SeatEvent
from gateway.desk.scene.table.views import MOST, SeatTable
from gateway.desk.services import Services
from penwright.domain.scene.certificate.passages import strings
from schemas.certificate import SeatShown
from schemas.seats import Seat

_TABLE: Final = TypeAdapter(SeatTable)
_EVENT: Final = TypeAdapter(SeatEvent)
_NO_TEXTS: Final = frozenset({"id", "mark", "kind", "speaker", "played_by", "order"})
"""Fields whose values are ids, or words of ours."""
_FROM_THE_BEGINNING: Final = "...."


def shown_at(services: Services, seat: Seat) -> Iterator[SeatShown]:
    """Return what the table, the events and the export of a seat show."""
    table = [strings(_TABLE.dump_python(each), without=_NO_TEXTS) for each in _tables(services, seat)]
    told = [_EVENT.dump_python(each) for each in events.events_of(services, seat, _FROM_THE_BEGINNING)]
    export = [exporting.export_of(services, seat).content.decode("utf-8", "replace")]
    parts: dict[Any, Any] = {
        "table": [text for each in table for text in each],
        "events": strings(told, without=_NO_TEXTS),
        "export": export,
    }
    for part, texts in parts.items():
        yield SeatShown(who=seat.character, part=part, texts=tuple(texts))


def _tables(services: Services, seat: Seat) -> Iterator[SeatTable]:
    """Return the newest view, and those before it until all messages are read."""
    table = views.table_of(services, seat, limit=MOST)
    yield table
    while table.older:
        table = views.table_of(services, seat, before=table.messages[0].id, limit=MOST)
        yield table
