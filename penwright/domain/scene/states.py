"""Changes of characters' fields, of trackers and of facts of the world, and whose word counts.

Within a round the sources of a field come one after another: the director's first pass, then what a
character's reply reports, or where it reports nothing what the rules infer, then the director's second pass.
The last word counts; what it overrules is kept, and a person can reinstate it.
"""

from collections.abc import Iterable, Mapping

from penwright.domain.scene import presence
from schemas.director import FIELDS, ChangeSource, StateChange, StatePatch
from schemas.scene import SceneState

WORLD, TRACKER = "world", "tracker"
"""Subjects that are no characters."""
LONGEST = 1_000
"""Characters of a value; a longer one is refused."""
_UNCHANGED = ("", "default")


def real(value: str | None) -> str:
    """The value without outer space; empty if it changes nothing: empty, null, or "default" in any case."""
    stripped = (value or "").strip()
    return "" if stripped.casefold() in _UNCHANGED else stripped


def current(state: SceneState, subject: str, field: str) -> str:
    """The value of a field now; empty if it has none."""
    if subject == WORLD:
        return state.world.get(field, "")
    if subject == TRACKER:
        return state.trackers.get(field, "")
    return str(getattr(presence.of(state, subject), field, ""))


def changes_of(
    state: SceneState, subject: str, values: Mapping[str, str | None], source: ChangeSource, by: str = ""
) -> tuple[StateChange, ...]:
    """The changes that new values make, in the order of the fields; values that are too long make none."""
    found = [(field, current(state, subject, field), real(values[field])) for field in _in_order(values)]
    return tuple(
        StateChange(subject=subject, field=field, old=old, new=new, source=source, by=by)
        for field, old, new in found
        if new and new != old and len(new) <= LONGEST
    )


def _in_order(values: Mapping[str, str | None]) -> list[str]:
    known = [field for field in FIELDS if field in values]
    return [*known, *sorted(set(values) - set(FIELDS))]


def fold(state: SceneState, changes: Iterable[StateChange]) -> SceneState:
    """The state after the changes; those that are overruled count no longer.

    An empty value takes a fact of the world or a tracker away.
    """
    for change in changes:
        if change.overruled:
            continue
        if change.subject == WORLD:
            state = state.model_copy(update={"world": _with(state.world, change)})
        elif change.subject == TRACKER:
            state = state.model_copy(update={"trackers": _with(state.trackers, change)})
        elif change.field in FIELDS:
            state = presence.changed(state, change.subject, **{change.field: change.new})
    return state


def _with(facts: Mapping[str, str], change: StateChange) -> dict[str, str]:
    return {key: value for key, value in {**facts, change.field: change.new}.items() if value}


def settled(changes: Iterable[StateChange]) -> tuple[StateChange, ...]:
    """All changes of a round, in their order; each that a later one set otherwise is marked as overruled."""
    last: dict[tuple[str, str], str] = {}
    told = tuple(changes)
    for change in told:
        last[change.subject, change.field] = change.new
    return tuple(
        each.model_copy(update={"overruled": last[each.subject, each.field] != each.new}) for each in told
    )


def reported_or_inferred(
    state: SceneState, character: str, reported: StatePatch, inferred: StatePatch
) -> tuple[StateChange, ...]:
    """Changes by a turn: the character's own word, and the rules' where it says nothing of a field."""
    own: dict[str, str | None] = {field: real(getattr(reported, field)) for field in FIELDS}
    rest: dict[str, str | None] = {field: getattr(inferred, field) for field in FIELDS if not own[field]}
    return (
        *changes_of(state, character, own, "reported", character),
        *changes_of(state, character, rest, "inferred", character),
    )
