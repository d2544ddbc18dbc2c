"""The table as one seat sees it: everything that a seat is shown goes through ``table_of``.

A seat is shown what its character witnessed. Its messages have names of the seat's own, made with the id of
the seat, which it does not know: numbers of rounds and messages would tell how much it did not witness.
"""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from itertools import islice
from typing import Final, Literal

from gateway.desk.scene import finding
from gateway.desk.scene.table.seats import given, is_present
from gateway.desk.scene.views import located
from gateway.desk.services import CommandStore, Services
from penwright.domain.scene.merging import merged_at
from penwright.domain.scene.table_turns import Chair, whose_turn
from penwright.domain.scene.witnesses import witnessed
from penwright.errors import NotFound
from schemas.director import CastMember
from schemas.scene import CharacterState, SceneMessage, SceneState, Speaker
from schemas.seats import Seat
from schemas.worlds import Character, Located, TurnOrder

MOST: Final = 200
"""Messages of one view."""
_PAGE: Final = 200
_LOOKED_AT: Final = 50
"""Newest messages among which the last speaker is looked for, and rounds for a named one."""

PlayedBy = Literal["you", "person", "model"]


@dataclass(frozen=True, slots=True)
class SeatMessage:
    """A message that the seat's character witnessed."""

    id: str
    """Of this seat's own; it tells no place in the scene."""
    name: str
    speaker: Speaker
    mine: bool
    text: str
    at: datetime
    stopped: bool = False

    def as_json(self) -> dict[str, object]:
        """Its fields, the time as text."""
        return asdict(self) | {"at": self.at.isoformat()}


@dataclass(frozen=True, slots=True)
class SeatPerson:
    """One who is in the scene now."""

    name: str
    played_by: PlayedBy
    present: bool
    """Whether the person who plays it is at the table; False of those that a model plays."""


@dataclass(frozen=True, slots=True)
class SeatTurn:
    """Whose turn it is."""

    order: TurnOrder
    yours: bool
    """Whether the seat may speak now."""
    who: str = ""
    """Name of the character whose turn it is, if the seat's character sees it; empty also: any may speak."""


@dataclass(frozen=True, slots=True)
class SeatCharacter:
    """The seat's own character, with what it alone knows."""

    name: str
    description: str
    personality: str
    appearance: str
    goals: str
    secrets: str
    state: CharacterState


@dataclass(frozen=True, slots=True)
class SeatPlace:
    """The setting, as everyone in the scene knows it."""

    world: str
    title: str
    descriptions: tuple[str, ...]
    """Of the world, the campaign, the arc and the scene, those that are not empty."""
    scenario: str
    location: str
    time_of_day: str


@dataclass(frozen=True, slots=True)
class SeatTable:
    """The table as one seat sees it."""

    place: SeatPlace
    character: SeatCharacter
    is_in: bool
    """Whether the character is in the scene now; while it is not, it sees and hears nobody."""
    here: tuple[SeatPerson, ...]
    turn: SeatTurn
    running: bool
    """A round runs: what is said now waits for its end."""
    messages: tuple[SeatMessage, ...]
    """Oldest first."""
    older: bool
    """Whether there are older ones."""
    draft: str
    expires_at: datetime


def table_of(
    services: Services, seat: Seat, *, after: str = "", before: str = "", limit: int = 50
) -> SeatTable:
    """The table with the newest messages that the seat's character witnessed.

    Args:
        after: only messages after the one with this id.
        before: only messages before it.
        limit: how many at most, up to 200.

    Raises:
        NotFound: ``no-such-message``, of ``after`` and ``before``.
    """
    with services.open_store() as store:
        place = located(store, finding.scene(store, seat.scene))
        found = _messages(store, seat, after, before, min(limit, MOST))
        state = store.scenes.state(seat.scene)
        people, _ = finding.few(store, place.scene, 0, state.roster)
        is_in = seat.character in state.roster
        return SeatTable(
            place=_place(place),
            character=_character(store, seat, place, state),
            is_in=is_in,
            here=_here(services, store, seat, place, state, people) if is_in else (),
            turn=_turn(services, store, seat, place, state, people, is_in=is_in),
            running=store.scenes.running(seat.scene) is not None,
            messages=found[0],
            older=found[1],
            draft=seat.draft,
            expires_at=seat.expires_at,
        )


def heard_by(store: CommandStore, seat: Seat) -> Iterator[SceneMessage]:
    """Every message that the seat's character witnessed, newest first: the only way to one."""
    before: int | None = None
    while page := store.scenes.messages(seat.scene, newest=_PAGE, before=before):
        yield from (each for each in reversed(page) if witnessed(each, seat.character))
        before = page[0].stored


