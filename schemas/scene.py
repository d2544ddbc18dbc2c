"""Values of a scene: messages with alternatives, rounds, states, and what people do to them."""

from datetime import datetime
from typing import Literal

from schemas.base import BlobRef, Effect, Value
from schemas.director import CastMember, Note, PlanApplied, StateChange, Turn
from schemas.lore import LoreTimer
from schemas.worlds import Located, Scene

Speaker = Literal["user", "character", "narrator", "system"]
RoundStatus = Literal["running", "completed", "completed-with-errors", "stopped", "failed", "undone"]


class Author(Value):
    """Author of an alternative: a person, or a model with the digest of its prompt."""

    kind: Literal["person", "model"]
    name: str
    """The person, or the model as the provider calls it."""
    prompt_digest: str = ""
    demo: bool = False
    overrides: str = ""
    """Tag of the override set of the model's agent; empty: none."""


class Alternative(Value):
    index: int
    """From 0."""
    text: str
    author: Author
    at: datetime
    op_id: str
    stopped: bool = False
    """A person ended the round while it was written; it has the words that were there by then."""


class Heard(Value):
    """Part of a reply that was sent so far while it is written."""

    text: str
    author: Author


class SceneMessage(Value):
    """One message; its text is that of the chosen alternative."""

    id: str
    """``<scene>/<number>``, with the number that it is stored under."""
    number: int
    """From 1, rising without gaps within the scene; undone ones keep theirs.

    People count otherwise: by places in what is played, where one that is not played has 0.
    """
    round: int
    speaker: Speaker
    speaker_id: str = ""
    name: str
    """The name shown, as it was then."""
    witnesses: tuple[str, ...] = ()
    """Ids of those who were present when it was said; only they may know or remember it."""
    chosen: int = 0
    alternatives: tuple[Alternative, ...]
    undone: bool = False

    @property
    def stored(self) -> int:
        """The number in its id, rising with time."""
        return int(self.id.rpartition("/")[2])

    @property
    def text(self) -> str:
        return self.alternatives[self.chosen].text

    @property
    def stopped(self) -> bool:
        """Whether its text ends where a person stopped the round."""
        return self.alternatives[self.chosen].stopped


class CharacterState(Value):
    """One character or persona in one scene, now."""

    id: str
    mood: str = ""
    location: str = ""
    activity: str = ""
    clothing: str = ""
    intentions: str = ""
    entered: bool = False
    """In the round at hand; so are the two below."""
    exited: bool = False
    acted: bool = False


class SceneState(Value):
    """The current view of all state events of a scene."""

    roster: tuple[str, ...] = ()
    characters: tuple[CharacterState, ...] = ()
    world: dict[str, str] = {}
    trackers: dict[str, str] = {}
    timers: tuple[LoreTimer, ...] = ()
    version: int = 0


class PassRecord(Value):
    """One pass of the director, in the timeline and the audit."""

    number: int
    applied: PlanApplied
    outcome: Literal["planned", "failed", "cancelled"] = "planned"
    code: str = ""
    reason: str = ""
    raw: BlobRef | None = None
    """The model's reply."""
    failures: tuple[str, ...] = ()
    """Faults of earlier replies, with paths."""
    author: Author | None = None
    envelope: BlobRef | None = None
    chosen: str = ""
    """Reason why these act, where no model's plan states one."""
    held: bool = False
    """A person asked for the plan, so it waits for one."""
    approved_by: str = ""
    """Person who let the plan be played, where it waited."""
    planned: tuple[Turn, ...] | None = None
    """The director's own turns, where who approved the plan changed them; None: those of ``applied``."""


class TurnRecord(Value):
    """One turn of the cast."""

    character: str
    pass_number: int
    outcome: Literal["spoken", "failed", "skipped", "stopped"]
    message: str = ""
    """Id of the message; a stopped turn has one if words of it were there."""
    code: str = ""
    reason: str = ""
    envelope: BlobRef | None = None


