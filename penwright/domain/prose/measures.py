"""Tense, person, dialogue and one turn of phrase, counted so that the counts of two texts can be added."""

from collections import Counter
from collections.abc import Mapping, Sequence

from penwright.domain.prose.languages import Language
from penwright.domain.prose.reading import Paragraph

PIECE = 600
"""Words of the pieces between which the share of dialogue is compared."""
DIALOGUE = ("pieces", "spoken", "spoken-squares")
"""The counts of dialogue: the number of pieces, the sum of their shares (0 to 1) and of its squares."""


def measured(text: str, paragraphs: Sequence[Paragraph], language: Language) -> dict[str, float]:
    """The counts of one text by their names."""
    counts: Counter[str] = Counter()
    narrated = Counter(word.folded for each in paragraphs for word in each.narrated())
    for name, forms in _forms(language).items():
        counts[name] = sum(narrated[form] for form in forms)
    counts["not-but"] = len(language.not_but.findall(text)) if language.not_but else 0
    shares = dialogue_shares(paragraphs)
    return {
        **counts,
        **dict(zip(DIALOGUE, (len(shares), sum(shares), sum(each * each for each in shares)), strict=True)),
    }


def spoken_share(paragraphs: Sequence[Paragraph]) -> float:
    """The share of characters that are quoted; 0 without any."""
    letters = sum(len(each.text) for each in paragraphs)
    return sum(end - start for each in paragraphs for start, end in each.speech) / letters if letters else 0.0


def dialogue_shares(paragraphs: Sequence[Paragraph]) -> list[float]:
    """The share of letters that are quoted, of each piece of some 600 words."""
    shares: list[float] = []
    words = spoken = letters = 0
    for at, each in enumerate(paragraphs):
        words += len(each.words)
        letters += len(each.text)
        spoken += sum(end - start for start, end in each.speech)
        if words >= PIECE or (at == len(paragraphs) - 1 and words >= PIECE // 2):
            shares.append(spoken / letters)
            words = spoken = letters = 0
    return shares


def share(measures: Mapping[str, float], one: str, other: str, least: int) -> float | None:
    """The share of one count in two; None if both together are too few to tell."""
    both = measures.get(one, 0) + measures.get(other, 0)
    return measures.get(one, 0) / both if both >= max(1, least) else None


def _forms(language: Language) -> dict[str, frozenset[str]]:
    found = {
        "past": language.past,
        "present": language.present,
        "first": language.first,
        "third": language.third,
    }
    return {name: forms for name, forms in found.items() if forms}
