"""Names that were misspelt: a new one that differs by a letter from a known one."""

from collections.abc import Iterator

from rapidfuzz.distance import OSA

from penwright.domain.prose.checked import Checked, Place
from penwright.domain.prose.indexing import without_genitive

OFTEN = 5
"""From this number of times on a capitalised word of the book is a name."""
_MOST_SMALL = 0.1
"""A name stands in small letters at most this often for each time that it stands with a capital."""
_SHORTEST = 4
"""Letters of a name; of two shorter ones a letter makes two names: Tom, Tim."""
_ENDING = 3
"""Last letters that a case may change."""


def name_slips(given: Checked) -> Iterator[Place]:
    """New words with a capital letter, a letter away from a name."""
    known = _known_names(given)
    seen = {name.casefold() for name in given.index.names} | {each.casefold() for each in known}
    small = given.index.vocabulary.keys() | {
        word.folded for word in given.words if not word.written[0].isupper()
    }
    for word in given.words:
        name = without_genitive(word.written)
        folded = name.casefold()
        if not _is_name(name) or folded in seen or folded in small:
            continue
        near = next((each for each in known if _is_slip(given, name, each)), None)
        if near:
            yield Place(word.start, word.end, near)


def _known_names(given: Checked) -> tuple[str, ...]:
    index = given.index
    often = (
        name
        for name, count in index.names.items()
        if count >= OFTEN and index.vocabulary.get(name.casefold(), 0) <= _MOST_SMALL * count
    )
    told = (part for name in given.draft.names for part in name.split())
    return tuple(dict.fromkeys(name for name in (*told, *often) if _is_name(name) and len(name) >= _SHORTEST))


def _is_name(word: str) -> bool:
    """Whether a word has a capital letter, and is not all capitals."""
    return len(word) >= _SHORTEST - 1 and word[0].isupper() and not word.isupper()


def _is_slip(given: Checked, word: str, name: str) -> bool:
    if OSA.distance(word, name, score_cutoff=1) != 1 or name + "s" == word or word + "s" == name:
        return False
    return not given.language.inflects_names or word[-_ENDING:] == name[-_ENDING:]
