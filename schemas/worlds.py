"""Setting of a scene: worlds, campaigns, arcs, scenes, their people, and the settings of a scene."""

from datetime import datetime
from typing import Any, Literal

from pydantic import Field

from schemas.base import BlobRef, Value
from schemas.director import Steering

Level = Literal["world", "campaign", "arc", "scene"]
"""The four levels of the hierarchy, outermost first."""
TurnOrder = Literal["free", "initiative", "director"]
"""Order in which people at one table speak."""


class Notes(Value):
    """Notes of people about a world, campaign, arc or scene; all of them may reach a prompt."""

    description: str = ""
    author_note: str = ""
    """Advice on writing, for the models; no character knows it."""
    plot: str = ""
    goals: str = ""


class World(Value):
    """The root of the hierarchy."""

    id: str
    """Made from the name, unique, never changed; so are all ids here."""
    name: str
    notes: Notes = Notes()
    principal: str = "local"
    version: int = 1
    """Rises with every change; a change names the version it was made from."""


class Campaign(Value):
    id: str
    world: str
    name: str
    notes: Notes = Notes()
    version: int = 1


class Arc(Value):
    id: str
    campaign: str
    name: str
    position: int = 0
    """From 0, unique within the campaign."""
    notes: Notes = Notes()
    version: int = 1


class Shares(Value):
    """Per cent of a prompt's tokens for each section; an absent section's share goes to the others."""

    history: int = Field(30, ge=0, le=100)
    summaries: int = Field(10, ge=0, le=100)
    lore: int = Field(15, ge=0, le=100)
    memories: int = Field(20, ge=0, le=100)
    notes: int = Field(10, ge=0, le=100)
    """Scenario and author notes of all levels."""
    director_guidance: int = Field(5, ge=0, le=100)
    character_guidance: int = Field(10, ge=0, le=100)


class SceneSettings(Value):
    """The knobs of one scene."""

    max_director_passes: int = Field(2, ge=1, le=1_000)
    """A pass in which nobody acts is the last in any case, and each acts once in a round."""
    history_messages: int = Field(200, ge=1, le=5_000)
    """Messages that are looked at for the history section, newest first."""
    summarise_after: int = Field(8, ge=1, le=1_000)
    """Rounds without a summary that make the summariser run."""
    shares: Shares = Shares()
    memories: int = Field(8, ge=0, le=50)
    """Memories retrieved for one character."""
    memory_chars: int = Field(6_000, ge=0, le=100_000)
    lore_scan_messages: int = Field(4, ge=0, le=100)
    """Newest messages searched for keys, where neither book nor entry says otherwise."""
    lore_tokens: int = Field(2_048, ge=0, le=100_000)
    context_tokens: int | None = Field(None, ge=512, le=2_000_000)
    """Size of a prompt with its answer, if the model takes it; None: what that takes, up to 32,768."""
    answer_tokens: int = Field(700, ge=64, le=32_000)
    """Set aside for an answer before anything else; a director and a summariser get more if they can."""
    director: Literal["as-needed", "always", "off"] = "as-needed"
    """Whether a model plans who acts: where there is something to plan, in every round, or never."""
    on_director_failure: Literal["turns", "roster", "stop"] = "turns"
    """Actors when the director gives no usable plan: those spoken to or else due, everyone, or nobody."""
    world_agent: bool = False
    turns: TurnOrder = "free"
    """When the people of a table may speak: at any time, one after the other, or as the director says."""
    hold_plan: bool = False
    """Whether each plan of the director waits until a person has approved it."""


class SceneNotes(Notes):
    scenario: str = ""
    location: str = ""
    time_of_day: str = ""
    direction: str = ""
    """Direction for the director in every round; it alone reads it."""


class Picture(Value):
    """A picture of a scene or a character that a model for images painted."""

    image: BlobRef
    kind: str
    """``image/png``, ``image/jpeg`` or ``image/webp``."""
    caption: str = ""
    prompt: str
    avoid: str = ""
    model: str
    run: str
    """Id of the run that painted it."""
    made_at: datetime


