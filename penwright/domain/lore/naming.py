"""Display name of an entry of a lorebook, and of its place in a prompt."""

from collections.abc import Mapping

from schemas.lore import LoreEntry, Position

_KEYS, _WORDS, _LONGEST = 3, 6, 60
"""Keys, words and characters by which an entry without a title is known."""


def name_of(entry: LoreEntry) -> str:
    """The title; without one the first keys, or the first words of the content, in quotes."""
    if entry.title.strip():
        return entry.title
    words = ", ".join(entry.keys[:_KEYS]) or " ".join(entry.content.split()[:_WORDS])
    return f"“{words[:_LONGEST]}”"


_STANDING: Mapping[Position, str] = {
    "before": "before the people",
    "after": "after the people",
    "examples-top": "above the character's examples",
    "examples-bottom": "below the character's examples",
    "note-top": "above the author's notes",
    "note-bottom": "below the author's notes",
}
_CALLED: Mapping[Position, str] = {
    **dict.fromkeys(("before", "after", "examples-top", "examples-bottom"), "after the history"),
    "note-top": _STANDING["note-top"],
    "note-bottom": _STANDING["note-bottom"],
}


def place_of(entry: LoreEntry) -> str:
    """Return where the entry stands in the prompts of those who play, in words."""
    if entry.position == "depth":
        newest = "message" if entry.depth == 1 else f"{entry.depth} messages"
        return f"before the newest {newest}" if entry.depth else "after all messages"
    if entry.position == "outlet":
        name = entry.outlet.strip()
        return f"where a text calls {{{{outlet::{name}}}}}" if name else "nowhere: its outlet has no name"
    return (_STANDING if entry.constant else _CALLED)[entry.position]
