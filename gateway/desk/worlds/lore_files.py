"""Lorebooks of other programs, taken in and given out."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from gateway.desk.services import Services
from gateway.desk.worlds.finding import found
from gateway.desk.worlds.kinds import LOREBOOK
from gateway.desk.worlds.lorebooks import Place, attachment_of
from gateway.desk.worlds.reading_files import read_bytes
from penwright.domain.cards.lorebooks import read_lorebook, write_lorebook
from penwright.domain.cards.refusals import MOST_FILE_BYTES
from penwright.domain.lore.readers import doubt
from penwright.errors import Refused
from penwright.ports.scenes import Worlds
from schemas.cards import FieldReport, LoreDialect, ReadLorebook
from schemas.lore import Attachment, Lorebook
from schemas.worlds import Character


@dataclass(frozen=True, slots=True)
class ImportedLore:
    """A file that is a lorebook now."""

    file: str
    book: Lorebook
    read: ReadLorebook
    attachment: Attachment | None

    @property
    def changed(self) -> tuple[FieldReport, ...]:
        """List the file's fields that mean something else here, or nothing; all come back on export."""
        return tuple(each for each in self.read.report if each.fate != "kept")


@dataclass(frozen=True, slots=True)
class LoreFile:
    """The bytes of a lorebook as another program reads it."""

    content: bytes
    book: Lorebook
    dialect: LoreDialect


def import_lore(
    services: Services, path: Path, *, place: Place | None = None, again: bool = False
) -> ImportedLore:
    """Make a lorebook of a file, and attach it to ``place``.

    Raises:
        UsageMistake: as ``read_bytes`` and ``read_lorebook``; as ``found``, before anything is made.
        Refused: ``already-imported``.
    """
    content = read_bytes(path, most=MOST_FILE_BYTES)
    return take_lore(services, content, path, place=place, again=again)


def take_lore(
    services: Services, content: bytes, path: Path, *, place: Place | None = None, again: bool = False
) -> ImportedLore:
    """The same of a file's bytes; ``path`` only names them.

    Raises:
        UsageMistake: as ``read_lorebook``; as ``found``, before anything is made.
        Refused: ``already-imported``.
    """
    read = read_lorebook(content, path.stem)
    with services.open_store() as store:
        ref = store.blobs.put(content)
        known = next((each.id for each in store.worlds.list(Lorebook) if each.source == ref), None)
        if known and not again:
            raise Refused(
                "already-imported",
                f"{str(path)!r} was imported before, as the lorebook {known!r}; nothing was made",
                hint=f"look with `penwright lore show {known}`, or import it once more with `--again`",
            )
        at = attachment_of(store.worlds, place) if place else None
        book, attachment = _stored(store.worlds, read.book.model_copy(update={"id": "", "source": ref}), at)
        doubts = doubts_of(store.worlds, book)
    read = read.model_copy(update={"report": (*doubts, *read.report)})
    return ImportedLore(str(path), book, read, attachment)


def _stored(worlds: Worlds, book: Lorebook, at: Attachment | None) -> tuple[Lorebook, Attachment | None]:
    return worlds.create_attached(book, at) if at else (worlds.create(book), None)


def export_lore(services: Services, name: str, dialect: LoreDialect | None) -> LoreFile:
    """Return a lorebook in a dialect; None: the one that it was imported from, else SillyTavern's."""
    with services.open_store() as store:
        book: Lorebook = found(store.worlds, LOREBOOK, name)
        original = store.blobs.get(book.source) if book.source else None
    own: LoreDialect = dialect or _own(book)
    return LoreFile(write_lorebook(book, own, original), book, own)


def _own(book: Lorebook) -> LoreDialect:
    for dialect in _DIALECTS:
        if book.dialect == dialect:
            return dialect
    return "silly-tavern"


_DIALECTS: tuple[LoreDialect, ...] = ("silly-tavern", "card-v2", "card-v3")


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
