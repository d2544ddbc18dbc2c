"""One scan: which entries fire, one of each group, which of them fit, and in which order they stand."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from penwright.domain.lore.budget import Sized, fitted
from penwright.domain.lore.draws import chosen, draw
from penwright.domain.lore.index import LoreIndexes
from penwright.domain.lore.judging import BookScan, Ref, Ruling, moment_of, shown
from penwright.domain.lore.macros import with_macros
from penwright.domain.lore.naming import place_of
from penwright.domain.lore.texts import ALWAYS, Patience, Text, text_of
from penwright.domain.lore.timing import timers_after
from schemas.lore import Lorebook, LoreBookSeen, LoreCase, LoreHit, LoreScan, LoreVerdict


@dataclass(slots=True)
class Draws:
    """The draws of one scan; a group is decided once."""

    seed: str
    _winners: dict[str, Ruling] = field(default_factory=dict)

    def apply(self, fired: Sequence[Ruling]) -> list[Ruling]:
        """Let groups and probabilities decide: each ruling, or the one that takes its place.

        The winner of a group may still lose by its probability; then the group has none.
        """
        left = sorted(fired, key=lambda ruling: ruling.ref)
        lost: list[Ruling] = []
        for group in sorted({group for ruling in left for group in ruling.entry.groups}):
            rivals = [ruling for ruling in left if group in ruling.entry.groups]
            if not rivals:
                continue
            winner = self._winners.setdefault(group, self._winner(group, _with_most_keys(rivals)))
            losers = [ruling for ruling in rivals if ruling is not winner]
            name = shown(winner.entry.title or winner.entry.uid)
            lost += [each.but("group", f", but {name} won the group {shown(group)}") for each in losers]
            left = [ruling for ruling in left if ruling not in losers]
        return [*map(self._by_chance, left), *lost]

    def _winner(self, group: str, rivals: Sequence[Ruling]) -> Ruling:
        """Pick the winner: what stays, then what wins undrawn (of several the highest order), then a draw."""
        staying = [ruling for ruling in rivals if ruling.stays] or rivals
        if favoured := [ruling for ruling in staying if ruling.entry.group_wins]:
            return max(favoured, key=lambda ruling: ruling.entry.order)
        weights = [ruling.entry.group_weight for ruling in staying]
        return staying[chosen(weights, self.seed, "group", group)]

    def _by_chance(self, ruling: Ruling) -> Ruling:
        chance = ruling.entry.probability
        if ruling.stays or chance >= 100:
            return ruling
        drawn = draw(100, self.seed, "entry", ruling.book.id, ruling.entry.uid)
        if drawn < chance:
            return ruling.but("fired", f"; the draw was {drawn}, below {chance}")
        return ruling.but("chance", f", but the draw was {drawn}, and it must be below {chance}")


def _with_most_keys(rivals: Sequence[Ruling]) -> Sequence[Ruling]:
    """Leave out scored rivals with fewer matching keys than the best has; if one stays, leave out none."""
    if any(ruling.stays for ruling in rivals):
        return rivals
    most = max(ruling.score for ruling in rivals)
    return [each for each in rivals if each.score == most or not each.entry.group_scored]


MOST_STEPS = 10
"""Most rounds in which the contents of entries are searched for keys of others."""
_OPEN = ("no-key", "secondary", "recursion")
"""Outcomes that contents of other entries may still change."""


def scan(case: LoreCase, count: Callable[[str], int], *, indexes: LoreIndexes | None = None) -> LoreScan:
    """Choose the lore of one prompt.

    Args:
        count: tokens of a text; asked once for each entry that fires.
        indexes: kept from one scan to the next, so that a book is read once.

    Returns:
        The entries that go in, by their order, book and uid; and a verdict on each entry that was looked
        at: a key of it occurs or cannot be searched, or it is constant or timed. Of the other
        entries of its books no key occurs.
    """
    scanning = Scanning.of(case, indexes)
    return scanning.answer(scanning.fit(lambda ruling: count(ruling.entry.content)))


@dataclass(slots=True)
class Scanning:
    """A scan at work."""

    case: LoreCase
    books: dict[str, BookScan]
    rulings: dict[Ref, Ruling] = field(default_factory=dict)

    @classmethod
    def of(cls, case: LoreCase, indexes: LoreIndexes | None = None) -> "Scanning":
        """Prepare the books of a case, each once."""
        kept = indexes or LoreIndexes()
        found = {
            book.id: kept.of(book) for book in sorted(case.books, key=lambda book: (book.id, book.version))
        }
        patience = Patience.of(sum(len(index.expressions) for index in found.values()))
        timers = {id: {timer.uid: timer for timer in case.timers if timer.book == id} for id in found}
        books = {id: BookScan(index, case, patience, timers[id]) for id, index in found.items()}
        return cls(case, books)

    def fit(self, count: Callable[[Ruling], int]) -> Sequence[Sized]:
        """Find what fires, and see what of it has room.

        Args:
            count: tokens that an entry takes.
        """
        self._find()
        sized = fitted(self._fired(self.rulings.values()), self.case.tokens, count)
        self.rulings |= {each.ruling.ref: each.ruling for each in sized}
        return sized

    def _find(self) -> None:
        draws, texts, levels = Draws(self.case.seed), _texts(self.case), self._levels()
        asked = {(id, place) for id, book in self.books.items() for place in book.search(texts)}
        fresh = self._decide(asked, draws, 0, 0)
        level = levels.pop(0) if levels else 0
        for step in range(1, MOST_STEPS + 1):
            contents = [self._content(ruling) for ruling in fresh if _is_searched(ruling)]
            if not contents and not levels:
                return
            level = level if contents else levels.pop(0)
            fresh = self._decide(self._found_in(contents) | self._waiting(level), draws, level, step)

    def _levels(self) -> list[int]:
        """Levels of recursion, lowest first; the next opens when nothing more fires on the one before."""
        recursive = (book.index for book in self.books.values() if book.index.book.recursive)
        return sorted({level for index in recursive for level in index.levels})

    def _waiting(self, level: int) -> set[Ref]:
        """Entries that would have fired before, had they not waited for a level up to this one."""
        return {
            ref
            for ref, ruling in self.rulings.items()
            if ruling.outcome == "recursion"
            and ruling.book.recursive
            and 0 < ruling.entry.only_recursed <= level
        }

    def _found_in(self, contents: Sequence[Text]) -> set[Ref]:
        """Entries that may fire now: their key is in the contents, or they lacked a secondary key before."""
        recursive = {id: book for id, book in self.books.items() if book.index.book.recursive}
        found = {(id, place) for id, book in recursive.items() for place in book.find_in(contents)}
        lacking = (ref for ref, ruling in self.rulings.items() if ruling.outcome == "secondary")
        return found | {ref for ref in lacking if ref[0] in recursive}

    def _content(self, ruling: Ruling) -> Text:
        entry = ruling.entry
        place = f"the entry {shown(entry.title or entry.uid)}"
        return text_of(with_macros(entry.content, moment_of(self.case)), ALWAYS, place)

    def _decide(self, asked: Iterable[Ref], draws: Draws, level: int, step: int) -> list[Ruling]:
        """Judge what is still open of these entries; returns those that fire now."""
        still = (ref for ref in asked if ref not in self.rulings or self.rulings[ref].outcome in _OPEN)
        judged = [replace(self.books[book].judge(place, level), step=step) for book, place in sorted(still)]
        decided = draws.apply(self._fired(judged))
        self.rulings |= {ruling.ref: ruling for ruling in (*judged, *decided)}
        return self._fired(decided)

    @staticmethod
    def _fired(rulings: Iterable[Ruling]) -> list[Ruling]:
        return [ruling for ruling in rulings if ruling.outcome == "fired"]

    def answer(self, sized: Sequence[Sized]) -> LoreScan:
        """The scan as a value."""
        fits, kept = [each for each in sized if each.ruling.outcome == "fired"], inserted(sized)
        timed = [(each.ruling.book.id, each.ruling.entry) for each in fits]
        indexes = {id: book.index for id, book in self.books.items()}
        return LoreScan(
            hits=tuple(map(_hit, kept)),
            verdicts=self.verdicts(sized),
            timers=timers_after(self.case.message_number, self.case.timers, timed, indexes),
            tokens=sum(each.tokens for each in kept),
            books=self.seen(),
        )

    def seen(self) -> tuple[LoreBookSeen, ...]:
        """The books whose keys were looked for."""
        return tuple(_seen(book.index.book) for book in self.books.values())

    def verdicts(self, sized: Sequence[Sized]) -> tuple[LoreVerdict, ...]:
        """On each entry with a ruling, unless all there is to say is that no key of it occurs."""
        tokens = {each.ruling.ref: each.tokens for each in sized}
        told = []
        for ref in sorted(self.rulings):
            ruling = self.rulings[ref]
            faults = self.books[ruling.book.id].faults(ruling.place)
            if faults or ruling.outcome != "no-key":
                told.append(verdict(ruling, tokens.get(ruling.ref, 0), faults))
        return tuple(told)


def inserted(sized: Iterable[Sized]) -> list[Sized]:
    """List the entries that go in, in their order."""
    fits = (each for each in sized if each.ruling.outcome == "fired")
    kept = (each for each in fits if each.ruling.entry.content.strip())
    return sorted(kept, key=lambda each: (each.ruling.entry.order, each.ruling.ref))


def _seen(book: Lorebook) -> LoreBookSeen:
    return LoreBookSeen(book=book.id, name=book.name, version=book.version, entries=len(book.entries))


def _texts(case: LoreCase) -> list[Text]:
    """List the texts to search, newest first; the other texts before all messages."""
    more = [text_of(text, ALWAYS, place) for place, text in case.more.items()]
    return more + [text_of(text, age, _place(age)) for age, text in enumerate(reversed(case.messages))]


def _place(age: int) -> str:
    if age == 0:
        return "the newest message"
    return "the message before the newest" if age == 1 else f"the message {age} before the newest"


def _is_searched(ruling: Ruling) -> bool:
    return ruling.book.recursive and not ruling.entry.stops_recursion


def _hit(each: Sized) -> LoreHit:
    entry = each.ruling.entry
    return LoreHit(
        book=each.ruling.book.id,
        uid=entry.uid,
        content=entry.content,
        position=entry.position,
        depth=entry.depth,
        outlet=entry.outlet.strip(),
        tokens=each.tokens,
        constant=entry.constant,
    )


def verdict(ruling: Ruling, tokens: int = 0, faults: str = "") -> LoreVerdict:
    """Displayed verdict on one entry."""
    entry = ruling.entry
    empty = "" if entry.content.strip() or ruling.outcome != "fired" else ", and has no text"
    return LoreVerdict(
        book=ruling.book.id,
        uid=entry.uid,
        title=entry.title,
        outcome=ruling.outcome,
        why=f"{ruling.why}{empty}.{faults}",
        tokens=tokens,
        place=place_of(entry) if ruling.outcome == "fired" and not empty else "",
    )
