"""Progress of a chapter and of a book, in words."""

from penwright.domain.text.words import count_words
from schemas.book import BookConfig


def words_to_advance(config: BookConfig) -> int:
    """Return the words from which a chapter may be closed: 90 % of its length, rounded down."""
    return config.words_per_chapter * 9 // 10


def close_suggested(config: BookConfig, chapter_words: int) -> bool:
    """Whether the chapter has enough words to be closed."""
    return chapter_words >= words_to_advance(config)


def progress_percent(config: BookConfig, chapter_words: int) -> int:
    """Return the chapter's progress in percent, rounded down, at most 100."""
    return min(100, 100 * chapter_words // config.words_per_chapter)


def words_to_complete(config: BookConfig) -> int:
    """Return the words from which a book may be sealed: 90 % of its target, rounded down."""
    return config.target_length * 9 // 10


def completion_ready(config: BookConfig, total_words: int) -> bool:
    """Whether the book has at least 90 % of its target length."""
    return total_words >= words_to_complete(config)


def words_for(chapter: int, parts: tuple[tuple[int, str], ...]) -> int:
    """Count the words of the ``parts`` (chapter, text) that were written for ``chapter``."""
    return sum(count_words(text) for written_for, text in parts if written_for == chapter)
