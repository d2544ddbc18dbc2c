"""Whether a draft sounds like its book: tense, person, dialogue, worn phrases, and what the author avoids."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from math import log, sqrt

import regex

from penwright.domain.prose.checked import Checked, Place
from penwright.domain.prose.indexing import content_phrases, folded_of
from penwright.domain.prose.measures import measured, share, spoken_share
from penwright.domain.prose.packing import hashed, unpacked, values_of
from penwright.domain.prose.reading import Paragraph, Word

BOOK = 3_000
"""Words of a book that has a voice of its own; before, nothing is compared with it."""
DRIFT = 0.5
"""Difference between two shares of tense or person that is no chance."""
_SIGNS_OF_DRAFT, _SIGNS_OF_BOOK = 12, 40
"""Words of both kinds that are needed to tell."""
DIALOGUE = 0.3
"""Least difference between two shares of dialogue; pieces of one book differ, too."""
DEVIATIONS = 3.0
"""The same in standard deviations of the pieces of the book."""
WORN, WORN_IN = 3, 400
"""Times a phrase stands in a draft that overuses it, at least; in a longer one, once in so many words."""
Z_SCORE = 3.0
"""Log-odds against the book, in standard deviations, from which a phrase is overused."""
MOST_WORN = 5
TURNS = 3
"""Times that "not X but Y" stands in a draft that overuses it."""
TURN_RATE = 2.0
"""The same, in rates of the book."""
LIKE_PARAGRAPHS = 4
"""Paragraphs that begin or end alike, where it is a habit."""
LIKE_SHARE = 0.15
OPENING, END = 2, 3
"""Words by which the openings and the ends of paragraphs are compared."""


def worn_phrases(given: Checked) -> Iterator[Place]:
    """Phrases that the draft has far more often than its book, the worst ones, where each stands last.

    Of phrases that overlap, the worst.
    """
    if given.index.words < BOOK:
        return
    places: defaultdict[tuple[str, ...], list[Sequence[Word]]] = defaultdict(list)
    for paragraph in given.paragraphs:
        for words in content_phrases(paragraph, given.language):
            places[folded_of(words)].append(words)
    least = max(WORN, len(given.words) / WORN_IN)
    often = {phrase: len(found) for phrase, found in places.items() if len(found) >= least}
    entries = unpacked(given.index.phrases) if often else ()
    scores = {phrase: _log_odds(given, times, phrase, entries) for phrase, times in often.items()}
    told: list[Place] = []
    for phrase, score in Counter(scores).most_common():
        start, end = places[phrase][-1][0].start, places[phrase][-1][-1].end
        if score >= Z_SCORE and not any(each.start < end and start < each.end for each in told):
            told.append(Place(start, end, f"{often[phrase]} times"))
    yield from told[:MOST_WORN]


def _log_odds(given: Checked, times: int, phrase: Sequence[str], entries: Sequence[int]) -> float:
    """Standard deviations by which a phrase is likelier in the draft than in the book."""
    here, there = times + 0.5, sum(values_of(hashed(phrase), entries)) + 0.5
    return (log(here / len(given.words)) - log(there / given.index.words)) / sqrt(1 / here + 1 / there)


def not_but(given: Checked) -> Iterator[Place]:
    """Turns such as "not X but Y", from the third on, if the draft has them at twice the rate of the book."""
    pattern, index = given.language.not_but, given.index
    found = list(pattern.finditer(given.prose)) if pattern else []
    usual = index.measures.get("not-but", 0) / max(1, index.words) * len(given.words)
    if len(found) >= max(TURNS, TURN_RATE * usual):
        for each in found[TURNS - 1 :]:
            yield Place(each.start(), each.end(), f"{len(found)} times")


def same_openings(given: Checked) -> Iterator[Place]:
    """The last of the paragraphs that begin with the same words."""
    return _alike(given.paragraphs, slice(0, OPENING))


def same_ends(given: Checked) -> Iterator[Place]:
    """The last of the paragraphs that end with the same words."""
    return _alike(given.paragraphs, slice(-END, None))


def _alike(paragraphs: Sequence[Paragraph], part: slice) -> Iterator[Place]:
    told = [each for each in paragraphs if len(each.words) > OPENING + END and not each.is_quotation]
    alike: defaultdict[tuple[str, ...], list[Sequence[Word]]] = defaultdict(list)
    for each in told:
        alike[folded_of(each.words[part])].append(each.words[part])
    for found in alike.values():
        if len(found) >= max(LIKE_PARAGRAPHS, LIKE_SHARE * len(told)):
            yield Place(found[-1][0].start, found[-1][-1].end, f"{len(found)} paragraphs")


def tense(given: Checked) -> Iterator[Place]:
    """The whole draft, if it is told in another tense than the book."""
    return _drift(given, "past", "present")


def person(given: Checked) -> Iterator[Place]:
    """The whole draft, if it is told by another person than the book."""
    return _drift(given, "first", "third")


def _drift(given: Checked, one: str, other: str) -> Iterator[Place]:
    here = share(measured(given.prose, given.paragraphs, given.language), one, other, _SIGNS_OF_DRAFT)
    there = share(given.index.measures, one, other, _SIGNS_OF_BOOK)
    if here is not None and there is not None and abs(here - there) >= DRIFT:
        yield Place(0, len(given.prose), f"{one}: {here:.0%}, in the book {there:.0%}")


def dialogue(given: Checked) -> Iterator[Place]:
    """The whole draft, if its share of dialogue is far from that of the approved pieces of the book."""
    sums = given.index.measures
    pieces = sums.get("pieces", 0)
    if given.index.words < BOOK or pieces < 2 or not given.paragraphs:
        return
    usual = sums["spoken"] / pieces
    spread = sqrt(max(0.0, sums["spoken-squares"] / pieces - usual * usual))
    here = spoken_share(given.paragraphs)
    if abs(here - usual) >= max(DIALOGUE, DEVIATIONS * spread):
        yield Place(0, len(given.prose), f"dialogue: {here:.0%}, in the approved prose {usual:.0%}")


def never(given: Checked) -> Iterator[Place]:
    """Each place of a word or phrase that the author does not want, whole words in any case.

    Curly and straight quotation marks are the same; in a script without blanks a word may stand anywhere.
    """
    for unwanted in filter(None, map(str.strip, given.draft.never)):
        words = r"\s+".join(_any_quotes(regex.escape(word)) for word in unwanted.split())
        before, behind = (r"\b" if _has_ends(end) else "" for end in (unwanted[0], unwanted[-1]))
        for found in regex.finditer(f"{before}{words}{behind}", given.prose, regex.IGNORECASE):
            yield Place(found.start(), found.end(), unwanted)


def _any_quotes(pattern: str) -> str:
    """A pattern in which each quotation mark stands for all of its kind."""
    for marks in ("'\u2019\u2018", '"\u201c\u201d'):
        pattern = regex.sub(f"\\\\?[{marks}]", f"[{marks}]", pattern)
    return pattern


def _has_ends(letter: str) -> bool:
    """Whether words that begin or end with it stand between blanks."""
    return letter.isalnum() and not regex.match(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}]", letter)
