"""The plan that a writer makes before its prose, and what its report says of it.

A reply begins with it; one without a plan, or with a plan that cannot be read, is none the worse for it::

    === PLAN ===
    - Mara finds the logbook and hides it from Tobias
    - Tobias asks for the key; she lies
    ends: at the locked door
    hidden: what is in the crate
    === END ===
"""

import re
from dataclasses import dataclass

from schemas.prose import BeatTold

MOST_BEATS = 6
"""Beats that a report may tell."""
MOST_PLANNED = 4
LONGEST_LINE = 230
"""Characters of a line of the plan that is kept: of all of them together about 350 tokens."""

_PLAN = re.compile(
    r"^[ \t]*[=#*_-]{2,}+[ \t]*\**+PLAN\**+:?[ \t]*+[=#*_-]*+[ \t]*$", re.IGNORECASE | re.MULTILINE
)
_PLAN_END = re.compile(r"^[ \t]*[=#*_-]{2,}[ \t]*END\b[^\n]*$", re.IGNORECASE | re.MULTILINE)
_BARE_PLAN = re.compile(
    r"(?:\A\s*|^[ \t]*[=#*_-]++[ \t]*)\**+PLAN\**+:?\**+[ \t]*+[=#*_-]*+[ \t]*$", re.IGNORECASE | re.MULTILINE
)
"""The heading of a plan that has no end of its own."""
_BEAT = re.compile(r"^[ \t]*(?:[-*+\u2022]|\d{1,2}[.)])[ \t]+(.+)$")
_FIELD = re.compile(r"^[ \t>*-]*+(ends|hidden)\**[ \t]*[:=][ \t]*(.*)$", re.IGNORECASE)
_BETWEEN = r"(?:\u2014|\u2013|--|::|\||:|[ \t]-|\()"
_TOLD = re.compile(
    rf"^(.+?)[ \t]*{_BETWEEN}[ \t]*[\"\u201c\u201e\u00ab\u300c\u300e](.+)"
    r"[\"\u201d\u201c\u00bb\u300d\u300f][)., \t]*$"
)


@dataclass(frozen=True, slots=True)
class SessionPlan:
    """The beats that a session is to tell, and its bounds."""

    beats: tuple[str, ...] = ()
    """One line each: a person, a deed, and the change it brings."""
    ends: str = ""
    """The place or moment in which the session ends."""
    hidden: str = ""
    """Facts that must not come out yet."""

    @property
    def lines(self) -> tuple[str, ...]:
        """The plan for people; empty without beats."""
        rest = (f"{name}: {said}" for name, said in (("ends", self.ends), ("hidden", self.hidden)) if said)
        return (*self.beats, *rest) if self.beats else ()


NO_PLAN = SessionPlan()


def split_plan(text: str) -> tuple[SessionPlan, str]:
    """Split a reply into its plan, empty if there is none, and the rest."""
    if (found := _PLAN.search(text)) and (end := _PLAN_END.search(text, found.end())):
        return _plan(text[found.end() : end.start()]), text[: found.start()] + text[end.end() :]
    if (found := _BARE_PLAN.search(text)) and (length := _length(text[found.end() :])):
        rest = found.end() + length
        return _plan(text[found.end() : rest]), text[: found.start()] + text[rest:]
    return NO_PLAN, text


def _length(text: str) -> int:
    """Characters of the lines of a plan that ``text`` begins with; 0 if there is none."""
    end = length = 0
    for line in text.splitlines(keepends=True):
        length += len(line)
        if _FIELD.match(line.rstrip()) or _BEAT.match(line.rstrip()):
            end = length
        elif line.strip():
            break
    return end


def _plan(text: str) -> SessionPlan:
    fields: dict[str, str] = {}
    beats: list[str] = []
    for line in text.splitlines():
        if field := _FIELD.match(line):
            fields[field[1].lower()] = _shown(field[2])
        elif beat := _BEAT.match(line):
            beats.append(_shown(beat[1]))
    return SessionPlan(tuple(beats[:MOST_PLANNED]), fields.get("ends", ""), fields.get("hidden", ""))


def beat_told(line: str) -> BeatTold | None:
    """A line of the report's list of beats: the beat, and the words that tell it; None for any other line."""
    item = _BEAT.match(line)
    found = _TOLD.match(item[1] if item else line.strip())
    return BeatTold(beat=_shown(found[1]), quote=found[2].strip()) if found else None


def _shown(text: str) -> str:
    """One line, without marks around it."""
    return " ".join(text.replace("**", "").split()).strip('"\u201c\u201d')[:LONGEST_LINE]
