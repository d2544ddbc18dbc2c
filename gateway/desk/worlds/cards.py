"""Character cards of other programs, taken in and given out."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from gateway.desk.services import Services
from gateway.desk.worlds.finding import found
from gateway.desk.worlds.kinds import CHARACTER, LOREBOOK
from gateway.desk.worlds.lore_files import doubts_of
from gateway.desk.worlds.reading_files import read_bytes
from penwright.domain.cards.reading import read_card
from penwright.domain.cards.refusals import MOST_FILE_BYTES
from penwright.domain.cards.writing import write_card
from penwright.errors import Refused, UsageMistake
from penwright.ports.scenes import Worlds
from schemas.base import BlobRef
from schemas.cards import CardForm, FieldReport, ReadCard
from schemas.lore import Lorebook
from schemas.worlds import Character

SUFFIXES: Final[dict[CardForm, str]] = {"png": ".png", "json": ".json", "charx": ".charx"}


@dataclass(frozen=True, slots=True)
class ImportedCard:
    """A card that is a character now."""

    file: str
    character: Character
    book: Lorebook | None
    """The card's own lorebook, attached to the character."""
    read: ReadCard
    namesakes: tuple[str, ...]
    """Ids of characters who had the name before."""

    @property
    def changed(self) -> tuple[FieldReport, ...]:
        """List the card's fields that mean something else here, or nothing; all come back on export."""
        return tuple(each for each in self.read.report if each.fate != "kept")


@dataclass(frozen=True, slots=True)
class CardFile:
    """The bytes of a card, and what is in it."""

    content: bytes
    character: Character
    book: str
    """Id of the lorebook in it; empty: none."""


def import_card(services: Services, path: Path, *, again: bool = False) -> ImportedCard:
    """Make a character of a card, with its lorebook, or leave nothing behind.

    Args:
        again: also if this very file was imported before.

    Raises:
        UsageMistake: as ``read_bytes`` and ``read_card``.
        Refused: ``already-imported``.
    """
    return take_card(services, read_bytes(path, most=MOST_FILE_BYTES), path, again=again)


def take_card(services: Services, content: bytes, path: Path, *, again: bool = False) -> ImportedCard:
    """The same of a card's bytes; ``path`` only names them.

    Raises:
        UsageMistake: as ``read_card``.
        Refused: ``already-imported``.
    """
    read = read_card(content, path.stem)
    with services.open_store() as store:
        ref = store.blobs.put(content)
        if not again:
            _refuse_known(store.worlds, ref, path)
        namesakes = tuple(each.id for each in store.worlds.find(Character, read.character.name))
        character, book = _stored(store.worlds, read, ref)
        doubts = doubts_of(store.worlds, book) if book else ()
    read = read.model_copy(update={"report": (*doubts, *read.report)})
    return ImportedCard(str(path), character, book, read, namesakes)


def export_card(
    services: Services, name: str, form: CardForm, *, lore: str | None = None, without_lore: bool = False
) -> CardFile:
    """Return a character as a card, with the lorebook that is attached to it.

    Args:
        lore: the book to put in; None: the attached one.
        without_lore: put none in.

    Raises:
        UsageMistake: ``several-lorebooks``; as ``found``.
    """
    with services.open_store() as store:
        character: Character = found(store.worlds, CHARACTER, name)
        book = None if without_lore else _own_book(store.worlds, character, lore)
        original = store.blobs.get(character.card) if character.card else None
    content = write_card(character, book, form, original)
    return CardFile(content, character, book.id if book else "")


def _refuse_known(worlds: Worlds, ref: BlobRef, path: Path) -> None:
    if known := next((each.id for each in worlds.list(Character) if each.card == ref), None):
        raise Refused(
            "already-imported",
            f"{str(path)!r} was imported before, as the character {known!r}; nothing was made",
            hint=f"look with `penwright character show {known}`, or import it once more with `--again`",
        )


def _stored(worlds: Worlds, read: ReadCard, ref: BlobRef) -> tuple[Character, Lorebook | None]:
    character = read.character.model_copy(update={"id": "", "card": ref})
    if read.lorebook is None:
        return worlds.create(character), None
    return worlds.create_with_lore(character, read.lorebook.model_copy(update={"id": ""}))


def _own_book(worlds: Worlds, character: Character, lore: str | None) -> Lorebook | None:
    if lore is not None:
        named: Lorebook = found(worlds, LOREBOOK, lore)
        return named
    attached = [each.book for each in worlds.attachments([("character", character.id)])]
    if len(attached) > 1:
        raise UsageMistake(
            "several-lorebooks",
            f"{len(attached)} lorebooks are attached to {character.id!r}, and a card has room for one: "
            f"{', '.join(attached)}",
            hint=f"name it with `--lore {attached[0]}`, or leave all out with `--without-lore`",
        )
    return worlds.read(Lorebook, attached[0]) if attached else None
