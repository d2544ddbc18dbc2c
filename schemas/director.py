"""Answers of a director, the cast and the other roles of a scene, and what the rules make of them."""

from typing import Literal

from pydantic import Field

from schemas.base import Value

StateField = Literal["mood", "location", "activity", "clothing", "intentions"]
FIELDS: tuple[StateField, ...] = ("mood", "location", "activity", "clothing", "intentions")
ChangeSource = Literal["start", "pass-1", "reported", "inferred", "pass-2", "world-agent", "person", "undo"]


class StatePatch(Value):
    """New values by field. Empty, null and the word "default" change nothing."""

    mood: str | None = None
    location: str | None = None
    activity: str | None = None
    clothing: str | None = None
    intentions: str | None = None


class PlannedActor(Value):
    """A character whom the director lets act; ``who`` is an id or a name, as the model wrote it."""

    who: str
    or_else: str = ""
    """The other way in which the model called it, tried where ``who`` is known to nobody; also below."""
    guidance: str = ""
    priority: float = 0
    order: float | None = None


class PlannedEntry(Value):
    who: str
    or_else: str = ""
    entry_guidance: str = ""


class PlannedExit(Value):
    who: str
    or_else: str = ""
    exit_guidance: str = ""


class PlannedState(Value):
    who: str
    or_else: str = ""
    patch: StatePatch


class PlannedTracker(Value):
    """A change of a tracker or a fact of the world; the director owns them while the world agent is off."""

    name: str
    value: str


class DirectorPlan(Value):
    """One pass of the director, read from JSON in the seed's words (``actingCharacters``, …)."""

    acting: tuple[PlannedActor, ...] = ()
    activations: tuple[PlannedEntry, ...] = ()
    deactivations: tuple[PlannedExit, ...] = ()
    states: tuple[PlannedState, ...] = ()
    trackers: tuple[PlannedTracker, ...] = ()
    open_guidance: str = ""


class CastMember(Value):
    """A character as a round knows it: no texts, only what names are resolved by."""

    id: str
    name: str
    nickname: str = ""
    written: str = ""
    """The name as prompts have it, where their marks cannot hold it as it is."""
    present: bool = False
    taken: bool = False
    """A person plays it; no model does, and no plan counts for it."""


class Note(Value):
    """A refused or merged part of a plan; told to the director in its next pass, and kept in the audit."""

    code: Literal[
        "unknown-name",
        "ambiguous-name",
        "duplicate-actor",
        "persona-named",
        "taken-over",
        "already-present",
        "not-present",
        "vetoed",
        "bad-value",
        "left-over",
        "two-named",
    ]
    who: str
    text: str


class Turn(Value):
    """One character's turn, as resolved from a plan."""

    character: str
    """Id."""
    guidance: str = ""
    entry_guidance: str = ""
    exit_guidance: str = ""
    entered: bool = False
    exits: bool = False


class StateChange(Value):
    """One field of one character, or a tracker, or a fact of the world."""

    subject: str
    """Id of a character or persona; ``world`` or ``tracker``."""
    field: str
    old: str = ""
    new: str = ""
    source: ChangeSource
    by: str = ""
    """Author of the change: a character's id, a person's name, a role."""
    overruled: bool = False
    """A later source of the same round set the field otherwise; it can be reinstated."""


class PlanApplied(Value):
    """Result of applying the rules to one pass."""

    turns: tuple[Turn, ...] = ()
    """In the order in which they act."""
    left_over: tuple[str, ...] = ()
    """Ids of those whom the last pass named; recorded, not played."""
    roster: tuple[str, ...] = ()
    """Characters present once the entries are made; those who leave count until they have spoken."""
    leaving: tuple[str, ...] = ()
    floor: str = ""
    """Id of the character of a person who is to speak next, where people take turns by the director."""
    entries: tuple[PlannedEntry, ...] = ()
    """Entries by this pass, by id, with their guidance, for the audit."""
    exits: tuple[PlannedExit, ...] = ()
    """Exits by this pass, by id, with their guidance, whether or not they act first."""
    changes: tuple[StateChange, ...] = ()
    notes: tuple[Note, ...] = ()
    open_guidance: str = ""


class CharacterReply(Value):
    """A turn as a model wrote it: the words, then what it reports of itself."""

    text: str
    reported: StatePatch = StatePatch()


class Steering(Value):
    """Requests of people for the round while it runs, or before it."""

    force: tuple[str, ...] = ()
    """Ids of those who must act next."""
    veto: tuple[str, ...] = ()
    """Ids of those who must not act in this round."""
    hand_over: str = ""
    """Id of the one whom the user speaks as from the next round on; empty: unchanged."""
    note: str = ""
    """Note for the director in this round."""
    hold: bool = False
    """The first plan of the round waits for the person who asked for it, also one by which nobody acts."""
    within: tuple[str, ...] | None = None
    """Ids of those whom the director may bring in; None: everyone who is known in the scene's world."""


class ApprovedTurn(Value):
    """One turn as a person wants it: who acts, by id or name, and what the character is told."""

    who: str
    guidance: str | None = None
    """None: as planned, which only those have who are in the plan."""


class PlanApproval(Value):
    """A person's word on the plan that is held."""

    who: str
    """Person who approves it."""
    pass_number: int
    """The pass that was looked at; another one is not approved by it."""
    turns: tuple[ApprovedTurn, ...] | None = None
    """Turns in this order; None: as planned."""


class WorldUpdate(Value):
    """What the world agent answers."""

    facts: dict[str, str] = Field(default_factory=dict)
    trackers: dict[str, str] = Field(default_factory=dict)
    unchanged: bool = False
