"""Places of a field in the JSON of another program, and what reading and writing through them means."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

from penwright.domain.cards.fields.kinds import MOST, Reading, Unwritable, ValueKind

Raw = dict[str, Any]
OURS: Final = "penwright"
"""Within ``extensions``: what no field of the other program can say."""


class Place(Protocol):
    """Position that a field may have."""

    @property
    def home(self) -> bool:
        """Whether a value is written here that stands nowhere yet."""
        ...

    @property
    def derived(self) -> bool:
        """Whether another field is the owner: it is read here and never written."""
        ...

    @property
    def label(self) -> str:
        """As the file calls it."""
        ...

    def stands(self, raw: Raw) -> bool:
        """Whether something is said here; null says nothing."""
        ...

    def read(self, raw: Raw) -> Reading | None:
        """The value; None if it cannot be read."""
        ...

    # Any: a value of the field.
    def write(self, raw: Raw, value: Any) -> None:
        """Change ``raw``. Raises ``Unwritable``."""
        ...


@dataclass(frozen=True, slots=True)
class Key:
    """A key of an object, or of one within it."""

    path: tuple[str, ...]
    kind: ValueKind
    home: bool = True
    derived: bool = False

    @property
    def label(self) -> str:
        return ".".join(self.path)

    def stands(self, raw: Raw) -> bool:
        return inner(raw, self.path) is not None

    def read(self, raw: Raw) -> Reading | None:
        return self.kind.read(inner(raw, self.path))

    def write(self, raw: Raw, value: Any) -> None:
        put(raw, self.path, self.kind.write(value))


@dataclass(frozen=True, slots=True)
class Field:
    """A field of ours with its places: the first that says something counts, all that do are written."""

    name: str
    places: Sequence[Place]
    default: Any
    lent: bool = False
    """Whether it is left out where the file has no place for it, because the file's own name says it."""
    of: type | None = None
    """The type of its values where the default is None."""
    choices: Sequence[str] = ()
    """Its values, where there are only some."""


@dataclass(frozen=True, slots=True)
class FieldReading:
    value: Any
    label: str = ""
    """The place; empty: the file says nothing of it, or says it for another field too."""
    exact: bool = True
    unread: bool = False
    """Whether something stands there that cannot be read, so that the default counts."""


def inner(raw: Any, path: Sequence[str]) -> Any:
    """Return what stands at a path; None if nothing does."""
    for name in path:
        raw = raw.get(name) if isinstance(raw, dict) else None
    return raw


def put(raw: Raw, path: Sequence[str], value: Any) -> None:
    """Set what stands at a path. Raises ``Unwritable`` where something else than an object is in the way."""
    for name in path[:-1]:
        raw = raw.setdefault(name, {})
        if not isinstance(raw, dict):
            raise Unwritable
    raw[path[-1]] = value


def read_field(raw: Raw, field: Field) -> FieldReading:
    """Return the value of a field, its default where the file says nothing or nothing that can be read."""
    unread = ""
    for place in field.places:
        if not place.stands(raw):
            continue
        if found := place.read(raw):
            label = "" if place.derived else place.label
            return FieldReading(found.value, label, found.exact and not unread)
        unread = unread or place.label
    return FieldReading(field.default, unread, not unread, unread=bool(unread))


def read_fields(raw: Raw, fields: Sequence[Field], extensions: Sequence[str]) -> dict[str, FieldReading]:
    """Return all fields by name. What our own part of the extensions says goes before everything else."""
    found = {field.name: read_field(raw, field) for field in fields}
    ours = inner(raw, (*extensions, OURS))
    if isinstance(ours, Mapping):
        label = ".".join((*extensions, OURS))
        said = [field for field in fields if field.name in ours and _fits(ours[field.name], field)]
        found |= {each.name: FieldReading(_ours(ours[each.name]), f"{label}.{each.name}") for each in said}
    return found


def _fits(value: Any, field: Field) -> bool:
    """Whether what our own part says can be a value of the field; others may have written there."""
    if field.lent:
        return False
    if isinstance(field.default, tuple):
        return isinstance(value, list) and all(isinstance(each, str) for each in value)
    if value is None:
        return field.default is None
    kind = field.of or type(field.default)
    right = type(value) is kind and (not field.choices or value in field.choices)
    return right and not (kind is int and abs(value) > MOST)


def _ours(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def write_fields(
    raw: Raw, fields: Sequence[Field], extensions: Sequence[str], values: Mapping[str, Any]
) -> None:
    """Change ``raw`` so that it says these values; what says them already stays as it is."""
    before = read_fields(raw, fields, extensions)
    changed = [each for each in fields if before[each.name].value != values[each.name]]
    for field in changed:
        _clear_ours(raw, extensions, field.name)
        _write(raw, field, values[field.name])
    if changed:
        _say_the_rest(raw, fields, extensions, values)


def _write(raw: Raw, field: Field, value: Any) -> None:
    own = [place for place in field.places if not place.derived]
    standing = [place for place in own if place.stands(raw)]
    for place in standing or [place for place in own if place.home][:1]:
        try:
            place.write(raw, value)
        except Unwritable:
            continue


def _say_the_rest(
    raw: Raw, fields: Sequence[Field], extensions: Sequence[str], values: Mapping[str, Any]
) -> None:
    """Put into our part of the extensions what no place can say, or what a change of another field moved."""
    after = read_fields(raw, fields, extensions)
    for field in fields:
        if after[field.name].value != values[field.name] and not field.lent:
            put(_sound_extensions(raw, extensions), (OURS, field.name), _plain(values[field.name]))


def _sound_extensions(raw: Raw, path: Sequence[str]) -> Raw:
    """Return the object of the extensions, made where it is missing or something else stands there."""
    for name in path:
        if not isinstance(raw.get(name), dict):
            raw[name] = {}
        raw = raw[name]
    if not isinstance(raw.get(OURS), dict):
        raw[OURS] = {}
    return raw


def _clear_ours(raw: Raw, extensions: Sequence[str], name: str) -> None:
    ours = inner(raw, (*extensions, OURS))
    if isinstance(ours, dict) and name in ours:
        del ours[name]
        if not ours:
            del inner(raw, extensions)[OURS]


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value
