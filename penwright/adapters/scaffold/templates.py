"""Fill the templates of a new book with an author's answers."""

from collections.abc import Mapping
from importlib.resources import files

from penwright.adapters.scaffold.craft import default_craft
from penwright.domain.book.files import layout
from penwright.domain.book.files.fresh_files import EMPTY_FULL_BOOK, EMPTY_REVIEW, FRESH_STATE
from penwright.domain.book.questions import apply_answers
from penwright.domain.intents.registry import FIRST, REGISTRY
from schemas.base import BookId

_TEMPLATES: Mapping[str, str] = {
    layout.CONFIG: "Config.yml",
    f"{layout.MATERIAL_FOLDER}/Soul.md": "Soul.md",
    f"{layout.MATERIAL_FOLDER}/Outline.md": "Outline.md",
    f"{layout.MATERIAL_FOLDER}/Characters.md": "Characters.md",
    f"{layout.MATERIAL_FOLDER}/Lore.md": "Lore.md",
    layout.chapter_path(1): "Chapter_01.md",
    "AGENTS.md": "AGENTS.md",
    layout.README: "README.md",
}
"""Path in the book -> template."""

_ENGINE_FILES: Mapping[str, str] = {
    layout.SUMMARY: "",
    layout.REVIEW: EMPTY_REVIEW,
    layout.FULL_BOOK: EMPTY_FULL_BOOK,
    f"{layout.CHANGELOG_FOLDER}/.gitkeep": "",
}

_PAGES = "360"
"""Default length, as the seed document has it: 90 000 words in 30 chapters."""


def fresh_book(answers: Mapping[str, str], book_id: BookId) -> dict[str, str]:
    """Return path -> text of every file of a new book; raises ``UsageMistake`` for an invalid answer."""
    length = {} if {"pages", "book_kind"} & answers.keys() else {"pages": _PAGES}
    made = apply_answers({path: _template(name) for path, name in _TEMPLATES.items()}, {**answers, **length})
    craft = default_craft(answers.get("language") or "English", answers.get("genre", ""))
    return {
        **made,
        layout.CRAFT: craft,
        **_ENGINE_FILES,
        REGISTRY: FIRST,
        layout.STATE: f"{FRESH_STATE}book_id: {book_id}\n",
    }


def _template(name: str) -> str:
    return (files(__package__) / "templates" / name).read_text("utf-8")
