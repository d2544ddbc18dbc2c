"""The rules of craft that a new book begins with, by language and genre; they are its author's to change."""

import re
from importlib.resources import files

from penwright.domain.text.languages import language_tag

_OTHERS = ("de", "fr", "es", "zh")
"""Tags of languages, beside English, that have rules of their own."""


def default_craft(language: str, genre: str = "") -> str:
    """Return the text of ``Craft.md``.

    Args:
        language: as Config.yml names it; one without rules of its own gets the English ones, which say so.
        genre: one of the question ``genre``; English rules have some for each, other languages none.
    """
    tag = language_tag(language).partition("-")[0]
    if tag in _OTHERS:
        return _template(tag)
    rules = _with_genre(_template("en"), genre)
    return rules if tag == "en" else f"{_in_english(language)}\n\n{rules}"


def _in_english(language: str) -> str:
    named = " ".join(language.split()).replace("--", "-")
    return (
        f"<!-- There are no rules in {named} yet. These are the English ones, and so is the list under "
        "Never: put your own in its place. -->"
    )


def _with_genre(rules: str, genre: str) -> str:
    found = re.search(
        rf"^## {re.escape(genre)}\n\n(.+?)\s*(?=^## |\Z)", _template("genres"), re.MULTILINE | re.DOTALL
    )
    if not genre or found is None:
        return rules
    return rules.replace("## Never\n", f"## {genre.capitalize()}\n\n{found[1]}\n\n## Never\n")


def _template(name: str) -> str:
    return (files(__package__) / "templates" / "craft" / f"{name}.md").read_text("utf-8")
