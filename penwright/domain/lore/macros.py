"""Macros in the texts of cards, lore and notes: ``{{char}}``, ``{{random:a,b}}``, ``{{time}}`` and the like.

The names and what they come to are SillyTavern's. A text is resolved in one pass: what comes in by a macro is
not searched again, so a name that looks like a macro stays. A macro that is not known stays as it is.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Final

from penwright.domain.lore.draws import draw

_OLD_NAMES: Final = re.compile(r"<(bot|char|user)>", re.IGNORECASE)
_DICE: Final = re.compile(r"(?:(\d{0,3})d)?(\d{1,6})([+-]\d{1,6})?", re.IGNORECASE)
_ARGUMENT: Final = re.compile(r"(\w+)(?::|\s)(.*\S.*)", re.DOTALL)
_OFFSET: Final = re.compile(r"time_utc([+-]\d{1,2})")
_USER: Final = "the user"
"""In a scene without a persona."""
_MOST_DICE: Final = 100


@dataclass(frozen=True, slots=True)
class LastSaid:
    """The newest messages that the role that reads the text has heard."""

    message: str = ""
    number: str = ""
    user: str = ""
    character: str = ""
    user_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Moment:
    """Values of the macros at the time at which a text is read."""

    character: str = ""
    """Name of the character whose text it is; empty: its macros stay."""
    user: str = ""
    group: tuple[str, ...] = ()
    """Names of all who are present."""
    now: datetime | None = None
    """None: macros of time stay."""
    seed: tuple[str, ...] = ()
    """Of draws, such as scene and round: the same seed draws the same."""
    lasting_seed: tuple[str, ...] = ()
    """Of ``{{pick}}``, which draws the same in every round of a scene."""
    said: Callable[[], "LastSaid"] = field(default=lambda: LastSaid())
    """Is asked only if a macro needs it."""
    outlets: Mapping[str, str] | None = None
    """Lore by the name of its outlet; None: ``{{outlet::name}}`` stays."""


def with_macros(text: str, moment: Moment) -> str:
    """Return the text with the known macros resolved."""
    if "{{" not in text and "<" not in text:
        return text
    pieces = tuple(_pieces(text, moment))
    trims = {at for at, piece in enumerate(pieces) if piece is None}
    told = []
    for at, piece in enumerate(pieces):
        if piece is None:
            continue
        piece = piece.lstrip("\r\n") if at - 1 in trims else piece
        told.append(piece.rstrip("\r\n") if at + 1 in trims else piece)
    return "".join(told)


def has_macros(text: str) -> bool:
    """Whether something in the text may be a macro."""
    return "{{" in text or _OLD_NAMES.search(text) is not None


def unknown_macros(text: str) -> tuple[str, ...]:
    """Return the macros of a text that are none of ours, as they are written, each once."""
    known = Moment("x", "x", now=datetime(2000, 1, 1, tzinfo=UTC), outlets={})
    found = (text[start:end] for start, end in _places(text))
    return tuple(dict.fromkeys(each for each in found if _resolved(each[2:-2], known, 0) == each))


def _pieces(text: str, moment: Moment) -> Iterator[str | None]:
    """The text in pieces, macros resolved; None: ``{{trim}}``, which takes away the line ends around it."""
    at = 0
    for start, end in _places(text):
        yield _with_names(text[at:start], moment)
        inner = text[start + 2 : end - 2]
        yield None if inner.strip().lower() == "trim" else _resolved(inner, moment, start)
        at = end
    yield _with_names(text[at:], moment)


def _places(text: str) -> Iterator[tuple[int, int]]:
    """Start and end of each outermost macro."""
    start = text.find("{{")
    while start != -1:
        end = _end(text, start)
        if end is None:
            return
        yield start, end
        start = text.find("{{", end)


def _end(text: str, start: int) -> int | None:
    depth = 0
    for found in re.finditer(r"\{\{|\}\}", text[start:]):
        depth += 1 if found[0] == "{{" else -1
        if depth == 0:
            return start + found.end()
    return None


def _with_names(text: str, moment: Moment) -> str:
    return _OLD_NAMES.sub(
        lambda found: _name("user" if found[1].lower() == "user" else "char", moment) or found[0], text
    )


def _name(macro: str, moment: Moment) -> str:
    return (moment.user or _USER) if macro == "user" else moment.character


def _resolved(inner: str, moment: Moment, at: int) -> str:
    """Value of one macro; the macro itself, if it is unknown.

    Args:
        inner: between the braces.
        at: place in the text; draws of two places differ.
    """
    name, parts = _parsed(inner)
    if name.startswith("//"):
        return ""
    value = _drawn(name, parts, moment, at) if parts else _plain(name, moment)
    return f"{{{{{inner}}}}}" if value is None else value


def _parsed(inner: str) -> tuple[str, tuple[str, ...]]:
    """Name in small letters, and arguments: ``a::b``, or one text after ``:`` or a blank."""
    name, colons, rest = inner.strip().partition("::")
    if colons and not re.search(r"[:\s]", name):
        return name.lower(), _split(rest)
    if found := _ARGUMENT.fullmatch(inner.strip()):
        return found[1].lower(), (found[2].strip(),)
    return inner.strip().lower(), ()


def _split(text: str) -> tuple[str, ...]:
    """The arguments between ``::``; those of macros inside stay together."""
    inside = [range(start, end) for start, end in _places(text)]
    cuts = [each for each in re.finditer("::", text) if not any(each.start() in place for place in inside)]
    starts, ends = [0, *(each.end() for each in cuts)], [*(each.start() for each in cuts), len(text)]
    return tuple(text[start:end] for start, end in zip(starts, ends, strict=True))


def _plain(name: str, moment: Moment) -> str | None:
    if name in ("user", "char"):
        return _name(name, moment) or None
    if name in _FIXED:
        return _FIXED[name]
    if name in ("group", "charifnotgroup"):
        return ", ".join(moment.group) or moment.character or None
    if name in _LAST:
        return str(getattr(moment.said(), _LAST[name]))
    if name == "idle_duration" and moment.now is not None:
        since = moment.said().user_at
        return "just now" if since is None else _in_words(moment.now - since)
    return _time(name, moment.now) if moment.now is not None else None


_FIXED: Mapping[str, str] = {"newline": "\n", "noop": "", "original": "", "trim": ""}
"""``original`` is the program's own instruction, which stands anyway."""
_LAST: Mapping[str, str] = {
    "lastmessage": "message",
    "lastmessageid": "number",
    "lastusermessage": "user",
    "lastcharmessage": "character",
}
"""Macro -> field of ``LastSaid``."""


