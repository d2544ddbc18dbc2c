"""Search index of one book: an automaton of all plain keys, built once while the book is the same."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field

from ahocorasick_rs import AhoCorasick
from cachetools import LRUCache

from penwright.domain.lore.keys import Key, read_key
from penwright.domain.lore.macros import has_macros
from schemas.lore import Lorebook, LoreEntry


def slot_of(number: int, *, folds: bool, whole: bool) -> int:
    """The number of a plain key without its entry: which needle of which form, and whether as whole words."""
    return number << 2 | whole << 1 | folds


@dataclass(frozen=True, slots=True)
class EntryKeys:
    """The keys of one entry, read."""

    primary: tuple[Key, ...]
    secondary: tuple[Key, ...]


@dataclass(frozen=True, slots=True)
class Automaton:
    """Finds all needles of one form (folded or exact) in a text of that form."""

    machine: AhoCorasick | None
    longest: int
    """Characters of the longest needle."""


@dataclass(frozen=True, slots=True)
class BookIndex:
    """A book by its keys."""

    book: Lorebook
    entries: tuple[LoreEntry, ...]
    """By uid; elsewhere an entry is named by its place here, so the order in the book does not matter."""
    keys: tuple[EntryKeys, ...]
    automata: tuple[Automaton, Automaton]
    """For needles with case, and without."""
    by_slot: dict[int, list[int]]
    """Entries that have this plain key as a primary one."""
    expressions: tuple[int, ...]
    """Entries with a primary key that is an expression."""
    constants: tuple[int, ...]
    faulty: frozenset[int]
    """Entries with a key that can never be found."""
    by_uid: dict[str, list[int]]
    macros: frozenset[int]
    """Entries with a macro in a key: what is looked for is known only when a prompt is made."""
    levels: tuple[int, ...]
    """Levels of recursion that entries wait for, lowest first."""
    excluded: frozenset[str]
    """Whom entries exclude by id or name."""
    sources: dict[str, frozenset[int]]
    """Texts beside the messages, and the entries whose keys are looked for there."""
    vectorised: tuple[int, ...]
    deepest: int | None
    """Most messages that an entry asks to be searched; None: no entry says."""


class LoreIndexes:
    """Indexes of books, least recently used ones evicted first.

    A book is the same if it is equal in all its fields; one that is the same object costs nothing to compare.

    Args:
        entries: how many entries the indexed books may have in all; one takes about two kilobytes.
        lock: held around each access; owners that are shared between threads pass a ``threading.Lock``.
    """

    def __init__(self, *, entries: int = 100_000, lock: AbstractContextManager[object] | None = None) -> None:
        self._kept: LRUCache[str, BookIndex] = LRUCache(entries, getsizeof=lambda index: 1 + len(index.keys))
        self._lock = lock or nullcontext()

    def of(self, book: Lorebook) -> BookIndex:
        """The index of a book, built if this very book was not asked for before."""
        with self._lock:
            kept = self._kept.get(book.id)
        if kept is not None and (kept.book is book or kept.book == book):
            return kept
        built = build(book)
        with self._lock:
            if len(built.keys) < self._kept.maxsize:
                self._kept[book.id] = built
        return built


@dataclass(slots=True)
class _Lists:
    """Lists filled while a book is read."""

    keys: list[EntryKeys] = field(default_factory=list)
    needles: tuple[dict[str, int], dict[str, int]] = field(default_factory=lambda: ({}, {}))
    by_slot: dict[int, list[int]] = field(default_factory=dict)
    by_uid: dict[str, list[int]] = field(default_factory=dict)
    expressions: list[int] = field(default_factory=list)
    faulty: set[int] = field(default_factory=set)

    def add(self, uid: str, read: EntryKeys) -> None:
        place = len(self.keys)
        keys = EntryKeys(self._numbered(read.primary), self._numbered(read.secondary))
        self.keys.append(keys)
        self.by_uid.setdefault(uid, []).append(place)
        for key in keys.primary:
            if key.needle:
                self.by_slot.setdefault(key.slot, []).append(place)
        if any(key.pattern for key in keys.primary):
            self.expressions.append(place)
        if any(key.fault for key in (*keys.primary, *keys.secondary)):
            self.faulty.add(place)

    def _numbered(self, keys: Iterable[Key]) -> tuple[Key, ...]:
        return tuple(key._replace(slot=self._slot(key)) if key.needle else key for key in keys)

    def _slot(self, key: Key) -> int:
        needles = self.needles[key.folds]
        return slot_of(needles.setdefault(key.needle, len(needles)), folds=key.folds, whole=key.whole)


def build(book: Lorebook) -> BookIndex:
    """Read all keys of a book. Entries that are switched off have none."""
    entries = tuple(sorted(book.entries, key=lambda entry: (entry.uid, entry.content)))
    lists = _Lists()
    macros = frozenset(at for at, entry in enumerate(entries) if any(map(has_macros, _texts(entry))))
    for at, entry in enumerate(entries):
        lists.add(entry.uid, EntryKeys((), ()) if at in macros else keys_of(book, entry))
    sources: dict[str, set[int]] = {}
    for at, entry in enumerate(entries):
        for source in entry.also_in if entry.enabled else ():
            sources.setdefault(source, set()).add(at)
    return BookIndex(
        book=book,
        entries=entries,
        keys=tuple(lists.keys),
        automata=(_automaton(lists.needles[False]), _automaton(lists.needles[True])),
        by_slot=lists.by_slot,
        expressions=tuple(lists.expressions),
        constants=tuple(at for at, entry in enumerate(entries) if entry.constant and entry.enabled),
        faulty=frozenset(lists.faulty),
        by_uid=lists.by_uid,
        macros=macros,
        levels=tuple(sorted({each.only_recursed for each in entries if each.enabled} - {0})),
        excluded=frozenset(name for each in entries if each.excludes for name in each.characters),
        sources={source: frozenset(places) for source, places in sources.items()},
        vectorised=tuple(at for at, entry in enumerate(entries) if entry.vectorised and entry.enabled),
        deepest=max((each.scan_depth for each in entries if each.scan_depth is not None), default=None),
    )


def _texts(entry: LoreEntry) -> tuple[str, ...]:
    return (*entry.keys, *entry.secondary)


def keys_of(book: Lorebook, entry: LoreEntry, with_values: Callable[[str], str] = str) -> EntryKeys:
    """Read the keys of an entry.

    Args:
        with_values: puts the values of macros into a key.
    """
    if not entry.enabled:
        return EntryKeys((), ())
    case = book.case_sensitive if entry.case_sensitive is None else entry.case_sensitive
    whole = book.whole_words if entry.whole_words is None else entry.whole_words

    def read(texts: Iterable[str]) -> Iterator[Key]:
        for text in dict.fromkeys(map(with_values, texts)):
            if key := read_key(text, case_sensitive=case, whole_words=whole):
                yield key

    return EntryKeys(tuple(read(entry.keys)), tuple(read(entry.secondary if entry.selective else ())))


def _automaton(needles: dict[str, int]) -> Automaton:
    machine = AhoCorasick(list(needles)) if needles else None
    return Automaton(machine, max(map(len, needles), default=0))
