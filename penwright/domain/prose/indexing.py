"""A book as drafts are compared with it, made text by text."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from heapq import merge

from penwright.domain.prose.languages import Language, language_of
from penwright.domain.prose.measures import DIALOGUE, measured
from penwright.domain.prose.packing import LARGEST, VALUE_BITS, entry, hashed, packed, unpacked
from penwright.domain.prose.reading import Paragraph, Word, read, runs
from penwright.domain.text.words import count_words
from schemas.prose import LONGEST_BEGINNING, BookIndex

SHINGLE = 5
"""Words of a shingle."""
LEAST_WORDS = 20
"""Words of a paragraph that is compared; a shorter one may stand twice, as a refrain does."""
PHRASE = 3
MOST_SHINGLES = 400_000
MOST_PHRASES = 150_000
MOST_PASSAGES = 10_000
MOST_WORDS = 40_000
"""Different words, as many names, and as many words that only begin sentences."""
_OPENING = re.compile(r"[^\s,;]")
"""Signs after which a word may have a capital letter although it is no name."""


def index_of(texts: Iterable[str], language: str, *, waiting: str = "") -> BookIndex:
    """Make the index of a book out of its texts, the oldest first.

    Args:
        waiting: prose after them that its author has not approved; the share of dialogue is without it.
    """
    approved = extended(BookIndex(language=language), texts)
    if not waiting:
        return approved
    whole = extended(approved, (waiting,))
    kept = {name: approved.measures.get(name, 0) for name in DIALOGUE}
    return whole.model_copy(update={"measures": {**whole.measures, **kept}})


def extended(index: BookIndex, texts: Iterable[str]) -> BookIndex:
    """Add further texts to an index, the oldest first; the same as if all had been given at once."""
    language = language_of(index.language)
    passages, words = list(index.passages), index.words
    shingles: list[int] = []
    phrases, vocabulary = Counter[int](), Counter(index.vocabulary)
    names, openers = Counter(index.names), Counter(index.openers)
    measures = Counter(index.measures)
    for text in texts:
        paragraphs = read(text)
        words += count_words(text)
        measures.update(measured(text, paragraphs, language))
        for paragraph in paragraphs:
            _count_words(paragraph, vocabulary, names, openers)
            phrases.update(hashed(folded_of(phrase)) for phrase in content_phrases(paragraph, language))
            if len(paragraph.words) >= LEAST_WORDS:
                shingles += (entry(key, index.dropped + len(passages)) for key in shingles_of(paragraph))
                passages.append(paragraph.text[:LONGEST_BEGINNING])
    first, kept = _within_bounds(
        [*merge(unpacked(index.shingles), sorted(shingles))], passages, index.dropped
    )
    return BookIndex(
        language=index.language,
        words=words,
        passages=tuple(passages[first - index.dropped :]),
        dropped=first,
        shingles=packed(kept),
        phrases=packed(_with_counts(unpacked(index.phrases), phrases)),
        vocabulary=dict(vocabulary.most_common(MOST_WORDS)),
        names=dict(names.most_common(MOST_WORDS)),
        openers=dict(openers.most_common(MOST_WORDS)),
        measures=dict(measures),
    )


def shingles_of(paragraph: Paragraph) -> frozenset[int]:
    """Hashes of all runs of five words of a paragraph."""
    return frozenset(map(hashed, runs(paragraph.words, SHINGLE)))


def content_phrases(paragraph: Paragraph, language: Language) -> Iterator[Sequence[Word]]:
    """Runs of three words, two of which have a meaning, without names; none in a language without data."""
    words = paragraph.words
    # A name or the first word of a sentence is written otherwise than in small letters.
    kinds = [
        -PHRASE if word.written != word.folded else int(word.folded not in language.common) for word in words
    ]
    for at in range(len(words) - PHRASE + 1 if language.common else 0):
        if sum(kinds[at : at + PHRASE]) >= PHRASE - 1:
            yield words[at : at + PHRASE]


def folded_of(words: Iterable[Word]) -> tuple[str, ...]:
    """The words in lower case."""
    return tuple(word.folded for word in words)


def _count_words(
    paragraph: Paragraph, vocabulary: Counter[str], names: Counter[str], openers: Counter[str]
) -> None:
    end = 0
    for word in paragraph.words:
        between = paragraph.text[end : word.start - paragraph.start]
        end = word.end - paragraph.start
        if not word.written[0].isupper():
            vocabulary[word.folded] += 1
            continue
        name = without_genitive(word.written)
        if name in names or (between and not _OPENING.search(between)):
            names[name] += 1 + openers.pop(name, 0)
        else:
            openers[name] += 1


def without_genitive(word: str) -> str:
    """An English word without ``'s``, or its apostrophe."""
    return word.replace("’", "'").removesuffix("'s")


def _within_bounds(entries: list[int], passages: Sequence[str], dropped: int) -> tuple[int, list[int]]:
    """The first paragraph that is kept, and the entries from it on."""
    first = max(dropped, dropped + len(passages) - MOST_PASSAGES)
    if len(entries) > MOST_SHINGLES:
        first = max(first, sorted(each & LARGEST for each in entries)[-MOST_SHINGLES] + 1)
    return first, [each for each in entries if each & LARGEST >= first] if first > dropped else entries


def _with_counts(entries: Sequence[int], more: Counter[int]) -> list[int]:
    """The counts of phrases with those of new texts, the least frequent left out beyond the bound."""
    counts = Counter({each >> VALUE_BITS: each & LARGEST for each in entries})
    counts.update(more)
    return sorted(entry(key, count) for key, count in counts.most_common(MOST_PHRASES))
