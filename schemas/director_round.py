"""The director round as a workflow: what it is given, its steps, its state and how it ends."""

from typing import Literal

from schemas.base import BlobRef, Cause, Effect, Value
from schemas.control import PipelineState
from schemas.director import (
    CastMember,
    CharacterReply,
    DirectorPlan,
    Note,
    StateChange,
    StatePatch,
    Steering,
    Turn,
    WorldUpdate,
)
from schemas.envelope import EnvelopeFor, EnvelopeKept
from schemas.lore import LoreTimer
from schemas.memory import Remembered
from schemas.model import Usage
from schemas.scene import (
    Author,
    CharacterState,
    KeepTurn,
    PassRecord,
    RoundOpened,
    SceneState,
    TakeName,
    TurnRecord,
)


class DirectorRoundInput(Value):
    """One order for a round. The workflow id is ``scene/<scene-id>``, so a scene has one round at a time."""

    scene: str
    session: str
    """Id of this run, part of its op ids."""
    kind: Literal["message", "continue", "narrate", "regenerate"] = "message"
    text: BlobRef | None = None
    """The user's message."""
    voice: CastMember | None = None
    """The character that the user speaks as; None: their persona."""
    who: str = "local"
    message: str = ""
    steering: Steering = Steering()
    principal: str = "local"
    minutes: int | None = None
    cost_micros: int | None = None
    model_queue: str = ""
    override_tag: str = ""
    """See ``BookSessionInput.override_tag``."""
    state: "DirectorRoundState | None" = None
    """Set by continue-as-new."""


class BriefRole(Value):
    """Build the envelope of one call."""

    effect: Effect
    scene: str
    round: int
    for_: EnvelopeFor
    who: str = ""
    pass_number: int = 0
    open_guidance: str = ""
    turn: Turn | None = None
    state: SceneState = SceneState()
    failed: tuple[str, ...] = ()
    """Names of those whose turn failed in this round."""
    notes: tuple[Note, ...] = ()
    """Notes on refused parts of the director's last plan."""
    continues: bool = False
    """Whether the user said nothing in this round."""
    regenerates: bool = False
    """Whether a reply or a whole round is made again."""
    overruled: tuple[StateChange, ...] = ()
    """Changes that a later word of this round overruled."""
    cast: tuple[CastMember, ...] = ()
    """All who are known; empty: those who are present are enough."""
    before: int | None = None
    """Number of a message: the scene is shown as it was before that one; None: as it is now."""
    instruction: str = ""
    """The user's request to a narrator or an artist."""
    instruction_at: BlobRef | None = None
    """The same, where it is stored already."""
    session: str = ""


class Direct(BriefRole):
    """Have the director plan a pass."""


class TakeTurns(Value):
    """Plan the only pass of a round without a model: who is spoken to acts, or whose turn it is."""


class AwaitPlan(Value):
    """Wait until a person has approved the plan of the newest pass."""

    pass_number: int


class Act(BriefRole):
    """Have one character, or the narrator, speak."""


class UpdateWorld(BriefRole):
    """Have the world agent look at the round, where it is switched on."""


class BeginRound(Value):
    """Open a round; what the user says is read from the blobs."""

    effect: Effect
    scene: str
    session: str
    kind: Literal["message", "continue", "narrate", "regenerate"] = "message"
    text: BlobRef | None = None
    voice: CastMember | None = None
    who: str = "local"
    message: str = ""
    principal: str = "local"


class KeepSpoken(KeepTurn):
    """Store a turn. The state after it is made from the stored one by what is said here."""

    own: CharacterState | None = None
    """The speaker's state before its words; None: the words change no state."""
    reported: StatePatch = StatePatch()
    entering: tuple[str, ...] = ()
    """Ids of those who came in for this turn."""
    leaving: tuple[str, ...] = ()
    """Ids of those who are gone after it."""


class TurnKept(Value):
    """The message that a turn became, and what its words changed."""

    message: str = ""
    """Empty: nothing was said."""
    changes: tuple[StateChange, ...] = ()


class KeepSummary(Value):
    """Keep a summary of everything that an envelope shows."""

    effect: Effect
    scene: str
    summary: BlobRef
    envelope: BlobRef


class Directed(Value):
    """Result of asking the director."""

    plan: DirectorPlan | None = None
    raw: BlobRef | None = None
    author: Author | None = None
    envelope: EnvelopeKept | None = None
    failures: tuple[str, ...] = ()
    timers: tuple[LoreTimer, ...] = ()
    cause: Cause | None = None
    cost_micros: int = 0
    unknown_prices: int = 0


