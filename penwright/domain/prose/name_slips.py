"""Names that were misspelt: a new one that differs by a letter from a known one."""

from collections.abc import Container, Iterator

from rapidfuzz.distance import OSA

from penwright.domain.prose.checked import Checked, Place
from penwright.domain.prose.indexing import without_genitive

OFTEN = 5
"""From this number of times on a capitalised word of the book is a name."""
_MOST_SMALL = 0.1
"""A name stands in small letters at most this often for each time that it stands with a capital."""
_SHORTEST = 4
"""Letters of a name; of two shorter ones a letter makes two names: Tom, Tim."""
_SUFFIXES = "sn"
"""Last letters of a people or a plural, not of a name that ends in ``a`` without them."""
_ENDING = 3
"""Last letters that a case may change."""


def name_slips(given: Checked) -> Iterator[Place]:
    """New words with a capital letter, a letter away from a name."""
    small = {word.folded for word in given.words if not word.written[0].isupper()}
    new = [word for word in given.words if _is_new(given, without_genitive(word.written), small)]
    known = _known_names(given) if new else ()
    for word in new:
        name = without_genitive(word.written)
        near = next((each for each in known if _is_slip(given, name, each)), None)
        if near and name not in known:
            yield Place(word.start, word.end, near)


def _is_new(given: Checked, name: str, small: Container[str]) -> bool:
    """Whether a word may be a name, and stands neither in the book nor, in small letters, in the draft."""
    index, folded = given.index, name.casefold()
    seen = name in index.names or name in index.openers or folded in index.vocabulary or folded in small
    return not seen and _is_name(name) and name.upper() not in index.names


def _known_names(given: Checked) -> tuple[str, ...]:
    """Names that the author wrote down, and, where not every noun has a capital letter, those of the book."""
    index, nouns = given.index, given.language.capital_nouns
    often = (
        name
        for name, count in index.names.items()
        if count >= OFTEN and index.vocabulary.get(name.casefold(), 0) <= _MOST_SMALL * count
    )
    told = (part for name in given.draft.names for part in name.split())
    found = (*told, *(() if nouns else often))
    return tuple(dict.fromkeys(name for name in found if _is_name(name) and len(name) >= _SHORTEST + nouns))


def _is_name(word: str) -> bool:
    """Whether a word has a capital letter, is not all capitals and no contraction."""
    return len(word) >= _SHORTEST - 1 and word[0].isupper() and word.isalpha() and not word.isupper()


def _is_slip(given: Checked, word: str, name: str) -> bool:
    if OSA.distance(word, name, score_cutoff=1) != 1 or _are_of_one_stem(word, name):
        return False
    return not given.language.inflects_names or word[-_ENDING:] == name[-_ENDING:]


def _are_of_one_stem(word: str, name: str) -> bool:
    """Whether one is the plural of the other, or they are a country and its people: Persia, Persians."""
    if name + "s" == word or word + "s" == name:
        return True
    stem = word.rstrip(_SUFFIXES)
    return stem == name.rstrip(_SUFFIXES) and stem.endswith("a")
