"""The director's JSON: the seed's words, the spellings of other directors, and what they become."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, ClassVar, Self

from pydantic import BeforeValidator, Field, model_validator

from penwright.roles.scene.reply_json import SceneReply, folded, unwrapped
from penwright.roles.scene.reply_values import (
    LONGEST_VALUE,
    Change,
    Guidance,
    Name,
    Order,
    People,
    Priority,
    objects,
    short_value,
)
from schemas.director import (
    FIELDS,
    DirectorPlan,
    PlannedActor,
    PlannedEntry,
    PlannedExit,
    PlannedState,
    PlannedTracker,
    StatePatch,
)

_WHO: Mapping[str, str] = {
    **dict.fromkeys(("character", "charactername", "actor", "who"), "name"),
    **dict.fromkeys(("characterid",), "id"),
}
_TEXT_IS_NAME = "name"


class _Named(SceneReply):
    """Something about one person, called by id or name; a plain text is the name."""

    id: Name = ""
    name: Name = ""

    # Any, here and below: the model may have written anything.
    @model_validator(mode="before")
    @classmethod
    def _text_is_a_name(cls, given: Any) -> Any:
        return {_TEXT_IS_NAME: given} if isinstance(given, str) else given

    @property
    def who(self) -> str:
        return self.id or self.name

    @property
    def or_else(self) -> str:
        """The other way in which the person is called, if it is another."""
        return self.name if self.id and self.name != self.id else ""


class _Person(_Named):
    @model_validator(mode="after")
    def _is_called_something(self) -> Self:
        if not self.who:
            raise ValueError("say who is meant, with `name` or `id`")
        return self


class ActorReply(_Person):
    also_called: ClassVar[Mapping[str, str]] = {**_WHO, "directive": "guidance", "direction": "guidance"}

    guidance: Guidance = ""
    priority: Priority = 0
    order: Order = None


class EntryReply(_Person):
    also_called: ClassVar[Mapping[str, str]] = {**_WHO, "guidance": "entry_guidance"}

    entry_guidance: Guidance = ""


class ExitReply(_Person):
    also_called: ClassVar[Mapping[str, str]] = {**_WHO, "guidance": "exit_guidance"}

    exit_guidance: Guidance = ""


class StateReply(_Named):
    also_called: ClassVar[Mapping[str, str]] = {**_WHO, "intention": "intentions", "clothes": "clothing"}
    left_out = frozenset({"position"})

    mood: Change = None
    location: Change = None
    activity: Change = None
    clothing: Change = None
    intentions: Change = None

    @property
    def patch(self) -> StatePatch:
        return StatePatch(**{name: getattr(self, name) for name in FIELDS})


class TrackerReply(SceneReply):
    also_called: ClassVar[Mapping[str, str]] = {"key": "name", "tracker": "name", "fact": "name"}

    name: Annotated[Name, Field(min_length=1)]
    value: Annotated[str, Field(max_length=LONGEST_VALUE), BeforeValidator(short_value)]


def _states(value: Any) -> Any:
    """A list of states; also one state, or states by name."""
    if isinstance(value, dict) and value and all(isinstance(each, dict) for each in value.values()):
        return tuple({_TEXT_IS_NAME: name, **state} for name, state in value.items())
    return objects(value)


def _trackers(value: Any) -> Any:
    """A list of trackers, or values by name."""
    if not isinstance(value, dict):
        return objects(value)
    if {folded(str(key)) for key in value} == {"name", "value"}:
        return (value,)
    return tuple({"name": str(name), "value": inner} for name, inner in value.items())


class PlanReply(SceneReply):
    """One pass. At least one of its lists must be there: an object without any is no plan."""

    also_called: ClassVar[Mapping[str, str]] = {
        "characters": "acting_characters",
        "actors": "acting_characters",
        "remaining": "remaining_actors",
        "nextactivations": "new_activations",
        "states": "state_updates",
        "guidance": "open_guidance",
        "worldstate": "world",
        "worldupdates": "world",
    }

    in_camel_case = True

    acting_characters: Annotated[tuple[ActorReply, ...] | None, *People] = None
    remaining_actors: Annotated[tuple[ActorReply, ...] | None, *People] = None
    activations: Annotated[tuple[EntryReply, ...], *People] = ()
    new_activations: Annotated[tuple[EntryReply, ...], *People] = ()
    deactivations: Annotated[tuple[ExitReply, ...], *People] = ()
    state_updates: Annotated[tuple[StateReply, ...], Field(max_length=200), BeforeValidator(_states)] = ()
    trackers: Annotated[tuple[TrackerReply, ...], Field(max_length=100), BeforeValidator(_trackers)] = ()
    world: Annotated[tuple[TrackerReply, ...], Field(max_length=100), BeforeValidator(_trackers)] = ()
    open_guidance: Guidance = ""

    @model_validator(mode="before")
    @classmethod
    def _outside_wrappers(cls, given: Any) -> Any:
        return unwrapped(given, {*map(folded, cls.model_fields), *cls.also_called})

    @model_validator(mode="after")
    def _names_somebody_or_nobody(self) -> Self:
        lists = {"acting_characters", "remaining_actors", "activations", "new_activations", "deactivations"}
        if not lists & self.model_fields_set:
            raise ValueError("`actingCharacters` is missing; write an empty list if nobody acts")
        if any(not state.who for state in self.state_updates if state.patch != StatePatch()):
            self._only_actor()
        return self

    def _only_actor(self) -> ActorReply:
        """Whose state an update without a name is: that of the only one who acts."""
        if len(self._acting) != 1:
            raise ValueError("`stateUpdates` names nobody; say whose state it is, with `name` or `id`")
        return self._acting[0]

    @property
    def _acting(self) -> Sequence[ActorReply]:
        """Characters who act next; who remains, where a director tells the two apart."""
        if self.remaining_actors is None:
            return self.acting_characters or ()
        return (*self.remaining_actors, *self._entrants)

    @property
    def _entrants(self) -> Iterator[ActorReply]:
        """Those who come in beside actors who remain, and act after them."""
        named = {each.who.casefold() for each in self.remaining_actors or ()}
        last = min((each.priority for each in self.remaining_actors or ()), default=0)
        for each in self._entries:
            if each.who.casefold() not in named:
                yield ActorReply(id=each.id, name=each.name, priority=last - 1)

    @property
    def _entries(self) -> Iterator[EntryReply]:
        seen: set[str] = set()
        for entry in (*self.new_activations, *self.activations):
            if entry.who.casefold() not in seen:
                seen.add(entry.who.casefold())
                yield entry

    @property
    def plan(self) -> DirectorPlan:
        """Build the plan that the rules take."""
        return DirectorPlan(
            acting=tuple(
                PlannedActor(
                    who=each.who,
                    or_else=each.or_else,
                    guidance=each.guidance,
                    priority=each.priority,
                    order=each.order,
                )
                for each in self._acting
            ),
            activations=tuple(
                PlannedEntry(who=each.who, or_else=each.or_else, entry_guidance=each.entry_guidance)
                for each in self._entries
            ),
            deactivations=tuple(
                PlannedExit(who=each.who, or_else=each.or_else, exit_guidance=each.exit_guidance)
                for each in self.deactivations
            ),
            states=tuple(self._planned(each) for each in self.state_updates if each.patch != StatePatch()),
            trackers=tuple(
                PlannedTracker(name=each.name, value=each.value) for each in (*self.trackers, *self.world)
            ),
            open_guidance=self.open_guidance,
        )

    def _planned(self, state: StateReply) -> PlannedState:
        person = state if state.who else self._only_actor()
        return PlannedState(who=person.who, or_else=person.or_else, patch=state.patch)
