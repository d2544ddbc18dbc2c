"""One message of a chat, from its line and back."""

import copy
from typing import Any, Final, Literal

from penwright.domain.cards.fields.kinds import FLAG, NUMBER, TEXT, Kind
from penwright.domain.cards.fields.places import Raw, inner
from schemas.cards import ChatMessage, FieldReport

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
def _said(raw: Raw, name: str, kind: Kind, default: Any) -> Any:
    found = kind.read(raw.get(name))
    return found.value if found else default
