"""Names that were probably meant by one that is not known."""

from collections.abc import Iterable, Mapping
from difflib import get_close_matches

_LIKENESS = 0.6
_LONGEST = 64
"""Characters that are compared: a model or a script may send anything as a name."""


def nearest(name: str, known: Iterable[str], *, most: int = 1, likeness: float = _LIKENESS) -> list[str]:
    """Up to ``most`` known names like ``name``, the nearest first; case and missing words do not count.

    Args:
        likeness: the least, from 0 to 1.
    """
    return nearest_of(name, {each: (each,) for each in known}, most=most, likeness=likeness)


def nearest_of(
    name: str, called: Mapping[str, Iterable[str]], *, most: int = 1, likeness: float = _LIKENESS
) -> list[str]:
    """As ``nearest``, of things with several names each: ``called`` by what is returned."""
    by_name: dict[str, list[str]] = {}
    for thing, names in called.items():
        for each in names:
            for key in (each.casefold(), *each.casefold().split()):
                by_name.setdefault(key, []).append(thing)
    close = get_close_matches(name[:_LONGEST].casefold(), by_name, n=most, cutoff=likeness)
    return list(dict.fromkeys(thing for key in close for thing in by_name[key]))[:most]


def meant(name: str, known: Iterable[str]) -> str:
    """``; did you mean 'session'?``, to end a message with; empty if no known name is near."""
    return guess(nearest(name, known))


def guess(near: Iterable[str]) -> str:
    """The names as the end of a message; empty without one."""
    listed = ", ".join(map(repr, near))
    return f"; did you mean {listed}?" if listed else ""
