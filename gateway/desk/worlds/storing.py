"""Create and change what people write; no change is stored over a newer one of the same field."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic

from gateway.desk.models import check_model
from gateway.desk.services import Services
from gateway.desk.worlds.finding import found
from gateway.desk.worlds.forms.filling import assigned, filled
from gateway.desk.worlds.forms.writing import difference, read_form
from gateway.desk.worlds.forms.yaml_reading import Read
from gateway.desk.worlds.kinds import CHARACTER, PERSONA, EntityKind, Thing
from penwright.errors import NotFound, Refused
from penwright.ports.portions import Portion
from penwright.ports.scenes import Worlds
from schemas.lore import LoreEntry
from schemas.worlds import Character, Scene

_ATTEMPTS = 5
"""To store beside changes of others."""

_NAMESAKES = 1_000
"""Of one name: as many as are told."""


@dataclass(frozen=True, slots=True)
class EntityFields:
    """Fields that a caller gives for a thing: a form, then single values, which win."""

    form: str = ""
    words: tuple[str, ...] = ()
    """``field=value``."""
    values: Mapping[str, Any] = field(default_factory=dict)
    """The same as JSON, by field. Any: JSON."""


@dataclass(frozen=True, slots=True)
class Subject(Generic[Thing]):
    """One thing that is edited, where it is stored, and how a person calls it."""

    kind: EntityKind[Thing]
    title: str
    """Such as ``character mara``."""
    command: str
    """Such as ``penwright character edit mara``."""
    thing: Thing
    version: int
    write: Callable[[Thing, int], tuple[Thing, int]]
    """Stores the thing if its stored version is still this one; returns it with the next one."""
    reread: Callable[[], tuple[Thing, int]]


@dataclass(frozen=True, slots=True)
class Changed(Generic[Thing]):
    """A change that is stored."""

    thing: Thing
    version: int
    difference: tuple[str, ...]
    """Lines of a diff; empty: there was nothing to change."""


@dataclass(frozen=True, slots=True)
class Clash:
    """A field of which two versions say different things."""

    field: str
    mine: Any  # Any: JSON of the field
    theirs: Any


@dataclass(frozen=True, slots=True)
class Conflict:
    """A change that is not stored: another process changed the same fields meanwhile."""

    based_on: int
    version: int
    """The stored one."""
    clashes: tuple[Clash, ...]
    merged: Any
    """Any: the thing. Theirs, with mine in every field that I changed; where that is not known, mine."""


def create(services: Services, kind: EntityKind[Any], thing: Any, wanted: EntityFields) -> Any:
    """Store a new thing with what is wanted of it; returns it with its id.

    Args:
        thing: with its name and owner; its id is empty.

    Raises:
        UsageMistake: as ``read_form`` and ``assigned``; ``unknown-model``.
    """
    made = wanted_of(kind, thing, wanted)[0]
    _check_model(services, made)
    with services.open_store() as store:
        return store.worlds.create(made)


def namesakes(services: Services, kind: EntityKind[Any], made: Any) -> tuple[str, ...]:
    """Ids of others of the same kind that have the name of ``made``, compared without case."""
    with services.open_store() as store:
        same, _ = store.worlds.part(kind.type, Portion(_NAMESAKES, called=kind.name_of(made)))
    return tuple(each.id for each in same if each.id != made.id)


def wanted_of(kind: EntityKind[Thing], thing: Thing, wanted: EntityFields) -> tuple[Thing, int | None]:
    """Return the thing with what is wanted, and the version that the form was made from, if it says so."""
    made, based_on = read_form(kind, thing, wanted.form) if wanted.form else (thing, None)
    given = assigned(kind, wanted.words)
    return filled(kind, made, Read({**wanted.values, **given.values}, given.lines)), based_on


def subject(services: Services, kind: EntityKind[Any], name: str, *, below: str = "") -> Subject[Any]:
    """Return what is stored under this id or name, to be edited; raises as ``found``."""
    with services.open_store() as store:
        thing = found(store.worlds, kind, name, below=below)

    def write(new: Any, version: int) -> tuple[Any, int]:
        _check_model(services, new, thing)
        with services.open_store() as store:
            named = with_ids(store.worlds, new, thing)
            stored = store.worlds.change(named.model_copy(update={"version": version}))
        return stored, stored.version

    def reread() -> tuple[Any, int]:
        with services.open_store() as store:
            now = whole(store.worlds, kind, thing.id)
        return now, now.version

    verb = {"arc": "campaign arc edit", "lorebook": "lore edit", "scene": "scene form"}
    command = f"penwright {verb.get(kind.word, f'{kind.word} edit')} {thing.id}"
    return Subject(kind, f"{kind.word} {thing.id}", command, thing, thing.version, write, reread)


def _check_model(services: Services, new: Any, before: Any = None) -> None:
    """Raise ``UsageMistake`` (``unknown-model``) for a model that a character is newly given."""
    if isinstance(new, Character) and new.model and new.model != getattr(before, "model", ""):
        check_model(services.loaded(), new.model)


def whole(worlds: Worlds, kind: EntityKind[Any], id: str) -> Any:
    """Return the thing as it is stored now; raises ``NotFound`` if it was removed meanwhile."""
    if (thing := worlds.read(kind.type, id)) is None:
        raise NotFound(f"no-such-{kind.word}", f"the {kind.word} {id!r} was removed meanwhile")
    return thing


def change(given: Subject[Thing], mine: Thing, based_on: int | None = None) -> Changed[Thing] | Conflict:
    """Store ``mine``; what another process changed meanwhile stays, unless both changed the same field.

    Args:
        based_on: the version from which ``mine`` was made; None: the one that was read.
    """
    lines = tuple(difference(given.kind, given.thing, mine))
    if not lines:
        return Changed(given.thing, given.version, ())
    if based_on not in (None, given.version):
        known = {name: object() for name in given.kind.values(mine)}
        clashes = _clashes(given.kind, known, mine, given.thing)
        return Conflict(based_on or 0, given.version, clashes, mine)
    base, version = given.thing, given.version
    for _ in range(_ATTEMPTS):
        try:
            return Changed(*given.write(mine, version), lines)
        except Refused as refusal:
            if refusal.code != "stale":
                raise
        theirs, newest = given.reread()
        merged = _rebased(given.kind, base, mine, theirs)
        if clashes := _clashes(given.kind, given.kind.values(base), mine, theirs):
            return Conflict(version, newest, clashes, merged)
        mine, base, version = merged, theirs, newest
    raise Refused(
        "stale", f"{given.title} changes all the time; nothing was stored", hint="try again in a moment"
    )


def _clashes(
    kind: EntityKind[Thing], base: Mapping[str, Any], mine: Thing, theirs: Thing
) -> tuple[Clash, ...]:
    """The fields that both changed from ``base``, to different values."""
    other = kind.values(theirs)
    return tuple(
        Clash(name, value, other[name])
        for name, value in kind.values(mine).items()
        if value != other[name] and base[name] not in (value, other[name])
    )


def _rebased(kind: EntityKind[Thing], base: Thing, mine: Thing, theirs: Thing) -> Thing:
    """Return ``theirs`` with the fields that ``mine`` changed."""
    before = kind.values(base)
    changed = {name: value for name, value in kind.values(mine).items() if value != before[name]}
    return filled(kind, theirs, Read(changed, {}))


def with_ids(worlds: Worlds, new: Any, before: Any = None) -> Any:
    """Return a thing that names others by id; what ``before`` named already is left as it is.

    Raises:
        NotFound: ``no-such-character`` or ``no-such-persona``.
        UsageMistake: ``ambiguous-name``.
    """
    if isinstance(new, LoreEntry):
        known = before.characters if before else ()
        ids = [each if each in known else found(worlds, CHARACTER, each).id for each in new.characters]
        return new.model_copy(update={"characters": tuple(dict.fromkeys(ids))})
    if isinstance(new, Scene) and new.persona and (before is None or new.persona != before.persona):
        return new.model_copy(update={"persona": found(worlds, PERSONA, new.persona).id})
    return new
