"""How full a chapter and a book are."""

from penwright.domain.text.words import count_words
from schemas.book import BookConfig


def words_to_advance(config: BookConfig) -> int:
    """From here on a chapter may be closed: 90 % of its words, truncated."""
    return config.words_per_chapter * 9 // 10


def close_suggested(config: BookConfig, chapter_words: int) -> bool:
    """Whether the chapter is nearly full."""
    return chapter_words >= words_to_advance(config)


def progress_percent(config: BookConfig, chapter_words: int) -> int:
    """How full the chapter is, truncated, at most 100."""
    return min(100, 100 * chapter_words // config.words_per_chapter)


def words_to_complete(config: BookConfig) -> int:
    """From here on a book may be sealed: 90 % of its target, truncated."""
    return config.target_length * 9 // 10


def completion_ready(config: BookConfig, total_words: int) -> bool:
    """Whether the book is within 10 % of its target, or above it."""
    return total_words >= words_to_complete(config)


def words_for(chapter: int, parts: tuple[tuple[int, str], ...]) -> int:
    """Words among ``parts`` that were written for ``chapter``."""
    return sum(count_words(text) for written_for, text in parts if written_for == chapter)
