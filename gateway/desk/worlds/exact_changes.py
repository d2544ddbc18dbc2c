"""Changes and removals that say which version they were made from; to any other they are refused."""

from collections.abc import Mapping
from typing import Any

from gateway.desk.principals import Principal, require
from gateway.desk.services import Services
from gateway.desk.worlds import permitted, removing
from gateway.desk.worlds.kinds import EntityKind, Thing
from gateway.desk.worlds.removing import Removal
from gateway.desk.worlds.storing import EntityFields, Subject, wanted_of
from penwright.errors import Refused


def change(subject: Subject[Thing], version: int, values: Mapping[str, Any]) -> tuple[Thing, int]:
    """Set fields of a thing; returns it as it is stored, with its version. Any: JSON by field.

    Raises:
        Refused: ``stale``: the stored version is another one; nothing was changed.
        UsageMistake: ``unknown-field``, ``bad-value`` and so on.
    """
    if subject.version != version:
        raise _stale(subject.title)
    return subject.write(wanted_of(subject.kind, subject.thing, EntityFields(values=values))[0], version)


# Any: kinds have no common type of their things.
def remove(
    services: Services, principal: Principal, kind: EntityKind[Any], thing_id: str, version: int
) -> Removal:
    """Remove a thing with all that belongs to it, and say what that was.

    Raises:
        Refused: ``stale``; ``not-permitted``, also for a scene that would go; ``in-use``: a round runs;
            ``in-scenes``: a character is in scenes, out of which it must be taken first.
        NotFound: there is no such thing.
    """
    thing = permitted.entity(services, principal, "write", kind, thing_id)
    if thing.version != version:
        raise _stale(f"{kind.word} {thing_id}")
    wanted = removing.removal(services, kind, thing_id)
    for scene in wanted.goes.scenes:
        require(principal, "write", f"scene/{scene}")
    removing.remove(services, wanted)
    return wanted


def _stale(title: str) -> Refused:
    return Refused("stale", f"{title} was changed meanwhile; nothing was done", hint="read it again")
