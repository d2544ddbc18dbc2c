"""Worlds whose facts are known: a book that tells them in several wordings, a perfect clerk's readings."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from penwright.adapters.models.demo.cast import read_cast
from penwright.adapters.models.demo.prose import DemoProse
from penwright.domain.continuity.passages import ToldBlock
from penwright.domain.text.blocks import block_hash
from penwright.roles.book_text import BookText
from schemas.continuity import Fact, Mode, Reading

CHAPTERS = 25
_WORDS = 4_000
"""Of filling prose, by chapter."""
_FIRST = (
    *("Ada", "Bo", "Cai", "Dov", "Eli", "Fay", "Gil", "Hana", "Ivo", "Jun"),
    *("Kit", "Lior", "Mara", "Nils", "Odo", "Pia", "Quin", "Rhea", "Sven", "Tova"),
)
_LAST = ("Ashdown", "Birkett", "Calloway", "Denholm", "Eversley")
_WORDINGS: dict[str, Sequence[str]] = {
    "eyes": (
        "{who} had {value} eyes.",
        "{who}’s eyes were {value}.",
        "{value} eyes, {who} had, like the sea.",
    ),
    "age": (
        "{who} was {value} years old.",
        "{who} had turned {value}.",
        "At {value}, {who} was still quick.",
    ),
    "kin": (
        "{who} was the {value}.",
        "As the {value}, {who} came first.",
        "{who}, the {value}, said nothing.",
    ),
    "birthday": (
        "{who} was born on {value}.",
        "Every {value} they lit a lamp for {who}.",
        "{value}: {who}’s day.",
    ),
    "home": ("{who} lived in {value}.", "The door of {value} was {who}’s.", "{who} went home, to {value}."),
    "dead": ("{who} was dead.", "{who} died that night.", "They buried {who}."),
    "lost": (
        "{who} lost {value}.",
        "{value} slid from {who}’s hand into the tide.",
        "{who} never saw {value} again.",
    ),
    "holds": ("{who} held {value}.", "{value} lay in {who}’s hand.", "{who} took up {value}."),
}
_SAID = {
    "said": "“{line}” said the miller, who lied.",
    "dreamt": "In the dream it was so: {line}",
    "remembered": "Years ago, it had been thus: {line}",
    "believed": "They believed it all along: {line}",
    "planned": "That was the plan: {line}",
}


@dataclass
class World:
    """A book as it grows, and the facts in it."""

    seed: int = 1
    facts: list[tuple[int, Fact]] = field(default_factory=list)
    """With the chapters that they stand in."""
    _texts: dict[int, list[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._chance = random.Random(self.seed)
        cast = read_cast((BookText("text", "", "Orla Venn kept the light."),))
        for chapter in range(1, CHAPTERS + 1):
            prose = DemoProse(cast, self.seed * 1_000 + chapter).passage(_WORDS)
            self._texts[chapter] = prose.split("\n\n")

    def tell(self, chapter: int, who: str, trait: str, value: str, mode: Mode = "told") -> Fact:
        """State something somewhere in a chapter."""
        line = self._chance.choice(_WORDINGS[trait]).format(who=who, value=value)
        text = line if mode == "told" else _SAID[mode].format(line=line)
        paragraphs = self._texts[chapter]
        paragraphs.insert(self._chance.randrange(len(paragraphs) + 1), text)
        fact = Fact(about=who, trait=trait, value=value, mode=mode, block=block_hash(text), quote=text)
        self.facts.append((chapter, fact))
        return fact

    @property
    def told(self) -> tuple[ToldBlock, ...]:
        """Every paragraph."""
        return tuple(
            ToldBlock(block_hash(each), each, chapter)
            for chapter, texts in self._texts.items()
            for each in texts
        )

    @property
    def words(self) -> int:
        return sum(len(each.text.split()) for each in self.told)

    @property
    def readings(self) -> tuple[Reading, ...]:
        """What a clerk that misses nothing reads, a reading a chapter."""
        return tuple(
            Reading(
                blocks=tuple(block_hash(each) for each in texts),
                at="2026-01-01T00:00:00+00:00",
                summary=f"What happens in chapter {chapter}.",
                facts=tuple(fact for at, fact in self.facts if at == chapter),
            )
            for chapter, texts in self._texts.items()
        )


def people() -> Iterator[str]:
    """A hundred names, none of which is a part of another."""
    return (f"{first} {last}" for last in _LAST for first in _FIRST)
