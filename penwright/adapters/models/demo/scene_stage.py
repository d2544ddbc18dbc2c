"""A scene as the demo model reads it from a prompt."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from penwright.domain.text.fences import SCENE, FencedText
from schemas.agent import AgentMessage

_LINE = re.compile(r"^(?P<name>[^\s:][^:\n]{0,79}): (?P<said>\S[^\n]*)", re.MULTILINE)
_NAME_WORD = r"(?<!\w){}(?!\w)"
_PLACE = re.compile(
    r"\b(?:in|at|on|by) (the (?!end\b|same\b|middle\b|first\b|last\b)[a-z]{3,}(?: of the [a-z]{3,})?)"
)
_FENCED = re.compile(r"<scene-(text|direction) .*?</scene-\1>", re.DOTALL)
_HEAD = re.compile(r"^\W*([\w][\w .'’-]{0,59}?)(?= *(?:[:(,—–]|$))", re.MULTILINE)
"""Whom a paragraph is about."""
_SPOKEN = ("history", "this-round")
_ABOUT_PLACES = ("notes", "world-lore", "lore", "states", "world", "cast", "history", "this-round")


@dataclass(frozen=True, slots=True)
class SpokenLine:
    """One message, or the first line of it."""

    name: str
    said: str


@dataclass(frozen=True)
class Stage:
    """Scene as a prompt describes it."""

    texts: tuple[FencedText, ...]
    outside: str
    """Text outside the fences: short lines of the program."""
    system: str

    @classmethod
    def read(cls, messages: Sequence[AgentMessage]) -> "Stage":
        """The stage in the messages of a call."""
        asked = "\n\n".join(each.content for each in messages if each.role == "user")
        texts = tuple(SCENE.read(asked))
        return cls(texts, _FENCED.sub("", asked), messages[0].content)

    def of(self, *kinds: str) -> list[FencedText]:
        """The texts of some kinds, in the order of ``kinds``."""
        return [each for kind in kinds for each in self.texts if each.kind == kind]

    def text(self, *kinds: str) -> str:
        """The texts of some kinds as one."""
        return "\n\n".join(each.text for each in self.of(*kinds))

    def field(self, name: str) -> str:
        """The value of ``- name: value`` outside the fences."""
        found = re.search(rf"^- {re.escape(name)}: (.*)$", self.outside, re.MULTILINE)
        return found[1].strip() if found else ""

    @cached_property
    def persona(self) -> str:
        return next((each.name for each in self.of("persona")), "")

    @cached_property
    def present(self) -> tuple[str, ...]:
        """Names of those who can act, in the order in which they stand."""
        named = [name for each in self.of("cast") for name in _names(each)]
        names = dict.fromkeys(name for name in named if name)
        return tuple(name for name in names if name.casefold() != self.persona.casefold())

    @cached_property
    def available(self) -> tuple[str, ...]:
        listed = (re.sub(r"^\s*[-*]\s*", "", line).strip() for line in self.text("available").splitlines())
        return tuple(name for name in dict.fromkeys(listed) if name and name not in self.present)

    @cached_property
    def lines(self) -> tuple[SpokenLine, ...]:
        """List the spoken lines, oldest first."""
        found = _LINE.finditer(self.text(*_SPOKEN))
        return tuple(SpokenLine(each["name"].strip(), each["said"].strip()) for each in found)

    @cached_property
    def this_round(self) -> tuple[SpokenLine, ...]:
        found = _LINE.finditer(self.text("this-round"))
        return tuple(SpokenLine(each["name"].strip(), each["said"].strip()) for each in found)

    @property
    def last(self) -> SpokenLine:
        """The newest line; an empty one if nothing was said."""
        return self.lines[-1] if self.lines else SpokenLine("", "")

    @cached_property
    def place(self) -> str:
        """Name the place, as it stands in a sentence."""
        told = re.search(r"^\W*location:\s*(.+)$", self.text("states", "notes"), re.MULTILINE | re.IGNORECASE)
        if told and (named := " ".join(re.findall(r"[\w’' -]+", told[1])[:1]).strip()):
            return named if named.lower().startswith("the ") else f"the {named}"
        found = _PLACE.search(self.text(*_ABOUT_PLACES))
        return found[1] if found else "the room"

    @property
    def pass_number(self) -> int:
        found = re.match(r"\d{1,2}", self.field("pass"))
        return int(found[0]) if found else 1


def _names(cast: FencedText) -> list[str]:
    """The name of a text about one person, or those of one about several, a paragraph for each."""
    if cast.name.strip():
        return [cast.name.strip()]
    heads = (_HEAD.search(each) for each in cast.text.split("\n\n"))
    return [head[1].strip() for head in heads if head]


def mentions(text: str, name: str) -> bool:
    """Whether a text speaks of someone, by any word of the name."""
    words = [word for word in name.split() if len(word) > 2] or [name]
    return any(re.search(_NAME_WORD.format(re.escape(word)), text, re.IGNORECASE) for word in words)
