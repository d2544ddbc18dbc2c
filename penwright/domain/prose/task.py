"""Whether a draft does what was asked: whole prose of the wanted length, beats and instructions included."""

from collections.abc import Iterator, Sequence

from penwright.domain.prose.checked import Checked, Place
from penwright.domain.prose.cut_end import ends_whole, unfinished
from penwright.domain.prose.task_talk import seems_talk
from penwright.domain.text.locator import locate
from penwright.domain.text.words import count_words, is_estimated
from schemas.patching import NotFound
from schemas.prose import BeatTold

SHORTEST_QUOTE = 10
"""Fewest characters of a quote that shows that a beat is told."""
SHORTEST = 0.85
LONGEST = 1.25
"""The shares of the wanted words between which a draft is as long as it should be."""
USUAL = 3
"""Occurrences from which on a word is usual in a book."""


def cut_ends(given: Checked) -> Iterator[Place]:
    """The sentence in which the draft stops."""
    whole = given.prose.rstrip()
    if not ends_whole(whole, lines_may_end=True):
        yield Place(len(whole) - len(unfinished(whole)), len(whole))


def talk(given: Checked) -> Iterator[Place]:
    """Paragraphs about the task."""
    found = [each for each in given.paragraphs if seems_talk(each.text)]
    usual = {word for word, count in given.index.vocabulary.items() if count >= USUAL} if found else ()
    return (Place(each.start, each.end) for each in found if seems_talk(each.text, usual))


def lengths(given: Checked) -> Iterator[Place]:
    """The whole draft, if it is shorter than 85 % or longer than 125 % of what was wanted."""
    wanted = given.draft.words_wanted
    if wanted <= 0 or is_estimated(given.prose):
        return
    found = count_words(given.prose)
    if not SHORTEST * wanted <= found <= LONGEST * wanted:
        yield Place(0, len(given.prose), f"{found} of {wanted} words")


def untold_beats(given: Checked) -> Iterator[Place]:
    """Beats whose quotation does not stand in the draft."""
    there = located(given.draft.beats, given.prose)
    return (Place(0, 0, each.beat) for each in given.draft.beats if each not in there)


def located(beats: Sequence[BeatTold], prose: str) -> tuple[BeatTold, ...]:
    """The beats whose quotation stands in the prose, and is long enough to say something."""
    return tuple(
        each
        for each in beats
        if len(each.quote.strip()) >= SHORTEST_QUOTE and not isinstance(locate(each.quote, prose), NotFound)
    )


def unanswered(given: Checked) -> Iterator[Place]:
    """Instructions of the author without an answer."""
    return (Place(0, 0, each) for each in given.draft.unanswered)
