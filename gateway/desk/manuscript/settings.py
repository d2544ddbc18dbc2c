"""The settings of a document, as several devices change them: on top of what was read, or not at all."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from gateway.desk.manuscript.runs import check_instructions
from gateway.desk.services import CommandStore, Services
from gateway.desk.works import books, inspecting, novels
from gateway.desk.works.documents import Document
from penwright.domain.manuscript.agent_state import changes_of, rebased
from penwright.errors import NotFound
from schemas.agent_state import (
    AgentState,
    PastValue,
    StateConflict,
    StateKey,
    StateWritten,
    Variable,
    WriteState,
)
from schemas.base import OpId

SETTINGS: Final[tuple[Variable, ...]] = (
    "instructions",
    "max_passes",
    "min_score",
    "max_hunks",
    "max_targets",
)
"""The variables that people set; the others are what the agents keep."""


@dataclass(frozen=True, slots=True)
class Clash:
    """One setting that another device changed after this one had read it."""

    name: Variable
    mine: Any  # values of each variable's own type
    theirs: PastValue
    """With who stored it, when, and in which version."""


@dataclass(frozen=True, slots=True)
class Clashes:
    """A change that was not stored, because it would have undone another person's."""

    state: AgentState
    """The settings as they are."""
    based_on: int
    clashes: tuple[Clash, ...]


def read(services: Services, found: Document) -> AgentState:
    """The settings with their version; the defaults, version 0, if nothing was stored."""
    with services.open_store() as store:
        return inspecting.state(store, found.key)


def change(
    # Any: values of each variable's own type.
    services: Services,
    found: Document,
    values: Mapping[str, Any],
    *,
    based_on: int | None = None,
    who: str = "",
) -> StateWritten | Clashes:
    """Store ``values``, by setting; all of them, or none if one clashes.

    What others changed meanwhile stands: a setting of theirs is no clash with another one of ours. A run that
    goes on keeps the settings it was started with.

    Args:
        based_on: the version that this device read; None: the newest.
        who: who asks; empty: the person of the services.

    Raises:
        UsageMistake: as ``check_instructions``, or ``bad-variable`` for a value out of range.
        NotFound: ``unknown-version`` for a version that there was not yet.
    """
    if "instructions" in values:
        check_instructions(values["instructions"])
    novels.enter(services, found.novel)
    with services.open_store() as store:
        newest = inspecting.state(store, found.key).version
        if based_on is not None and based_on > newest:
            raise _never_was(found, based_on, newest)
        now = services.now()
        request = WriteState(
            key=found.key,
            changes=changes_of(values),
            base_version=newest if based_on is None else based_on,
            op_id=OpId(f"settings/{found.name}#{books.new_session(now)}"),
            by=who or services.person(),
            at=now,
        )
        return _written(store, request)


def _written(store: CommandStore, request: WriteState) -> StateWritten | Clashes:
    wanted = request
    while isinstance(met := store.agent_states.write(wanted), StateConflict):
        on_top = rebased(wanted, met)
        if on_top is None:
            return _clashes(store, request, met)
        wanted = on_top
    return met


def _clashes(store: CommandStore, request: WriteState, met: StateConflict) -> Clashes:
    clashes = tuple(
        Clash(name, getattr(met.mine, name), _brought(store, request.key, name, met.theirs))
        for name in met.overlapping
    )
    return Clashes(met.theirs, request.base_version, clashes)


def _brought(store: CommandStore, key: StateKey, name: Variable, seen: AgentState) -> PastValue:
    """Find the storing of the value that was met, though the next one may be there already."""
    past = store.agent_states.past(key, name)
    return next(each for each in past if each.version <= seen.version)


def _never_was(found: Document, version: int, newest: int) -> NotFound:
    return NotFound(
        "unknown-version",
        f"there is no version {version} of the settings of {found.name!r} yet; the newest is {newest}",
        hint=f"`penwright manuscript settings {found.words}` shows them with their version",
    )
