"""Lorebooks, what of them is chosen for a prompt, and why."""

from datetime import datetime
from typing import Any, Final, Literal

from schemas.base import BlobRef, Value

Logic = Literal["and-any", "not-all", "not-any", "and-all"]
"""Condition on the secondary keys: one must occur, not all, none, all."""
Position = Literal[
    "before", "after", "note-top", "note-bottom", "depth", "examples-top", "examples-bottom", "outlet"
]
Source = Literal["persona", "description", "personality", "depth-note", "scenario", "creator-notes"]
"""A text of the persona or of the character whose prompt it is."""
LoreOutcome = Literal[
    "fired",
    "trimmed",
    "disabled",
    "character",
    "trigger",
    "no-key",
    "secondary",
    "chance",
    "group",
    "delay",
    "cooldown",
    "recursion",
]
"""Outcome of an entry: in the prompt, or the reason why not.

``trimmed``: it fired, and the budget had no room. ``character``: it is for the prompts of others.
``trigger``: it is for other kinds of prompts. ``recursion``: its key occurs in other entries, where it does
not count, or it waits for them.
"""

GAME_MASTER: Final = "the game master"
"""In a list of characters: the director's prompts, and no others."""


class LoreEntry(Value):
    uid: str
    """Unique within the book."""
    title: str = ""
    content: str
    keys: tuple[str, ...] = ()
    """Plain texts; ``/pattern/flags`` is a regular expression."""
    secondary: tuple[str, ...] = ()
    logic: Logic = "and-any"
    selective: bool = False
    """Whether ``secondary`` counts."""
    enabled: bool = True
    constant: bool = False
    case_sensitive: bool | None = None
    """None: as the book has it."""
    whole_words: bool | None = None
    order: int = 100
    """Place among the entries of one position: lower stands first."""
    priority: int = 0
    """Under a tight budget higher is kept."""
    position: Position = "before"
    depth: int = 4
    """With position ``depth``: how many messages before the end."""
    outlet: str = ""
    """With position ``outlet``: the name by which ``{{outlet::name}}`` calls it."""
    role: Literal["system", "user", "assistant"] = "system"
    probability: int = 100
    """Per cent."""
    groups: tuple[str, ...] = ()
    group_weight: int = 100
    group_wins: bool = False
    """Whether it wins its groups without a draw."""
    group_scored: bool = False
    """Whether it is out if another of its group has more keys that occur."""
    sticky: int = 0
    """Messages for which it stays after it fired."""
    cooldown: int = 0
    delay: int = 0
    """Messages that must exist before it may fire."""
    scan_depth: int | None = None
    not_recursed: bool = False
    """Not found in the content of other entries."""
    stops_recursion: bool = False
    """Its content is not searched for keys of others."""
    only_recursed: int = 0
    """Level of recursion from which on it may fire; 0: at once. The lowest level of all comes first."""
    ignores_budget: bool = False
    characters: tuple[str, ...] = ()
    """Ids or names of those whose prompts may have it; empty: everyone. ``GAME_MASTER`` is a name, too."""
    character_tags: tuple[str, ...] = ()
    """Tags of those whose prompts may have it; empty: any."""
    excludes: bool = False
    """Whether ``characters`` and ``character_tags`` name those whose prompts may not have it."""
    also_in: tuple[Source, ...] = ()
    """Other texts in which its keys are looked for."""
    triggers: tuple[str, ...] = ()
    """Kinds of prompts that may have it, as SillyTavern calls them; empty: all."""
    vectorised: bool = False
    """Whether it also fires by what its text means."""
    # Any: JSON of other programs, for lossless export.
    extra: dict[str, Any] = {}


class Lorebook(Value):
    id: str
    name: str
    description: str = ""
    scan_depth: int | None = None
    """Messages; None: as the scene has it."""
    token_budget: int | None = None
    priority: int = 0
    """Books with higher priority get their share of the scene's budget first."""
    recursive: bool = False
    case_sensitive: bool = False
    whole_words: bool = True
    entries: tuple[LoreEntry, ...] = ()
    source: BlobRef | None = None
    """The imported file, byte for byte."""
    dialect: str = ""
    # Any: JSON of other programs.
    extra: dict[str, Any] = {}
    version: int = 1


class Attachment(Value):
    """A book is active in everything below what it is attached to."""

    book: str
    level: Literal["world", "campaign", "arc", "scene", "character", "book", "novel"]
    """``book`` and ``novel``: works that are written, not lorebooks."""
    at: str


class LoreTimer(Value):
    """When an entry last fired, for sticky and cooldown."""

    book: str
    uid: str
    message: int
    """Number of the newest message then."""


class LoreCase(Value):
    """Input of one scan. The same case always gives the same answer."""

    books: tuple[Lorebook, ...] = ()
    messages: tuple[str, ...] = ()
    """Oldest first, as ``name: text``."""
    more: dict[str, str] = {}
    """Other texts that are searched whatever the depth, by what people call them, as ``the scenario``."""
    message_number: int = 0
    """Number of the newest message of the scene."""
    seed: str = ""
    """``<scene>/<round>``: draws are the same at every replay."""
    timers: tuple[LoreTimer, ...] = ()
    scan_messages: int = 4
    tokens: int = 2_048
    for_character: str = ""
    """Id of the one whose prompt it is; empty: another role, which gets nothing that is for some only."""
    for_names: tuple[str, ...] = ()
    """Its names, folded, by which a list may mean it too."""
    for_tags: tuple[str, ...] = ()
    unclear: tuple[str, ...] = ()
    """Names in exclusions that mean no character that is known."""
    triggers: tuple[str, ...] = ("normal",)
    """Kinds of the prompt, as SillyTavern calls them."""
    about: dict[Source, str] = {}
    """Texts that are searched for entries that ask for it."""
    near: tuple[tuple[str, str], ...] = ()
    """Book and uid of the vectorised entries whose text is near to the newest messages in meaning."""
    char: str = ""
    """Value of ``{{char}}`` in keys and in contents that are searched; empty: it is never found."""
    user: str = ""
    group: tuple[str, ...] = ()
    at: datetime | None = None
    draws: tuple[str, ...] = ()
    """Seed of macros that draw: scene and number of the round."""


class LoreVerdict(Value):
    book: str
    uid: str
    title: str = ""
    outcome: LoreOutcome
    why: str
    """A sentence for people: which key, which draw, how many tokens were left."""
    tokens: int = 0
    place: str = ""
    """Where it stands in a prompt of a scene, in words; empty if it does not, or was recorded without."""


class LoreHit(Value):
    """An entry that goes into the prompt."""

    book: str
    uid: str
    content: str
    position: Position
    depth: int
    outlet: str = ""
    tokens: int
    constant: bool = False


class LoreBookSeen(Value):
    """A book whose keys were looked for."""

    book: str
    name: str
    version: int
    entries: int
    """Number of its entries."""


class LoreScan(Value):
    """Entries that go in, in their order, and the verdict on every entry that was looked at."""

    hits: tuple[LoreHit, ...] = ()
    verdicts: tuple[LoreVerdict, ...] = ()
    timers: tuple[LoreTimer, ...] = ()
    """As they are after this scan."""
    books: tuple[LoreBookSeen, ...] = ()
    tokens: int = 0


class LoreTold(Value):
    """The part of a writer's prompt that the lorebooks of its book or novel give."""

    text: str = ""
    """Markdown: the entries that go in, each with its reason; empty if none does."""
    verdicts: tuple[LoreVerdict, ...] = ()
    books: tuple[LoreBookSeen, ...] = ()
    tokens: int = 0
