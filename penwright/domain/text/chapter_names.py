"""The name of a chapter without a title, in the language of its book."""

from collections.abc import Mapping

from penwright.domain.text.languages import language_tag

_NAMES: Mapping[str, str] = {
    "de": "Kapitel {}",
    "es": "Capítulo {}",
    "fr": "Chapitre {}",
    "it": "Capitolo {}",
    "ja": "第{}章",
    "nl": "Hoofdstuk {}",
    "pl": "Rozdział {}",
    "pt": "Capítulo {}",
    "ru": "Глава {}",
    "sv": "Kapitel {}",
    "zh": "第{}章",
}


def chapter_name(number: int, language: str) -> str:
    """Return such as ``Kapitel 3``; the English name in other languages.

    Args:
        language: as ``Config.yml`` names it.
    """
    return _NAMES.get(language_tag(language).partition("-")[0], "Chapter {}").format(number)
