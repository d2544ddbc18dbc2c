"""The pace of a book: sessions fill chapters, and the book ends in its last one."""

from collections import Counter
from dataclasses import dataclass, field, replace

import pytest

from penwright.domain.book.advancing import advance_chapter
from penwright.domain.book.pace import Pace
from penwright.domain.book.session_warnings import overlong
from schemas.book import BookConfig
from tests.support.books.memory_book import PaperBook, numbered_words
from tests.support.each import for_each


def config(target: int, chapters: int, chapter: int, session: int) -> BookConfig:
    return BookConfig(
        target_length=target,
        chapter_count=chapters,
        chapter_structure="linear",
        words_per_session=session,
        words_per_chapter=chapter,
    )


CONFIGURATIONS = [
    (62_500, 21, 3_000, 1_500),  # a novel of `book init`
    (5_000, 2, 3_000, 750),  # a short story of `book init`
    (1_250, 1, 3_000, 500),  # flash fiction of `book init`
    (6_000, 4, 1_500, 400),
    (1_800, 3, 600, 300),
    (1_800, 3, 600, 400),
    (1_800, 3, 600, 500),
    (1_800, 3, 600, 599),
    (1_800, 3, 600, 601),
    (1_800, 3, 600, 1_000),
    (1_800, 3, 600, 30),
    (10_000, 10, 1_000, 900),
    (10_000, 10, 1_000, 901),
    (10_000, 10, 1_000, 450),
    (10_000, 10, 1_000, 333),
    (10_000, 10, 1_000, 110),
    (9_300, 10, 1_000, 250),
    (10_700, 10, 1_000, 250),
    (500, 5, 100, 40),
    (3_000, 1, 3_000, 800),
]


@dataclass
class Plan:
    """A book in figures, written session by session; every outline is there."""

    pace: Pace
    effort: float
    """Share of the words wanted that the writer writes."""
    words: Counter[int] = field(default_factory=Counter)
    """By chapter."""
    left: list[int | None] = field(default_factory=list)
    """What was said before each session of how many are left."""

    def write(self) -> "Plan":
        while not self._session():
            pass
        return self

    def _session(self) -> bool:
        """Whether it was the last one of the book."""
        self.left.append(self.pace.sessions_left)
        if self.pace.chapter_is_full and not self.pace.in_last_chapter:
            self.pace = replace(self.pace, chapter=self.pace.chapter + 1, chapter_words=0)
        now, written = self.pace, max(1, round(self.pace.words_wanted * self.effort))
        self.words[now.chapter] += written
        self.pace = replace(
            now, chapter_words=now.chapter_words + written, book_words=now.book_words + written
        )
        return now.is_last_of_chapter and now.in_last_chapter and self.pace.completion_ready


@for_each("target, chapters, chapter, session", CONFIGURATIONS)
@pytest.mark.parametrize("effort", [1.0, 0.9, 1.1])
def test_chapters_get_their_length_and_the_book_ends_in_its_last_one(
    target: int, chapters: int, chapter: int, session: int, effort: float
) -> None:
    book = Plan(Pace(config(target, chapters, chapter, session), 1, 0, 0), effort).write()

    last = max(target - (chapters - 1) * chapter, min(chapter, target) // 2)
    planned = {**dict.fromkeys(range(1, chapters), chapter), chapters: last}
    assert book.words.keys() == planned.keys()
    strays = {number: words / planned[number] for number, words in book.words.items()}
    # The last one makes up for what the others have too much or lack.
    judged = strays if effort == 1 else {number: strays[number] for number in range(1, chapters)}
    assert all(0.8 <= share <= 1.2 for share in judged.values()), strays
    assert 0.9 * target <= book.words.total() <= 1.1 * target
    if effort == 1:
        assert book.left == list(range(len(book.left), 0, -1))


def test_words_that_wait_for_review_count_for_the_next_session() -> None:
    book = PaperBook()

    first = book.open().payload
    book.close(numbered_words(0, 100))
    second = book.open().payload

    told = [(each.current_chapter_word_count, each.chapter_words_left) for each in (first, second)]
    assert told == [(0, 300), (100, 200)]
    assert (second.word_count.total, second.word_count.waiting, second.word_count.remaining) == (0, 100, 900)


def test_the_session_that_fills_a_chapter_knows_it_and_sees_the_next_outline() -> None:
    book = PaperBook()
    told = []
    for _ in range(3):
        payload = book.open().payload
        told.append((payload.last_session_of_chapter, payload.chapters.next is not None))
        book.close(numbered_words(0, 100))

    assert told == [(False, False), (False, False), (True, True)]


def test_a_chapter_is_advanced_at_nine_tenths_with_the_words_that_wait() -> None:
    book = PaperBook()
    book.write(numbered_words(0, 269))
    early = advance_chapter(book.view()).report.status
    book.put("Review/current.md", f"{book.review}\none\n")

    assert (early, advance_chapter(book.view()).report.status) == ("chapter_not_ready", "advanced")


def test_the_words_left_are_divided_evenly_among_sessions_of_about_the_length_set() -> None:
    def wanted(words: int, session: int) -> int:
        return Pace(config(9_000, 3, 3_000, session), 1, words, words).words_wanted

    assert [wanted(0, session) for session in (1_500, 1_400, 2_000, 2_500, 5_000)] == [
        *(1_500, 1_500, 1_500, 3_000, 3_000)
    ]
    assert [wanted(words, 1_500) for words in (0, 1_200, 1_800, 2_699)] == [1_500, 1_800, 1_200, 301]


def test_a_full_chapter_that_cannot_be_left_is_written_on_in_whole_sessions() -> None:
    pace = Pace(config(9_000, 3, 3_000, 1_500), 1, 4_500, 4_500)

    assert (pace.words_wanted, pace.chapter_words_left, pace.is_last_of_chapter) == (1_500, 0, False)


def test_the_last_chapter_should_have_what_the_others_left_it() -> None:
    left = Pace(config(9_000, 3, 3_000, 1_500), 3, 500, 6_000)

    assert (left.chapter_length, left.chapter_words_left) == (3_500, 3_000)
    assert replace(left, chapter=2).chapter_length == 3_000


def test_a_book_that_is_too_long_is_told_where_it_stands() -> None:
    in_third = Pace(config(9_000, 4, 3_000, 1_500), 3, 4_000, 10_000)

    assert "it is in chapter 3 of 4: `penwright book complete tide-4f2a --early`" in overlong(
        "tide-4f2a", in_third
    )
    assert "it is not at its end" in overlong("tide-4f2a", replace(in_third, chapter=4))


def test_an_end_that_was_not_reached_gets_a_few_words_more() -> None:
    pace = Pace(config(9_000, 3, 3_000, 1_500), 3, 3_000, 9_000)

    assert (pace.words_wanted, pace.is_last_of_chapter, pace.sessions_left) == (375, True, 1)


def test_thresholds_are_truncated_nine_tenths() -> None:
    def at(words: int, chapter: int = 2) -> Pace:
        return Pace(config(1_001, 2, 33, 10), chapter, words, words)

    # 0.9 * 33 = 29.7 and 0.9 * 1001 = 900.9
    assert [at(words).chapter_is_full for words in (28, 29)] == [False, True]
    assert [at(words).completion_ready for words in (899, 900, 5000)] == [False, True, True]
    assert [at(words).chapter_percent for words in (0, 16, 33, 99)] == [0, 48, 100, 100]
    assert not at(5_000, chapter=1).completion_ready