class Round(Value):
    """A round with its timeline and audit."""

    scene: str
    number: int
    """Stored number; people count otherwise (``NumberedRound``)."""
    kind: Literal["message", "continue", "narrate", "regenerate"]
    status: RoundStatus
    passes: tuple[PassRecord, ...] = ()
    turns: tuple[TurnRecord, ...] = ()
    changes: tuple[StateChange, ...] = ()
    notes: tuple[Note, ...] = ()
    warnings: tuple[str, ...] = ()
    """Notices for its user, such as of texts that prompts had no room for."""
    before: SceneState = SceneState()
    """The state at its start; undo and branch go back to it."""
    code: str = ""
    reason: str = ""
    cost_micros: int = 0
    unknown_prices: int = 0
    """Model calls whose price is unknown; they are not in ``cost_micros``."""
    started_at: datetime
    ended_at: datetime | None = None
    op_id: str = ""


class Take(Value):
    """An attempt at a round, or at one of its replies: what its number follows from."""

    id: int
    """Stored number of the round; rising with time, not without gaps in the path that is played."""
    follows: int
    """Id of the round that was the newest before it; 0: none was."""
    remakes: int = 0
    """Id of the round of which it made one reply again; 0: it is a round of its own."""
    hidden: bool = False


class Takes(Value):
    """All that numbers of a scene follow from.

    Rounds and messages are stored under numbers from 1 without gaps; those that are not here are played.
    """

    rounds: int
    """The highest that a round is stored under."""
    aside: tuple[Take, ...] = ()
    """Rounds that are hidden, or made one reply again, by id."""
    hidden_messages: tuple[int, ...] = ()
    """Stored numbers of those of hidden rounds, rising."""


class TakeName(Value):
    """Display name of an attempt at a round."""

    number: int
    """The place of the round in the path, from 1."""
    take: int = 0
    """Which attempt at it, from 1."""
    is_meant: bool = True
    """Whether the number alone means this take: it is the one that is played, or the last one if none is."""

    @property
    def words(self) -> str:
        return f"round {self.number}" + ("" if self.is_meant else f", take {self.take}")

    @property
    def options(self) -> str:
        """As the command line takes it."""
        return f"--round {self.number}" + ("" if self.is_meant else f" --take {self.take}")


class NumberedRound(Round):
    """A round as people see it: ``number`` is its place in the path."""

    id: int
    """Stored number."""
    take: int
    is_meant: bool

    @property
    def name(self) -> TakeName:
        return TakeName(number=self.number, take=self.take, is_meant=self.is_meant)


class StateEvent(Value):
    """One changed field, as it was recorded."""

    scene: str
    round: int
    number: int
    """Rising with time, not without gaps."""
    change: StateChange
    at: datetime
    op_id: str = ""


class SceneView(Value):
    """A scene as pages and commands show it."""

    located: Located
    state: SceneState
    cast: tuple[CastMember, ...] = ()
    rounds: int = 0
    running: int | None = None
    """Number of the round that runs."""


# Requests that change a scene: each happens once per op id, in one transaction with its events.


class OpenRound(Value):
    """Begin a round: its row, the user's message, the snapshot of the state."""

    effect: Effect
    scene: str
    session: str
    kind: Literal["message", "continue", "narrate", "regenerate"] = "message"
    text: str = ""
    who: str = "local"
    message: str = ""
    """With ``regenerate``: id of the message that gets an alternative; empty: the whole last round."""
    principal: str = "local"
    voice: CastMember | None = None
    """The character that the user speaks as; None: their persona."""


class RoundOpened(Value):
    """The round, or why there is none (``code``)."""

    code: str = ""
    message: str = ""
    number: int = 0
    located: Located | None = None
    cast: tuple[CastMember, ...] = ()
    state: SceneState = SceneState()
    user_message: str = ""
    """Id of the user's message of this round; empty: there is none."""
    regenerates: SceneMessage | None = None
    """The message that gets another alternative."""
    turn: Turn | None = None
    """With ``regenerates``: the turn as the director had planned it."""
    open_guidance: str = ""
    """With ``regenerates``: what the director had told everyone."""
    replays: int = 0
    """Number of the round that this one plays again; 0: none."""
    earlier: dict[str, str] = {}
    """With ``replays``: ids of the hidden replies of that round, by the id of who spoke."""
    narrates: bool = False
    """Whether only the narrator speaks, in rounds that began before a plan could name it."""
    mentioned: tuple[str, ...] = ()
    """Ids of those whom the newest words name, in the order in which they do."""
    longest_silent: tuple[str, ...] = ()
    """Ids of those who spoke in the messages that are looked at, who spoke last at the end."""
    unsummarised: int = 0
    """Rounds before this one that the summary does not cover yet."""
    counted_as: int = 0
    """The number that people see; 0 of a round that began before it was told."""


