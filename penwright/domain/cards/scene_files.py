"""Scenes of ours as chats: what our exports say beside the words, and our own JSON read again."""

import re
from collections.abc import Iterable, Iterator
from typing import Any, Final

from pydantic import ValidationError

from penwright.domain.cards.fields.places import Raw, inner
from penwright.domain.cards.json_text import parsed
from penwright.domain.cards.refusals import check_size, refused
from penwright.domain.text.counted import counted
from penwright.errors import UsageMistake
from schemas.cards import Chat, ChatMessage, FieldReport, ReadChat
from schemas.director import CastMember
from schemas.scene import SceneMessage

MARK: Final = ("penwright", "scene")
"""The first key of our JSON, and its value."""
_BEGINS: Final = re.compile(rb'\s*\{\s*"penwright"\s*:\s*"scene"')
_SPEAKER: Final = ("extra", "penwright", "speaker")
_PLAYED: Final = ("extra", "penwright", "played")
_READ: Final = frozenset({MARK[0], "located", "messages"})
_PLACE: Final = ("located", "scene", "title")
_PERSONA: Final = ("located", "persona")


def chat_of(messages: Iterable[SceneMessage], head: Chat) -> Chat:
    """Return the messages of a scene as a chat; those that were undone are left out.

    Args:
        head: the chat without them.
    """
    told = tuple(_told(each, head) for each in messages if not each.undone)
    return head.model_copy(update={"messages": told})


def speaker_id(message: ChatMessage) -> str:
    """Id of the character or persona who spoke, where the chat is an export of ours; else empty."""
    found = inner(message.extra, _SPEAKER)
    return found if isinstance(found, str) else ""


def is_played(message: ChatMessage) -> bool:
    """Whether a person spoke as a character, where the chat is an export of ours."""
    return message.speaker == "user" and inner(message.extra, _PLAYED) is True


def read_scene(content: bytes) -> ReadChat | None:
    """Read the messages of a scene that we wrote as JSON; None if the file is none.

    Raises:
        UsageMistake: ``damaged-scene``; and as ``json_text.parsed``.
    """
    document = _document(content)
    if document is None:
        return None
    try:
        messages = [SceneMessage.model_validate(each) for each in document.get("messages") or ()]
        chat = chat_of(messages, _head(document))
    except (ValidationError, IndexError, TypeError) as error:
        raise _damaged(f"{_place_of(error)} cannot be read") from None
    kept = FieldReport(fate="kept", why=f"{counted(len(chat.messages), 'message')} with their alternatives")
    undone = len(messages) - len(chat.messages)
    return ReadChat(chat=chat, report=(kept, *_hidden(undone), *_left_out(document)))


def _head(document: Raw) -> Chat:
    cast = [CastMember.model_validate(each) for each in document.get("cast") or ()]
    return Chat(
        user=_text(inner(document, (*_PERSONA, "name"))),
        user_id=_text(inner(document, (*_PERSONA, "id"))),
        character=_text(inner(document, _PLACE)),
        people={each.id: each.name for each in cast},
    )


def _told(said: SceneMessage, head: Chat) -> ChatMessage:
    chosen = said.alternatives[said.chosen]
    extra: Raw = {"model": chosen.author.name} if chosen.author.kind == "model" else {}
    if said.speaker_id:
        extra = {**extra, "penwright": {"speaker": said.speaker_id, **_played(said, head)}}
    return ChatMessage(
        name=said.name,
        speaker=said.speaker,
        alternatives=tuple(each.text for each in said.alternatives),
        chosen=said.chosen,
        sent=chosen.at.isoformat(),
        witnesses=said.witnesses,
        extra={"extra": extra} if extra else {},
    )


def _played(said: SceneMessage, head: Chat) -> Raw:
    return {"played": True} if said.speaker == "user" and said.speaker_id in head.people else {}


def _document(content: bytes) -> Raw | None:
    """The whole file, if it begins with our mark; a chat has an object in each line."""
    check_size(content)
    if not _BEGINS.match(content):
        return None
    try:
        value: Raw = parsed(content)
    except UsageMistake as error:
        if error.code != "broken-json":
            raise
        raise _damaged(error.message) from None
    return value


def _hidden(undone: int) -> Iterator[FieldReport]:
    if undone:
        why = f"{counted(undone, 'message')} undone in the scene: an import takes what stands"
        yield FieldReport(field="messages", fate="unsupported", why=why)


def _left_out(document: Raw) -> Iterator[FieldReport]:
    for name, value in document.items():
        if value and name not in _READ:
            why = "an import takes the messages; this stays in the file"
            yield FieldReport(field=name, fate="unsupported", why=why)


def _text(value: Any) -> str:  # Any: JSON
    return value if isinstance(value, str) else ""


def _place_of(error: Exception) -> str:
    """Name the position of the error in the file; ``messages`` if it has none."""
    place = error.errors(include_url=False)[0]["loc"] if isinstance(error, ValidationError) else ()
    return ".".join(map(str, place)) or "messages"


def _damaged(why: str) -> UsageMistake:
    return refused(
        "damaged-scene",
        f"the file is a scene that Penwright wrote, and was damaged since: {why}",
        hint="export the scene again: `penwright scene export ID --to json`",
    )
