"""Whether one entry fires: switched on, for this character, its time, its keys."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from penwright.domain.lore.index import BookIndex, EntryKeys, keys_of
from penwright.domain.lore.keys import Key
from penwright.domain.lore.macros import Moment, with_macros
from penwright.domain.lore.readers import bar
from penwright.domain.lore.texts import ALWAYS, Found, Patience, Text, text_of
from penwright.domain.lore.timing import timing
from schemas.lore import Lorebook, LoreCase, LoreEntry, LoreOutcome, LoreTimer, Source

_SOURCES: Mapping[Source, str] = {
    "persona": "the persona's description",
    "description": "the character's description",
    "personality": "the character's personality",
    "depth-note": "the character's note",
    "scenario": "the character's scenario",
    "creator-notes": "the notes of the card's maker",
}
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
    score: int = 0
    """Keys that occur, secondary ones too where they must."""
    step: int = 0
    """Number of searches of other entries' contents before it fired."""

    @property
    def ref(self) -> Ref:
        """Name and sort key of a ruling."""
        return self.book.id, self.place

    def but(self, outcome: LoreOutcome, why: str) -> "Ruling":
        """The ruling that takes the place of this one."""
        return replace(self, outcome=outcome, why=f"{self.why}{why}")


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
    about: dict[Source, Found] = field(init=False)
    """In texts of the persona and the character."""
    _resolved: dict[int, EntryKeys] = field(default_factory=dict)
    """Keys with macros, with their values in this prompt."""

    def __post_init__(self) -> None:
        self.said = Found(self.index, self.patience)
        self.read = Found(self.index, self.patience)
        wanted = {source: text for source, text in self.case.about.items() if source in self.index.sources}
        self.about = {source: Found(self.index, self.patience) for source in wanted}

    def search(self, texts: Sequence[Text]) -> set[int]:
        """Search the texts of the case; returns the entries that are to be judged."""
        index, own = self.index, self.index.book.scan_depth
        deepest = max(self.case.scan_messages if own is None else own, index.deepest or 0)
        fresh = self.said.add(text for text in texts if text.age < deepest)
        timed = (place for uid in self.timers for place in index.by_uid.get(uid, ()))
        near = (
            place
            for book, uid in self.case.near
            if book == index.book.id
            for place in index.by_uid.get(uid, ())
        )
        always = {*index.constants, *index.faulty, *index.expressions, *index.macros}
        return {*self._with(fresh), *self._asked_by_others(), *timed, *near, *always}

    def _asked_by_others(self) -> Iterator[int]:
        """Search the texts of the persona and the character, for the entries that want it."""
        for source, found in self.about.items():
            fresh = found.add([text_of(self.case.about[source], ALWAYS, _SOURCES[source])])
            yield from self.index.sources[source].intersection(self._with(fresh))

    def find_in(self, contents: Iterable[Text]) -> set[int]:
        """Search contents of entries; returns the entries that may have become other than they were."""
        return {*self._with(self.read.add(contents)), *self.index.expressions, *self.index.macros}

    def _with(self, slots: set[int]) -> Iterable[int]:
        by_slot = self.index.by_slot
        return (place for slot in slots for place in by_slot.get(slot, ()))

    def judge(self, place: int, level: int = 0) -> Ruling:
        """Decide on one entry by what was found so far.

        Args:
            level: of recursion; entries that wait for a higher one do not fire.
        """
        entry = self.index.entries[place]
        ruling = self._before_keys(place, entry) or self._by_keys(place, entry)
        waits = ruling.outcome == "fired" and not ruling.stays and entry.only_recursed > level
        return ruling.but("recursion", f", and it waits for {_recursion(entry)}") if waits else ruling

    def keys(self, place: int) -> EntryKeys:
        """The keys of an entry, with the values of their macros."""
        if place not in self.index.macros:
            return self.index.keys[place]
        if place not in self._resolved:
            moment = moment_of(self.case)
            entry = self.index.entries[place]
            read = keys_of(self.index.book, entry, lambda key: with_macros(key, moment))
            self._resolved[place] = read
        return self._resolved[place]

    def _before_keys(self, place: int, entry: LoreEntry) -> Ruling | None:
        def ruled(outcome: LoreOutcome, why: str, stays: bool = False) -> Ruling:
            return Ruling(self.index.book, place, entry, outcome, why, stays)

        if not entry.enabled:
            return ruled("disabled", "It is switched off")
        if entry.triggers and not {*entry.triggers} & {*self.case.triggers}:
            return ruled("trigger", f"It is only for prompts of the kind {', '.join(entry.triggers)}")
        if why := bar(entry, self.case):
            return ruled("character", why)
        clock = timing(entry, self.timers.get(entry.uid), self.case.message_number)
        if clock.stays:
            return ruled("fired", clock.why, stays=True)
        if clock.outcome:
            return ruled(clock.outcome, clock.why)
        return ruled("fired", "It is constant") if entry.constant else None

    def _by_keys(self, place: int, entry: LoreEntry) -> Ruling:
        keys, depth = self.keys(place), self.depth(entry)
        about = (found for source, found in self.about.items() if source in entry.also_in)
        said = (self.said, *about)
        counted = said if entry.not_recursed else (*said, self.read)
        outcome: LoreOutcome = "no-key"
        score, why = 0, _nothing(entry, depth if self.case.messages else 0)
        if hit := _first(keys.primary, counted, depth) or self._by_meaning(entry):
            refusal = _refusal(entry, keys.secondary, counted, depth)
            outcome, why = ("secondary", f"{hit}, {refusal}") if refusal else ("fired", hit)
            score = _score(entry, keys, counted, depth) if entry.groups else 0
        elif hit := _first(keys.primary, (self.read,), depth):
            outcome, why = "recursion", f"{hit}, and only messages are searched for it"
        return Ruling(self.index.book, place, entry, outcome, why, score=score)

    def _by_meaning(self, entry: LoreEntry) -> str:
        near = (self.index.book.id, entry.uid) in self.case.near
        return "Its text is near to the newest messages in meaning" if near else ""

    def depth(self, entry: LoreEntry) -> int:
        """Number of the newest messages that are searched for it."""
        for depth in (entry.scan_depth, self.index.book.scan_depth):
            if depth is not None:
                return depth
        return self.case.scan_messages

    def faults(self, place: int) -> str:
        """Faults in the keys of an entry, as sentences; empty if there are none."""
        given_up = self.patience.given_up
        if not given_up and place not in self.index.faulty and place not in self.index.macros:
            return ""
        keys = self.keys(place)
        said = ((key.text, key.fault or given_up.get(key.text)) for key in (*keys.primary, *keys.secondary))
        return "".join(f" The key {shown(text)} {fault}." for text, fault in said if fault)


def moment_of(case: LoreCase) -> Moment:
    """Return what macros stand for in keys and in contents that are searched."""
    return Moment(
        character=case.char,
        user=case.user,
        group=case.group,
        now=case.at,
        seed=case.draws,
        lasting_seed=case.draws[:1],
    )


def _recursion(entry: LoreEntry) -> str:
    level = f", of level {entry.only_recursed}" if entry.only_recursed > 1 else ""
    return f"a search of other entries{level}"


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


def _score(entry: LoreEntry, keys: EntryKeys, searched: Sequence[Found], depth: int) -> int:
    """The primary keys that occur, and the secondary ones: any of ``and-any``, all or none of ``and-all``."""

    def occurring(these: Sequence[Key]) -> int:
        return sum(any(found.place(key, depth) for found in searched) for key in these)

    others = occurring(keys.secondary) if entry.logic in ("and-any", "and-all") else 0
    counts = entry.logic == "and-any" or others == len(keys.secondary)
    return occurring(keys.primary) + others * counts


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
    if depth == 0:
        return f"{keys} in what was searched"
    return f"{keys} in the newest message" if depth == 1 else f"{keys} in the newest {depth} messages"
