"""Seats at the table of a scene: given by a link, listed, left, taken away, and known by their secret."""

import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from gateway.desk.access import digest
from gateway.desk.scene import casting, finding
from gateway.desk.services import CommandStore, Services
from penwright.errors import NotFound, PermanentError, Refused, UsageMistake
from schemas.seats import Seat, SeatEnd
from schemas.worlds import Scene

VALID: Final = timedelta(days=7)
LONGEST: Final = timedelta(days=366)
NOTED_EVERY: Final = timedelta(seconds=15)
"""That a person is at the table is stored at most this often."""
PRESENT_FOR: Final = timedelta(seconds=60)
"""A person counts as present for this long after the last sign."""
PREFIX: Final = "pws_"
PAGE: Final = "/seat"
"""Page of the workspace that a link leads to; the secret stands behind ``#``, which no browser sends."""
_ENDS: Final[dict[SeatEnd, tuple[str, str]]] = {
    "left": ("seat-left", "this seat was left"),
    "taken-away": ("seat-taken-away", "this seat was taken away"),
    "expired": ("seat-expired", "this seat has expired"),
}
CODES: Final = frozenset(code for code, _ in _ENDS.values())
"""Codes of a seat that is over."""
_ASK: Final = "ask the person who runs the scene for a new link"


@dataclass(frozen=True, slots=True)
class Invitation:
    """A new seat, and the secret of its link, which is shown once and stored nowhere."""

    scene: Scene
    seat: Seat
    secret: str
    is_in: bool
    """Whether the character is in the scene now; otherwise its person sees nothing until it comes in."""

    @property
    def path(self) -> str:
        """The link, without the address of the workspace."""
        return f"{PAGE}#{self.secret}"


@dataclass(frozen=True, slots=True)
class SeatShown:
    """A seat as the operator sees it: without its draft, which is its person's."""

    character: str
    """Id."""
    name: str
    since: datetime
    expires_at: datetime
    seen_at: datetime | None
    """When its person was at the table last; None: never yet."""
    present: bool
    """Whether its person is at the table now."""
    over: SeatEnd | None
    over_at: datetime | None


def invite(services: Services, named: str, character: str, lasts: timedelta = VALID) -> Invitation:
    """Give a character to a person who has the link; from the next round on no model plays it.

    Raises:
        NotFound: ``no-such-scene``, ``no-such-character``.
        UsageMistake: ``bad-time``.
        Refused: ``seat-given``.
    """
    if not timedelta() < lasts <= LONGEST:
        raise UsageMistake(
            "bad-time", f"a seat lasts at most {LONGEST.days} days", hint="such as `--for 7d` or `--for 2h`"
        )
    secret, now = PREFIX + secrets.token_urlsafe(32), services.now()
    with services.open_store() as store:
        scene = casting.without_expired(services, store, finding.scene(store, named))
        who = finding.member(store, scene, character)
        seat = Seat(
            id=secrets.token_hex(16),
            scene=scene.id,
            character=who.id,
            name=who.name,
            since=now,
            expires_at=now + lasts,
        )
        with store.together():
            if not store.seats.give(seat, digest(secret)):
                raise casting.seat_given(scene, who.id)
            casting.hand_over(store, scene.id, who.id)
        return Invitation(scene, seat, secret, who.present)


def seats(services: Services, named: str) -> tuple[SeatShown, ...]:
    """List the seats of a scene, those that are over last; raises as ``finding.scene``."""
    with services.open_store() as store:
        scene = casting.without_expired(services, store, finding.scene(store, named))
        found = sorted(store.seats.of(scene.id), key=lambda each: each.over is not None)
    return tuple(shown(each, services) for each in found)


def take_away(services: Services, named: str, character: str) -> SeatShown:
    """End a seat: its link opens nothing any more, and the model plays the character again.

    Raises:
        NotFound: ``no-such-scene``, ``no-such-character``, ``no-such-seat``.
    """
    now = services.now()
    with services.open_store() as store:
        scene = casting.without_expired(services, store, finding.scene(store, named))
        who = finding.member(store, scene, character)
        for seat in given(store, scene.id):
            if seat.character == who.id and casting.end_seat(store, seat, "taken-away", now):
                ended = seat.model_copy(update={"over": "taken-away", "over_at": now})
                return shown(ended, services)
    raise NotFound(
        "no-such-seat",
        f"nobody has a seat as {who.name} in {scene.id!r}",
        hint=f"`penwright scene seats {scene.id}` lists the seats",
    )


def leave(services: Services, seat: Seat) -> None:
    """Give the character back. Idempotent."""
    with services.open_store() as store:
        casting.end_seat(store, seat, "left", services.now())


def seat_of(services: Services, secret: str) -> Seat:
    """Find the seat of a link; notes that its person is at the table.

    Raises:
        NotFound: ``seat-unknown``.
        Refused: ``seat-expired``, ``seat-left``, ``seat-taken-away``.
    """
    now = services.now()
    with services.open_store() as store:
        seat = store.seats.find(digest(secret)) if secret.startswith(PREFIX) else None
        if seat is None:
            raise _unknown()
        _refuse_over(store, seat, now)
        if _seen_within(NOTED_EVERY, seat, now):
            return seat
        store.seats.seen(seat.id, now)
        return seat.model_copy(update={"seen_at": now})


def check_open(services: Services, store: CommandStore, seat: Seat) -> None:
    """Raise as ``seat_of`` if the seat has ended since it was read, or went with its scene or character."""
    now = next((each for each in store.seats.of(seat.scene) if each.id == seat.id), None)
    if now is None:
        raise _unknown()
    _refuse_over(store, now, services.now())


def _refuse_over(store: CommandStore, seat: Seat, now: datetime) -> None:
    if seat.over is None and seat.expires_at <= now:
        casting.end_seat(store, seat, "expired", now)
        raise _over("expired")
    if seat.over is not None:
        raise _over(seat.over)


def shown(seat: Seat, services: Services) -> SeatShown:
    """A seat as the operator sees it."""
    return SeatShown(
        character=seat.character,
        name=seat.name,
        since=seat.since,
        expires_at=seat.expires_at,
        seen_at=seat.seen_at,
        present=is_present(seat, services),
        over=seat.over,
        over_at=seat.over_at,
    )


def given(store: CommandStore, scene: str) -> tuple[Seat, ...]:
    """The seats of a scene that are not over, in the order in which they were given."""
    return tuple(each for each in store.seats.of(scene) if each.over is None)


def is_present(seat: Seat, services: Services) -> bool:
    """Whether its person is at the table now."""
    now = services.now()
    return seat.over is None and now < seat.expires_at and _seen_within(PRESENT_FOR, seat, now)


def _seen_within(time: timedelta, seat: Seat, now: datetime) -> bool:
    # A clock that was set back leaves a sign from the future, which counts no longer than one from the past.
    return seat.seen_at is not None and abs(now - seat.seen_at) < time


def _unknown() -> NotFound:
    return NotFound("seat-unknown", "this link opens no seat", hint=_ASK)


def _over(how: SeatEnd) -> PermanentError:
    code, said = _ENDS[how]
    return Refused(code, said, hint=_ASK)
