"""Reasons why an entry of a lorebook is in a prompt or not, as the round recorded them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from gateway.desk.scene import looking
from gateway.desk.scene.looking import ShownEnvelope
from gateway.desk.services import CommandStore, Services
from penwright.domain.lore.naming import name_of
from penwright.domain.lore.readers import names_of
from penwright.domain.lore.recorded import matching, recorded
from schemas.lore import Lorebook, LoreVerdict
from schemas.worlds import Character


@dataclass(frozen=True, slots=True)
class LoreReasons:
    """The verdict on every entry for one call."""

    scene: str
    round: int
    step: str
    who: str
    verdicts: tuple[LoreVerdict, ...]
    missing: str = ""
    """Reason why nothing is known."""
    counter: str = ""
    """Counter of the entries' tokens."""
    unlisted: tuple[str, ...] = ()
    """Sentences on entries of books that were changed since."""
    books: Mapping[str, str] = field(default_factory=dict)
    """Names of the books by id."""
    untitled: Mapping[tuple[str, str], str] = field(default_factory=dict)
    """Display names of entries without a title, by book and uid: their keys, or their first words."""

    def name_of(self, verdict: LoreVerdict) -> str:
        """Display name of the entry, with its book."""
        known = verdict.title or self.untitled.get((verdict.book, verdict.uid)) or f"entry {verdict.uid}"
        return f"{known} (in {self.books.get(verdict.book, verdict.book)})"


def reasons(
    services: Services,
    named: str,
    *,
    who: str = looking.DIRECTOR,
    number: int = 0,
    take: int = 0,
    entry: str = "",
) -> tuple[LoreReasons, ...]:
    """The verdicts of a round, for each call of ``who``, as they were recorded with its prompt.

    Args:
        who: ``director``, or a character's id or name.
        number: the round; 0: the newest.
        take: 0: the one that is played.
        entry: only entries whose id or title has this in it, compared without case.

    Raises:
        NotFound: as ``looking.envelopes``.
    """
    calls = looking.envelopes(services, named, who, number, take)
    with services.open_store() as store:
        return tuple(_of_call(store, each, entry) for each in calls)


def _of_call(store: CommandStore, call: ShownEnvelope, entry: str) -> LoreReasons:
    shown = call.envelope
    if shown is None:
        return LoreReasons(call.scene, call.round, call.step, call.who, (), call.missing)
    read = (store.worlds.read(Lorebook, each.book) for each in shown.lore_books)
    books = [each for each in read if each is not None]
    acting = store.worlds.read(Character, call.who)
    who, names = (acting.id, names_of(acting, store.worlds.read)) if acting else ("", ())
    found = recorded(shown, books, who, names)
    return LoreReasons(
        call.scene,
        call.round,
        call.step,
        call.who,
        matching(found.verdicts, entry),
        call.missing,
        shown.budget.counter,
        found.unlisted,
        {each.book: each.name for each in shown.lore_books},
        dict(untitled(books)),
    )


def untitled(books: Iterable[Lorebook]) -> Iterable[tuple[tuple[str, str], str]]:
    """Display names of entries without a title, by book and uid."""
    for book in books:
        for entry in book.entries:
            if not entry.title.strip():
                yield (book.id, entry.uid), name_of(entry)