def _time(name: str, now: datetime) -> str | None:
    if offset := _OFFSET.fullmatch(name):
        now = now + timedelta(hours=int(offset[1]))
        name = "time"
    told: Mapping[str, Callable[[], str]] = {
        "time": lambda: f"{now:%I:%M %p}".lstrip("0"),
        "date": lambda: f"{_MONTHS[now.month - 1]} {now.day}, {now.year}",
        "weekday": lambda: _DAYS[now.weekday()],
        "isotime": lambda: f"{now:%H:%M}",
        "isodate": lambda: now.date().isoformat(),
    }
    return told[name]() if name in told else None


# Not by strftime, whose names are those of the machine's language.
_DAYS: Final = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_MONTHS: Final = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)


def _drawn(name: str, parts: tuple[str, ...], moment: Moment, at: int) -> str | None:
    if name == "outlet" and moment.outlets is not None:
        return moment.outlets.get(parts[0].strip(), "")
    if name == "roll":
        return _rolled(parts[0], (*moment.seed, "roll", str(at)))
    if name not in ("random", "pick"):
        return None
    options = parts if len(parts) > 1 else tuple(each.strip() for each in parts[0].split(","))
    seed = moment.lasting_seed if name == "pick" else moment.seed
    taken = options[draw(len(options), *seed, name, str(at), *options)]
    return with_macros(taken, moment)


def _rolled(dice: str, seed: tuple[str, ...]) -> str | None:
    """The sum of dice such as ``20``, ``d20`` or ``2d6+1``."""
    found = _DICE.fullmatch(dice.replace(" ", ""))
    if found is None or not int(found[2]):
        return None
    number, sides = int(found[1] or 1), int(found[2])
    if not 0 < number <= _MOST_DICE:
        return None
    thrown = sum(draw(sides, *seed, str(each)) + 1 for each in range(number))
    return str(thrown + int(found[3] or 0))


_UNITS: Final = ((2_592_000, "month"), (86_400, "day"), (3_600, "hour"), (60, "minute"))


def _in_words(time: timedelta) -> str:
    """About how long, as ``5 minutes`` or ``an hour``."""
    for seconds, word in _UNITS:
        number = round(time.total_seconds() / seconds)
        if number > 1:
            return f"{number} {word}s"
        if number == 1:
            return f"{'an' if word == 'hour' else 'a'} {word}"
    return "a few seconds"
