"""A person's changes of the state."""

from collections.abc import Collection
from typing import get_args

from schemas.director import StateChange, StateField
from schemas.scene import CharacterState, PatchState, SceneChanged, SceneState

_FIELDS = get_args(StateField)


def refused_patch(state: SceneState, request: PatchState, known: Collection[str]) -> SceneChanged | None:
    """Why the changes cannot be made; a change that names the old value is made only on that."""
    for change in request.changes:
        if change.subject not in ("world", "tracker"):
            if change.subject not in known:
                return _no_such_subject(change)
            if change.field not in _FIELDS:
                return _no_such_field(change)
        if change.old and change.old != value_of(state, change):
            return _stale(change, value_of(state, change))
    return None


def patched(state: SceneState, request: PatchState) -> tuple[SceneState, tuple[StateChange, ...]]:
    """The state with the changes, and the changes as they are recorded."""
    made = []
    for change in request.changes:
        old = value_of(state, change)
        made.append(
            change.model_copy(update={"old": old, "source": "person", "by": request.who or change.by})
        )
        state = with_value(state, change)
    return state, tuple(made)


def value_of(state: SceneState, change: StateChange) -> str:
    """What the field is now; empty if it was never set."""
    if change.subject == "world":
        return state.world.get(change.field, "")
    if change.subject == "tracker":
        return state.trackers.get(change.field, "")
    found = next((one for one in state.characters if one.id == change.subject), None)
    return str(getattr(found, change.field, ""))


def with_value(state: SceneState, change: StateChange) -> SceneState:
    """The state with one field set; an empty value takes a fact or tracker away."""
    if change.subject in ("world", "tracker"):
        name = "world" if change.subject == "world" else "trackers"
        facts = {**getattr(state, name), change.field: change.new}
        return state.model_copy(update={name: {key: value for key, value in facts.items() if value}})
    others = tuple(one for one in state.characters if one.id != change.subject)
    found = next((one for one in state.characters if one.id == change.subject), None)
    if found is None:
        new = CharacterState.model_validate({"id": change.subject, change.field: change.new})
        return state.model_copy(update={"characters": (*others, new)})
    new = found.model_copy(update={change.field: change.new})
    kept = tuple(new if one.id == change.subject else one for one in state.characters)
    return state.model_copy(update={"characters": kept})


def _stale(change: StateChange, now: str) -> SceneChanged:
    return SceneChanged(
        code="stale",
        message=f"{change.field} of {change.subject} is {now!r} now, not {change.old!r}. "
        "Look again, then set it.",
    )


def _no_such_subject(change: StateChange) -> SceneChanged:
    return SceneChanged(
        code="no-such-character",
        message=f"{change.subject!r} is not known in this scene. `penwright scene show` names all who are.",
    )


def _no_such_field(change: StateChange) -> SceneChanged:
    return SceneChanged(
        code="no-such-field",
        message=f"A character has no field {change.field!r}. There are {', '.join(_FIELDS)}.",
    )
