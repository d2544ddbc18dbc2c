"""Warnings about a novel's texts: what is not taken in, was emptied, or was not shown."""

from collections.abc import Iterable, Mapping
from typing import Final

from penwright.domain.manuscript.layout import BIBLIOGRAPHY, NOVEL, scene_of
from penwright.domain.manuscript.naming import words_of
from penwright.domain.text.merging.saving import emptied_warning
from schemas.workspace import IgnoredBecause, Previewed

_BECAUSE: Final[dict[IgnoredBecause, str]] = {
    "too-large": "it is larger than 20 MB; divide it into scenes",
    "not-text": "it holds a NUL byte, so it is no text; save it as UTF-8 text",
    "new-not-utf8": "it is not UTF-8 text; save it as UTF-8",
    "link": "it is a link; put the file itself there",
    "folder": "a folder stands in its place; put the file back, or remove the folder",
}
_NO_FILE: Final = "it is no plain file; put a text file there"


def left_out(found: Previewed, broken: str = "") -> tuple[str, ...]:
    """Return a sentence for each file of the novel that stays in the folder, uncommitted.

    Args:
        broken: why ``Novel.yml`` cannot be read; empty if it can.
    """
    reasons = {path: _why(found, path) for path in found.ignored if _is_novels(path)}
    reasons |= {NOVEL: broken} if broken else {}
    return tuple(f"{path!r} in the folder was left out: {why}" for path, why in reasons.items())


def emptied_told(novel: str, emptied: Mapping[str, int]) -> tuple[str, ...]:
    """Return a sentence for each scene that was emptied in the folder, with the way back.

    Args:
        emptied: paths, and how many words went.
    """
    scenes = ((path, words, scene_of(path)) for path, words in emptied.items())
    return tuple(
        emptied_warning(path, words, f"penwright manuscript undo {words_of(novel, scene)}")
        for path, words, scene in scenes
        if scene is not None
    )


def no_room(role: str, texts: Iterable[str]) -> str:
    """Return a sentence about texts that were cut in the prompt of ``role``, by their placeholders."""
    named = ", ".join(text.replace("_", " ") for text in texts)
    return (
        f"the prompt of the {role} had no room for all of the {named}: raise `context_tokens` of its model, "
        "or give it one with a larger window"
    )


def _why(found: Previewed, path: str) -> str:
    because = "new-not-utf8" if path in found.not_utf8 else found.ignored_because.get(path)
    return _BECAUSE.get(because, _NO_FILE) if because else _NO_FILE


def _is_novels(path: str) -> bool:
    return path in (NOVEL, BIBLIOGRAPHY) or scene_of(path) is not None
