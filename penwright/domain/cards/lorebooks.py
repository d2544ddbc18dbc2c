"""Lorebooks: SillyTavern's World Info, the books of cards, and ``lorebook_v3`` files."""

import copy
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from penwright.domain.cards.entries import read_entry, written_entry
from penwright.domain.cards.fields.book_fields import BOOKS, EXTENSIONS
from penwright.domain.cards.fields.places import FieldReading, Raw, read_fields, write_fields
from penwright.domain.cards.json_text import in_order_of, parsed, read_foreign, written
from penwright.domain.cards.other_programs import as_card_book, holder_in, program_of
from penwright.domain.cards.refusals import MOST_ENTRIES, check_size, refused
from penwright.domain.cards.reports import of_fields, of_rest
from penwright.domain.lore.keys import read_key
from penwright.errors import UsageMistake
from schemas.cards import FieldReport, LoreDialect, ReadLorebook
from schemas.lore import Lorebook, LoreEntry

_ASKED_FOR: Final = frozenset({"normal", "continue", "regenerate", "swipe", "quiet"})
_AMONG_PEOPLE: Final = frozenset({"before", "after", "examples-top", "examples-bottom"})


@dataclass(frozen=True, slots=True)
class LoreDifference:
    """One difference, and the entries that it concerns."""

    field: str
    """As SillyTavern calls it."""
    why: str
    concerns: Callable[[Lorebook, LoreEntry], bool]


def _has_phrase(book: Lorebook, entry: LoreEntry) -> bool:
    whole = book.whole_words if entry.whole_words is None else entry.whole_words
    return whole and any(" " in key.strip() for key in (*entry.keys, *entry.secondary))


def _has_broken_expression(book: Lorebook, entry: LoreEntry) -> bool:
    expressions = (key for key in (*entry.keys, *entry.secondary) if key.lstrip().startswith("/"))
    read = (read_key(key, case_sensitive=False, whole_words=False) for key in expressions)
    return any(each is not None and bool(each.fault) for each in read)


DIFFERENCES: Final = (
    LoreDifference(
        "key",
        "an expression that cannot be read is never found, as a text neither",
        _has_broken_expression,
    ),
    LoreDifference(
        "position",
        "among the people stand the constant ones; called by a key they follow the history",
        lambda _, entry: entry.position in _AMONG_PEOPLE and not entry.constant,
    ),
    LoreDifference(
        "role",
        "text between messages is nobody's message, whatever its role",
        lambda _, entry: entry.position == "depth" and entry.role != "system",
    ),
    LoreDifference(
        "outletName",
        "an outlet is called by prompts of cards and by author's notes, and by no other text",
        lambda _, entry: entry.position == "outlet",
    ),
    LoreDifference(
        "matchWholeWords",
        "a key of several words must be found as whole words, too",
        _has_phrase,
    ),
    LoreDifference(
        "characterFilter",
        "what is kept from some is in no prompt that is for everyone, such as the narrator's",
        lambda _, entry: entry.excludes and bool(entry.characters or entry.character_tags),
    ),
    LoreDifference(
        "triggers",
        "nothing here asks for prompts of this kind",
        lambda _, entry: bool({*entry.triggers} - _ASKED_FOR),
    ),
    LoreDifference(
        "vectorized",
        "texts are compared where the role `embeddings` makes vectors, and nowhere else",
        lambda _, entry: entry.vectorised,
    ),
    LoreDifference(
        "group",
        "if the winner of a group fails by its probability, nothing of the group fires",
        lambda _, entry: bool(entry.groups) and entry.probability < 100,
    ),
    LoreDifference(
        "sticky",
        "a change of the entry does not end its sticky time or its cooldown",
        lambda _, entry: bool(entry.sticky or entry.cooldown),
    ),
)
"""Differences of meaning here and in SillyTavern, for imports and ``docs/lore.md``."""


def _of_differences(book: Lorebook) -> Iterator[FieldReport]:
    """Yield a line for each difference that concerns entries of the book."""
    for each in DIFFERENCES:
        if number := sum(each.concerns(book, entry) for entry in book.entries):
            entries = "1 entry" if number == 1 else f"{number:,} entries"
            yield FieldReport(at="book", field=each.field, fate="adapted", why=f"{entries}: {each.why}")


