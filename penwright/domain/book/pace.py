"""The pace of a book: how its words divide among chapters and sessions.

A session writes for one chapter. What a chapter still needs is divided evenly among as few sessions as can
write it with at most 120 % of ``words_per_session`` each. The last chapter takes what the length of the book
leaves for it.
"""

from dataclasses import dataclass
from typing import Literal

from penwright.domain.book.review.waiting_prose import WaitingProse
from schemas.book import BookConfig, BookState


@dataclass(frozen=True, slots=True)
class Pace:
    """Progress of a book in words; those that wait for review count as well."""

    config: BookConfig
    chapter: int
    chapter_words: int
    book_words: int

    @property
    def in_last_chapter(self) -> bool:
        return self.chapter >= self.config.chapter_count

    @property
    def chapter_is_full(self) -> bool:
        """Whether the chapter has enough words to be closed."""
        return self.chapter_words >= words_to_advance(self.config)

    @property
    def chapter_percent(self) -> int:
        """The chapter's progress, rounded down, at most 100."""
        return min(100, 100 * self.chapter_words // self.config.words_per_chapter)

    @property
    def completion_ready(self) -> bool:
        """Whether every chapter has begun, and the book has at least 90 % of its length."""
        return self.in_last_chapter and self.book_words >= words_to_complete(self.config)

    @property
    def is_overlong(self) -> bool:
        """Whether the book has over 110 % of its length."""
        return self.book_words * 10 > self.config.target_length * 11

    @property
    def at_target(self) -> Literal["", "ask", "complete"]:
        """Action for a book that is too long; empty if none. One with an unbegun chapter is not sealed."""
        if not self.is_overlong or self.config.at_target == "go-on":
            return ""
        sealable = self.config.at_target == "complete" and self.completion_ready
        return "complete" if sealable else "ask"

    @property
    def chapter_length(self) -> int:
        """Words that the chapter should have."""
        if not self.in_last_chapter:
            return self.config.words_per_chapter
        return self._last_chapter(self.book_words - self.chapter_words)

    @property
    def chapter_words_left(self) -> int:
        """Words that the chapter still needs."""
        return max(0, self.chapter_length - self.chapter_words)

    @property
    def words_wanted(self) -> int:
        """New words of the next session; in a full chapter those of a first session in the next one."""
        if self.chapter_is_full and not self.in_last_chapter:
            return self._share(self.config.words_per_chapter)
        share = self._share(self.chapter_words_left)
        # An end that was not reached within the length needs a few words more.
        least = max(1, self.config.words_per_session // 4) if self.in_last_chapter else 1
        return max(least, share)

    @property
    def is_last_of_chapter(self) -> bool:
        """Whether the next session is to bring the chapter to its end."""
        if self.chapter_is_full and not self.in_last_chapter:
            return False
        return self._sessions(self.chapter_words_left) <= 1

    @property
    def sessions_left(self) -> int | None:
        """Sessions to the end of the book, if each writes what is wanted; None if it is overlong: what is
        planned says no more when it ends."""
        if self.is_overlong:
            return None
        if self.in_last_chapter:
            return max(1, self._sessions(self.chapter_words_left))
        length, between = self.config.words_per_chapter, self.config.chapter_count - self.chapter - 1
        here = 0 if self.chapter_is_full else self.chapter_words_left
        last = self._last_chapter(self.book_words + here + between * length)
        return self._sessions(here) + between * self._sessions(length) + self._sessions(last)

    def _last_chapter(self, before: int) -> int:
        """The length of the last chapter after so many words: what is left, but not next to nothing."""
        whole = self.config.target_length
        return max(whole - before, min(self.config.words_per_chapter, whole) // 2, 1)

    def _sessions(self, words: int) -> int:
        """The fewest sessions for so many words."""
        return -(-words * 5 // (self.config.words_per_session * 6))

    def _share(self, words: int) -> int:
        """The words of each of these sessions, rounded up."""
        return -(-words // max(1, self._sessions(words)))


def pace_of(config: BookConfig, state: BookState, waiting: WaitingProse, validated: int) -> Pace:
    """The pace of a book with ``validated`` words in Full_Book.md and ``waiting`` prose in its review."""
    chapter = state.current_chapter
    waits = waiting.words_from_chapter(chapter, first=state.review_chapter or chapter)
    return Pace(config, chapter, state.current_chapter_word_count + waits, validated + waiting.words)


def words_to_advance(config: BookConfig) -> int:
    """Return the words from which a chapter may be closed: 90 % of its length, rounded down."""
    return config.words_per_chapter * 9 // 10


def words_to_complete(config: BookConfig) -> int:
    """Return the words from which a book may be sealed: 90 % of its target, rounded down."""
    return config.target_length * 9 // 10
