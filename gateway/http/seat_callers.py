"""Callers who came by an invitation: known by the secret of their seat, with no other right."""

from dataclasses import dataclass

from starlette.datastructures import Headers

from gateway.desk.principals import Principal
from gateway.desk.scene.table.seats import seat_of
from gateway.desk.services import Services
from gateway.http.seat_door import secrets_in
from gateway.http.site import Site
from penwright.errors import UsageMistake
from schemas.seats import Seat
from schemas.web import Credential

NAMES_SEAT = "penwright-seat"
"""Header that names one of several seats of a browser, by its mark."""


@dataclass(frozen=True, slots=True)
class Sitting:
    """The person of a seat as a caller: a principal without scopes and subjects."""

    seat: Seat
    principal: Principal
    credential: Credential
    """Stands for the seat where requests and streams are counted; no store has it."""


def seat_secret(headers: Headers, site: Site) -> tuple[str, bool]:
    """The secret of a seat that a request brings, and whether a cookie brings it; empty without one.

    Raises:
        UsageMistake: ``several-seats``.
    """
    kind, _, token = headers.get("authorization", "").partition(" ")
    if kind.lower() == "bearer":
        return token.strip(), False
    held, mark = secrets_in(headers, site), headers.get(NAMES_SEAT, "")
    if len(held) > 1 and not mark:
        raise UsageMistake(
            "several-seats",
            "this browser holds several seats",
            hint=f"name one in the header {NAMES_SEAT.title()}: {', '.join(sorted(held))}",
        )
    return held.get(mark, "") if mark else next(iter(held.values()), ""), True


def sitting(services: Services, secret: str) -> Sitting:
    """Find the caller with the secret of a seat; raises as ``seat_of``."""
    seat = seat_of(services, secret)
    credential = Credential(
        id=seat.id,
        kind="token",
        name=seat.name,
        scopes=(),
        subjects=(),
        created_at=seat.since,
        expires_at=seat.expires_at,
    )
    return Sitting(seat, Principal(f"seat {seat.id}", frozenset(), frozenset()), credential)
