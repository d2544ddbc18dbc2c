"""A person's changes of the state."""

from collections.abc import Collection
from typing import get_args

from penwright.domain.scene import states
from schemas.director import StateChange, StateField
from schemas.scene import PatchState, SceneChanged, SceneState

_FIELDS = get_args(StateField)


def refused_patch(state: SceneState, request: PatchState, known: Collection[str]) -> SceneChanged | None:
    """Refuse changes that cannot be made; a change that names the old value is made only on that."""
    for change in request.changes:
        if change.subject not in ("world", "tracker"):
            if change.subject not in known:
                return _no_such_subject(change)
            if change.field not in _FIELDS:
                return _no_such_field(change)
        if change.old and change.old != _now(state, change):
            return _stale(change, _now(state, change))
    return None


def patched(state: SceneState, request: PatchState) -> tuple[SceneState, tuple[StateChange, ...]]:
    """The state with the changes, and the changes as they are recorded."""
    made = []
    for change in request.changes:
        said = {"old": _now(state, change), "source": "person", "by": request.who or change.by}
        made.append(change.model_copy(update=said))
        state = states.fold(state, [change.model_copy(update={"overruled": False})])
    return state, tuple(made)


def _now(state: SceneState, change: StateChange) -> str:
    return states.current(state, change.subject, change.field)


def _stale(change: StateChange, now: str) -> SceneChanged:
    return SceneChanged(
        code="stale",
        message=f"{change.field} of {change.subject} is {now!r} now, not {change.old!r}. "
        "Look again, then set it.",
    )


def _no_such_subject(change: StateChange) -> SceneChanged:
    return SceneChanged(
        code="no-such-character",
        message=f"{change.subject!r} is not known in this scene. `penwright scene show SCENE` "
        "names all who are.",
    )


def _no_such_field(change: StateChange) -> SceneChanged:
    return SceneChanged(
        code="no-such-field",
        message=f"A character has no field {change.field!r}. There are {', '.join(_FIELDS)}.",
    )
