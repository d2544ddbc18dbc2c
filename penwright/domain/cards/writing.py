"""Write a character as a card: only what was changed since the import differs from the imported file."""

from collections.abc import Mapping
from typing import Final

from penwright.domain.cards import charx, png
from penwright.domain.cards.characters import (
    as_spec,
    changed_card,
    read_book,
    read_character,
    same_book,
    spec_of,
)
from penwright.domain.cards.fields.character_fields import new_card
from penwright.domain.cards.fields.places import Raw
from penwright.domain.cards.json_text import in_order_of, written
from penwright.domain.cards.reading import OpenedCard, opened
from schemas.cards import CardForm, CardSpec
from schemas.lore import Lorebook
from schemas.worlds import Character

_ICON: Final = "assets/icon/images/main.png"
_ICON_URI: Final = f"embeded://{_ICON}"
"""The scheme is written so in the specification of version 3."""
_DEFAULT_URI: Final = "ccdefault:"


def write_card(
    character: Character,
    lorebook: Lorebook | None,
    form: CardForm,
    original: bytes | None = None,
    spec: CardSpec | None = None,
) -> bytes:
    """Return the file of a card.

    Args:
        lorebook: the character's own; None takes the one out that the original has.
        original: the imported file, byte for byte, or a PNG that is to be the card's picture. It is the
            result if form and spec are its own and nothing was changed.
        spec: the version to write; None: the original's, else 3. An archive always has version 3.

    Raises:
        UsageMistake: the original is broken, as ``reading.read_card``.
    """
    card = _opened(original)
    if card is None:
        first = changed_card(new_card(spec or "v3"), spec or "v3", character, lorebook)
        return _filed(None, {"": first}, form, original)
    documents = _changed(card, character, lorebook)
    if (
        original is not None
        and form == card.form
        and spec in (None, card.spec)
        and documents == card.documents
    ):
        return original
    if spec is None:
        return _filed(card, documents, form, original)
    wanted = as_spec(documents[next(iter(documents))], card.spec, spec)
    return _filed(card, {"": wanted}, form, original)


def _opened(original: bytes | None) -> OpenedCard | None:
    """Open the original; a picture without a card is only a picture."""
    if original is None or (original.startswith(png.SIGNATURE) and not png.read_cards(original).texts):
        return None
    return opened(original)


def _changed(card: OpenedCard, character: Character, lorebook: Lorebook | None) -> dict[str, Raw]:
    """Return all cards of a file with what was changed; a second one keeps what it says otherwise."""
    base, _ = read_character(card.document, card.spec, "")
    base_book, _ = read_book(card.document, card.spec, base.name)
    own = {name: value for name, value in character if value != getattr(base, name)}
    documents = {}
    for keyword, document in card.documents.items():
        spec = spec_of(document)
        said, _ = read_character(document, spec, "")
        book, _ = read_book(document, spec, said.name)
        wanted = book if same_book(base_book, lorebook) else lorebook
        changed = changed_card(document, spec, said.model_copy(update=own), wanted)
        documents[keyword] = in_order_of(changed, document)
    return documents


def _filed(
    card: OpenedCard | None, documents: Mapping[str, Raw], form: CardForm, original: bytes | None
) -> bytes:
    if form == "json":
        return written(next(iter(documents.values())), indent=4)
    return _packed(card, documents, original) if form == "charx" else _drawn(card, documents, original)


def _drawn(card: OpenedCard | None, documents: Mapping[str, Raw], original: bytes | None) -> bytes:
    """Return a picture with the card. One of version 3 is there for readers of version 2, too."""
    first = next(iter(documents.values()))
    texts = documents
    if "" in documents:
        is_third = spec_of(first) == "v3"
        texts = {"ccv3": first, "chara": as_spec(first, "v3", "v2")} if is_third else {"chara": first}
    return png.with_cards(_picture(card, original), {key: written(each) for key, each in texts.items()})


def _picture(card: OpenedCard | None, original: bytes | None) -> bytes:
    if original is not None and original.startswith(png.SIGNATURE):
        return original
    members = card.members if card else ()
    icons = [each.content for each in members if each.info.filename == _ICON]
    return icons[0] if icons and icons[0].startswith(png.SIGNATURE) else png.blank_picture()


def _packed(card: OpenedCard | None, documents: Mapping[str, Raw], original: bytes | None) -> bytes:
    """Return an archive with the card; the picture that held it comes along as its icon."""
    first = next(iter(documents.values()))
    document = as_spec(first, spec_of(first), "v3")
    members = card.members if card else ()
    if original is not None and original.startswith(png.SIGNATURE):
        members = (charx.Member(charx.new_info(_ICON), png.with_cards(original, {})),)
        document = document | {"data": document["data"] | {"assets": _assets(document)}}
    return charx.with_card(members, written(document, indent=4), card.front if card else b"")


def _assets(document: Raw) -> list[Raw]:
    """Return the list of assets with the icon in the archive in place of the picture that held the card."""
    icon = {"type": "icon", "uri": _ICON_URI, "name": "main", "ext": "png"}
    given = document["data"].get("assets")
    assets = [each for each in given if isinstance(each, dict)] if isinstance(given, list) else []
    others = [each for each in assets if each.get("uri") != _DEFAULT_URI or each.get("type") != "icon"]
    return [icon, *others]
