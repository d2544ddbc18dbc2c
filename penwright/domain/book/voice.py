"""The voice of a book: a passage that its author approved, and numbers of the prose around it.

The prose is the beginning of the validated book, which has been up for review or is the author's own. Only
its first 300, 600, 1,200 … 9,600 words are read, so that the sample stays the same for many sessions.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Literal

from penwright.domain.prose.languages import language_of
from penwright.domain.prose.measures import measured, share, spoken_share
from penwright.domain.prose.reading import Paragraph, read, sentences
from schemas.book import Voice

_SHORTEST, _LONGEST = 300, 600
"""Words of the sample."""
_MOST_WORDS = 9_600
_MOST_CHARACTERS = 80_000
_COMMENT = re.compile(r"<!--.*?-->\s*", re.DOTALL)
_LEAST_FORMS = 20
"""Pronouns or verbs that must be there before person or tense is told."""
_MANY, _FEW = 0.7, 0.3
"""Share of the past from which on it is told so, and under which the present is."""
_FIRST_PERSON, _THIRD_PERSON = 0.3, 0.1
"""Share of first pronouns from which on it is told in the first person, which tells of others, too; and up to
which in the third."""


def voice_of(book: str, language: str) -> Voice | None:
    """Return the voice of the validated book; None while it has no run of 300 words to show.

    The sample is a run of whole paragraphs, 300 to 600 words without a heading between them: the one that is
    nearest to all that was read in the length of its sentences and its share of dialogue. Where chapters are
    shorter than that, it goes across their headings.
    """
    text = _COMMENT.sub("", book[:_MOST_CHARACTERS].replace("\r\n", "\n"))
    beginning = _beginning(read(text))
    prose = [each for each in beginning if _is_prose(each)]
    passages = list(_passages(beginning)) or list(_passages(prose))
    if not passages:
        return None
    length, spoken = _mean_sentence(prose), spoken_share(prose)
    nearest = min(
        passages,
        key=lambda each: abs(_mean_sentence(each) - length) / length + abs(spoken_share(each) - spoken),
    )
    lengths = sorted(_sentence_lengths(prose))
    counts = measured("", prose, language_of(language))
    return Voice(
        sample="\n\n".join(each.text.strip() for each in nearest),
        sentence_words=lengths[len(lengths) // 2],
        long_sentence_words=lengths[len(lengths) * 9 // 10],
        dialogue_percent=round(100 * spoken),
        person=_person(share(counts, "first", "third", _LEAST_FORMS)),
        tense=_tense(share(counts, "past", "present", _LEAST_FORMS)),
    )


def _beginning(paragraphs: Sequence[Paragraph]) -> list[Paragraph]:
    """The paragraphs of the largest of 300, 600 … 9,600 words that the book has; all of a shorter one."""
    ends: list[int] = []
    for each in paragraphs:
        ends.append((ends[-1] if ends else 0) + len(each.words))
    reach = _SHORTEST
    while ends and 2 * reach <= min(ends[-1], _MOST_WORDS):
        reach *= 2
    return [each for each, end in zip(paragraphs, ends, strict=True) if end - len(each.words) < reach]


def _is_prose(paragraph: Paragraph) -> bool:
    return bool(paragraph.words) and not paragraph.is_heading


def _passages(paragraphs: Sequence[Paragraph]) -> Iterator[list[Paragraph]]:
    """Runs of paragraphs, of 300 to 600 words each and apart from each other; a heading ends a run."""
    run: list[Paragraph] = []
    for each in paragraphs:
        words = sum(len(other.words) for other in run)
        if each.is_heading or words + len(each.words) > _LONGEST:
            run = [] if each.is_heading or len(each.words) > _LONGEST else [each]
        else:
            run.append(each)
        if sum(len(other.words) for other in run) >= _SHORTEST:
            yield run
            run = []


def _sentence_lengths(paragraphs: Sequence[Paragraph]) -> list[int]:
    return [len(words) for each in paragraphs for words in sentences(each)]


def _mean_sentence(paragraphs: Sequence[Paragraph]) -> float:
    lengths = _sentence_lengths(paragraphs)
    return sum(lengths) / len(lengths)


def _person(first: float | None) -> Literal["first", "third", ""]:
    if first is None or _THIRD_PERSON < first < _FIRST_PERSON:
        return ""
    return "first" if first >= _FIRST_PERSON else "third"


def _tense(past: float | None) -> Literal["past", "present", ""]:
    if past is None or _FEW < past < _MANY:
        return ""
    return "past" if past >= _MANY else "present"
