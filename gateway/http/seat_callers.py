"""Callers who came by an invitation: known by the secret of their seat, with no other right."""

from collections.abc import Sequence
from dataclasses import dataclass

from starlette.datastructures import Headers

from gateway.desk.principals import Principal
from gateway.desk.scene.table.seats import seat_of
from gateway.desk.services import Services
from gateway.http.seat_door import mark_of, secrets_in
from gateway.http.site import Site
from penwright.errors import PermanentError, UsageMistake
from schemas.seats import Seat
from schemas.web import Credential

NAMES_SEAT = "penwright-seat"
"""Header that names one of several seats of a browser, by its mark."""


@dataclass(frozen=True, slots=True)
class Sitting:
    """The person of a seat as a caller: a principal without scopes and subjects."""

    seat: Seat
    secret: str
    principal: Principal
    credential: Credential
    """Stands for the seat where requests and streams are counted; no store has it."""


def seat_secrets(headers: Headers, site: Site) -> tuple[tuple[str, ...], bool]:
    """Secrets of the seats that a request may mean, and whether cookies bring them."""
    kind, _, token = headers.get("authorization", "").partition(" ")
    if kind.lower() == "bearer":
        return (token.strip(),), False
    return secrets_in(headers, site, headers.get(NAMES_SEAT, "")), True


def sitting(services: Services, secrets: Sequence[str]) -> Sitting | PermanentError:
    """Find the caller with the only one of these secrets that opens a seat, or why none does.

    Raises:
        UsageMistake: ``several-seats``: a browser holds several that are not over.
    """
    over: list[PermanentError] = []
    found: list[Sitting] = []
    for secret in secrets or ("",):
        try:
            found.append(_sitting(services, secret))
        except PermanentError as error:
            over.append(error)
    if len(found) > 1:
        marks = ", ".join(sorted(mark_of(each.secret) for each in found))
        raise UsageMistake(
            "several-seats",
            "this browser holds several seats",
            hint=f"name one in the header {NAMES_SEAT.title()}: {marks}",
        )
    return found[0] if found else over[-1]


def _sitting(services: Services, secret: str) -> Sitting:
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
    return Sitting(seat, secret, Principal(f"seat {seat.id}", frozenset(), frozenset()), credential)
