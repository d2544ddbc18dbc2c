"""Words of a claim and of a sentence that are compared: content words, names and numbers, without endings."""

import re
import unicodedata
from collections.abc import Iterator
from typing import Final, Literal, NamedTuple

_WORD = re.compile(r"\d+(?:[.,]\d+)*(?:\s?%|\s+per\s?cent\b)?|[^\W\d_]+(?:['’-][^\W\d_]+)*")
_THOUSANDS = re.compile(r",(?=\d{3}\b)")
_EMPTY: Final = frozenset(
    (
        *("a", "about", "above", "after", "again", "all", "almost", "also", "among", "an", "and"),
        *("another", "any", "are", "as", "at", "be", "because", "been", "before", "being"),
        *("between", "both", "but", "by", "can", "could", "did", "do", "does", "during", "each"),
        *("either", "even", "ever", "every", "few", "for", "found", "from", "further", "get"),
        *("had", "has", "have", "he", "her", "here", "his", "how", "however", "i", "if", "in"),
        *("into", "is", "it", "its", "itself", "just", "like", "made", "make", "makes", "many"),
        *("may", "might", "most", "much", "must", "neither", "no", "nor", "not", "now"),
        *("of", "often", "on", "once", "one", "only", "or", "other", "our", "out", "over", "own"),
        *("according", "recent", "recently", "suggest", "suggests", "suggested", "argue", "argues"),
        *("demonstrate", "demonstrates", "demonstrated", "report", "reports", "reported"),
        *("per", "rather", "same", "several", "shall", "she", "should", "show", "showed", "shown"),
        *("shows", "since", "so", "some", "still", "study", "studies", "such", "than", "that"),
        *("the", "their", "them", "then", "there", "these", "they", "this", "those", "though"),
        *("through", "thus", "to", "too", "under", "until", "up", "upon", "us", "very"),
        *("was", "we", "well", "were", "what", "when", "where", "whether", "which", "while", "who"),
        *("whose", "why", "will", "with", "within", "without", "would", "yet", "you", "your"),
    )
)
"""Words that stand in a passage about anything."""
_ENDINGS: Final = ("ations", "ation", "ities", "ments", "ingly", "ment", "ness", "ings", "edly", "ing", "ied")
_SHORT_ENDINGS: Final = ("ies", "ity", "ers", "est", "ed", "es", "er", "ly", "al", "s", "e", "y")
_COUNTED: Final = (
    *("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen"),
    *("fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty"),
)
_NUMBERS: Final = {
    **{word: str(number) for number, word in enumerate(_COUNTED, 2)},
    **{
        f"{word}ty": str(number)
        for number, word in ((30, "thir"), (40, "for"), (50, "fif"), (60, "six"), (70, "seven"))
    },
    **{"eighty": "80", "ninety": "90", "hundred": "100", "thousand": "1000", "million": "1000000"},
    **{"half": "1/2", "halves": "1/2", "halved": "1/2", "halve": "1/2", "halving": "1/2", "third": "1/3"},
    **{"quarter": "1/4", "fifth": "1/5", "tenth": "1/10", "twice": "2x", "double": "2x", "doubles": "2x"},
    **{"doubled": "2x", "doubling": "2x", "triple": "3x", "tripled": "3x", "trebled": "3x", "dozen": "12"},
}
_IRREGULAR: Final = {
    form: base
    for base, *forms in (
        *(("hold", "held"), ("keep", "kept"), ("leave", "left"), ("give", "gave", "given")),
        *(("take", "took", "taken"), ("write", "wrote", "written"), ("lose", "lost"), ("build", "built")),
        *(("send", "sent"), ("meet", "met"), ("buy", "bought"), ("bring", "brought"), ("teach", "taught")),
        *(("begin", "began", "begun"), ("break", "broke", "broken"), ("choose", "chose", "chosen")),
        *(("drive", "drove", "driven"), ("feed", "fed"), ("feel", "felt"), ("fight", "fought")),
        *(("hide", "hid", "hidden"), ("know", "knew", "known"), ("lay", "laid"), ("pay", "paid")),
        *(("run", "ran"), ("see", "saw", "seen"), ("sell", "sold"), ("sleep", "slept")),
        *(("speak", "spoke", "spoken"), ("spend", "spent"), ("stand", "stood"), ("tell", "told")),
        *(("wear", "wore", "worn"), ("win", "won"), ("die", "died", "dies", "dying")),
        *(("child", "children"), ("man", "men"), ("woman", "women"), ("mouse", "mice"), ("foot", "feet")),
        *(("tooth", "teeth"), ("leaf", "leaves"), ("wolf", "wolves"), ("life", "lives")),
    )
    for form in forms
}
UP: Final = frozenset(
    (
        *("increase", "increases", "increased", "increasing", "rise", "rises", "rose", "rising", "risen"),
        *("raise", "raises", "raised", "raising", "higher", "greater", "more", "improve", "improves"),
        *("improved", "improving", "grow", "grows", "grew", "longer", "faster", "better", "boost", "boosts"),
        *("boosted", "enlarge", "enlarges", "enlarged", "lengthen", "lengthens", "lengthened", "larger"),
    )
)
"""Words of one direction; those of ``DOWN`` are of the other."""
DOWN: Final = frozenset(
    (
        *("decrease", "decreases", "decreased", "decreasing", "fall", "falls", "fell", "falling", "fallen"),
        *("reduce", "reduces", "reduced", "reducing", "lower", "lowers", "lowered", "lowering", "smaller"),
        *("less", "fewer", "worsen", "worsens", "worsened", "shrink", "shrinks", "shrank", "shorter"),
        *("slower", "worse", "decline", "declines", "declined", "declining", "drop", "drops", "dropped"),
        *("shorten", "shortens", "shortened", "slow", "slows", "slowed", "cut", "cuts"),
    )
)


class Term(NamedTuple):
    """One word that is compared."""

    stem: str
    kind: Literal["word", "name", "number", "direction"]


def terms_of(text: str) -> Iterator[Term]:
    """Content words of a text in order; a name is a word with a capital within its sentence."""
    is_first = True
    for found in _WORD.finditer(text):
        word = found[0]
        plain = word.casefold()
        if plain in UP or plain in DOWN:
            yield Term("↑" if plain in UP else "↓", "direction")
        elif word[0].isdigit() or plain in _NUMBERS:
            yield Term(_NUMBERS.get(plain) or _digits(word), "number")
        elif plain not in _EMPTY:
            yield Term(stem(word), "name" if word[0].isupper() and not is_first else "word")
        is_first = text[found.end() : found.end() + 1] in (".", "!", "?")


def words_of(text: str) -> list[str]:
    """Every word of a text in small letters."""
    return [each.casefold() for each in _WORD.findall(text)]


def stem(word: str) -> str:
    """A word without accents and endings, so that forms of one word are one."""
    folded = word.casefold().replace("’", "'")
    plain = unicodedata.normalize("NFKD", _IRREGULAR.get(folded, folded))
    bare = "".join(sign for sign in plain if not unicodedata.combining(sign)).removesuffix("'s")
    for ending in (*_ENDINGS, *_SHORT_ENDINGS):
        if bare.endswith(ending) and len(bare) - len(ending) >= 4:
            bare = bare.removesuffix(ending)
            break
    return bare if len(bare) < 5 else bare.rstrip("eiy")


def _digits(number: str) -> str:
    bare = _THOUSANDS.sub("", number)
    digits = bare.rstrip("% percnt\t\n")
    return digits if digits == bare else f"{digits}%"
