"""Verdicts on lore entries in words, for prompts of any subject: each with the display name of its entry."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from gateway.desk.services import CommandStore
from penwright.domain.lore.naming import name_of
from penwright.domain.lore.recorded import matching, recorded
from penwright.errors import NotFound
from penwright.ports.scenes import Worlds
from schemas.base import BlobRef
from schemas.lore import Lorebook, LoreBookSeen, LoreTold, LoreVerdict
from schemas.records import Event, RunRow

Reasons = TypeVar("Reasons", bound="EntryReasons")
_ESTIMATE = "an estimate"
_RUNS = 50
"""Newest runs that are looked through."""
_PORTION = 500
"""Events that are read at once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryReasons:
    """The verdict on every entry for one prompt."""

    verdicts: tuple[LoreVerdict, ...] = ()
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


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkReasons(EntryReasons):
    """The verdicts for one prompt of a book or novel."""

    prompt: str
    """Whose it is, and when it was made."""
    run: str = ""
    """The run whose prompt it was; empty if it is not made yet."""


def explained(
    make: Callable[..., Reasons],
    worlds: Worlds,
    verdicts: Sequence[LoreVerdict],
    seen: Sequence[LoreBookSeen],
    *,
    reader: str = "",
    names: Collection[str] = (),
    entry: str = "",
    **about: Any,
) -> Reasons:
    """Return the verdicts on every entry of the books that a prompt's record names.

    Args:
        make: the type of the answer, which gets ``about`` as well. Any: its own fields.
        reader: id of the character whose prompt it was, with its ``names``, folded.
        entry: only entries whose id or title has this in it, compared without case.
    """
    read = (worlds.read(Lorebook, each.book) for each in seen)
    books = [each for each in read if each is not None]
    found = recorded(verdicts, seen, books, reader, names)
    return make(
        verdicts=matching(found.verdicts, entry),
        unlisted=found.unlisted,
        books={each.book: each.name for each in seen},
        untitled=dict(untitled(books)),
        **about,
    )


def untitled(books: Iterable[Lorebook]) -> Iterable[tuple[tuple[str, str], str]]:
    """Display names of entries without a title, by book and uid."""
    for book in books:
        for entry in book.entries:
            if not entry.title.strip():
                yield (book.id, entry.uid), name_of(entry)


def newest_reasons(
    store: CommandStore, subject: str, pipeline: str, entry: str = "", *, session: str = ""
) -> tuple[WorkReasons, ...]:
    """The verdicts for each prompt of the newest run that was told any lore; none if no run was.

    Args:
        entry: as in ``explained``.
        session: only this one; empty: any.
    """
    for run in store.records.runs(subject=subject, pipeline=pipeline, limit=_RUNS):
        if (not session or run.run.endswith(f"#{session}")) and (events := _told_in(store, run)):
            return tuple(_reasons_of(store, each, entry) for each in events)
    return ()


def _told_in(store: CommandStore, run: RunRow) -> tuple[Event, ...]:
    """Events that say what the lorebooks told the prompts of a run of a book or novel, oldest first."""
    found: list[Event] = []
    cursor = 0
    while read := store.records.events_after(cursor, run=run.run, limit=_PORTION):
        found += [each for each in read if each.kind == "lore"]
        cursor = read[-1].cursor
    return tuple(found)


def _reasons_of(store: CommandStore, event: Event, entry: str = "") -> WorkReasons:
    """Read the reasons that such an event recorded; ``entry`` as in ``explained``."""
    prompt = str(event.data["prompt"])
    try:
        kept = store.blobs.get(BlobRef.model_validate(event.data["told"]))
    except NotFound:
        return WorkReasons(prompt=prompt, run=event.run, missing="What it was told is not kept any more.")
    return of_told(store, LoreTold.model_validate_json(kept), prompt, event.run, entry)


def of_told(store: CommandStore, told: LoreTold, prompt: str, run: str = "", entry: str = "") -> WorkReasons:
    """The verdicts of what a prompt is told; ``entry`` as in ``explained``."""
    return explained(
        WorkReasons,
        store.worlds,
        told.verdicts,
        told.books,
        entry=entry,
        counter=_ESTIMATE,
        prompt=prompt,
        run=run,
    )
