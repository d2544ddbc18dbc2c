"""The files of a new novel."""

from collections.abc import Mapping

from penwright.domain.intents.registry import REGISTRY
from penwright.domain.manuscript.config import written_novel
from penwright.domain.manuscript.intents import FIRST_OF_NOVEL
from penwright.domain.manuscript.layout import NOVEL, SCENES_FOLDER, scene_path
from schemas.novel import NovelConfig

_IGNORED = """\
# Written beside the texts by editors and systems, and never part of the novel.
.DS_Store
*.swp
*~
"""


def fresh_novel(config: NovelConfig, scenes: Mapping[str, str]) -> dict[str, str]:
    """Return path -> text of every file of a new novel.

    Args:
        scenes: text by name, of those that exist already; raises ``UsageMistake`` for an invalid name.
    """
    return {
        NOVEL: written_novel(config),
        REGISTRY: FIRST_OF_NOVEL,
        ".gitignore": _IGNORED,
        f"{SCENES_FOLDER}/.gitkeep": "",
        **{scene_path(scene): text for scene, text in scenes.items()},
    }
