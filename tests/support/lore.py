"""Small lorebooks and scans for tests."""

from collections.abc import Callable
from typing import Any

from penwright.domain.lore.scanning import Scanning, scan, verdict
from schemas.lore import Lorebook, LoreCase, LoreEntry, LoreScan, LoreVerdict


def words(text: str) -> int:
    """A counter of tokens that people can check: the words."""
    return len(text.split())


def entry(uid: str, *keys: str, **fields: Any) -> LoreEntry:  # Any: fields of LoreEntry
    return LoreEntry(**{"uid": uid, "keys": keys, "content": f"About {uid}.", **fields})


def book(*entries: LoreEntry, **fields: Any) -> Lorebook:  # Any: fields of Lorebook
    return Lorebook(**{"id": "land", "name": "Land", "entries": entries, **fields})


def case(*books: Lorebook, said: tuple[str, ...] | str = (), **fields: Any) -> LoreCase:  # Any: of LoreCase
    messages = (said,) if isinstance(said, str) else said
    number = fields.pop("message_number", len(messages))
    return LoreCase(
        **{"books": books, "messages": messages, "message_number": number, "seed": "s/1", **fields}
    )


def scanned(*entries: LoreEntry, said: tuple[str, ...] | str = (), **fields: Any) -> LoreScan:
    """Scan one book; ``fields`` are those of the case."""
    return scan(case(book(*entries), said=said, **fields), words)


def uids(found: LoreScan) -> list[str]:
    """What goes in, in its order."""
    return [hit.uid for hit in found.hits]


def explain(case: LoreCase, count: Callable[[str], int]) -> tuple[LoreVerdict, ...]:
    """A verdict on every entry, by book and uid, those included that the scan passes over."""
    scanning = Scanning.of(case)
    sized = scanning.fit(lambda ruling: count(ruling.entry.content))
    tokens = {each.ruling.ref: each.tokens for each in sized}
    told = []
    for id, book in scanning.books.items():
        for place in range(len(book.index.entries)):
            ruling = scanning.rulings.get((id, place)) or book.judge(place)
            told.append(verdict(ruling, tokens.get(ruling.ref, 0), book.faults(place)))
    return tuple(told)


def reasons(given: LoreCase) -> dict[str, tuple[str, str]]:
    """Outcome and sentence for every entry."""
    return {verdict.uid: (verdict.outcome, verdict.why) for verdict in explain(given, words)}
