"""Read a character card from a picture, from JSON or YAML, or from an archive."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from ruamel.yaml import YAML
from ruamel.yaml.constructor import DuplicateKeyError
from ruamel.yaml.error import YAMLError
from ruamel.yaml.events import AliasEvent

from penwright.domain.cards import charx, png, webp
from penwright.domain.cards.characters import read_book, read_character, spec_of
from penwright.domain.cards.fields.places import Raw
from penwright.domain.cards.json_text import ReadJson, in_utf8, read_foreign
from penwright.domain.cards.refusals import check_size, refused
from penwright.domain.lore.macros import unknown_macros
from penwright.errors import UsageMistake
from schemas.cards import CardSpec, FieldReport, ReadCard, ReadForm
from schemas.lore import Lorebook
from schemas.worlds import Character

MOST_BYTES: Final = 1024 * 1024
"""A character without pictures is never as long, and YAML takes long to read."""
_BEGINS = re.compile(
    r"\A\ufeff?(?:---[ \t\r]*\n|[ \t]*#[^\n]*\n|[ \t\r]*\n)*"
    r"[\"']?[A-Za-z_][\w ]*[\"']?[ \t]*:(?:[ \t\r\n]|\Z)"
)
_OTHER_NAMES: Final = {"context": "description", "greeting": "first_mes", "bot": "name"}
"""Keys of text-generation-webui, where a first card has others."""


def is_yaml(content: bytes) -> bool:
    """Whether a file begins with a key and a colon."""
    return _BEGINS.match(content[:10_000].decode("utf-8", "replace")) is not None


def as_json(content: bytes) -> bytes:
    """Return the card as JSON.

    Raises:
        UsageMistake: ``not-a-card``: it is long, broken, or built of references; ``card-duplicate-key``.
    """
    if len(content) > MOST_BYTES:
        raise refused("not-a-card", f"the file has over {MOST_BYTES // 1024} KB, which no card in YAML has")
    text = in_utf8(content).value.decode("utf-8", "replace")
    try:
        yaml = YAML(typ="safe", pure=True)
        if any(isinstance(event, AliasEvent) for event in yaml.parse(text)):
            raise refused("not-a-card", "the YAML refers to parts of itself, which no card does")
        given = YAML(typ="safe", pure=True).load(text)
    except DuplicateKeyError as error:
        what = f"line {_line(error)} of the card gives a key again: {_key_at(error, text)}"
        hint = "delete one of the two, or give one of them another name"
        raise refused("card-duplicate-key", what, hint=hint) from None
    except (YAMLError, ValueError, RecursionError) as error:
        problem = " ".join(str(getattr(error, "problem", None) or error or "it cannot be read").split())[:200]
        where = f"line {_line(error)}: " if _line(error) else ""
        hint = "open it in an editor that shows YAML's errors"
        raise refused("not-a-card", f"the file is broken YAML: {where}{problem}", hint=hint) from None
    return json.dumps(_as_first_card(given), ensure_ascii=False, default=str).encode("utf-8", "surrogatepass")


def _line(error: Exception) -> int:
    """The line of a mistake, from 1; 0: it tells none."""
    mark = getattr(error, "problem_mark", None)
    return mark.line + 1 if mark is not None else 0


def _key_at(error: DuplicateKeyError, text: str) -> str:
    mark = error.problem_mark
    return text.split("\n")[mark.line][mark.column :].partition(":")[0].strip()[:60] if mark else ""


# Any: YAML of other programs.
def _as_first_card(given: Any) -> Any:
    if not isinstance(given, dict) or "data" in given or "spec" in given:
        return given
    named = {str(key): value for key, value in given.items()}
    return {_name(key, named): value for key, value in named.items()}


def _name(key: str, named: dict[str, Any]) -> str:
    """The key of a first card; a card that has that key, too, keeps its own."""
    meant = _OTHER_NAMES.get(key, key)
    return key if meant in named else meant


_MACROS_NAMED = 10
_OTHER_FILES: Final = {
    b"RIFF": "a sound or a film",
    b"\xff\xd8\xff": "a JPEG picture",
    b"GIF8": "a GIF picture",
    b"%PDF": "a PDF document",
}


@dataclass(frozen=True, slots=True)
class OpenedCard:
    """A card file, opened."""

    form: ReadForm
    documents: Mapping[str, Raw]
    """The card as JSON; a picture may hold several, by keyword, the first counts."""
    members: tuple[charx.Member, ...] = ()
    unsound: bool = False
    mended: tuple[FieldReport, ...] = ()
    """Parts of the text that had to be mended."""
    front: bytes = b""
    """The picture that stands before an archive."""

    @property
    def document(self) -> Raw:
        return next(iter(self.documents.values()))

    @property
    def spec(self) -> CardSpec:
        return spec_of(self.document)


def read_card(content: bytes, name: str = "") -> ReadCard:
    """Read a card; no text of it is followed, fetched or run.

    Args:
        name: of the file; the character's, where the card has none.

    Raises:
        UsageMistake: ``not-a-card``, ``file-too-large``, ``json-too-large``, ``json-too-deep``, ``not-utf8``,
            ``broken-json``, ``broken-picture``, ``broken-base64``, ``no-card-in-picture``,
            ``broken-archive``, ``unsafe-archive``, ``no-card-in-archive``, ``not-a-lorebook``,
            ``too-many-entries``.
    """
    card = opened(content)
    character, lines = read_character(card.document, card.spec, name)
    lorebook, book_lines = read_book(card.document, card.spec, character.name)
    assets = tuple(each.info.filename for each in card.members if each.info.filename != charx.CARD)
    return ReadCard(
        form=card.form,
        spec=card.spec,
        character=character,
        lorebook=lorebook,
        assets=assets,
        report=(*_of_file(card, assets), *lines, *book_lines, *_of_macros(character, lorebook)),
    )


def _of_macros(character: Character, lorebook: Lorebook | None) -> tuple[FieldReport, ...]:
    """One line for the macros that no prompt resolves."""
    entries = lorebook.entries if lorebook else ()
    own = (each for each in character.model_dump().values() if isinstance(each, str))
    greetings = (*character.alternate_greetings, *character.group_greetings)
    keys = (key for each in entries for key in (*each.keys, *each.secondary))
    texts = (*own, *greetings, *(each.content for each in entries), *keys)
    unknown = dict.fromkeys(each for text in texts for each in unknown_macros(text))
    if not unknown:
        return ()
    named = ", ".join(list(unknown)[:_MACROS_NAMED])
    return (FieldReport(field=named, fate="unsupported", why="unknown macros stay in the text as they are"),)


def opened(content: bytes) -> OpenedCard:
    """Open the file of a card. Raises ``UsageMistake`` as ``read_card``."""
    check_size(content)
    if content.startswith(png.SIGNATURE):
        return _picture(content)
    front = charx.front_of(content)
    if front is not None:
        members = charx.read_archive(content)
        return _checked(_read_as("charx", charx.card_of(members), members=members, front=front))
    if webp.is_webp(content):
        return _of_texts("webp", webp.read_cards(content))
    if other := next((name for head, name in _OTHER_FILES.items() if content.startswith(head)), None):
        hint = "give a card as PNG, WebP, JSON, YAML or CHARX"
        raise refused("not-a-card", f"the file is {other}; cards are not read from it", hint=hint)
    if is_yaml(content):
        return _checked(_read_as("yaml", as_json(content)))
    return _checked(_read_as("json", content))


def _read_as(
    form: ReadForm, text: bytes, *, members: Sequence[charx.Member] = (), front: bytes = b""
) -> OpenedCard:
    read = read_foreign(text)
    return OpenedCard(form, {"": read.value}, tuple(members), mended=read.mended, front=front)


def _picture(content: bytes) -> OpenedCard:
    found = png.read_cards(content)
    return _of_texts("png", found.texts, unsound=found.unsound)


def _of_texts(form: ReadForm, texts: Mapping[str, bytes], *, unsound: bool = False) -> OpenedCard:
    if not texts:
        raise refused(
            "no-card-in-picture",
            "the picture holds no card; programs that shrink pictures or show them in a chat take it out",
            hint="get the card's file as it was uploaded",
        )
    sound, broken = _sound_ones(texts)
    documents = {keyword: read.value for keyword, read in sound.items()}
    mended = (*broken, *(line for read in sound.values() for line in read.mended))
    return _checked(OpenedCard(form, documents, unsound=unsound, mended=mended))


def _sound_ones(texts: Mapping[str, bytes]) -> tuple[dict[str, ReadJson], list[FieldReport]]:
    """Return the cards of a picture that can be read; it may hold the same one in two versions.

    Raises:
        UsageMistake: none can be read; it is what is wrong with the first.
    """
    sound, wrong = dict[str, ReadJson](), dict[str, UsageMistake]()
    for keyword, text in texts.items():
        try:
            sound[keyword] = read_foreign(png.decoded(text))
            spec_of(sound[keyword].value)
        except UsageMistake as error:
            sound.pop(keyword, None)
            wrong[keyword] = error
    if not sound:
        raise next(iter(wrong.values()))
    why = "the other version in the picture was read: {}"
    lines = (FieldReport(field=each, fate="adapted", why=why.format(wrong[each].message)) for each in wrong)
    return sound, list(lines)


def _checked(card: OpenedCard) -> OpenedCard:
    for document in card.documents.values():
        spec_of(document)
    return card


def _of_file(card: OpenedCard, assets: tuple[str, ...]) -> tuple[FieldReport, ...]:
    lines = []
    if card.unsound:
        why = "the check sum of the card in the picture is wrong; it was read, because it is whole"
        lines.append(FieldReport(field="picture", fate="adapted", why=why))
    if assets:
        why = f"{len(assets)} files beside the card have no effect here; they are kept for export"
        lines.append(FieldReport(field="assets", fate="unsupported", why=why))
    return (*lines, *card.mended)
