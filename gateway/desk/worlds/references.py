"""Other things that a form names: ids or names come in, ids are stored."""

from typing import Any

from gateway.desk.worlds.finding import found
from gateway.desk.worlds.kinds import CHARACTER, PERSONA
from penwright.ports.scenes import Worlds
from schemas.lore import LoreEntry
from schemas.worlds import Scene


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
