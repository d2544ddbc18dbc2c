"""Display name of an entry of a lorebook."""

from schemas.lore import LoreEntry

_KEYS, _WORDS, _LONGEST = 3, 6, 60
"""Keys, words and characters by which an entry without a title is known."""


def name_of(entry: LoreEntry) -> str:
    """The title; without one the first keys, or the first words of the content, in quotes."""
    if entry.title.strip():
        return entry.title
    words = ", ".join(entry.keys[:_KEYS]) or " ".join(entry.content.split()[:_WORDS])
    return f"“{words[:_LONGEST]}”"
