"""Support of a claim by a passage of a work: the share of the claim's content words that stand in it.

The share tells a passage about the claim from one about something else. It does not tell assent from denial:
that a passage says the opposite is only seen by its words of direction and negation.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from typing import Final

from penwright.domain.text.inline_citations import without_citations
from schemas.citations import Support

CARRIES: Final = 0.45
"""Least share of a passage about the claim. Measured on 96 pairs: 0.71 to 1, of others 0 to 0.25."""
CARRYING: Final[tuple[Support, ...]] = ("says", "abstract only")
"""Kinds of support that a rule may accept; the others wait for a person."""
_WEAKEST_FIRST: Final[tuple[Support, ...]] = (
    *("contradicts", "no text", "not found", "abstract only", "says"),
)
_WINDOW: Final = 90
"""Words of a passage that are compared at once: a long text has every word somewhere."""
_WEIGHTY: Final = 2.0
"""Weight of a number or a name, which says more of what a claim is about than another word."""
_WORD = re.compile(r"\d+(?:[.,]\d+)*%?|[^\W\d_]+(?:['’-][^\W\d_]+)*")
_EMPTY: Final = frozenset(
    (
        *("a", "about", "above", "after", "again", "all", "almost", "also", "among", "an", "and"),
        *("another", "any", "are", "as", "at", "be", "because", "been", "before", "being"),
        *("between", "both", "but", "by", "can", "could", "did", "do", "does", "during", "each"),
        *("either", "even", "ever", "every", "few", "for", "found", "from", "further", "get"),
        *("had", "has", "have", "he", "her", "here", "his", "how", "however", "i", "if", "in"),
        *("into", "is", "it", "its", "itself", "just", "less", "like", "made", "make", "many"),
        *("may", "might", "more", "most", "much", "must", "neither", "no", "nor", "not", "now"),
        *("of", "often", "on", "once", "one", "only", "or", "other", "our", "out", "over", "own"),
        *("per", "rather", "same", "several", "shall", "she", "should", "show", "showed", "shown"),
        *("shows", "since", "so", "some", "still", "study", "studies", "such", "than", "that"),
        *("the", "their", "them", "then", "there", "these", "they", "this", "those", "though"),
        *("through", "thus", "to", "too", "two", "under", "until", "up", "upon", "us", "very"),
        *("was", "we", "well", "were", "what", "when", "where", "whether", "which", "while", "who"),
        *("whose", "why", "will", "with", "within", "without", "would", "yet", "you", "your"),
    )
)
"""Words that stand in a passage about anything."""
_ENDINGS: Final = ("ations", "ation", "ities", "ments", "ingly", "ment", "ness", "ings", "edly", "ing", "ied")
_SHORT_ENDINGS: Final = ("ies", "ity", "ers", "est", "ed", "es", "er", "ly", "al", "s", "e", "y")
_NO: Final = frozenset(
    (
        *("no", "not", "never", "none", "neither", "nor", "without", "cannot", "fail", "fails"),
        *("failed", "lack", "lacks", "lacked"),
    )
)
_UP: Final = frozenset(
    (
        *("increase", "increases", "increased", "increasing", "rise", "rises", "rose", "rising"),
        *("raise", "raises", "raised", "higher", "greater", "more", "improve", "improves"),
        *("improved", "gain", "gains", "grow", "grows", "grew", "longer", "faster", "better"),
    )
)
_DOWN: Final = frozenset(
    (
        *("decrease", "decreases", "decreased", "decreasing", "fall", "falls", "fell", "falling"),
        *("reduce", "reduces", "reduced", "lower", "lowers", "lowered", "smaller", "less"),
        *("worsen", "worsens", "worsened", "lose", "loses", "lost", "shrink", "shrinks", "shrank"),
        *("shorter", "slower", "worse", "decline", "declines", "declined"),
    )
)
_SENTENCE = re.compile(r"(?<=[.!?])\s+")


def overlap(claim: str, passage: str) -> float:
    """Return the share of the claim's content words and numbers that the passage has, 0 to 1."""
    wanted = dict(_weighed(without_citations(claim)))
    if not wanted:
        return 0.0
    stems = [_stem(word) for word in _words(passage)]
    starts = range(0, max(1, len(stems) - _WINDOW // 2), _WINDOW // 2)
    most = max(_held(wanted, frozenset(stems[at : at + _WINDOW])) for at in starts)
    return round(most / sum(wanted.values()), 2)


def support_of(claim: str, passage: str, *, is_abstract: bool) -> tuple[Support, float]:
    """Return what a passage does for a claim, and the share of its words that it has.

    Args:
        is_abstract: the passage is the work's abstract, and its text was not read.
    """
    if not passage.strip():
        return "no text", 0.0
    share = overlap(claim, passage)
    if share < CARRIES:
        return "not found", share
    if _is_opposite(claim, _nearest(claim, passage)):
        return "contradicts", share
    return ("abstract only" if is_abstract else "says"), share


def support_told(support: Support, share: float) -> str:
    """Say for people what a work does for a sentence, with the share of its words."""
    if support == "no text":
        return "no text: the registries have no abstract; read the work"
    return f"{support}: the abstract has {share:.0%} of the sentence's words and numbers"


def weakest(found: Iterable[tuple[Support, float]]) -> tuple[Support, float]:
    """Return the weakest of the supports of several works that are cited together."""
    return min(found, key=lambda each: (_WEAKEST_FIRST.index(each[0]), each[1]))


def _held(wanted: dict[str, float], stems: frozenset[str]) -> float:
    return sum(weight for stem, weight in wanted.items() if stem in stems)


def _weighed(text: str) -> Iterator[tuple[str, float]]:
    """Content words of a claim; a name is a word with a capital within its sentence."""
    is_first = True
    for found in _WORD.finditer(text):
        word = found[0]
        if word.casefold() not in _EMPTY:
            is_name = word[:1].isupper() and not is_first
            yield _stem(word), _WEIGHTY if is_name or word[0].isdigit() else 1.0
        is_first = text[found.end() : found.end() + 1] in (".", "!", "?")


def _words(text: str) -> list[str]:
    return [each for each in _WORD.findall(text) if each.casefold() not in _EMPTY]


def _stem(word: str) -> str:
    """A word without accents and endings, so that forms of one word are one."""
    plain = unicodedata.normalize("NFKD", word.casefold().replace("’", "'"))
    bare = "".join(sign for sign in plain if not unicodedata.combining(sign)).removesuffix("'s")
    for ending in (*_ENDINGS, *_SHORT_ENDINGS):
        if bare.endswith(ending) and len(bare) - len(ending) >= 4:
            bare = bare.removesuffix(ending)
            break
    return bare if len(bare) < 5 else bare.rstrip("eiy")


def _nearest(claim: str, passage: str) -> str:
    """The sentence of the passage that has most of the claim's words."""
    return max(_SENTENCE.split(passage), key=lambda each: overlap(claim, each))


def _is_opposite(claim: str, sentence: str) -> bool:
    """Whether a sentence about the claim turns it round: another direction, or a negation in one alone."""
    ours, theirs = _direction(claim), _direction(sentence)
    turned, negated = ours * theirs == -1, _is_negated(claim) is not _is_negated(sentence)
    return turned is not negated and overlap(claim, sentence) >= CARRIES


def _direction(text: str) -> int:
    words = {each.casefold() for each in _WORD.findall(text)}
    up, down = bool(words & _UP), bool(words & _DOWN)
    return 0 if up == down else 1 if up else -1


def _is_negated(text: str) -> bool:
    words: list[str] = [each.casefold() for each in _WORD.findall(text)]
    return sum(each in _NO or each.endswith(("n't", "n’t")) for each in words) % 2 == 1
