"""Choice of the fired entries that have room, by the budget of all books and that of each."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from penwright.domain.lore.judging import Ref, Ruling


@dataclass(frozen=True, slots=True)
class Sized:
    """An entry that fired, with its tokens."""

    ruling: Ruling
    tokens: int


@dataclass(slots=True)
class Room:
    """Tokens that are left."""

    shared: int
    books: dict[str, int] = field(default_factory=dict)

    def take(self, ruling: Ruling, tokens: int) -> str:
        """Take room for an entry; returns why there is none, or an empty text."""
        own = self.books.get(ruling.book.id)
        if own is not None and tokens > own:
            return f"it has {tokens} tokens, and {own} of its book's {ruling.book.token_budget} were left"
        if tokens > self.shared:
            return f"it has {tokens} tokens, and {self.shared} of those for all books were left"
        self.shared -= tokens
        if own is not None:
            self.books[ruling.book.id] = own - tokens
        return ""


def fitted(fired: Iterable[Ruling], tokens: int, count: Callable[[Ruling], int]) -> Sequence[Sized]:
    """Give the room to books by priority; in one to constants, then to what messages name before what other
    entries name, then by priority and the lower order.

    What has no room is ``trimmed``, and smaller ones after it may still have some. What ignores the budget
    takes nothing from it.
    """
    ranked = sorted(fired, key=_rank)
    budgets = {ruling.book.id: ruling.book.token_budget for ruling in ranked}
    room = Room(tokens, {book: limit for book, limit in budgets.items() if limit is not None})
    sized = []
    for ruling in ranked:
        own = count(ruling)
        lack = "" if ruling.entry.ignores_budget else room.take(ruling, own)
        sized.append(Sized(ruling.but("trimmed", f", but {lack}") if lack else ruling, own))
    return sized


def _rank(ruling: Ruling) -> tuple[int, bool, int, int, int, Ref]:
    entry = ruling.entry
    first = -ruling.book.priority, not entry.constant, ruling.step
    return *first, -entry.priority, entry.order, ruling.ref
