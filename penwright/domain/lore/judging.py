"""Whether one entry fires: switched on, for this character, its time, its keys."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from penwright.domain.lore.index import BookIndex
from penwright.domain.lore.keys import Key
from penwright.domain.lore.readers import lists
from penwright.domain.lore.texts import Found, Patience, Text
from penwright.domain.lore.timing import timing
from schemas.lore import Lorebook, LoreCase, LoreEntry, LoreOutcome, LoreTimer

Ref = tuple[str, int]
"""Book, and place of an entry in its index."""


@dataclass(frozen=True, slots=True)
class Ruling:
    """Decision about one entry, with the reason as a sentence without its full stop."""

    book: Lorebook
    place: int
    """Of the entry, in the index of the book."""
    entry: LoreEntry
    outcome: LoreOutcome
    why: str
    stays: bool = False
    """Whether it fires only because it is sticky."""

    @property
    def ref(self) -> Ref:
        """Name and sort key of a ruling."""
        return self.book.id, self.place

    def but(self, outcome: LoreOutcome, why: str) -> "Ruling":
        """The ruling that takes the place of this one."""
        return Ruling(self.book, self.place, self.entry, outcome, f"{self.why}{why}", self.stays)


@dataclass(slots=True)
class BookScan:
    """One book in one scan."""

    index: BookIndex
    case: LoreCase
    patience: Patience
    timers: dict[str, LoreTimer]
    """By uid."""
    said: Found = field(init=False)
    """In the messages and the other texts of the case."""
    read: Found = field(init=False)
    """In the contents of entries."""

    def __post_init__(self) -> None:
        self.said = Found(self.index, self.patience)
        self.read = Found(self.index, self.patience)

    def hear(self, texts: Sequence[Text]) -> set[int]:
        """Search the texts of the case; returns the entries that are to be judged."""
        index, own = self.index, self.index.book.scan_depth
        deepest = max(self.case.scan_messages if own is None else own, index.deepest or 0)
        fresh = self.said.add(text for text in texts if text.age < deepest)
        timed = (place for uid in self.timers for place in index.by_uid.get(uid, ()))
        return {*self._with(fresh), *timed, *index.constants, *index.faulty, *index.expressions}

    def find_in(self, contents: Iterable[Text]) -> set[int]:
        """Search contents of entries; returns the entries that may have become other than they were."""
        return {*self._with(self.read.add(contents)), *self.index.expressions}

    def _with(self, slots: set[int]) -> Iterable[int]:
        by_slot = self.index.by_slot
        return (place for slot in slots for place in by_slot.get(slot, ()))

    def judge(self, place: int) -> Ruling:
        """Decide on one entry by what was found so far."""
        entry = self.index.entries[place]
        return self._before_keys(place, entry) or self._by_keys(place, entry)

    def _before_keys(self, place: int, entry: LoreEntry) -> Ruling | None:
        def ruled(outcome: LoreOutcome, why: str, stays: bool = False) -> Ruling:
            return Ruling(self.index.book, place, entry, outcome, why, stays)

        if not entry.enabled:
            return ruled("disabled", "It is switched off")
        if entry.characters and not lists(entry.characters, self.case.for_character, self.case.for_names):
            return ruled("character", f"It is only for the prompts of {', '.join(entry.characters)}")
        clock = timing(entry, self.timers.get(entry.uid), self.case.message_number)
        if clock.stays:
            return ruled("fired", clock.why, stays=True)
        if clock.outcome:
            return ruled(clock.outcome, clock.why)
        return ruled("fired", "It is constant") if entry.constant else None

    def _by_keys(self, place: int, entry: LoreEntry) -> Ruling:
        keys, depth = self.index.keys[place], self.depth(entry)
        said = () if entry.only_recursed else (self.said,)
        counted = said if entry.not_recursed else (*said, self.read)
        outcome: LoreOutcome
        if hit := _first(keys.primary, counted, depth):
            refusal = _refusal(entry, keys.secondary, counted, depth)
            outcome, why = ("secondary", f"{hit}, {refusal}") if refusal else ("fired", hit)
        elif hit := _first(keys.primary, (self.said, self.read), depth):
            where = "other entries" if entry.only_recursed else "messages"
            outcome, why = "recursion", f"{hit}, and only {where} are searched for it"
        else:
            outcome, why = "no-key", _nothing(entry, depth if self.case.messages else 0)
        return Ruling(self.index.book, place, entry, outcome, why)

    def depth(self, entry: LoreEntry) -> int:
        """Number of the newest messages that are searched for it."""
        for depth in (entry.scan_depth, self.index.book.scan_depth):
            if depth is not None:
                return depth
        return self.case.scan_messages

    def faults(self, place: int) -> str:
        """Faults in the keys of an entry, as sentences; empty if there are none."""
        given_up = self.patience.given_up
        if not given_up and place not in self.index.faulty:
            return ""
        keys = self.index.keys[place]
        said = ((key.text, key.fault or given_up.get(key.text)) for key in (*keys.primary, *keys.secondary))
        return "".join(f" The key {shown(text)} {fault}." for text, fault in said if fault)


def shown(text: str) -> str:
    """A text of people in quotes, cut."""
    return f"“{text}”" if len(text) <= 60 else f"“{text[:59]}…”"


def _first(keys: Sequence[Key], searched: Sequence[Found], depth: int) -> str:
    """The first key that occurs, and where, as the beginning of a sentence; empty if none does."""
    for found in searched:
        for key in keys:
            if place := found.place(key, depth):
                return f"{shown(key.text)} occurs in {place}"
    return ""


def _refusal(entry: LoreEntry, keys: Sequence[Key], searched: Sequence[Found], depth: int) -> str:
    """Objection of the secondary keys to the entry; empty if there is none."""
    there = [key for key in keys if any(found.place(key, depth) for found in searched)]
    missing = [key for key in keys if key not in there]
    match entry.logic if keys else "":
        case "and-any" if not there:
            return "but none of its secondary keys does"
        case "and-all" if missing:
            return f"but its secondary key {shown(missing[0].text)} does not"
        case "not-any" if there:
            return f"but so does its secondary key {shown(there[0].text)}"
        case "not-all" if not missing:
            return "but so do all its secondary keys"
    return ""


def _nothing(entry: LoreEntry, depth: int) -> str:
    if not entry.keys:
        return "It has no key and is not constant"
    number = len(entry.keys)
    keys = "Its key does not occur" if number == 1 else f"None of its {number} keys occurs"
    if entry.only_recursed:
        return f"{keys} in an entry that fired"
    if depth == 0:
        return f"{keys} in what was searched"
    return f"{keys} in the newest message" if depth == 1 else f"{keys} in the newest {depth} messages"
