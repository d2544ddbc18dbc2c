"""Whether the entries of an imported lorebook say clearly for whose prompts they are."""

from collections.abc import Iterator, Mapping

from penwright.domain.lore.readers import doubt
from penwright.ports.scenes import Worlds
from schemas.cards import FieldReport
from schemas.lore import Lorebook
from schemas.worlds import Character


def doubts_of(worlds: Worlds, book: Lorebook) -> tuple[FieldReport, ...]:
    """Return a line for each name in a list of characters that means none, or more than one."""
    return tuple(_told(worlds, book))


def _told(worlds: Worlds, book: Lorebook) -> Iterator[FieldReport]:
    for name, uids in _uids_by_name(book).items():
        if why := doubt(name, worlds.find(Character, name)):
            at = f"entry {uids[0]}" if len(uids) == 1 else f"entry {uids[0]} and {len(uids) - 1} more"
            yield FieldReport(at=at, field="characterFilter", fate="unsupported", why=why)


def _uids_by_name(book: Lorebook) -> Mapping[str, list[str]]:
    found: dict[str, list[str]] = {}
    for entry in book.entries:
        for name in entry.characters:
            found.setdefault(name, []).append(entry.uid)
    return found