class RoundFromElsewhere(Value):
    """A round that was not played here."""

    effect: Effect
    messages: tuple[SceneMessage, ...]
    """The user's first, if there is one; the store gives them ids and numbers."""


class AddRounds(Value):
    """Store rounds of elsewhere as if they had been played."""

    effect: Effect
    scene: str
    session: str
    rounds: tuple[RoundFromElsewhere, ...]
    """At least one."""


class BeginStep(Value):
    """Tell that a role begins.

    Keeping the pass or the turn tells the end of the director and the cast, closing the round that of the
    world agent, and the run's own end that of the summariser.
    """

    effect: Effect
    scene: str
    round: int
    kind: Literal["director", "character", "world-agent", "summariser"]
    pass_number: int
    who: str = ""
    """Id of the character, or ``narrator``."""
    name: str = ""
    """Name of the character."""


class KeepPass(Value):
    """Store a pass with what it changed: roster, states, trackers."""

    effect: Effect
    scene: str
    round: int
    record: PassRecord
    state: SceneState


class KeepTurn(Value):
    """Store a reply with its message, or that there was none."""

    effect: Effect
    scene: str
    round: int
    record: TurnRecord
    speaker: Speaker = "character"
    name: str = ""
    text: BlobRef | None = None
    author: Author | None = None
    witnesses: tuple[str, ...] = ()
    replaces: str = ""
    """Id of the message that gets this text as an alternative; empty: a new message."""
    carries: str = ""
    """Id of a hidden message: the new one begins with its alternatives, and this text is added and chosen."""
    changes: tuple[StateChange, ...] = ()
    state: SceneState = SceneState()


class CloseRound(Value):
    """The end of a round: timeline, counter, roster, states, events, in one transaction."""

    effect: Effect
    scene: str
    round: Round
    state: SceneState
    session: str = ""
    hand_over: str = ""
    """Id of the persona whom the user speaks as from the next round on; empty: unchanged."""
    world_agent: bool = False
    """Whether the world agent was asked, and is done."""


class EditMessage(Value):
    """A person's text as an alternative that is chosen."""

    effect: Effect
    message: str
    text: str
    who: str


class ChooseAlternative(Value):
    effect: Effect
    message: str
    index: int
    who: str


class UndoRound(Value):
    """Take the newest round back: its messages are hidden, the state is as it was before."""

    effect: Effect
    scene: str
    who: str


class RedoRound(Value):
    """Bring a round back that was taken back, or another take of the newest one in its place."""

    effect: Effect
    scene: str
    who: str
    round: int = 0
    """Its number; 0: the one that was taken back last."""


class SceneWith(Value):
    """A scene as it was with a round that is hidden."""

    state: SceneState
    chosen: int = 0
    """Of the message of which the round made another take."""
    undone: bool = False
    """Whether a person took it back; no other round took its place."""
    stood: int | None = None
    """The round before it when it was taken back; None: the one that it follows, or another take of it."""


class BranchScene(Value):
    """A new scene that shares everything up to a round, memories and state included."""

    effect: Effect
    scene: str
    after_round: int
    title: str
    who: str


class PatchState(Value):
    """A person sets fields of the state; only while no round runs."""

    effect: Effect
    scene: str
    changes: tuple[StateChange, ...]
    who: str


class SceneChanged(Value):
    """Result of such a request, or the reason why there is none (``code``: ``round-runs``, ``stale``, …)."""

    code: str = ""
    message: str = ""
    scene: Scene | None = None
    round: int = 0
    messages: tuple[str, ...] = ()
