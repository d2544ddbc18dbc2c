"""The files of a fresh book, from the templates beside this module."""

import re
from collections.abc import Mapping
from importlib.resources import files

from schemas.base import BookId

STATE_PATH = ".ink-state.yml"
CONFIG_PATH = "Global Material/Config.yml"

_TEMPLATES: Mapping[str, str] = {
    CONFIG_PATH: "Config.yml",
    "Global Material/Soul.md": "Soul.md",
    "Global Material/Outline.md": "Outline.md",
    "Global Material/Characters.md": "Characters.md",
    "Global Material/Lore.md": "Lore.md",
    "Global Material/Summary.md": "Summary.md",
    "Chapters material/Chapter_01.md": "Chapter_01.md",
    "Review/current.md": "current.md",
    "AGENTS.md": "AGENTS.md",
    "README.md": "README.md",
    "Current version/Full_Book.md": "Full_Book.md",
    STATE_PATH: "ink-state.yml",
}
"""Path in the book -> template."""


def fresh_book(*, title: str, author: str, language: str, book_id: BookId) -> dict[str, str]:
    """Path -> text of every file of a new book."""
    values = {"TITLE": title, "AUTHOR": author, "LANGUAGE": language}
    made = {path: _filled(name, values) for path, name in _TEMPLATES.items()}
    made["Changelog/.gitkeep"] = ""
    made[STATE_PATH] += f"book_id: {book_id}\n"
    return made


def _filled(name: str, values: Mapping[str, str]) -> str:
    text = (files(__package__) / "templates" / name).read_text("utf-8")
    return re.sub(r"\{\{([A-Z]+)\}\}", lambda field: values[field[1]], text)
