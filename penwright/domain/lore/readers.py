"""For whose prompts an entry is: ids and names of characters, as people and other programs list them."""

from collections.abc import Callable, Collection, Sequence

from penwright.domain.text.slugs import folded
from schemas.lore import GAME_MASTER, LoreCase, LoreEntry
from schemas.worlds import Character

_LISTED = 5
"""Ids that a sentence names."""


def names_of(
    character: Character, read: Callable[[type[Character], str], Character | None]
) -> tuple[str, ...]:
    """Return the names, folded, by which a list may mean this character.

    A name that is the id of another character means that one: what is secret is shown to too few, not to
    too many.

    Args:
        read: finds a character by its id.
    """
    name = folded(character.name)
    owner = read(Character, name)
    means_it = name != GAME_MASTER and (owner is None or owner.id == character.id)
    return (name,) if means_it else ()


def lists(listed: Collection[str], id: str, names: Collection[str]) -> bool:
    """Whether a list of ids and names means the character with this id and these folded ``names``."""
    return any(each == id or folded(each) in names for each in listed)


def bar(entry: LoreEntry, case: LoreCase) -> str:
    """Say why a prompt may not have an entry, as a sentence without its full stop; empty if it may.

    Who reads for everyone, such as a narrator, gets nothing that is kept from one. The director may have what
    is kept from others, and what is kept from someone whom nobody knows.
    """
    if not entry.characters and not entry.character_tags:
        return ""
    named = ", ".join((*entry.characters, *(f"tag {each}" for each in entry.character_tags)))
    listed = lists(entry.characters, case.for_character, case.for_names)
    tagged = {folded(each) for each in case.for_tags} & {folded(each) for each in entry.character_tags}
    if not entry.excludes:
        means_it = (listed or not entry.characters) and (tagged or not entry.character_tags)
        return "" if means_it else f"It is only for the prompts of {named}"
    if GAME_MASTER in case.for_names:
        return ""
    if unknown := [each for each in entry.characters if each in case.unclear]:
        return f"It is kept from {unknown[0]!r}, and there is no such character"
    return f"It is kept from {named}" if listed or tagged or not case.for_character else ""


def doubt(name: str, having_it: Sequence[Character]) -> str:
    """Say what is unclear about a name in a list, as a sentence; empty if it means one character.

    Args:
        having_it: the character with this id, else all with this name.
    """
    if len(having_it) == 1 or folded(name) == GAME_MASTER:
        return ""
    shown = repr(name[:80])
    if not having_it:
        return f"There is no character {shown} yet; it is in no prompt until there is one."
    ids = ", ".join(each.id for each in having_it[:_LISTED])
    return f"{shown} may be any of {len(having_it)} characters ({ids}); name one by its id in the entry."
