"""Chats of SillyTavern: a line of JSON for the chat, then one for each message."""

from collections.abc import Iterator
from typing import Any, Final

from penwright.domain.cards.chat_messages import read_message, written_message
from penwright.domain.cards.fields.kinds import TEXT
from penwright.domain.cards.fields.places import Raw
from penwright.domain.cards.json_text import in_order_of, in_utf8, read_foreign, written
from penwright.domain.cards.refusals import MOST_MESSAGES, check_size, refused
from penwright.domain.text.counted import counted
from penwright.errors import UsageMistake
from schemas.cards import Chat, FieldReport, ReadChat

_HEAD: Final = (("user", "user_name"), ("character", "character_name"))
"""Ours, theirs."""
_EXPORT: Final = "export the chat from SillyTavern as JSON lines (.jsonl)"
_TEXTS: Final = frozenset({"mes", "swipes"})
"""Keys of which a message has at least one."""


def read_chat(content: bytes) -> ReadChat:
    """Read a chat.

    Raises:
        UsageMistake: ``not-a-chat``, ``too-many-messages``, ``file-too-large``, or as ``json_text.parsed``.
    """
    head, lines, broken = _divided(content)
    named = {ours: TEXT.read(head.get(theirs)) for ours, theirs in _HEAD}
    read = [read_message(raw, number) for number, raw in enumerate(lines, 1)]
    chat = Chat(
        **{ours: found.value for ours, found in named.items() if found},
        messages=tuple(message for message, _ in read),
        extra=head,
    )
    kept = FieldReport(fate="kept", why=f"{counted(len(read), 'message')} with their alternatives")
    return ReadChat(
        chat=chat, report=(*broken, *_of_head(head), kept, *(line for _, own in read for line in own))
    )


def write_chat(chat: Chat, original: bytes | None = None) -> bytes:
    """Return the file of a chat.

    Args:
        original: the imported file. If nothing was changed, it is the result; else it gives the order of
            keys.
    """
    lines = [_head(chat), *(written_message(each) for each in chat.messages)]
    if original is not None:
        head, rest, _ = _divided(original)
        if lines == [head, *rest]:
            return original
        lines = in_order_of(lines, [head, *rest])
    return b"\n".join(written(line) for line in lines)


def _divided(content: bytes) -> tuple[Raw, list[Raw], list[FieldReport]]:
    """Return the first line and the messages, as JSON, and what is said of damaged lines.

    The first line may be missing; a damaged one is left out.
    """
    check_size(content)
    text = in_utf8(content)
    lines = [(number, line) for number, line in enumerate(text.value.splitlines(), 1) if line.strip()]
    if len(lines) > MOST_MESSAGES:
        raise refused("too-many-messages", f"the chat has {len(lines):,} messages", "divide it")
    objects, damaged, report = list[Raw](), list[UsageMistake](), list(text.mended)
    for number, line in lines:
        try:
            read = read_foreign(line, f"line {number}")
            objects.append(_message(read.value, is_head=not objects))
            report += read.mended
        except UsageMistake as error:
            damaged.append(error)
            why = f"this line was left out: {error.message}"
            report.append(FieldReport(at=f"line {number}", fate="adapted", why=why))
    head = objects.pop(0) if objects and not _TEXTS & objects[0].keys() else {}
    if not objects and damaged:
        raise damaged[0]
    if not objects and not {theirs for _, theirs in _HEAD} & head.keys():
        raise _no_chat("it has no messages")
    return head, objects, report


def _message(value: Any, *, is_head: bool) -> Raw:
    if not isinstance(value, dict) or not (is_head or _TEXTS & value.keys()):
        raise refused("not-a-chat", "it holds no message", _EXPORT)
    return value


def _head(chat: Chat) -> Raw:
    raw = dict(chat.extra)
    for ours, theirs in _HEAD:
        found = TEXT.read(raw.get(theirs))
        if getattr(chat, ours) != (found.value if found else ""):
            raw[theirs] = getattr(chat, ours)
    return raw


def _of_head(head: Raw) -> Iterator[FieldReport]:
    for name, value in head.items():
        if value and name not in {theirs for _, theirs in _HEAD} | {"create_date"}:
            yield FieldReport(field=name, fate="unsupported", why="has no effect here; it is kept for export")


def _no_chat(why: str) -> UsageMistake:
    return refused(
        "not-a-chat",
        f"the file is no chat: {why}",
        hint=_EXPORT,
    )
