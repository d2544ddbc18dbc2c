"""Details that must not differ between a passage and its quote, however small the difference is."""

from collections import Counter

import regex

from penwright.domain.text.locating.citation_marks import citation_marks
from schemas.patching import Mismatch

_NUMBER = regex.compile(r"(?:(?<!\w)[-+±])?\p{N}+(?:[.,:/]\p{N}+)*(?: ?[%‰°])?")
_WORD = regex.compile(r"\p{L}+(?:'\p{L}+)?")
_TOKEN = regex.compile(
    r"\\(?:\p{L}+\*?|.)(?:\[[^\[\]]*\])*(?:\{[^{}]*\})?"
    r"|\[\[|\]\]|@[\w:.+/-]*\w|https?://\S+|\b10\.\d{4,9}/\S+|\$[^$]+\$|`+[^`]+`+|</?\w[^<>]*>|<!--|-->"
)
"""Commands with their arguments, citation marks, links, formulas, code and tags."""
_IN_WORD = regex.compile(
    r"[\p{L}\p{M}\p{N}_--\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]", regex.V1
)
"""A character of a word, in scripts that put spaces between words."""
_BY_LANGUAGE = {
    "de": "nicht nichts nie niemals niemand niemandem niemanden nirgends nirgendwo kein keine keinem keinen "
    "keiner keines keins keinerlei keineswegs keinesfalls weder noch ohne kaum ausser außer",
    "en": "no not never none nobody nothing nowhere neither nor without cannot hardly scarcely barely unless "
    "except",
    "es": "no nunca jamás ni nada nadie ningún ninguno ninguna ningunos ningunas tampoco sin apenas salvo "
    "excepto",
    "fr": "ne non pas point jamais ni rien personne aucun aucune aucuns aucunes nul nulle nulles sans guère "
    "sauf",
    "it": "no non né mai niente nulla nessun nessuno nessuna neanche nemmeno neppure senza tranne eccetto",
    "nl": "niet niets nooit niemand nergens geen noch zonder nauwelijks tenzij behalve",
    "pt": "não nunca jamais nem nada ninguém nenhum nenhuma nenhuns nenhumas tampouco sem exceto salvo",
}
WORDS = frozenset(word for words in _BY_LANGUAGE.values() for word in words.split())
"""Folded to lower case, composed (NFC)."""
PREFIXES = ("un", "in", "im", "il", "ir", "dis", "non", "des", "dés", "dé", "on", "a", "i", "s", "mal")
"""Prefixes that turn a word into its opposite, in those languages."""


def mismatch(needle: str, passage: str) -> Mismatch | None:
    """Find a difference in meaning between two texts in normal form; None if there is none."""
    if _NUMBER.findall(needle) != _NUMBER.findall(passage):
        return "numeric_mismatch"
    if _negations(needle) != _negations(passage) or _is_negated(needle, passage):
        return "negation_mismatch"
    if _tokens(needle) != _tokens(passage):
        return "token_mismatch"
    return None


def cuts_word(text: str, place: int) -> bool:
    """Whether a place of a text, between two characters, is inside a word."""
    beside = text[max(0, place - 1) : place + 1]
    return 0 < place < len(text) and all(_IN_WORD.match(character) for character in beside)


def edge_kind(character: str) -> str:
    """``word``, ``space`` or ``sign``: a passage should begin and end with the same kind as the needle."""
    if character.isspace():
        return "space"
    return "word" if character.isalnum() else "sign"


def _negations(text: str) -> list[str]:
    words = _WORD.findall(text.casefold())
    found = (word if word in WORDS else _elided(word) for word in words)
    return [word for word in found if word]


def _elided(word: str) -> str:
    """A negation that is a part of a word: ``isn't``, ``n'est``."""
    if word.endswith("n't"):
        return "n't"
    return "n'" if word.startswith("n'") else ""


def _is_negated(one: str, other: str) -> bool:
    """Whether a word of one text has a negating prefix in the other: ``likely``, ``unlikely``."""
    counts = [Counter(_WORD.findall(text.casefold())) for text in (one, other)]
    only = [set(counts[0] - counts[1]), set(counts[1] - counts[0])]
    return any(
        prefix + word in changed
        for words, changed in (only, only[::-1])
        for word in words
        for prefix in PREFIXES
    )


def _tokens(text: str) -> tuple[list[str], tuple[str, ...]]:
    return _TOKEN.findall(text), citation_marks(text)
