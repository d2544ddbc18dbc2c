"""Import an existing source text as a book that a session can continue."""

import re
from collections.abc import Mapping

from penwright.adapters.scaffold.templates import fresh_book
from penwright.domain.book.files import layout
from penwright.domain.book.files.fresh_files import EMPTY_FULL_BOOK, EMPTY_REVIEW
from penwright.domain.book.files.readme import update_readme
from penwright.domain.book.files.yaml_files import read_config
from penwright.domain.book.importing.laying import first_missing_line, lay_out, planned_lengths
from penwright.domain.book.importing.values import Chapter, SourceText
from penwright.domain.text.chapter_names import chapter_name
from penwright.domain.text.words import is_unspaced, told_length, unit_of
from penwright.errors import PermanentError
from schemas.base import BookId, LengthUnit

_EXCERPT_WORDS = 40
_LOOKED_AT = 1_000
"""Characters that show whether words stand apart."""


def imported_book(
    source: SourceText,
    answers: Mapping[str, str],
    book_id: BookId,
    *,
    target_length: int | None = None,
    chapter_count: int | None = None,
) -> dict[str, str]:
    """Return path -> text of a book that continues ``source``.

    The last 1500 words or so wait in Review/current.md; everything before is in the book. Of the numbers in
    Config.yml those of ``planned_lengths`` stand, except those that are given.

    Raises:
        PermanentError: ``import-incomplete``, if a line of the source text were missing in the book.
    """
    files = fresh_book(answers, book_id)
    fresh = read_config(files[layout.CONFIG])
    target, chapters = planned_lengths(source, fresh, target_length)
    config = _with_numbers(
        files[layout.CONFIG], {"target_length": target, "chapter_count": chapter_count or chapters}
    )
    laid = lay_out(source, words_per_page=fresh.words_per_page)
    if missing := first_missing_line(source, laid.book, laid.waiting):
        raise PermanentError(
            "import-incomplete",
            f"line {missing} of the source text would not be in the book; nothing was made",
            hint="this is a bug in penwright: please report that line",
        )
    count = len(source.chapters)
    unnamed = "" if source.headings else chapter_name(1, fresh.language)
    outlines = {
        number: _outline(chapter, unnamed, unit_of(fresh.language))
        for number, chapter in enumerate(source.chapters, start=1)
    }
    files |= {layout.chapter_path(number): outline for number, outline in outlines.items()}
    files |= {
        layout.CONFIG: config,
        layout.FULL_BOOK: f"{EMPTY_FULL_BOOK}\n{_ended(laid.book)}" if laid.book.strip() else EMPTY_FULL_BOOK,
        layout.REVIEW: f"{EMPTY_REVIEW}\n{_ended(laid.waiting)}",
        layout.README: update_readme(files[layout.README], outlines, current=count),
        layout.STATE: f"current_chapter: {count}\ncurrent_chapter_word_count: {laid.chapter_words}\n"
        f"review_chapter: {laid.waiting_chapter or count}\nbook_id: {book_id}\n",
    }
    return files


def _ended(text: str) -> str:
    return text if text.endswith("\n") else f"{text}\n"


def _outline(chapter: Chapter, unnamed: str, unit: LengthUnit) -> str:
    """``unnamed``: the name of a chapter that has no heading in its source; empty if it has one."""
    words, between = chapter.text.split(), " "
    if is_unspaced(chapter.text[:_LOOKED_AT]):
        words, between = list("".join(words)), ""
    opens, ends = between.join(words[:_EXCERPT_WORDS]), between.join(words[-_EXCERPT_WORDS:])
    return (
        f"# {unnamed or chapter.heading}\n\nWritten already: {told_length(chapter.words, unit)}.\n\n"
        f"## Opens\n\n{opens} …\n\n## Ends\n\n… {ends}\n"
    )


def _with_numbers(config: str, numbers: Mapping[str, int]) -> str:
    for key, number in numbers.items():
        config = re.sub(rf"^{key}:.*$", f"{key}: {number}", config, flags=re.MULTILINE)
    return config
