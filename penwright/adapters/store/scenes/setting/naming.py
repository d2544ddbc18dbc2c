"""Ids made from names, and the errors about both."""

import unicodedata
from collections.abc import Collection

from penwright.errors import NotFound, Refused


def folded(name: str) -> str:
    """The form in which names are compared."""
    return unicodedata.normalize("NFKC", name).casefold().strip()


def free(wanted: str, taken: Collection[str]) -> str:
    """Return the id, or the first of ``<id>-2``, ``<id>-3`` … that is free."""
    number, found = 1, wanted
    while found in taken:
        number += 1
        found = f"{wanted}-{number}"
    return found


def no_such(kind: str, id: str) -> NotFound:
    return NotFound(f"no-such-{kind}", f"There is no {kind} {id!r}. `penwright {kind} list` names all.")


def unregistered(kind: str, id: str) -> NotFound:
    """Make the error for a book or novel that the store does not have."""
    listed = "manuscript" if kind == "novel" else kind
    return NotFound(
        f"unknown-{kind}", f"no {kind} is registered as {id!r}", hint=f"see `penwright {listed} list`"
    )


def stale(kind: str, id: str, version: int) -> Refused:
    return Refused(
        "stale",
        f"The {kind} {id!r} was changed meanwhile: it is at version {version}. "
        "Open it again, and make the change on what it says now.",
        version=str(version),
    )


def in_use(scene: str, round: int) -> Refused:
    return Refused(
        "in-use",
        f"Round {round} of scene {scene!r} runs.",
        hint=f"wait for its end, or stop it: `penwright scene stop {scene}`",
        scene=scene,
        round=str(round),
    )
