"""What the doubles of one store share."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime
from threading import RLock
from typing import Any, cast

from penwright.adapters.store.scenes.setting.kinds import KINDS
from penwright.adapters.store.scenes.setting.naming import no_such
from penwright.ports.scenes import Kept
from schemas.base import Value
from schemas.director import CastMember
from schemas.lore import Attachment
from schemas.memory import Memory
from schemas.scene import (
    Heard,
    PassRecord,
    Round,
    SceneMessage,
    SceneState,
    SceneWith,
    StateEvent,
    TurnRecord,
)
from schemas.scene_summary import Stretch
from schemas.seats import Seat
from schemas.worlds import Arc, Campaign, Character, Located, Override, Persona, Scene, World


@dataclass
class PlayedRound:
    """A round with what only the store knows of it."""

    round: Round
    session: str = ""
    replaces: int = 0
    restores: SceneState | None = None
    follows: int = 0
    regenerates: int = 0
    chosen_before: int = 0
    user_message: str = ""
    begun: list[tuple[str, int, str]] = field(default_factory=list)
    """Kind, pass and character of steps that are not kept yet."""
    passes: list[PassRecord] = field(default_factory=list)
    turns: list[TurnRecord] = field(default_factory=list)


@dataclass
class Played:
    """What was played in one scene. A branch has copies of all that it shares."""

    family: str
    line: tuple[tuple[str, int], ...] = ()
    """Scenes it comes from, the nearest first, each with the last round that is shared."""
    state: SceneState = field(default_factory=SceneState)
    known: set[str] = field(default_factory=set)
    messages: list[SceneMessage] = field(default_factory=list)
    rounds: list[PlayedRound] = field(default_factory=list)
    undone: set[int] = field(default_factory=set)
    scene_with: dict[int, tuple[datetime, SceneWith]] = field(default_factory=dict)
    """Of hidden rounds that may come back, since when, and how."""
    forgotten: set[int] = field(default_factory=set)
    stretches: list[Stretch] = field(default_factory=list)

    def newest(self) -> PlayedRound | None:
        """The newest round that is not hidden."""
        return next((each for each in reversed(self.rounds) if each.round.number not in self.undone), None)

    def newest_retold(self) -> PlayedRound | None:
        """The newest that is not hidden, without replies of earlier rounds that were made again."""
        newest = self.newest()
        seen = [one for one in self.rounds if one.round.number not in self.undone and not one.regenerates]
        if newest is None or not newest.regenerates or not seen:
            return newest
        made = self.messages[newest.regenerates - 1]
        return newest if made.round == seen[-1].round.number else seen[-1]

    def hide(self, round: int, at: datetime, scene_with: SceneWith | None = None) -> None:
        self.undone.add(round)
        if scene_with is not None:
            self.scene_with[round] = (at, scene_with)

    def show(self, round: int) -> None:
        self.undone.discard(round)
        self.scene_with.pop(round, None)

    def running(self) -> PlayedRound | None:
        return next((each for each in self.rounds if each.round.status == "running"), None)


@dataclass
class Shelf:
    """Everything, behind one lock."""

    withdraw: Callable[[str], None] = lambda _subject: None
    """Takes a subject that is removed from all credentials."""
    is_work: Callable[[str, str], bool] = lambda _kind, _id: False
    """Whether a book or novel is registered."""
    lock: RLock = field(default_factory=RLock)
    things: dict[type[Value], dict[str, Value]] = field(default_factory=lambda: {kind: {} for kind in KINDS})
    overrides: dict[tuple[str, str, str], Override] = field(default_factory=dict)
    attachments: list[Attachment] = field(default_factory=list)
    played: dict[str, Played] = field(default_factory=dict)
    changes: list[StateEvent] = field(default_factory=list)
    heard: dict[tuple[str, int, str], Heard] = field(default_factory=dict)
    memories: dict[str, Memory] = field(default_factory=dict)
    seats: dict[str, Seat] = field(default_factory=dict)
    """By the digest of the secret."""
    vectors: dict[str, tuple[str, tuple[float, ...]]] = field(default_factory=dict)
    """Of memories, each with its model."""
    # Any: what an earlier attempt was answered.
    results: dict[str, Any] = field(default_factory=dict)

    def read(self, kind: type[Kept], id: str) -> Kept | None:
        found = self.things[kind].get(id)
        if isinstance(found, Scene):
            found = found.model_copy(update={"roster": self.played[id].state.roster})
        return cast("Kept | None", found)

    def all(self, kind: type[Kept]) -> tuple[Kept, ...]:
        return tuple(cast(Kept, self.read(kind, id)) for id in self.things[kind])

    def check_there(self, kind: type[Value], id: str) -> None:
        if id not in self.things[kind]:
            raise no_such(KINDS[kind].word, id)

    def locate(self, scene: str) -> Located | None:
        found = self.read(Scene, scene)
        if found is None:
            return None
        arc = cast(Arc, self.read(Arc, found.arc))
        campaign = cast(Campaign, self.read(Campaign, arc.campaign))
        world = cast(World, self.read(World, campaign.world))
        persona = self.read(Persona, found.persona) if found.persona else None
        return Located(scene=found, arc=arc, campaign=campaign, world=world, persona=persona)

    def cast_of(self, located: Located) -> tuple[CastMember, ...]:
        roster = located.scene.roster
        order = {id: place for place, id in enumerate(roster)}
        cast_ids = sorted(self._known(located), key=lambda id: (order.get(id, len(order)), id))
        characters = (cast(Character, self.things[Character][id]) for id in cast_ids)
        return tuple(
            CastMember(
                id=one.id,
                name=one.name,
                nickname=one.nickname,
                present=one.id in order,
                taken=one.id in located.scene.taken,
            )
            for one in characters
        )

    def put_roster(self, scene: str, roster: Iterable[str], *, gone: bool = False) -> bool:
        """Make these the roster; with ``gone`` those without a character are left out."""
        played = self.played[scene]
        wanted = tuple(dict.fromkeys(roster))
        if gone:
            wanted = tuple(id for id in wanted if id in self.things[Character])
        for id in wanted:
            self.check_there(Character, id)
        before = played.state.roster
        played.known |= {*wanted}
        played.state = played.state.model_copy(update={"roster": wanted})
        return wanted != before

    def scenes_below(self, kind: type[Value], id: str) -> tuple[str, ...]:
        """Ids of the scenes that go with a thing, or that need it."""
        located = [cast(Located, self.locate(scene)) for scene in self.things[Scene]]
        touched: dict[type[Value], Callable[[Located], bool]] = {
            World: lambda one: one.world.id == id,
            Campaign: lambda one: one.campaign.id == id,
            Arc: lambda one: one.arc.id == id,
            Scene: lambda one: one.scene.id == id,
            Persona: lambda one: one.scene.persona == id,
            Character: lambda one: id in self.played[one.scene.id].known,
        }
        needs = touched.get(kind)
        return tuple(one.scene.id for one in located if needs is not None and needs(one))

    def _known(self, located: Located) -> set[str]:
        places = {("world", located.world.id), ("campaign", located.campaign.id)}
        written = {one.character for one in self.overrides.values() if (one.level, one.at) in places}
        scenes = self.scenes_below(World, located.world.id)
        return written.union(*(self.played[scene].known for scene in scenes))

    def ids_in_history(self) -> set[str]:
        """Ids of all who said or heard something."""
        said = [each for played in self.played.values() for each in played.messages]
        return {id for each in said for id in (*each.witnesses, each.speaker_id)}
