"""The texts that keys are looked for in, and where in them a key was found."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, islice

from penwright.domain.lore.index import Automaton, BookIndex, slot_of
from penwright.domain.lore.keys import Key
from penwright.domain.lore.words import exact, folded, is_whole

ALWAYS = -1
"""The age of what is searched whatever the depth."""
_MARK, _MARK_IN_A_KEY = "\x01", r"\x01"
"""Begins each text where an expression asks for it, as SillyTavern has it."""
_SLICE = 1_024
"""Characters that are searched at once: matches of nested keys are many, and all in memory."""
MOST_EXPRESSIONS = 1_000
"""Searches for expressions in one scan."""
MOST_TIMEOUTS = 10
"""Expressions that may run out of time before no other is tried."""


@dataclass(frozen=True, slots=True)
class Text:
    """A text in the forms in which keys are looked for."""

    raw: str
    forms: tuple[str, str]
    """With case, and without."""
    age: int
    """Number of newer messages; ``ALWAYS`` if it is no message."""
    place: str
    """Displayed name of it."""


def text_of(raw: str, age: int, place: str) -> Text:
    """Bring a text into its forms."""
    composed = exact(raw)
    return Text(raw, (composed, folded(composed)), age, place)


@dataclass(slots=True)
class Patience:
    """Budget left for the expressions of one scan. Searches are counted, no clock is read."""

    seconds: float
    """Of one search."""
    searches: int = MOST_EXPRESSIONS
    timeouts: int = MOST_TIMEOUTS
    given_up: dict[str, str] = field(default_factory=dict)
    """Key -> why it was not looked for, or not to the end."""

    @classmethod
    def of(cls, expressions: int) -> "Patience":
        """A second is shared by all; each has at least 20 and at most 100 milliseconds."""
        return cls(min(0.1, max(0.02, 1 / max(1, expressions))))

    def search(self, key: Key, text: str) -> int | None:
        """Find the first match of the expression; None if there is none, or if it takes too long."""
        found = self.spans(key, text, 1)
        return found[0][0] if found else None

    def spans(self, key: Key, text: str, most: int) -> list[tuple[int, int]]:
        """From where to where it matches, the first ``most`` times; none if it takes too long."""
        if key.pattern is None or key.text in self.given_up:
            return []
        if not (self.searches and self.timeouts):
            self.given_up[key.text] = "was not looked for: other expressions took all the time"
            return []
        self.searches -= 1
        try:
            return [each.span() for each in islice(key.pattern.finditer(text, timeout=self.seconds), most)]
        except (TimeoutError, MemoryError, RecursionError):
            self.timeouts -= 1
            self.given_up[key.text] = f"took more than {self.seconds * 1000:.0f} ms and was given up"
            return []


@dataclass(slots=True)
class Found:
    """Occurrences of one book's keys in a growing row of texts, the newest first."""

    index: BookIndex
    patience: Patience
    texts: list[Text] = field(default_factory=list)
    slots: dict[int, int] = field(default_factory=dict)
    """Plain key -> the first text that has it."""
    _known: dict[tuple[str, int, int], str | None] = field(default_factory=dict)

    def add(self, texts: Iterable[Text]) -> set[int]:
        """Search more texts for all plain keys; returns those that were not found before."""
        fresh: set[int] = set()
        for text in texts:
            for folds, automaton in enumerate(self.index.automata):
                for slot in _slots(automaton, text.forms[folds], bool(folds)):
                    if slot not in self.slots:
                        self.slots[slot] = len(self.texts)
                        fresh.add(slot)
            self.texts.append(text)
        return fresh

    def place(self, key: Key, depth: int) -> str | None:
        """Name the first text of less than ``depth`` age that has the key; None without one."""
        if key.pattern is not None:
            return self._expression(key, depth)
        if key.slot < 0:
            return self._sought(key, depth)
        first = self.slots.get(key.slot)
        return self.texts[first].place if first is not None and self.texts[first].age < depth else None

    def _sought(self, key: Key, depth: int) -> str | None:
        """Look for a plain key that is not in the index."""
        near = (text for text in self.texts if text.age < depth)
        return next((text.place for text in near if key.needle and _occurs(key, text)), None)

    def _expression(self, key: Key, depth: int) -> str | None:
        asked = key.text, depth, len(self.texts)
        if asked not in self._known:
            near = [text for text in reversed(self.texts) if text.age < depth]
            mark = _MARK if _MARK_IN_A_KEY in key.text else ""
            texts = [mark + text.raw for text in near]
            at = self.patience.search(key, "\n".join(texts)) if near else None
            self._known[asked] = None if at is None else near[_place_at(texts, at)].place
        return self._known[asked]


def _occurs(key: Key, text: Text) -> bool:
    form = text.forms[key.folds]
    at = form.find(key.needle)
    while at >= 0 and key.whole and not is_whole(form, at, at + len(key.needle)):
        at = form.find(key.needle, at + 1)
    return at >= 0


def _place_at(texts: Sequence[str], at: int) -> int:
    """The number of the text in which a character of all of them stands."""
    starts = [0, *accumulate(len(text) + 1 for text in texts)]
    return min(bisect_right(starts, at) - 1, len(texts) - 1)


def occurrences(automaton: Automaton, text: str) -> Iterator[tuple[int, int, int]]:
    """Each needle that occurs in a text of the automaton's form, from where to where; some of them twice."""
    if automaton.machine is None:
        return
    for start in range(0, len(text), _SLICE):
        part = text[start : start + _SLICE + automaton.longest]
        for needle, begin, end in automaton.machine.find_matches_as_indexes(part, overlapping=True):
            yield needle, start + begin, start + end


def _slots(automaton: Automaton, text: str, folds: bool) -> set[int]:
    """Plain keys that occur in a text of the automaton's form, once as whole words and once as anything."""
    found: set[int] = set()
    whole: set[int] = set()
    for needle, begin, end in occurrences(automaton, text):
        if needle not in whole:
            found.add(needle)
            if is_whole(text, begin, end):
                whole.add(needle)
    return {slot_of(number, folds=folds, whole=False) for number in found} | {
        slot_of(number, folds=folds, whole=True) for number in whole
    }
