"""Cards, lorebooks and chats of other programs, as they are read and written."""

from typing import Any, Literal

from schemas.base import Value
from schemas.lore import Lorebook
from schemas.worlds import Character

CardForm = Literal["png", "json", "charx"]
"""The file that holds a card: a picture, JSON alone, or a zip archive with files beside the card."""
ReadForm = Literal["png", "json", "charx", "webp", "yaml"]
"""The file that a card is read from; two of them are not written."""
CardSpec = Literal["v1", "v2", "v3"]
LoreDialect = Literal["silly-tavern", "card-v2", "card-v3"]
"""Whose names and numbers a lorebook uses."""
Fate = Literal["kept", "adapted", "unsupported"]
"""Of a field: means the same here; is read with a change; has no effect here. All come back on export."""


class FieldReport(Value):
    """Result for one field of an imported file."""

    at: str = ""
    """Empty: the card; ``book``: its lorebook; ``entry <uid>``: one entry; ``message <n>``: of a chat."""
    field: str = ""
    """As the file calls it; empty: everything that has no line of its own."""
    fate: Fate
    why: str = ""


class ReadCard(Value):
    """A card as read. ``character`` has no id, and no ``card``: the caller keeps the bytes."""

    form: ReadForm
    spec: CardSpec
    character: Character
    lorebook: Lorebook | None = None
    assets: tuple[str, ...] = ()
    """Names of the files in the archive beside the card; they come back on export."""
    report: tuple[FieldReport, ...] = ()


class ReadLorebook(Value):
    """A lorebook as read, without an id."""

    dialect: LoreDialect
    book: Lorebook
    report: tuple[FieldReport, ...] = ()


class ChatMessage(Value):
    """One message of a chat."""

    name: str
    speaker: Literal["user", "character", "narrator", "system"]
    alternatives: tuple[str, ...]
    """At least one."""
    chosen: int = 0
    hidden: bool = False
    """Kept out of prompts there."""
    sent: str = ""
    """When, as the file writes it; no two programs agree on the form."""
    witnesses: tuple[str, ...] | None = None
    """Ids there of those who were present; None: the file does not say."""
    # Any: JSON of other programs.
    extra: dict[str, Any] = {}

    @property
    def text(self) -> str:
        return self.alternatives[self.chosen]


class Chat(Value):
    """A chat: who speaks with whom, and the messages, oldest first."""

    user: str = ""
    user_id: str = ""
    """In our own JSON: id there of the persona of the scene."""
    character: str = ""
    people: dict[str, str] = {}
    """In our own JSON: names of characters by their ids there."""
    messages: tuple[ChatMessage, ...] = ()
    # Any: JSON of other programs; the rest of the first line.
    extra: dict[str, Any] = {}


class ReadChat(Value):
    chat: Chat
    report: tuple[FieldReport, ...] = ()