def turn_of(services: Services, store: CommandStore, seat: Seat) -> str:
    """Id of the character whose turn it is; empty: any seat may speak. No seat is shown an id."""
    scene = finding.scene(store, seat.scene)
    roster = store.scenes.state(seat.scene).roster
    chairs = [
        Chair(each.character, each.character in roster, is_present(each, services))
        for each in given(store, seat.scene)
    ]
    ids = {each.character for each in chairs}
    said = store.scenes.messages(seat.scene, newest=_LOOKED_AT)
    spoke = [each.speaker_id for each in said if each.speaker == "user" and each.speaker_id in ids]
    return whose_turn(scene.settings.turns, chairs, spoke[-1] if spoke else "", _named(store, seat.scene))


def shown(seat: Seat, message: SceneMessage) -> SeatMessage:
    """A message that the seat's character witnessed, under the name that this seat knows it by."""
    assert witnessed(message, seat.character), "no seat is shown what its character did not witness"
    return SeatMessage(
        id=hashlib.sha256(f"{seat.id}/{message.id}".encode()).hexdigest()[:20],
        name=message.name,
        speaker=message.speaker,
        mine=message.speaker == "user" and message.speaker_id == seat.character,
        text=message.text,
        at=message.alternatives[0].at,
        stopped=message.stopped,
    )


def _messages(
    store: CommandStore, seat: Seat, after: str, before: str, limit: int
) -> tuple[tuple[SeatMessage, ...], bool]:
    """Messages oldest first, and whether there are older ones."""
    heard = (shown(seat, each) for each in heard_by(store, seat))
    if before:
        _skip_to(heard, before)
    if after:
        newer: list[SeatMessage] = []
        for each in heard:
            if each.id == after:
                return tuple(newer[::-1][:limit]), True
            newer.append(each)
        raise _no_such_message()
    found = list(islice(heard, limit + 1))
    return tuple(found[:limit][::-1]), len(found) > limit


def _skip_to(heard: Iterator[SeatMessage], id: str) -> None:
    if not any(each.id == id for each in heard):
        raise _no_such_message()


def _no_such_message() -> NotFound:
    return NotFound(
        "no-such-message", "there is no such message at this table", hint="read the table again from its end"
    )


def _named(store: CommandStore, scene: str) -> str:
    """The one to whom the director's newest plan gives the turn."""
    played = (each for each in store.scenes.rounds(scene, newest=_LOOKED_AT) if each.status != "undone")
    newest = list(played)[-1:]
    named = [made.applied.floor for each in newest for made in each.passes if made.applied.floor]
    return named[-1] if named else ""


def _place(place: Located) -> SeatPlace:
    notes = place.scene.notes
    above = (place.world.notes, place.campaign.notes, place.arc.notes, notes)
    return SeatPlace(
        world=place.world.name,
        title=place.scene.title,
        descriptions=tuple(each.description for each in above if each.description.strip()),
        scenario=notes.scenario,
        location=notes.location,
        time_of_day=notes.time_of_day,
    )


def _character(store: CommandStore, seat: Seat, place: Located, state: SceneState) -> SeatCharacter:
    kept = store.worlds.read(Character, seat.character)
    assert kept is not None, "a seat goes with its character"
    card = merged_at(kept, store.worlds.overrides(kept.id), place.world.id, place.campaign.id)
    own = next((each for each in state.characters if each.id == kept.id), CharacterState(id=kept.id))
    return SeatCharacter(
        name=card.name,
        description=card.description,
        personality=card.personality,
        appearance=card.appearance,
        goals=card.goals,
        secrets=card.secrets,
        state=own,
    )


def _here(
    services: Services,
    store: CommandStore,
    seat: Seat,
    place: Located,
    state: SceneState,
    people: Sequence[CastMember],
) -> tuple[SeatPerson, ...]:
    """Those who are in the scene with the seat's character, and the persona, whom every character knows."""
    known = {each.id: each for each in people}
    at_table = {each.character for each in given(store, seat.scene) if is_present(each, services)}
    cast = [
        SeatPerson(known[id].name, _played_by(seat, known[id]), id in at_table)
        for id in state.roster
        if id in known
    ]
    persona = [SeatPerson(place.persona.name, "person", present=False)] if place.persona else []
    return (*cast, *persona)


def _played_by(seat: Seat, member: CastMember) -> PlayedBy:
    if member.id == seat.character:
        return "you"
    return "person" if member.taken else "model"


def _turn(
    services: Services,
    store: CommandStore,
    seat: Seat,
    place: Located,
    state: SceneState,
    people: Sequence[CastMember],
    *,
    is_in: bool,
) -> SeatTurn:
    whose = turn_of(services, store, seat)
    names = {each.id: each.name for each in people if each.id in state.roster}
    return SeatTurn(
        order=place.scene.settings.turns,
        yours=is_in and whose in ("", seat.character),
        who=names.get(whose, "") if is_in else "",
    )
