"""Texts of the author that a prompt of a scene had no room for."""

from collections.abc import Iterable, Mapping

from schemas.envelope import Item, Section

_AUTHORS: Mapping[Section, str] = {
    "lore": "lore",
    "notes": "notes",
    "people": "descriptions of the people",
    "director_guidance": "guidance",
    "character_guidance": "guidance",
}
"""Sections that do not grow from round to round, in words; of the others there is ever more."""
_SHORTER = ("no room", "shortened", "name only")


def unshown(items: Iterable[Item]) -> tuple[str, ...]:
    """The author's texts of which something was left out or shortened for want of room, in words."""
    short = (each.section for each in items if each.reason.startswith(_SHORTER))
    return tuple(dict.fromkeys(_AUTHORS[each] for each in short if each in _AUTHORS))


def no_room(texts: Iterable[str]) -> tuple[str, ...]:
    """The warning of a round about such texts; none without any."""
    named = ", ".join(texts)
    said = (
        f"prompts of this round had no room for all of the {named}: raise `context_tokens` of the scene, or "
        "of the model if that is smaller"
    )
    return (said,) if named else ()
