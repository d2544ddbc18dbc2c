"""Rules of the agents' stored variables: what a change does, when two changes conflict."""

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from pydantic import ValidationError

from penwright.domain.manuscript.placeholders import only_kept
from penwright.errors import UsageMistake
from schemas.agent_state import (
    VARIABLES,
    AgentState,
    StateChanges,
    StateConflict,
    StateKey,
    Variable,
    WriteState,
)

_NAME: Final = re.compile(r"[^\x00-\x1f\x7f/\ud800-\udfff]{1,200}")


# Any: values as they come from outside.
def changes_of(values: Mapping[str, Any]) -> StateChanges:
    """The change that sets ``values``, by variable.

    Raises:
        Refused: ``ephemeral-kept`` for a value that only the next step may use.
        UsageMistake: ``unknown-variable`` for a name that is not stored; ``bad-variable`` for a value of the
            wrong type or out of range.
    """
    only_kept(values)
    strange = sorted(set(values) - set(VARIABLES))
    if strange:
        raise UsageMistake(
            "unknown-variable",
            f"{strange[0]!r} is not stored between steps. Stored variables: {', '.join(VARIABLES)}.",
            variable=strange[0],
        )
    try:
        return StateChanges.model_validate(dict(values))
    except ValidationError as error:
        wrong = error.errors(include_url=False)[0]
        name = ".".join(map(str, wrong["loc"]))
        raise UsageMistake(
            "bad-variable", f"{name!r} cannot be {str(wrong['input'])[:80]!r}: {wrong['msg']}.", variable=name
        ) from error


def check_key(key: StateKey) -> None:
    """Raise ``UsageMistake`` ``bad-state-key`` unless its three names can be stored and told apart."""
    for name in (key.principal, key.novel, key.scene):
        if not _NAME.fullmatch(name):
            raise UsageMistake(
                "bad-state-key",
                f"Invalid name {name[:80]!r} of a principal, novel or scene. Use 1–200 characters, no slash "
                "and no control character.",
            )


def changed(state: AgentState, changes: StateChanges) -> tuple[Variable, ...]:
    """The variables that ``changes`` gives a value other than the present one."""
    return tuple(name for name, value in changes.given().items() if getattr(state, name) != value)


def applied(state: AgentState, changes: StateChanges, at: datetime) -> AgentState:
    """The next version; the same state if nothing changes."""
    if not changed(state, changes):
        return state
    update = {str(name): value for name, value in changes.given().items()}
    return state.model_copy(update={**update, "version": state.version + 1, "last_modified": at})


def conflict(request: WriteState, theirs: AgentState, since: Mapping[Variable, int]) -> StateConflict:
    """Describe a conflict to the writer of an outdated change.

    Args:
        since: the version that brought each variable's present value.
    """
    first = changed(AgentState(key=request.key), StateChanges.model_validate(_values(theirs)))
    overlapping = tuple(
        name
        for name in changed(theirs, request.changes)
        # The first version brings every variable; one that has its default still is not changed by it.
        if (since.get(name, 0) > max(request.base_version, 0 if name in first else 1))
        or request.base_version > theirs.version
    )
    return StateConflict(
        base_version=request.base_version, mine=request.changes, theirs=theirs, overlapping=overlapping
    )


def _values(state: AgentState) -> dict[str, Any]:  # Any: values of each variable's own type
    return {str(name): getattr(state, name) for name in VARIABLES}


def rebased(request: WriteState, met: StateConflict) -> WriteState | None:
    """The same change on top of what was stored meanwhile; None if a person must choose."""
    if met.overlapping:
        return None
    return request.model_copy(update={"base_version": met.theirs.version})


def reduced(request: WriteState, met: StateConflict) -> WriteState:
    """Reduce the change to what fits on top of the values stored meanwhile: nothing that overlaps."""
    left = {name: value for name, value in request.changes.given().items() if name not in met.overlapping}
    changes = StateChanges.model_validate(left)
    return request.model_copy(update={"changes": changes, "base_version": met.theirs.version})


def own_changes(request: WriteState, base: AgentState | None) -> WriteState:
    """The change without variables that are as they were at ``base``, which the writer only repeats."""
    if base is None:
        return request
    new = request.changes.given()
    left = StateChanges.model_validate({name: new[name] for name in changed(base, request.changes)})
    return request.model_copy(update={"changes": left})
