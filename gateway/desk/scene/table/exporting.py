"""A seat's own copy of the scene: what its character witnessed, as a file."""

import json
from dataclasses import dataclass
from typing import Final, Literal

from gateway.desk.scene import finding
from gateway.desk.scene.table.views import SeatMessage, heard_by, shown
from gateway.desk.services import Services
from penwright.domain.text.slugs import slug
from schemas.seats import Seat

SeatForm = Literal["markdown", "json"]
_SUFFIXES: Final = {"markdown": ".md", "json": ".json"}


@dataclass(frozen=True, slots=True)
class SeatFile:
    """A file that is not written yet."""

    name: str
    form: SeatForm
    messages: int
    content: bytes


def export_of(services: Services, seat: Seat, form: SeatForm = "markdown") -> SeatFile:
    """Everything that the seat's character witnessed, with its title and the names of who spoke."""
    with services.open_store() as store:
        title = finding.scene(store, seat.scene).title
        heard = [shown(seat, each) for each in heard_by(store, seat)][::-1]
    content = _json(title, seat, heard) if form == "json" else _markdown(title, heard)
    name = f"{slug(title, 'scene')}-{slug(seat.name, 'seat')}{_SUFFIXES[form]}"
    return SeatFile(name, form, len(heard), content)


def _json(title: str, seat: Seat, heard: list[SeatMessage]) -> bytes:
    document = {"title": title, "character": seat.name, "messages": [each.as_json() for each in heard]}
    return (json.dumps(document, ensure_ascii=False, indent=2) + "\n").encode()


def _markdown(title: str, heard: list[SeatMessage]) -> bytes:
    lines = [f"# {title}", *(f"**{each.name}:** {each.text}" for each in heard)]
    return ("\n\n".join(lines) + "\n").encode()
