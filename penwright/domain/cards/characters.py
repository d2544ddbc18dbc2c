"""The character and the lorebook in the JSON of a card, and back."""

import copy
from collections.abc import Mapping
from typing import Any, Final

from penwright.domain.cards.fields.character_fields import (
    BOOK_AT,
    EXTENSIONS,
    FIELDS,
    FLAT_NAMES,
    SPECS,
    new_card,
)
from penwright.domain.cards.fields.places import (
    OURS,
    FieldReading,
    Raw,
    inner,
    put,
    read_fields,
    write_fields,
)
from penwright.domain.cards.lorebooks import book_of, dialect_of, embedded_json
from penwright.domain.cards.refusals import refused
from penwright.domain.cards.reports import of_fields, of_rest
from penwright.errors import UsageMistake
from schemas.cards import CardSpec, FieldReport, LoreDialect
from schemas.lore import Lorebook
from schemas.worlds import Character

_DIALECTS: Final[Mapping[CardSpec, LoreDialect]] = {"v1": "card-v2", "v2": "card-v2", "v3": "card-v3"}
_NAMELESS: Final = "Nameless"
_OWNED: Final = (OURS, "talkativeness")
"""Keys among the extensions of a card that are fields of ours."""
_REPEATED: Final = frozenset(
    {"spec", "spec_version", "create_date", "avatar", "chat", "data.character_version"}
)
"""Keys that describe the file and not the character; also what SillyTavern notes for itself."""


# Any: JSON of other programs.
def spec_of(document: Any) -> CardSpec:
    """Return the version of a card. Raises ``UsageMistake`` (``not-a-card``)."""
    if not isinstance(document, dict):
        raise _no_card("it is no JSON object")
    if isinstance(document.get("data"), dict) and document.get("spec") != "lorebook_v3":
        return SPECS.get(str(document.get("spec")), "v2")
    if FLAT_NAMES & document.keys() and ("name" in document or "char_name" in document):
        return "v1"
    if "entries" in document or document.get("spec") == "lorebook_v3":
        raise _no_card("it is a lorebook", hint="import it with `penwright lore import FILE`")
    raise _no_card("it has neither `data` nor the fields of a first card, such as `description`")


def read_character(document: Raw, spec: CardSpec, name: str) -> tuple[Character, tuple[FieldReport, ...]]:
    """Return the character in a card and what became of its fields; ``name`` is for a card without one."""
    extensions = EXTENSIONS[spec]
    found = read_fields(document, FIELDS[spec], extensions)
    character = _made(found, name, _extensions(document, spec))
    known = {place.label for field in FIELDS[spec] for place in field.places}
    known |= _REPEATED | {".".join(BOOK_AT[spec])}
    note = (*extensions, "depth_prompt")
    usual = {".".join((*note, "depth")): 4, ".".join((*note, "role")): "system"}
    lines = (*of_fields("", found), *of_rest("", document, known, usual, (("data",), extensions, note)))
    return character, lines


def read_book(document: Raw, spec: CardSpec, name: str) -> tuple[Lorebook | None, tuple[FieldReport, ...]]:
    """Return the lorebook in a card, if there is one. Raises ``UsageMistake`` as ``lorebooks.book_of``."""
    raw = inner(document, BOOK_AT[spec])
    if raw is None:
        return None, ()
    if not isinstance(raw, dict) or not isinstance(raw.get("entries"), list | dict):
        why = "it has no entries and has no effect here; it is kept for export"
        return None, (FieldReport(field=".".join(BOOK_AT[spec]), fate="unsupported", why=why),)
    read = book_of(raw, dialect_of(raw["entries"], _DIALECTS[spec]), name)
    return read.book, read.report


def changed_card(document: Raw, spec: CardSpec, character: Character, lorebook: Lorebook | None) -> Raw:
    """Return the card changed to say what is given; a field that says it already stays as it is."""
    changed = copy.deepcopy(document)
    called = read_character(document, spec, "")[0].name
    _write_extensions(changed, spec, character.extensions)
    values = {field.name: getattr(character, field.name) for field in FIELDS[spec]}
    write_fields(changed, FIELDS[spec], EXTENSIONS[spec], values)
    _write_book(changed, spec, called, lorebook)
    return changed


def as_spec(document: Raw, spec: CardSpec, target: CardSpec) -> Raw:
    """Return the card as another version, with all that it has."""
    if spec == target:
        return document
    new = new_card(target)
    if spec == "v1":
        character, _ = read_character(document, spec, _NAMELESS)
        book, _ = read_book(document, spec, character.name)
        return changed_card(new, target, character, book)
    named = {name: new[name] for name in ("spec", "spec_version")}
    return document | named | {"data": new["data"] | document["data"]}


def _made(found: Mapping[str, FieldReading], name: str, extensions: Raw) -> Character:
    values = {field: reading.value for field, reading in found.items()}
    values["name"] = values["name"] or name or _NAMELESS
    return Character.model_validate(values | {"id": "", "extensions": extensions})


def _extensions(document: Raw, spec: CardSpec) -> Raw:
    own = inner(document, EXTENSIONS[spec])
    return {name: value for name, value in own.items() if name not in _OWNED} if isinstance(own, dict) else {}


def _write_extensions(document: Raw, spec: CardSpec, extensions: Raw) -> None:
    if extensions == _extensions(document, spec):
        return
    before = inner(document, EXTENSIONS[spec])
    owned = {name: before[name] for name in _OWNED if name in before} if isinstance(before, dict) else {}
    wanted = {name: value for name, value in extensions.items() if name not in _OWNED}
    put(document, EXTENSIONS[spec], copy.deepcopy(wanted) | owned)


def _write_book(document: Raw, spec: CardSpec, called: str, lorebook: Lorebook | None) -> None:
    """Change the book only if it says something else; a book that was taken away goes."""
    before, _ = read_book(document, spec, called)
    if same_book(before, lorebook):
        return
    if lorebook is None:
        holder = inner(document, BOOK_AT[spec][:-1])
        holder.pop(BOOK_AT[spec][-1], None)
        return
    target = "silly-tavern" if before and before.dialect == "silly-tavern" else _DIALECTS[spec]
    put(document, BOOK_AT[spec], embedded_json(lorebook, target, called))


def same_book(one: Lorebook | None, other: Lorebook | None) -> bool:
    """Whether two books say the same; their ids, versions, files and dialects do not count."""
    if one is None or other is None:
        return one is other
    bare = {"id": "", "source": None, "version": 1, "dialect": ""}
    return one.model_copy(update=bare) == other.model_copy(update=bare)


def _no_card(why: str, hint: str = "") -> UsageMistake:
    return refused(
        "not-a-card",
        f"the file holds no character card: {why}",
        hint=hint or "give a card as PNG, WebP, JSON, YAML or CHARX, version 1, 2 or 3",
    )