_SPEC: Final = "lorebook_v3"
_SHOWN: Final = 12
_OF_CARDS: Final = frozenset({"keys", "secondary_keys", "insertion_order", "enabled"})
"""Names of an entry that SillyTavern's own files do not use."""


def read_lorebook(content: bytes, name: str = "") -> ReadLorebook:
    """Read a file that holds a lorebook alone.

    Args:
        name: the book's, where the file has none; SillyTavern's files have none.

    Raises:
        UsageMistake: ``not-a-lorebook``, ``too-many-entries``, ``file-too-large``, or as
            ``json_text.parsed``.
    """
    check_size(content)
    foreign = read_foreign(content)
    document = foreign.value
    raw, dialect, program = _book_of(document)
    read = book_of(raw, dialect, name)
    _check_texts(raw["entries"])
    read = read.model_copy(update={"report": (*_of_program(program), *foreign.mended, *read.report)})
    if not _is_wrapped(document):
        return read
    wrapped = document | {"data": read.book.extra}
    return read.model_copy(update={"book": read.book.model_copy(update={"extra": wrapped})})


def _of_program(program: str) -> Iterator[FieldReport]:
    if program:
        why = f"a lorebook of {program}, read as one of a card; it is exported as that"
        yield FieldReport(at="book", field="entries", fate="adapted", why=why)


def write_lorebook(book: Lorebook, dialect: LoreDialect, original: bytes | None = None) -> bytes:
    """Return the file of a lorebook.

    Args:
        dialect: whose form; ``book.dialect`` gives back what was imported.
        original: the imported file. If nothing was changed, it is the result; else it gives the order of
            keys.
    """
    document = lorebook_json(book, dialect)
    if dialect == "card-v3" and document.get("spec") != _SPEC:
        document = {"spec": _SPEC, "data": document}
    if original is None:
        return written(document, indent=2)
    earlier = parsed(original)
    return original if document == earlier else written(in_order_of(document, earlier), indent=2)


def book_of(raw: Raw, dialect: LoreDialect, name: str) -> ReadLorebook:
    """Return the book in the JSON of a dialect. Raises ``UsageMistake`` as ``read_lorebook``."""
    entries, lines = _entries(raw, dialect)
    found = read_fields(raw, BOOKS[dialect], EXTENSIONS)
    rest = raw | {"entries": [] if isinstance(raw["entries"], list) else {}}
    book = _made(found, name, rest, dialect, entries)
    known = {reading.label for reading in found.values()} | {"entries"}
    own = [*of_fields("book", found), *of_rest("book", raw, known, {}, (EXTENSIONS,))]
    return ReadLorebook(dialect=dialect, book=book, report=(*own, *_of_differences(book), *lines))


def embedded_json(book: Lorebook, target: LoreDialect, called: str) -> Raw:
    """Return the book as it stands in a card; a name that only repeats the character's is left out."""
    document = lorebook_json(book, target)
    raw: Raw = document["data"] if document.get("spec") == _SPEC else document
    if book.name == called and "name" not in _book_object(book.extra):
        raw.pop("name", None)
    return raw


def lorebook_json(book: Lorebook, target: LoreDialect) -> Raw:
    """Return the document: the book, or for ``lorebook_v3`` what wraps it."""
    document: Raw = copy.deepcopy(book.extra) if book.dialect == target else {}
    new = not document
    raw = _book_object(document)
    pairs = [(each.uid, written_entry(each, _dialect(book), target)) for each in book.entries]
    container = raw.get("entries", {} if target == "silly-tavern" else [])
    raw["entries"] = [entry for _, entry in pairs] if isinstance(container, list) else dict(pairs)
    if new and target == "silly-tavern":
        raw["name"] = book.name
    elif new:
        raw["extensions"] = {}
    values = {field.name: getattr(book, field.name) for field in BOOKS[target]}
    write_fields(raw, BOOKS[target], EXTENSIONS, values)
    return document


def _book_object(document: Raw) -> Raw:
    data = document.get("data")
    return data if document.get("spec") == _SPEC and isinstance(data, dict) else document


def _dialect(book: Lorebook) -> LoreDialect:
    return next((dialect for dialect in BOOKS if dialect == book.dialect), "card-v3")


