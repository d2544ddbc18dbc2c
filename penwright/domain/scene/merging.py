"""A character as it is in one campaign: base, then the world's override, then the campaign's.

Objects merge by key at any depth; lists and scalars, the empty text among them, replace what was there; null
takes a field back to its default, and a key of an object out of it. Placeholders such as ``{{char}}`` stay.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Literal

from pydantic import ValidationError

from penwright.errors import Refused
from schemas.base import Value
from schemas.worlds import Character, Override

MergeLevel = Literal["base", "world", "campaign"]
_OWN = frozenset({"id", "version", "card"})
"""Fields that no override may set."""
OVERRIDABLE = tuple(name for name in Character.model_fields if name not in _OWN)
"""Fields of a character that an override may set."""


class Merged(Value):
    """A character and where its fields come from."""

    character: Character
    levels: dict[str, MergeLevel]
    """By field: the level that set it last; a key of an object as ``extensions.key``."""


def merged(base: Character, world: Override | None = None, campaign: Override | None = None) -> Merged:
    """Lay the overrides over the base; the campaign's wins.

    Raises:
        Refused: ``unknown-field``, with the field's name; ``bad-value``, if its value is of another kind.
    """
    laid = Merged(character=base, levels=dict.fromkeys(OVERRIDABLE, "base"))
    for override in (world, campaign):
        if override is not None:
            laid = _laid_over(laid, override, base)
    return laid


def merged_at(base: Character, overrides: Iterable[Override], world: str, campaign: str) -> Character:
    """The character as it is in a campaign of a world; raises as ``merged``.

    Args:
        overrides: all there are of the character.
    """
    laid = {(each.level, each.at): each for each in overrides}
    return merged(base, laid.get(("world", world)), laid.get(("campaign", campaign))).character


def checked(fields: Mapping[str, Any]) -> None:
    """Refuse the names of fields that no character has, or that an override may not set.

    Raises:
        Refused: ``unknown-field``.
    """
    unknown = sorted(name for name in fields if name not in OVERRIDABLE)
    if unknown:
        raise Refused(
            "unknown-field",
            f"an override cannot set {_listed(unknown)}; it may set {_listed(OVERRIDABLE)}",
            fields=", ".join(unknown),
        )


def _laid_over(laid: Merged, override: Override, base: Character) -> Merged:
    checked(override.fields)
    # Any: values of any field.
    fields: dict[str, Any] = laid.character.model_dump()
    levels = dict(laid.levels)
    for name, value in override.fields.items():
        levels = _levels(levels, name, value, override.level)
        fields[name] = _default(name, base) if value is None else _over(fields[name], value)
    return Merged(character=_character(fields), levels=levels)


def _levels(
    levels: Mapping[str, MergeLevel], name: str, value: object, level: MergeLevel
) -> dict[str, MergeLevel]:
    """Note where a field comes from; an object that is replaced whole has no keys of lower levels left."""
    if isinstance(value, Mapping):
        return {**levels, name: level, **{f"{name}.{key}": level for key in value}}
    kept = {field: of for field, of in levels.items() if not field.startswith(f"{name}.")}
    return {**kept, name: level}


def _over(below: object, above: Any) -> Any:  # Any: JSON
    """``above`` over ``below``; a null inside an object removes its key."""
    if not isinstance(above, Mapping):
        return above
    laid = dict(below) if isinstance(below, Mapping) else {}
    for key, value in above.items():
        laid[key] = _over(laid.get(key), value)
    return {key: value for key, value in laid.items() if above.get(key, "") is not None}


def _default(name: str, base: Character) -> Any:  # Any: of any field
    """The default of a field; a name has none but the base's."""
    field = Character.model_fields[name]
    return getattr(base, name) if field.is_required() else field.get_default(call_default_factory=True)


def _character(fields: Mapping[str, Any]) -> Character:
    try:
        character = Character.model_validate(fields)
    except ValidationError as error:
        first = error.errors()[0]
        raise _bad_value(".".join(map(str, first["loc"])), first["msg"]) from error
    if not character.name.strip():
        raise _bad_value("name", "it is empty")
    return character


def _bad_value(field: str, why: str) -> Refused:
    return Refused("bad-value", f"the override of `{field}` does not fit: {why}; correct it", field=field)


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)
