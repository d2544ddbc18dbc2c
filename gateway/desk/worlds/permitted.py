"""Rights on what scenes share: worlds, campaigns, arcs, people and lorebooks."""

from typing import Any

from gateway.desk.principals import Principal, Scope, require
from gateway.desk.services import Services
from gateway.desk.works.subjects import WORLDS
from gateway.desk.worlds.kinds import EntityKind
from penwright.errors import NotFound


def worlds(principal: Principal, scope: Scope) -> None:
    """``Refused`` ``not-permitted`` unless ``principal`` may do ``scope`` with what scenes share."""
    require(principal, scope, WORLDS)


# Any: kinds have no common type of their things.
def entity(
    services: Services, principal: Principal, scope: Scope, kind: EntityKind[Any], thing_id: str
) -> Any:
    """Read the one with this id, never the one with it as its name.

    Raises:
        Refused: ``not-permitted``.
        NotFound: ``no-such-world``, ``no-such-character`` and so on.
    """
    worlds(principal, scope)
    with services.open_store() as store:
        found = store.worlds.read(kind.type, thing_id)
    if found is None:
        raise absent(kind, thing_id)
    return found


# Any: as above.
def absent(kind: EntityKind[Any], thing_id: str) -> NotFound:
    """The error for an id that nothing has: ``no-such-world`` and so on."""
    return NotFound(
        f"no-such-{kind.word}",
        f"there is no {kind.word} {thing_id!r}",
        hint=f"the list of {kind.plural} has their ids",
    )
