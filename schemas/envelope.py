"""The context envelope: all that a role of a scene is shown, cut to its budget, with what was cut and why."""

from typing import Literal

from schemas.base import BlobRef, Value
from schemas.director import CastMember, Note, StateChange
from schemas.lore import LoreVerdict
from schemas.scene import CharacterState, SceneMessage
from schemas.worlds import Character, Located

Section = Literal[
    "history", "summaries", "lore", "memories", "notes", "director_guidance", "character_guidance"
]
EnvelopeFor = Literal["director", "character", "narrator", "summariser", "world", "visual"]


class Line(Value):
    """One message as a prompt has it."""

    id: str
    name: str
    text: str
    round: int


class Recalled(Value):
    """One memory of one character, as it was found."""

    id: str
    character: str
    round: int
    text: str
    score: float


class Item(Value):
    """One item of a section that was kept or dropped."""

    section: Section
    id: str
    tokens: int
    kept: bool
    reason: str
    """Such as ``last round``, ``newest first``, ``no room: 120 of 80 tokens left``."""


class TokenUse(Value):
    """Tokens of one section: its share, what others left it, what it uses."""

    section: Section
    allotted: int
    given: int
    used: int


class TokenBudget(Value):
    context: int
    answer: int
    fixed: int
    """Tokens of what is never cut: instructions, people, states."""
    sections: tuple[TokenUse, ...] = ()
    counter: str
    """Which counter; ``about`` in it if it is an estimate."""


class EnvelopeCase(Value):
    """All there is, before it is cut."""

    for_: EnvelopeFor
    who: str = ""
    """Id of the character who acts."""
    located: Located
    request_type: Literal["user", "continuation"]
    round: int
    pass_number: int = 0
    messages: tuple[SceneMessage, ...] = ()
    """The newest, oldest first; those of the round at hand included."""
    summary: str = ""
    summarised_to: int = 0
    cast: tuple[CastMember, ...] = ()
    characters: tuple[Character, ...] = ()
    """Merged; of those present."""
    states: tuple[CharacterState, ...] = ()
    world: dict[str, str] = {}
    trackers: dict[str, str] = {}
    lore: tuple[str, ...] = ()
    lore_verdicts: tuple[LoreVerdict, ...] = ()
    memories: tuple[Recalled, ...] = ()
    open_guidance: str = ""
    guidance: str = ""
    entry_guidance: str = ""
    exit_guidance: str = ""
    notes_to_director: tuple[Note, ...] = ()
    failed: tuple[str, ...] = ()
    """Names of those whose turn failed in this round."""


class Envelope(Value):
    """The seed's fields, cut to the budget. What a role may not know is not in it."""

    request_type: Literal["user", "continuation"]
    scene: str
    round: int
    pass_number: int = 0
    history: tuple[Line, ...] = ()
    summarised_history: tuple[str, ...] = ()
    per_round_summaries: tuple[str, ...] = ()
    last_round: tuple[Line, ...] = ()
    this_round: tuple[Line, ...] = ()
    lore: tuple[str, ...] = ()
    formatted_lore: str = ""
    memories: tuple[Recalled, ...] = ()
    notes: dict[str, str] = {}
    """By level."""
    persona: str = ""
    cast: str = ""
    """People in the scene, compact: one paragraph each."""
    available: tuple[str, ...] = ()
    """Names of known characters who are not present."""
    own: str = ""
    """The acting character in full, secrets included."""
    states: str = ""
    world: str = ""
    trackers: str = ""
    director_guidance: str = ""
    character_guidance: str = ""
    notes_to_director: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()
    budget: TokenBudget
    items: tuple[Item, ...] = ()
    lore_verdicts: tuple[LoreVerdict, ...] = ()
    overruled: tuple[StateChange, ...] = ()


class EnvelopeKept(Value):
    """Where an envelope is stored, and its sizes."""

    envelope: BlobRef
    budget: TokenBudget
    code: str = ""
    """``context-too-small``: the last round alone does not fit; no model is asked."""
    message: str = ""


class Telemetry(Value):
    """Tokens of one prompt; of a scene the newest 500 are kept."""

    scene: str
    round: int
    step: str
    role: str
    model: str = ""
    budget: TokenBudget
