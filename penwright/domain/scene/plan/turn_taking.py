"""Actors of a pass that no model plans: those spoken to, else those whose turn it is."""

from typing import NamedTuple

from penwright.domain.scene.resolving import name_of
from schemas.director import CastMember


class Chosen(NamedTuple):
    """Ids of those who act, in order, and a sentence that says why."""

    acting: tuple[str, ...]
    why: str


def by_turns(
    present: tuple[CastMember, ...], mentioned: tuple[str, ...], longest_silent: tuple[str, ...]
) -> Chosen:
    """Choose those of the present whom the newest words name, or the one who has been silent longest.

    Args:
        present: those whom a model plays and no person forbade to act, in the order in which they came.
        mentioned: ids of those whom the newest words name, in that order.
        longest_silent: ids of those who have spoken, the newest speaker last; who is not in it never spoke.
    """
    here = [each.id for each in present]
    if not here:
        return Chosen((), "nobody is here who could act")
    if spoken_to := tuple(each for each in mentioned if each in here):
        names = ", ".join(name_of(each, present) for each in spoken_to)
        return Chosen(spoken_to, f"the newest words name {names}")
    if len(here) == 1:
        return Chosen((here[0],), f"only {name_of(here[0], present)} is here")
    last = {each: place for place, each in enumerate(longest_silent)}
    due = min(here, key=lambda each: last.get(each, -1))
    return Chosen((due,), f"it is the turn of {name_of(due, present)}, who was silent longest")
