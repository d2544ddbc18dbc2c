"""Paths of a novel's files, names of scenes, and file patterns for the port calls that need them."""

import re
import unicodedata
from typing import Final

from penwright.domain.library.names import SHELF
from penwright.errors import UsageMistake
from schemas.manuscript_text import WHOLE_NOVEL

NOVEL: Final = "Novel.yml"
TO_MEND: Final = f"correct {NOVEL} in the novel's folder, then `penwright manuscript list` reads it again"
"""The next step where it cannot be read."""
SCENES_FOLDER: Final = "scenes"
WHOLE: Final = "manuscript.md"
BIBLIOGRAPHY: Final = "references.bib"
ENDING: Final = ".md"

_TEXTS = (NOVEL, WHOLE, f"{SCENES_FOLDER}/*{ENDING}", BIBLIOGRAPHY, SHELF)
KNOWN: Final = (*_TEXTS, "*.md", "*.txt", ".orchestration/*")
"""Globs of untracked files that belong to the novel and may be committed as a person's edits."""

ENGINE_WRITTEN: Final = (
    ".orchestration/agent_trace*.jsonl",
    ".orchestration/agent_trace/*.jsonl",
    ".orchestration/.gitattributes",
    ".orchestration/intent_map.md",
)
"""Files whose changes are never reported as a person's."""

GOVERNING: Final = (".orchestration/active_intents.yaml", ".orchestration/.intentignore", ".intentignore")
"""Files that govern which intents may write where."""

LONGEST_NAME: Final = 80
"""Characters of a scene's name at most."""
_BYTES = 200
"""Bytes of a scene's name in UTF-8 at most, below what file systems take."""
_SIGNS = re.compile(r"[\w][\w .,'’()&+-]*", re.UNICODE)
_DEVICES = re.compile(r"(?i)(con|prn|aux|nul|com\d|lpt\d)(\..*)?")
"""Names that Windows cannot have as files."""


def scene_path(scene: str) -> str:
    """Return the path of a scene's file; raises ``UsageMistake`` (``bad-scene-name``) for an invalid name."""
    return WHOLE if scene == WHOLE_NOVEL else f"{SCENES_FOLDER}/{checked_scene(scene)}{ENDING}"


def scene_of(path: str) -> str | None:
    """Return the scene whose file ``path`` is; None if it is no scene's."""
    if path == WHOLE:
        return WHOLE_NOVEL
    folder, _, name = path.rpartition("/")
    if folder != SCENES_FOLDER or not name.endswith(ENDING):
        return None
    scene = name.removesuffix(ENDING)
    return scene if why_bad(scene) is None else None


def checked_scene(scene: str) -> str:
    """Return ``scene`` if it is the name of one.

    Raises:
        UsageMistake: ``bad-scene-name``, with what is wrong and what a name may be.
    """
    if (wrong := why_bad(scene)) is not None:
        raise UsageMistake(
            "bad-scene-name",
            f"{scene[:LONGEST_NAME]!r} cannot name a scene: {wrong}",
            hint="a name begins with a letter or digit and has letters, digits, blanks and -_.,'()&+ in it; "
            f"{WHOLE_NOVEL!r} is the whole novel",
        )
    return scene


def why_bad(scene: str) -> str | None:
    """Return what is wrong with the name of a scene; None if nothing is."""
    if scene == WHOLE_NOVEL:
        return None
    if not scene.strip():
        return "it is empty"
    if unicodedata.normalize("NFC", scene) != scene:
        return "it is not in Unicode form NFC, so that a second name could look the same"
    if len(scene) > LONGEST_NAME or len(scene.encode("utf-8", "replace")) > _BYTES:
        return f"it is longer than {LONGEST_NAME} characters or {_BYTES} bytes"
    if not _SIGNS.fullmatch(scene):
        return "it has a character that names of scenes do not have"
    if ".." in scene or scene.endswith((".", " ")) or scene.lower().endswith(ENDING):
        return "it ends with a dot, a blank or .md, or holds two dots"
    return "Windows keeps that name for a device" if _DEVICES.fullmatch(scene) else None


def twin_of(scene: str, others: tuple[str, ...]) -> str | None:
    """Return another scene whose name differs only in case; file systems may take both for one."""
    return next((other for other in others if other != scene and other.casefold() == scene.casefold()), None)
