"""Ids made from names, and the errors about both."""

import re
import unicodedata
from collections.abc import Collection

from penwright.errors import NotFound, Refused, UsageMistake

_CONTROL = re.compile(r"[\x00-\x1f\x7f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""Also what breaks lines and what turns the order of letters around: a name shows in every list."""
_LONGEST_NAME = 300


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


def check_name(name: str) -> None:
    """Raise ``UsageMistake`` (``bad-name``) unless people can read the name in a list."""
    seen = "".join(each for each in name if unicodedata.category(each) != "Cf")
    if not seen.strip() or len(name) > _LONGEST_NAME or _CONTROL.search(name):
        raise UsageMistake(
            "bad-name",
            f"{name[:80]!r} cannot be a name. Use 1 to {_LONGEST_NAME} characters in one line.",
        )


def no_such(kind: str, id: str) -> NotFound:
    return NotFound(f"no-such-{kind}", f"There is no {kind} {id!r}. `penwright {kind} list` names all.")


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
