"""Write prose of an exact length from a book's material; the same seed gives the same words."""

import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from penwright.adapters.models.demo.cast import Cast, Character
from penwright.adapters.models.demo.grammar import RULES, SHAPES
from penwright.domain.text.words import count_words

_SLOT = re.compile(r"\{(\w+)\}")
_DEEPEST = 6
_TAIL_WORDS = 45
"""Once fewer words remain, sentences are chosen so that the count is exact."""
_CANDIDATES = 120


class DemoProse:
    """Writes sentences; a pattern is used again only after all patterns of its rule."""

    def __init__(self, cast: Cast, seed: int) -> None:
        self._random = random.Random(seed)
        self._cast = cast
        self._bags = Bags(self._random)
        self._hero, self._other = cast.people[0], cast.people[1]
        self._beats = list(cast.beats)
        if self._beats:
            # Each session begins at another part of the outline.
            start = self._random.randrange(len(self._beats))
            self._beats = self._beats[start:] + self._beats[:start]

    def passage(self, words: int, *, after: str = "", ending: bool = False) -> str:
        """Write paragraphs of exactly ``words`` words that continue the paragraph ``after``."""
        if words <= 0:
            return ""
        closing = self.sentence("closing") if ending and words > 2 * _TAIL_WORDS else ""
        wanted = words - len(closing.split())
        paragraphs: list[str] = []
        left = wanted
        for paragraph in self._paragraphs(after):
            length = len(paragraph.split())
            if length > left - _TAIL_WORDS // 2:
                break
            paragraphs.append(paragraph)
            left -= length
        last = self._exactly(left)
        return "\n\n".join(part for part in (*paragraphs, last, closing) if part)

    def sentence(self, rule: str, **bound: str) -> str:
        """Write one sentence by ``rule``."""
        text = self._expand("{" + rule + "}", bound, 0)
        return _capitalised(text)

    def _paragraphs(self, after: str) -> Iterator[str]:
        opening = self._bridge(after)
        shapes = self._cycle(SHAPES)
        every = 0
        while True:
            shape = next(shapes)
            sentences = [self.sentence(rule) for rule in shape]
            if opening:
                sentences, opening = [opening, *sentences[:3]], ""
            every += 1
            if every % 3 == 0 and self._beats:
                sentences.append(self.sentence("beat", outline=self._beats.pop(0)))
            if every % 4 == 0:
                self._change_company()
            yield self._joined(sentences)

    def _bridge(self, after: str) -> str:
        """Write a sentence about the last person or thing that was mentioned."""
        if not after.strip():
            return self.sentence("opening")
        people = [person for person in self._cast.people if person.name in after]
        if people:
            last = max(people, key=lambda person: after.rfind(person.name))
            self._meet(last)
            return self.sentence(self._random.choice(("bridge", "bridge_person")), carried=last.name)
        things = [thing for thing in self._cast.things if thing in after]
        if things:
            return self.sentence("bridge_thing", carried=max(things, key=after.rfind).removeprefix("the "))
        return self.sentence("bridge")

    def _meet(self, person: Character) -> None:
        if person != self._hero:
            self._other = person

    def _change_company(self) -> None:
        others = [person for person in self._cast.people if person not in {self._hero, self._other}]
        if others:
            self._other = self._random.choice(others)

    def _exactly(self, words: int) -> str:
        """Write sentences of ``words`` words in total."""
        if words <= 0:
            return ""
        rules = ("small", "action", "detail", "small", "thought", "answer_action")
        candidates = [self.sentence(rules[at % len(rules)]) for at in range(_CANDIDATES)]
        chosen = of_exactly(list(dict.fromkeys(candidates)), words)
        if chosen is None:
            return " ".join(" ".join(candidates).split()[:words]).rstrip(",;:") + "."
        return self._joined(chosen)

    def _joined(self, sentences: list[str]) -> str:
        """Join a paragraph; a name that begins two sentences in a row is replaced by its pronoun."""
        name, he = self._hero.name, self._hero.he.capitalize()
        if " " in name:
            # A pronoun would change the number of words.
            return " ".join(sentences)
        joined: list[str] = []
        for sentence in sentences:
            named = bool(joined) and joined[-1].startswith((f"{name} ", f"{he} "))
            joined.append(
                he + sentence.removeprefix(name) if named and sentence.startswith(f"{name} ") else sentence
            )
        return " ".join(joined)

    def _expand(self, pattern: str, bound: dict[str, str], depth: int) -> str:
        if depth > _DEEPEST:
            raise ValueError(f"the grammar goes round in circles at {pattern!r}")
        expanded = ""
        position = 0
        for slot in _SLOT.finditer(pattern):
            expanded += pattern[position : slot.start()]
            value = self._slot(slot.group(1), bound, depth)
            expanded += _capitalised(value) if _starts_sentence(expanded) else value
            position = slot.end()
        return expanded + pattern[position:]

    def _slot(self, name: str, bound: dict[str, str], depth: int) -> str:
        if name in bound:
            return bound[name]
        own: dict[str, Callable[[], str]] = {
            "hero": lambda: self._hero.name,
            "other": lambda: self._other.name,
            "He": lambda: self._hero.he.capitalize(),
            "he": lambda: self._hero.he,
            "him": lambda: self._hero.him,
            "his": lambda: self._hero.his,
            "place": lambda: self._bags.draw("place", self._cast.places),
            "thing": lambda: self._bags.draw("thing", self._cast.things),
        }
        if name in own:
            return own[name]()
        return self._expand(self._bags.draw(name, RULES[name]), bound, depth + 1)

    def _cycle(self, choices: tuple[tuple[str, ...], ...]) -> Iterator[tuple[str, ...]]:
        while True:
            yield from self._random.sample(choices, len(choices))


@dataclass
class Bags:
    """Choices by their kind; each is drawn again only after all others of its kind."""

    random: random.Random
    left: dict[str, list[str]] = field(default_factory=dict)

    def draw(self, kind: str, choices: tuple[str, ...]) -> str:
        """One of ``choices``, which are always the same for a kind."""
        if not self.left.get(kind):
            self.left[kind] = self.random.sample(choices, len(choices))
        return self.left[kind].pop()


def of_exactly(candidates: list[str], words: int) -> list[str] | None:
    """Choose ``candidates``, in order, with ``words`` words in total; None if there is no such choice."""
    reached: dict[int, tuple[int, ...]] = {0: ()}
    for at, candidate in enumerate(candidates):
        length = count_words(candidate)
        for total, chosen in list(reached.items()):
            if total + length <= words and total + length not in reached:
                reached[total + length] = (*chosen, at)
        if words in reached:
            return [candidates[index] for index in reached[words]]
    return None


def _starts_sentence(before: str) -> bool:
    stripped = before.rstrip('“"*_ ')
    return not stripped or (stripped[-1] in ".!?" and before != stripped)


def _capitalised(text: str) -> str:
    return text[:1].upper() + text[1:]
