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
    "public",
]
"""``witness``: a message says of one who was not there that it heard it. ``public``: open to everyone."""


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


class Leak(Value):
    """Passage that stands where it must not."""

    round: int
    """Stored number of the round."""
    who: str
    """Id of the character whose prompt it is."""
    kind: SourceKind
    text: str
    """Excerpt of the prompt."""
    source: str
    """Place that it comes from, in words."""


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


class Certificate(Value):
    """Result of comparing every stored prompt of a scene's cast with all that is stored of the scene."""

    scene: str
    prompts: tuple[PromptChecked, ...] = ()
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
