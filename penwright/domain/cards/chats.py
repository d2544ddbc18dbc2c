"""Chats of SillyTavern: a line of JSON for the chat, then one for each message."""

import copy
from collections.abc import Iterator
from typing import Any, Final, Literal

from penwright.domain.cards.fields.kinds import FLAG, NUMBER, TEXT, ValueKind
from penwright.domain.cards.fields.places import Raw, inner
from penwright.domain.cards.json_text import in_order_of, in_utf8, read_foreign, written
from penwright.domain.cards.refusals import MOST_MESSAGES, check_size, refused
from penwright.domain.text.counted import counted
from penwright.errors import UsageMistake
from schemas.cards import Chat, ChatMessage, FieldReport, ReadChat

_Speaker = Literal["user", "character", "narrator", "system"]
_SYSTEM: Final = "SillyTavern System"
_COMMENT: Final = "comment"
"""The kind of a message that is for people only."""
_NARRATOR: Final = "narrator"


def read_message(raw: Raw, number: int) -> tuple[ChatMessage, tuple[FieldReport, ...]]:
    """Return a message and what of it was adapted.

    Its text goes before that of the chosen swipe: it is what a person edited.
    """
    alternatives, chosen, same = _alternatives(raw)
    message = ChatMessage(
        name=_said(raw, "name", TEXT, ""),
        speaker=_speaker(raw),
        alternatives=alternatives,
        chosen=chosen,
        hidden=_said(raw, "is_system", FLAG, False),
        sent=_said(raw, "send_date", TEXT, ""),
        extra=_rest(raw, same, len(alternatives)),
    )
    why = "the text and the chosen swipe differ; the text counts"
    lines = (FieldReport(at=f"message {number}", field="swipes", fate="adapted", why=why),)
    return message, () if same else lines


def written_message(message: ChatMessage) -> Raw:
    """Return the line of a message; what it says already stays as it is."""
    raw = copy.deepcopy(message.extra) or _new(message)
    alternatives, chosen, _ = _alternatives(raw)
    if (alternatives, chosen) != (message.alternatives, message.chosen):
        _write_alternatives(raw, message)
    if _speaker(raw) != message.speaker:
        _write_speaker(raw, message.speaker)
    if message.speaker != "system" and _said(raw, "is_system", FLAG, False) != message.hidden:
        raw["is_system"] = message.hidden
    if _said(raw, "name", TEXT, "") != message.name:
        raw["name"] = message.name
    if _said(raw, "send_date", TEXT, "") != message.sent:
        raw["send_date"] = message.sent
    return raw


def _rest(raw: Raw, same: bool, count: int) -> Raw:
    """Return what comes back on export, without the texts; an empty list says that there were swipes."""
    notes = raw.get("swipe_info")
    uneven = isinstance(notes, list) and len(notes) != count
    if not same or uneven or not raw.get("mes") or ("swipes" in raw and not raw["swipes"]):
        return raw
    rest = {name: value for name, value in raw.items() if name != "mes"}
    return rest | {"swipes": []} if "swipes" in raw else rest or raw


def _alternatives(raw: Raw) -> tuple[tuple[str, ...], int, bool]:
    """Return the texts, which is chosen, and whether the file says it without contradiction."""
    found = TEXT.read(raw.get("mes"))
    text: str = found.value if found else ""
    exact = found is not None and found.exact
    swipes = raw.get("swipes")
    if not swipes or not isinstance(swipes, list) or not all(isinstance(each, str) for each in swipes):
        return (text,), 0, exact and not swipes
    number = NUMBER.read(raw.get("swipe_id"))
    chosen = number.value if number and 0 <= number.value < len(swipes) else None
    if found is None:
        return tuple(swipes), chosen or 0, False
    if chosen is None:
        texts = swipes if text in swipes else [*swipes, text]
        return tuple(texts), texts.index(text), False
    texts = [*swipes[:chosen], text, *swipes[chosen + 1 :]]
    return tuple(texts), chosen, exact and texts == swipes and raw["swipe_id"] == chosen


def _write_alternatives(raw: Raw, message: ChatMessage) -> None:
    raw["mes"] = message.text
    if len(message.alternatives) > 1 or "swipes" in raw:
        raw["swipes"] = list(message.alternatives)
        raw["swipe_id"] = message.chosen
    notes = raw.get("swipe_info")
    if isinstance(notes, list):
        empty = [{"send_date": message.sent, "extra": {}}] * len(message.alternatives)
        raw["swipe_info"] = [*notes, *empty[len(notes) :]][: len(message.alternatives)]


def _speaker(raw: Raw) -> _Speaker:
    if _said(raw, "is_user", FLAG, False):
        return "user"
    kind = inner(raw, ("extra", "type"))
    if kind == _NARRATOR:
        return "narrator"
    system = _said(raw, "is_system", FLAG, False) and (kind or raw.get("name") == _SYSTEM)
    return "system" if system else "character"


def _write_speaker(raw: Raw, speaker: _Speaker) -> None:
    raw["is_user"] = speaker == "user"
    kinds = {"narrator": _NARRATOR, "system": _COMMENT}
    extra = raw["extra"] if isinstance(raw.get("extra"), dict) else {}
    if speaker in kinds:
        raw["extra"] = extra | {"type": kinds[speaker]}
    elif "type" in extra:
        raw["extra"] = {name: value for name, value in extra.items() if name != "type"}
    if speaker == "system":
        raw["is_system"] = True


def _new(message: ChatMessage) -> Raw:
    return {"name": message.name, "is_user": False, "is_system": message.hidden, "send_date": message.sent}


# Any: values of a message and of our fields.
def _said(raw: Raw, name: str, kind: ValueKind, default: Any) -> Any:
    found = kind.read(raw.get(name))
    return found.value if found else default


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