class ImportedSpeaker(Value):
    """One who speaks in a chat that is imported, and who that is here."""

    name: str
    id_there: str = ""
    """In an export of ours."""
    id: str
    user: bool = False
    """Speaks as the user: a persona, or a character that a person played."""


class SceneImport(Value):
    """Import of a chat that has not come to its end."""

    key: str
    """Digest of the file and of what was asked: the same import goes on with the scene."""
    session: str
    who: str
    rounds: int
    """Rounds that the file has; ``Scene.rounds`` of them are stored."""
    speakers: tuple[ImportedSpeaker, ...] = ()
    made: tuple[str, ...] = ()
    """Things made for it, for its report."""


class Scene(Value):
    """One scene: what is played. Messages, rounds and states are kept beside it."""

    id: str
    arc: str
    title: str
    position: int = 0
    notes: SceneNotes = SceneNotes()
    persona: str = ""
    """Id of the persona that the user speaks as; empty: none, nobody is the user."""
    roster: tuple[str, ...] = ()
    """Ids of the characters who are present, in the order in which they came."""
    taken: tuple[str, ...] = ()
    """Ids of characters that a person plays."""
    models: dict[str, str] = {}
    """Names of models by the ids of characters whom they play here; they come before the characters' own."""
    coming: tuple[str, ...] = ()
    """Ids of those whom people had come in while a round runs: they do at its end."""
    going: tuple[str, ...] = ()
    """Ids of those whom people sent out while a round runs: they go at its end."""
    pictures: tuple[Picture, ...] = ()
    settings: SceneSettings = SceneSettings()
    steering: Steering = Steering()
    """Requests of people for the next round while none ran; that round takes them with it."""
    rounds: int = 0
    """Number of the newest round; 0: none was played."""
    importing: SceneImport | None = None
    """An import that has not come to its end: until then nothing else happens in the scene."""
    branched_from: str = ""
    branched_at: int = 0
    """The last round that the branch has in common with ``branched_from``."""
    version: int = 1


class Character(Value):
    """A character as written; ``fields`` of overrides use the same names."""

    id: str
    name: str
    nickname: str = ""
    description: str = ""
    personality: str = ""
    scenario: str = ""
    first_message: str = ""
    example_messages: str = ""
    alternate_greetings: tuple[str, ...] = ()
    group_greetings: tuple[str, ...] = ()
    """Openings of scenes with several characters."""
    system_prompt: str = ""
    """A card's own prompt: direction for the words of the character, in its own prompts only."""
    post_history: str = ""
    """The same, for the end of a prompt."""
    depth_note: str = ""
    """A card's note that stands near the newest messages; SillyTavern's character's note."""
    appearance: str = ""
    goals: str = ""
    secrets: str = ""
    """Private: only in this character's own prompt, and the director's."""
    talkative: int = 50
    tags: tuple[str, ...] = ()
    creator: str = ""
    creator_notes: str = ""
    model: str = ""
    """Name of the model that plays it; empty: that of the role."""
    card: BlobRef | None = None
    """The imported card, byte for byte."""
    pictures: tuple[Picture, ...] = ()
    # Any: JSON that other programs put into a card.
    extensions: dict[str, Any] = {}
    version: int = 1


class Override(Value):
    """Differences of a character in a world or campaign. Campaign wins over world, world over base.

    Objects merge by key; lists and scalars are replaced whole; null takes the field back to its default.
    """

    level: Literal["world", "campaign"]
    at: str
    """Id of the world or campaign."""
    character: str
    # Any: values of the fields of ``Character``.
    fields: dict[str, Any] = {}
    version: int = 1


class Persona(Value):
    """Whom the user speaks as. A persona is never played by a model."""

    id: str
    name: str
    description: str = ""
    version: int = 1


class Located(Value):
    """A scene with all that is above it."""

    scene: Scene
    arc: Arc
    campaign: Campaign
    world: World
    persona: Persona | None = None
