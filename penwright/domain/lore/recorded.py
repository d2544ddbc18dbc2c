"""Record of a prompt's lorebook entries: why each is in it, was cut, or is not."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from penwright.domain.lore.readers import lists
from schemas.envelope import Envelope
from schemas.lore import Lorebook, LoreBookSeen, LoreEntry, LoreVerdict


@dataclass(frozen=True, slots=True)
class Recorded:
    """The record of one prompt."""

    verdicts: tuple[LoreVerdict, ...]
    unlisted: tuple[str, ...] = ()
    """Sentences on entries that the record counts and does not name."""


def recorded(
    told: Sequence[LoreVerdict],
    seen: Sequence[LoreBookSeen],
    books: Iterable[Lorebook],
    who: str = "",
    names: Collection[str] = (),
) -> Recorded:
    """Return the verdicts as they were recorded, and those on the other entries; nothing is looked for again.

    A record names the entries of which a key occurred, or that need none, and the versions of its books.
    The other entries of such a version are those of which no key occurred.

    Args:
        told: the verdicts of the record.
        seen: its books.
        books: as they are now.
        who: id of the character whose prompt it is; empty for other roles.
        names: its names, folded.
    """
    now = {book.id: book for book in books}
    named = {(each.book, each.uid) for each in told}
    verdicts, unlisted = list(told), list[str]()
    for each_book in seen:
        book = now.get(each_book.book)
        rest = each_book.entries - sum(id == each_book.book for id, _ in named)
        if book is not None and book.version == each_book.version:
            unheard = (each for each in book.entries if (book.id, each.uid) not in named)
            verdicts += (_unheard(book, each, who, names) for each in unheard)
        elif rest:
            changed = "is gone" if book is None else "was changed since"
            number = "one entry" if rest == 1 else f"{rest:,} entries"
            unlisted.append(f"The book “{each_book.name}” {changed}; of {number} of it no key occurred then.")
    return Recorded(tuple(verdicts), tuple(unlisted))


def verdicts_of(shown: Envelope) -> tuple[LoreVerdict, ...]:
    """Return the verdicts of a scene's prompt; what fired and had no room in it is trimmed."""
    return tuple(_with_cuts(shown))


def _with_cuts(shown: Envelope) -> Iterator[LoreVerdict]:
    cut: Mapping[str, str] = {
        item.id: item.reason for item in shown.items if item.section == "lore" and not item.kept
    }
    for each in shown.lore_verdicts:
        reason = cut.get(f"lore/{each.book}/{each.uid}")
        if each.outcome == "fired" and reason is not None:
            why = f"{each.why} Left out of the prompt: {reason}."
            yield each.model_copy(update={"outcome": "trimmed", "why": why, "place": ""})
        else:
            yield each


def _unheard(book: Lorebook, entry: LoreEntry, who: str, names: Collection[str]) -> LoreVerdict:
    outcome, why = "no-key", "No key of it occurred in what was searched."
    if not entry.enabled:
        outcome, why = "disabled", "It is switched off."
    elif entry.characters and not entry.excludes and not lists(entry.characters, who, names):
        outcome, why = "character", "It is for the prompts of others."
    elif not entry.keys:
        why = "It has no key and is not constant."
    fields = {"book": book.id, "uid": entry.uid, "title": entry.title}
    return LoreVerdict.model_validate({**fields, "outcome": outcome, "why": why})


def matching(verdicts: Sequence[LoreVerdict], entry: str) -> tuple[LoreVerdict, ...]:
    """Those whose uid or title has ``entry`` in it, compared without case."""
    wanted = entry.casefold()
    return tuple(each for each in verdicts if wanted in f"{each.uid}\n{each.title}".casefold())
