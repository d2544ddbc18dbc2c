"""Words of a seat: kept as a draft that nobody else sees, or said in the scene as its character's."""

import asyncio
from functools import partial
from typing import Final

from gateway.desk.engine.waits import Wait
from gateway.desk.scene import rounds
from gateway.desk.scene.orders import RoundOptions, checked_text
from gateway.desk.scene.table.seats import CODES, check_open
from gateway.desk.scene.table.views import turn_of
from gateway.desk.services import Services
from penwright.errors import PermanentError, Refused, UsageMistake
from schemas.seats import Seat

_BUSY: Final = "the scene is still at work on what was said before; nothing was said"
_OWN: Final = frozenset({"not-here", "not-your-turn", "seat-unknown", *CODES})
"""Codes of refusals that are made for a seat."""


def draft(services: Services, seat: Seat, text: str) -> None:
    """Keep what a person typed; an empty text forgets it.

    Raises:
        UsageMistake: ``message-too-long``, ``message-not-text``.
    """
    if text.strip():
        checked_text(text)
    with services.open_store() as store:
        store.seats.keep_draft(seat.id, text if text.strip() else "")


async def say(services: Services, seat: Seat, text: str, *, turn: Wait, session: str = "") -> None:
    """Say something as the seat's character; it begins a round, after the end of one that runs.

    Args:
        turn: waits for that end; a ``TimeoutError`` of it is a refusal.
        session: names the round, as in ``RoundOptions``.

    Raises:
        UsageMistake: as ``orders.checked_text``.
        Refused: ``not-here``: the character is not in the scene; ``not-your-turn``; ``round-runs``;
            ``table-closed``: the scene takes no words now, for a reason that is the operator's to know;
            of a seat that ended meanwhile as ``seats.check_open``.
    """
    said = checked_text(text)
    wanted = RoundOptions(text=said, voice=seat.character, who=seat.name, session=session)
    check = partial(_check_may_speak, services, seat)
    try:
        await rounds.begin(services, seat.scene, wanted, queue=True, turn=turn, check=check)
    except UsageMistake:
        raise
    except PermanentError as error:  # its words name rounds and people that the seat may not know
        raise _for_the_seat(error) from None
    await asyncio.to_thread(_forget_draft, services, seat, said)


def _forget_draft(services: Services, seat: Seat, said: str) -> None:
    """Forget the draft of what was said; one that was typed while this waited stays."""
    with services.open_store() as store:
        kept = next((each.draft for each in store.seats.of(seat.scene) if each.id == seat.id), "")
        if kept == seat.draft or kept.strip() == said:
            store.seats.keep_draft(seat.id, "")


def _check_may_speak(services: Services, seat: Seat) -> None:
    with services.open_store() as store:
        check_open(services, store, seat)
        is_in = seat.character in store.scenes.state(seat.scene).roster
        whose = turn_of(services, store, seat)
    if not is_in:
        raise Refused(
            "not-here",
            f"{seat.name} is not in the scene now; nothing was said",
            hint="the person who runs the scene can bring the character in",
        )
    if whose not in ("", seat.character):
        raise Refused("not-your-turn", "it is another player's turn; nothing was said", hint="wait for yours")


def _for_the_seat(error: PermanentError) -> PermanentError:
    if error.code in _OWN:
        return error
    if error.code == "round-runs":
        return Refused("round-runs", _BUSY, hint="say it again in a moment")
    return Refused(
        "table-closed", "the scene takes no words now; nothing was said", hint="ask the person who runs it"
    )