class Acted(Value):
    """Result of one turn."""

    text: BlobRef | None = None
    reply: CharacterReply | None = None
    """Without its text, which is ``text``."""
    note: str = ""
    """Fault in a reply that counts all the same."""
    timers: tuple[LoreTimer, ...] = ()
    author: Author | None = None
    envelope: EnvelopeKept | None = None
    cause: Cause | None = None
    stopped: bool = False
    cost_micros: int = 0
    unknown_prices: int = 0


class RememberRound(Value):
    """Write what those present remember; a failure never fails the round."""

    effect: Effect
    scene: str
    round: int
    principal: str = "local"


class SummariseScene(BriefRole):
    """Have what lies outside the summary summed up, when there is enough of it."""


class EndRound(Value):
    """Note the run's end for lists and notifications."""

    effect: Effect
    scene: str
    session: str
    result: "DirectorRoundResult"
    summarised: bool = False
    """Whether the summariser was asked, and is done."""
    wants_memory: bool = False
    """Whether another run is to remember the round."""
    override_tag: str = ""


class DirectorRoundState(PipelineState):
    """State of a round; only the folds change it."""

    opened: RoundOpened | None = None
    present_first: bool = False
    """A name that one present character has means that one; not so in rounds that began before this rule."""
    takes_turns: bool = False
    """A pass may do without a model; not so in rounds that began before this rule."""
    narrator_planned: bool = False
    """A plan may have the narrator act; not so in rounds that began before this rule."""
    memory_apart: bool = False
    """Another run makes memories and summary; not so in rounds that began before this rule."""
    scene_state: SceneState = SceneState()
    passes: tuple[PassRecord, ...] = ()
    turns: tuple[TurnRecord, ...] = ()
    queue: tuple[Turn, ...] = ()
    """Turns of the present pass that are still to come."""
    in_hand: Turn | None = None
    """The turn that was begun last."""
    unkept_pass: PassRecord | None = None
    unkept_turn: KeepSpoken | None = None
    changes: tuple[StateChange, ...] = ()
    notes: tuple[Note, ...] = ()
    """Notes on refusals other than of plans."""
    steering: Steering = Steering()
    halted: bool = False
    """A person stopped the round: what is spoken stays, nobody else acts."""
    world_updated: WorldUpdate | None = None
    replanned: bool = False
    """The director failed, and everyone acts in the order of the roster."""
    timers: tuple[LoreTimer, ...] = ()
    """Lore that fired in this round; it counts from the next one on."""
    models: tuple[str, ...] = ()
    unshown: tuple[str, ...] = ()
    """Texts of the author that prompts of this round had no room for, each once."""
    demo: bool = False
    closed: bool = False
    remembered: Remembered | None = None
    summarised: bool = False
    trouble: Cause | None = None


class DirectorRoundResult(Value):
    """Result of a round: never silence."""

    outcome: Literal["completed", "completed-with-errors", "stopped", "failed", "refused"]
    scene: str
    round: int = 0
    spoken: tuple[str, ...] = ()
    """Ids of the messages of this round."""
    silent: bool = False
    """Nobody acted."""
    left_over: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()
    code: str = ""
    message: str = ""
    stopped_by: str = ""
    cost_micros: int = 0
    unknown_prices: int = 0
    demo: bool = False
    models: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


SceneRole = Literal["director", "character", "narrator", "summariser", "world-agent", "creator", "visual"]


class NumberedResult(DirectorRoundResult):
    """Result of a round as people see it: ``round`` is its place in the path; 0: none was begun."""

    take: int
    is_meant: bool

    @property
    def name(self) -> TakeName:
        return TakeName(number=self.round, take=self.take, is_meant=self.is_meant)


class SceneBrief(Value):
    """Brief of one call of a role."""

    role: SceneRole
    model: str = ""
    """Name of the model that is asked; empty: that of the role."""
    task: BlobRef
    """The envelope as text for the model: the message after the role's own instructions."""
    params: dict[str, str] = {}
    """Short values of the role's placeholders, such as the name of the character."""
    turn_tokens: int
    """Tokens set aside for the answer."""
    envelope: EnvelopeKept
    timers: tuple[LoreTimer, ...] = ()
    """As they are after the lore of this prompt was chosen."""
    usage: Usage = Usage(cost_micros=0)
    """Usage of finding its memories."""


class SceneCall(Value):
    """One call: the brief, and whose budget and queues it uses."""

    brief: SceneBrief
    run_id: str
    subject: str
    """``scene/<scene-id>``."""
    model_queue: str
    tool_queue: str
    cost_micros: int | None = None
    stream_to: str = ""
    """``<scene>/<round>/<character>``: whose pieces go out as ``message.delta``; empty: none do."""
    override_tag: str = ""
    """See ``BookSessionInput.override_tag``."""
