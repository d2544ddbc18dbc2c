"""Judging a session of 1,500 words beside a book of 200,000, and making the index of that book."""

from functools import partial

from penwright.domain.prose.findings import findings
from penwright.domain.prose.indexing import extended, index_of
from penwright.domain.text.words import count_words
from schemas.prose import BookIndex, Draft
from tests.bench.long_books import text_of
from tests.bench.report import Row, row_of, say, timed

WORDS, SESSION, ROUNDS = 200_000, 1_500, 10
FINDINGS_MS, INDEX_MS, EXTEND_MS = 100.0, 6_000.0, 600.0


def run(words: int = WORDS, session: int = SESSION, rounds: int = ROUNDS) -> list[Row]:
    """Measure with the index as it is kept; the baseline counts the words of the book."""
    say(f"prose: a book of {words:,} words")
    text = text_of(words + session)
    book, prose = _divided(text, words)
    made, index = timed(lambda: index_of([book], "English"))
    kept = index.model_dump_json()
    judged = [timed(lambda: _judged(prose, session, kept))[0] for _ in range(rounds)]
    added = [timed(lambda: extended(index, [prose]))[0] for _ in range(rounds)]
    counted = [timed(partial(count_words, book))[0] for _ in range(rounds)]
    size = f"{words // 1000}k words"
    return [
        row_of("prose", f"findings, {session:,} words, book of {size}", judged, counted, FINDINGS_MS),
        row_of("prose", f"index, {size}, {len(kept) / 1e6:.1f} MB", [made], counted, INDEX_MS),
        row_of("prose", f"index of one more session, {size}", added, counted, EXTEND_MS),
    ]


def _divided(text: str, words: int) -> tuple[str, str]:
    """The first paragraphs, with so many words, and the others."""
    before: list[str] = []
    after: list[str] = []
    count = 0
    for paragraph in text.split("\n\n"):
        (before if count < words else after).append(paragraph)
        count += len(paragraph.split())
    return "\n\n".join(before), "\n\n".join(after)


def _judged(prose: str, words: int, kept: str) -> int:
    """The number of findings, the index read from its JSON."""
    return len(findings(Draft(prose=prose, words_wanted=words), BookIndex.model_validate_json(kept)))
