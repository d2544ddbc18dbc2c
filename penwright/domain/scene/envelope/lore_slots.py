"""Places of lore in a prompt: between messages, around notes and examples, before or after the people.

An entry that always stands has its place among what changes least. One that a key called would change that
part of the prompt from round to round, so it stands after the history, with the others.
"""

from collections.abc import Mapping
from typing import Final

from penwright.domain.scene.envelope import knowing
from schemas.envelope import EnvelopeCase, LorePlace

STANDING: Final = "standing"
"""Before the people."""
CALLED: Final = "called"
"""With those that keys called, after the history."""
AFTER: Final = "after"
OUTLET: Final = "outlet"
"""Nowhere but where a text calls it."""
_ORDER: Final = ("before", "after", "examples-top", "examples-bottom", "note-top", "note-bottom", "depth")
_DEPTH: Final = "depth/"


def slots(case: EnvelopeCase) -> dict[str, str]:
    """Return the place of each candidate of lore, by its id; those of one place in their order."""
    places = dict(zip(lore_ids(case), case.lore_places, strict=False))
    standing = {f"lore/{each}" for each in case.standing_lore}
    found = [(id, places.get(id, LorePlace())) for id in lore_ids(case)]
    ranked = sorted(found, key=lambda each: each[1].position != OUTLET and _ORDER.index(each[1].position))
    return {id: _slot(case, place, id in standing) for id, place in ranked}


def lore_ids(case: EnvelopeCase) -> tuple[str, ...]:
    """Ids of the candidates of lore."""
    ids = case.lore_ids or tuple(str(number) for number in range(1, len(case.lore) + 1))
    return tuple(f"lore/{id}" for id in ids)


def depth_of(slot: str) -> int | None:
    """Messages that follow what stands in a place; None for a place that is not between messages."""
    return int(slot.removeprefix(_DEPTH)) if slot.startswith(_DEPTH) else None


def by_slot(case: EnvelopeCase, kept: Mapping[str, str]) -> dict[str, str]:
    """Return the texts of entries that were kept, by place."""
    texts: dict[str, list[str]] = {}
    for id, slot in slots(case).items():
        if id in kept:
            texts.setdefault(slot, []).append(kept[id])
    return {slot: "\n\n".join(those) for slot, those in texts.items()}


def _slot(case: EnvelopeCase, place: LorePlace, stands: bool) -> str:
    if place.position == "depth" and case.for_ != "summariser":
        return f"{_DEPTH}{place.depth}"
    if place.position in ("note-top", "note-bottom") and knowing.is_directed(case.for_):
        return place.position
    if place.position == OUTLET or not stands:
        return OUTLET if place.position == OUTLET else CALLED
    if place.position in ("examples-top", "examples-bottom") and case.for_ == "character":
        return place.position
    return STANDING if place.position == "before" else AFTER
