"""Why each entry of the active books is in a prompt or not, for ``scene why``."""

from collections.abc import Callable

from penwright.domain.lore.index import LoreIndexes
from penwright.domain.lore.scanning import Scanning, verdict
from schemas.lore import LoreCase, LoreVerdict


def explain(
    case: LoreCase, count: Callable[[str], int], *, indexes: LoreIndexes | None = None
) -> tuple[LoreVerdict, ...]:
    """A verdict on every entry, by book and uid: what ``scan`` decides, and why the rest does not fire."""
    scanning = Scanning.of(case, indexes)
    tokens = {each.ruling.ref: each.tokens for each in scanning.fit(count)}
    told = []
    for id, book in scanning.books.items():
        for place in range(len(book.index.entries)):
            ruling = scanning.rulings.get((id, place)) or book.judge(place)
            told.append(verdict(ruling, tokens.get(ruling.ref, 0), book.faults(place)))
    return tuple(told)
