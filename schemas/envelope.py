"""The context envelope: all that a role of a scene is shown, cut to its budget, with what was cut and why."""

from datetime import datetime
from typing import Literal

from schemas.base import BlobRef, Value
from schemas.director import CastMember, Note, StateChange
from schemas.lore import LoreBookSeen, LoreVerdict, Position
from schemas.scene import CharacterState, SceneMessage
from schemas.scene_summary import Stretch
from schemas.worlds import Character, Located

Section = Literal[
    "history", "summaries", "lore", "memories", "notes", "director_guidance", "character_guidance", "people"
]
"""All but ``people`` have a share; people are never left out, but may be shortened."""
EnvelopeFor = Literal["director", "character", "narrator", "summariser", "world", "visual"]

RequestType = Literal["user", "continuation", "regenerate"]


class PromptMessage(Value):
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
    scene: str = ""
    who: str = ""
    """Names of all who remember the same, as a director's prompt has them; empty: only ``character``."""


class Item(Value):
    """One item of a section that was kept or dropped."""

    section: Section
    id: str
    tokens: int
    kept: bool
    reason: str
    """Such as ``last round``, ``newest first``, ``no room: 120 of 80 tokens left``."""


class TokenUse(Value):
    """Tokens of one section: its share, what others left it, what it uses: ``allotted + given == used``."""

    section: Section
    allotted: int
    given: int
    """Negative: what it left to others."""
    used: int


class TokenBudget(Value):
    """Division of a prompt's tokens: ``answer + fixed + used of all sections + left == context``."""

    context: int
    answer: int
    fixed: int
    """Tokens of what is never cut: instructions, people, states."""
    parts: dict[str, int] = {}
    """``fixed``, by what it is."""
    sections: tuple[TokenUse, ...] = ()
    left: int = 0
    """Used by nothing."""
    counter: str
    """Which counter; ``about`` in it if it is an estimate."""


class PromptRoom(Value):
    """Values that the size of one prompt depends on, besides the scene's settings."""

    instructions: int = 0
    """Tokens of the role's own instructions."""
    counter: str
    model_context: int = 0
    """Context size of the role's model in tokens; 0: not known."""


class LorePlace(Value):
    """Place of one entry of lore in a prompt."""

    position: Position = "before"
    depth: int = 0
    outlet: str = ""


class EnvelopeCase(Value):
    """All there is, before it is cut."""

    for_: EnvelopeFor
    who: str = ""
    """Id of the character who acts."""
    located: Located
    request_type: RequestType
    round: int
    at: datetime | None = None
    """When the call was ordered, for macros; None: theirs of time stay as they are."""
    pass_number: int = 0
    messages: tuple[SceneMessage, ...] = ()
    """The newest, oldest first; those of the round at hand included."""
    stretches: tuple[Stretch, ...] = ()
    """Of the summary."""
    cast: tuple[CastMember, ...] = ()
    characters: tuple[Character, ...] = ()
    """Merged; of those present."""
    states: tuple[CharacterState, ...] = ()
    world: dict[str, str] = {}
    trackers: dict[str, str] = {}
    lore: tuple[str, ...] = ()
    lore_ids: tuple[str, ...] = ()
    """Of ``lore``, as ``<book>/<uid>``; empty: they are numbered."""
    standing_lore: tuple[str, ...] = ()
    """Those of ``lore_ids`` that stand in every prompt."""
    lore_places: tuple[LorePlace, ...] = ()
    """Of ``lore``; empty: all stand before the people."""
    lore_verdicts: tuple[LoreVerdict, ...] = ()
    lore_books: tuple[LoreBookSeen, ...] = ()
    memories: tuple[Recalled, ...] = ()
    open_guidance: str = ""
    guidance: str = ""
    entry_guidance: str = ""
    exit_guidance: str = ""
    notes_to_director: tuple[Note, ...] = ()
    failed: tuple[str, ...] = ()
    """Names of those whose turn failed in this round."""
    instruction: str = ""
    """The user's request to a narrator or an artist."""
    overruled: tuple[StateChange, ...] = ()
    """Changes that the last pass overruled in this round."""


class Person(Value):
    """A person in the scene, as a prompt has them."""

    id: str
    name: str
    text: str


class Envelope(Value):
    """The seed's fields, cut to the budget. What a role may not know is not in it."""

    request_type: RequestType
    scene: str
    round: int
    pass_number: int = 0
    history: tuple[PromptMessage, ...] = ()
    summarised_history: tuple[str, ...] = ()
    per_round_summaries: tuple[str, ...] = ()
    last_round: tuple[PromptMessage, ...] = ()
    this_round: tuple[PromptMessage, ...] = ()
    lore: tuple[str, ...] = ()
    standing_lore: str = ""
    """The entries of ``lore`` that stand in every prompt, before the people."""
    formatted_lore: str = ""
    """Those that a key called and that have no place of their own."""
    lore_at: dict[str, str] = {}
    """The others, by place: ``after``, ``examples-top``, ``note-bottom``, ``depth/4`` and so on."""
    memories: tuple[Recalled, ...] = ()
    notes: dict[str, str] = {}
    """By level."""
    persona: str = ""
    persona_name: str = ""
    cast: str = ""
    """People in the scene, compact: one paragraph each."""
    people: tuple[Person, ...] = ()
    """The same, one by one."""
    available: tuple[str, ...] = ()
    """Names of known characters who are not present."""
    own: str = ""
    """The acting character in full, secrets included."""
    own_name: str = ""
    examples: str = ""
    """How the acting character talks."""
    card_prompt: str = ""
    """The card's own prompt: direction."""
    card_notes: str = ""
    """The card's texts for the end of a prompt: direction too."""
    author_notes: dict[str, str] = {}
    """By level, for roles that take direction; elsewhere they are among ``notes``."""
    states: str = ""
    world: str = ""
    trackers: str = ""
    director_guidance: str = ""
    character_guidance: str = ""
    entry_guidance: str = ""
    exit_guidance: str = ""
    instruction: str = ""
    notes_to_director: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()
    budget: TokenBudget
    items: tuple[Item, ...] = ()
    lore_verdicts: tuple[LoreVerdict, ...] = ()
    """On entries of which a key occurs, or that need none; of the others in ``lore_books`` no key occurs."""
    lore_books: tuple[LoreBookSeen, ...] = ()
    pending: tuple[str, ...] = ()
    """Things that were still being made then: memories of rounds, the summary of messages."""
    overruled: tuple[StateChange, ...] = ()


class TooSmall(Value):
    """Refusal of an envelope: what may not be cut does not fit. No model is asked."""

    code: Literal["context-too-small"] = "context-too-small"
    message: str
    budget: TokenBudget


class EnvelopeKept(Value):
    """Reference to a stored envelope, and its sizes."""

    envelope: BlobRef
    budget: TokenBudget
    code: str = ""
    """``context-too-small``: the last round alone does not fit; no model is asked."""
    message: str = ""
    unshown: tuple[str, ...] = ()
    """Texts of the author that the prompt had no room for, in words."""


class Telemetry(Value):
    """Tokens of one prompt; of a scene the newest 500 are kept."""

    scene: str
    round: int
    step: str
    role: str
    model: str = ""
    budget: TokenBudget
