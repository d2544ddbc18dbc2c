"""Certificate of a scene: whether its prompts held anything that their readers had not witnessed."""

from typing import Literal

from schemas.base import Value
from schemas.envelope import Envelope
from schemas.lore import Lorebook
from schemas.memory import Memory
from schemas.scene import Round, SceneMessage, StateEvent, Takes
from schemas.scene_summary import Stretch
from schemas.worlds import Character, Located

SourceKind = Literal[
    "message",
    "taken back",
    "witness",
    "card",
    "intention",
    "memory",
    "lore",
    "foresight",
    "guidance",
    "summary",
    "draft",
    "public",
]
"""``witness``: a message says of one who was not there that it heard it. ``public``: open to everyone."""
SeatPart = Literal["table", "events", "export"]


class StoredPrompt(Value):
    """Envelope of one call of a round, as it was kept."""

    round: int
    """Stored number of the round."""
    who: str
    """``director``, ``narrator`` or the id of a character."""
    envelope: Envelope | None = None
    missing: str = ""
    """Reason why it is not there."""


class OwnedBook(Value):
    """A lorebook that a prompt of the scene may have used."""

    book: Lorebook
    owners: tuple[str, ...] | None = None
    """Ids of the only characters whose prompts may have it; None: everyone's."""


class SeatShown(Value):
    """All texts that one part of a seat shows now."""

    who: str
    """Id of the character whose seat it is."""
    part: SeatPart
    texts: tuple[str, ...] = ()


class SceneEvidence(Value):
    """All that is stored of a scene and can tell who may have known what."""

    located: Located
    takes: Takes
    messages: tuple[SceneMessage, ...] = ()
    """By stored numbers; those of rounds that were taken back, too."""
    rounds: tuple[Round, ...] = ()
    """All attempts, by stored numbers."""
    changes: tuple[StateEvent, ...] = ()
    stretches: tuple[Stretch, ...] = ()
    """All of its summary that were ever made."""
    characters: tuple[Character, ...] = ()
    """As they are in the scene's campaign."""
    memories: tuple[Memory, ...] = ()
    books: tuple[OwnedBook, ...] = ()
    prompts: tuple[StoredPrompt, ...] = ()
    seats: tuple[SeatShown, ...] = ()
    drafts: tuple[tuple[str, str], ...] = ()
    """Character and text of each draft that the person at a seat has not sent."""


class Leak(Value):
    """Passage that stands where it must not."""

    round: int
    """Stored number of the round of the prompt; 0: a seat shows it."""
    who: str
    """Id of the character whose prompt or seat it is."""
    kind: SourceKind
    text: str
    """Excerpt of what was shown."""
    source: str
    """Place that it comes from, in words."""
    part: SeatPart | None = None
    """Part of the seat that shows it; None: it stands in a prompt."""


class PromptChecked(Value):
    """One prompt of a character, and what it was compared with."""

    round: int
    who: str
    words: int
    closed: int
    """Texts that this character may not know."""
    told: int = 0
    """Words that it knows only because the director's guidance told them."""
    missing: str = ""
    """Reason why the prompt could not be read."""


class SeatChecked(Value):
    """One part of a seat, and what it was compared with."""

    who: str
    part: SeatPart
    words: int
    closed: int
    """Texts that this character may not know."""


class Certificate(Value):
    """Result of comparing what a scene's cast and seats were shown with all that is stored of the scene."""

    scene: str
    prompts: tuple[PromptChecked, ...] = ()
    seats: tuple[SeatChecked, ...] = ()
    unbound: int = 0
    """Prompts of director and narrator, who may hear everything."""
    messages: int = 0
    leaks: tuple[Leak, ...] = ()
    sha256: str
    """Of all that was looked at, as JSON."""

    @property
    def unread(self) -> int:
        """Count the prompts that are not kept any more."""
        return sum(bool(each.missing) for each in self.prompts)