def _made(
    found: dict[str, FieldReading], name: str, rest: Raw, dialect: LoreDialect, entries: Sequence[LoreEntry]
) -> Lorebook:
    values = {field: reading.value for field, reading in found.items()}
    values["name"] = values["name"] or name
    return Lorebook.model_validate(
        values | {"id": "", "extra": rest, "dialect": dialect, "entries": tuple(entries)}
    )


# Any: JSON of other programs.
def _book_of(document: Any) -> tuple[Raw, LoreDialect, str]:
    """Return the object that has the entries, whose names it uses, and the other program that it is of."""
    if _is_wrapped(document):
        return _checked(document.get("data")), "card-v3", ""
    if isinstance(document, dict) and ("spec" in document or isinstance(document.get("data"), dict)):
        raise _no_lorebook("it is a card; its lorebook comes with `penwright character import FILE`")
    raw = _checked(holder_in(document))
    if program := program_of(raw["entries"]):
        return as_card_book(raw, program), "card-v3", program.name
    return raw, dialect_of(raw["entries"]), ""


def _is_wrapped(document: Any) -> bool:
    return isinstance(document, dict) and document.get("spec") == _SPEC


def _check_texts(entries: Any) -> None:
    """Refuse a book of a program whose names are not known here: its entries would come in empty."""
    within = [each for each in _values(entries) if isinstance(each, dict)]
    if within and all(each.get("content") is None for each in within):
        names = ", ".join(sorted({name for each in within for name in each})[:_SHOWN])
        raise _no_lorebook(f"no entry has a text by a name that is known here; they have {names[:200]}")


def _values(entries: Any) -> Any:
    return entries.values() if isinstance(entries, dict) else entries


def _checked(raw: Any) -> Raw:
    if not isinstance(raw, dict) or not isinstance(raw.get("entries"), list | dict):
        raise _no_lorebook("it has no entries")
    return raw


def dialect_of(entries: Any, of_card: LoreDialect = "card-v2") -> LoreDialect:
    """Return whose names the entries of a book use; their container says it only where the names do not.

    Args:
        of_card: of a book whose entries have the names of cards.
    """
    names = {name for each in _values(entries) if isinstance(each, dict) for name in each}
    own, of_cards = "key" in names, bool(_OF_CARDS & names)
    if (own and not of_cards) or (isinstance(entries, dict) and own >= of_cards):
        return "silly-tavern"
    return "card-v3" if "use_regex" in names else of_card


def _entries(raw: Raw, dialect: LoreDialect) -> tuple[list[LoreEntry], list[FieldReport]]:
    container = raw.get("entries")
    if not isinstance(container, list | dict):
        raise _no_lorebook("it has no entries")
    if len(container) > MOST_ENTRIES:
        raise refused(
            "too-many-entries",
            f"the lorebook has {len(container):,} entries; at most {MOST_ENTRIES:,} are read",
            hint="divide it into several files",
        )
    read = [read_entry(entry, uid, dialect) for uid, entry in _numbered(container)]
    return [entry for entry, _ in read], [line for _, lines in read for line in lines]


def _numbered(container: Any) -> Iterator[tuple[str, Raw]]:
    """Yield every entry with an id that is unique in its book: the file's own where it can be."""
    named = container.items() if isinstance(container, dict) else _named(container)
    for uid, entry in named:
        if not isinstance(entry, dict):
            raise _no_lorebook(f"its entry {uid} is no object")
        yield uid, entry


def _named(entries: Sequence[Any]) -> Iterator[tuple[str, Any]]:
    said = [_said(each) for each in entries]
    taken = {uid for uid in said if uid}
    used: set[str] = set()
    free = 0
    for uid, entry in zip(said, entries, strict=True):
        while not uid or uid in used:
            uid = str(free) if str(free) not in taken else ""
            free += 1
        used.add(uid)
        yield uid, entry


def _said(entry: Any) -> str:
    uid = entry.get("id", entry.get("uid")) if isinstance(entry, dict) else None
    return str(uid)[:80] if isinstance(uid, int | str) and not isinstance(uid, bool) else ""


def _no_lorebook(why: str) -> UsageMistake:
    return refused(
        "not-a-lorebook",
        f"the file is no lorebook: {why}",
        hint="export it as World Info from SillyTavern, or as a lorebook of a character card",
    )
