"""Import an existing manuscript as a book that a session can continue."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from penwright.adapters.scaffold.templates import fresh_book
from penwright.domain.book.files import layout
from penwright.domain.book.files.fresh_files import EMPTY_FULL_BOOK, EMPTY_REVIEW
from penwright.domain.book.files.readme import update_readme
from penwright.domain.book.questions import WORDS_PER_PAGE
from penwright.domain.text.paging import BookCount, paginate
from penwright.domain.text.paragraphs import paragraphs
from penwright.domain.text.words import count_words
from schemas.base import BookId

_HEADING = re.compile(
    r"[ \t]*(?:#{1,2}[ \t]+(?P<marked>\S.*)"
    r"|(?P<plain>(?:chapter|kapitel|chapitre|cap[ií]tulo)[ \t]+[\w-]+\b.{0,80}|prologue|epilogue)\.?)[ \t]*",
    re.IGNORECASE,
)
_WAITING_WORDS = 1500
"""About one session: it waits for review, so that the author can still correct it."""
_EXCERPT_WORDS = 40


@dataclass(frozen=True, slots=True)
class Chapter:
    """One chapter of a manuscript."""

    heading: str
    text: str

    @property
    def words(self) -> int:
        return count_words(self.text)


@dataclass(frozen=True, slots=True)
class Manuscript:
    """A manuscript, parsed; ``front`` is the text before the first chapter."""

    front: str
    chapters: tuple[Chapter, ...]

    @property
    def words(self) -> int:
        return count_words(self.front) + sum(chapter.words for chapter in self.chapters)


def read_manuscript(text: str) -> Manuscript:
    """Split at chapter headings. A heading without text, as in a table of contents, is not a chapter."""
    front: list[str] = []
    parts: list[tuple[str, list[str]]] = []
    for line in text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n"):
        found = _HEADING.fullmatch(line)
        if found:
            parts.append(((found["marked"] or found["plain"]).strip(), []))
        else:
            (parts[-1][1] if parts else front).append(line)
    chapters = tuple(Chapter(heading, "\n".join(lines).strip()) for heading, lines in parts)
    written = tuple(chapter for chapter in chapters if chapter.text)
    if not written:
        return Manuscript("", (Chapter("Chapter 1", text.strip()),))
    return Manuscript("\n".join(front).strip(), written)


def imported_book(
    manuscript: Manuscript, answers: Mapping[str, str], book_id: BookId, *, target_length: int
) -> dict[str, str]:
    """Return path -> text of a book that continues ``manuscript``.

    The last 1500 words or so wait in Review/current.md; everything before is in the book.
    """
    kept, waiting = _split_chapter(manuscript.chapters[-1])
    count = len(manuscript.chapters)
    per_chapter = max(1, sum(chapter.words for chapter in manuscript.chapters) // count)
    text = "\n\n".join(
        part for part in (manuscript.front, *map(_section, manuscript.chapters[:-1]), kept) if part
    )
    files = fresh_book(answers, book_id)
    numbers = {
        "target_length": target_length,
        "chapter_count": max(count, -(-target_length // per_chapter)),
        "words_per_chapter": per_chapter,
    }
    outlines = {number: _outline(chapter) for number, chapter in enumerate(manuscript.chapters, start=1)}
    paged = paginate(text, BookCount(), words_per_page=WORDS_PER_PAGE)
    files |= {layout.chapter_path(number): outline for number, outline in outlines.items()}
    files |= {
        layout.CONFIG: _with_numbers(files[layout.CONFIG], numbers),
        layout.FULL_BOOK: f"{EMPTY_FULL_BOOK}\n{paged.text}\n" if paged.text else EMPTY_FULL_BOOK,
        layout.REVIEW: f"{EMPTY_REVIEW}\n{waiting}\n",
        layout.README: update_readme(files[layout.README], outlines, current=count),
        layout.STATE: f"current_chapter: {count}\ncurrent_chapter_word_count: {count_words(kept)}\n"
        f"review_chapter: {count}\nbook_id: {book_id}\n",
    }
    return files


def _split_chapter(chapter: Chapter) -> tuple[str, str]:
    """Split the last chapter, between paragraphs, into what enters the book and what waits for review."""
    pieces = list(paragraphs(_section(chapter)))
    waiting: list[str] = []
    while pieces and (
        not waiting or count_words(" ".join(waiting)) + count_words(pieces[-1]) <= _WAITING_WORDS
    ):
        waiting.insert(0, pieces.pop())
    return "\n\n".join(pieces), "\n\n".join(waiting)


def _section(chapter: Chapter) -> str:
    return f"## {chapter.heading}\n\n{chapter.text}"


def _outline(chapter: Chapter) -> str:
    words = chapter.text.split()
    opens, ends = " ".join(words[:_EXCERPT_WORDS]), " ".join(words[-_EXCERPT_WORDS:])
    return (
        f"# {chapter.heading}\n\nWritten already: {chapter.words} words.\n\n"
        f"## Opens\n\n{opens} …\n\n## Ends\n\n… {ends}\n"
    )


def _with_numbers(config: str, numbers: Mapping[str, int]) -> str:
    for key, number in numbers.items():
        config = re.sub(rf"^{key}:.*$", f"{key}: {number}", config, flags=re.MULTILINE)
    return config
