"""The writer's prompts of three sessions, as they are recorded in ``tests/roles/prompts``.

``python -m tests.support.books.recorded_prompts`` records them anew; look at the difference, then commit it.
"""

from collections.abc import Callable, Mapping
from pathlib import Path

from penwright.adapters.scaffold.importing import imported_book
from penwright.adapters.scaffold.templates import fresh_book
from penwright.domain.book.files.layout import CONFIG, FULL_BOOK, REVIEW, chapter_path
from penwright.domain.book.importing.reading import read_source
from penwright.domain.book.intents import select_for
from penwright.domain.book.prose_so_far import earlier_prose
from penwright.domain.book.voice import voice_of
from penwright.domain.trace.layout import LESSONS
from penwright.roles.ink_writer import briefing
from schemas.base import BookId
from tests.support.books.memory_book import PaperBook

FOLDER = Path(__file__).parents[2] / "roles" / "prompts"
_BOOK_ID = BookId("low-tide-0001")
_ANSWERS = {"title": "Low Tide", "author": "M. Orr"}
_SENTENCES = (
    "The tide went out before anyone was up.",
    "Mara counted the boats from the wall, and one was missing.",
    '"You said he would be back by noon," said Tobias.',
    "She did not answer him at once.",
    "Below them the mud shone like the inside of a shell, and a dog ran over it.",
    '"I said that he would try," she said.',
    "He laughed, though not for long.",
    "Somebody had left a lamp burning in the shed, which nobody did in June.",
)


def prose(first: int, paragraphs: int) -> str:
    """Paragraphs of three sentences, which differ by where they begin."""
    told = [
        " ".join(
            _SENTENCES[(first + number + step * (1 + number % 3)) % len(_SENTENCES)] for step in range(3)
        )
        for number in range(paragraphs)
    ]
    return "\n\n".join(told)


def fresh() -> PaperBook:
    """A book as `book init` lays it out, of which three questions are answered."""
    answers = {
        "voice": "Near, dry, in the past tense.",
        "protagonist": "Mara, who counts ships.",
        "genre": "crime",
    }
    return _holding(fresh_book({**_ANSWERS, **answers, "first_chapter": "A boat is missing."}, _BOOK_ID))


def imported() -> PaperBook:
    """A novel of twenty chapters that was imported, in its last one."""
    chapters = (f"CHAPTER {number}. The Wall\n\n{prose(number, 12)}" for number in range(1, 21))
    return _holding(imported_book(read_source("\n\n".join(chapters) + "\n"), _ANSWERS, _BOOK_ID))


def last_of_a_chapter() -> PaperBook:
    """A book whose chapter is nearly told, with rules and a note of its author."""
    book = fresh().put(CONFIG, _SHORT_CHAPTERS).put(LESSONS, "# House style\n\nNo semicolons.\n")
    book.put(chapter_path(2), "# The Shed\n\n- Tobias finds the lamp.\n")
    for number in range(3):
        book.write(prose(number, 6), summary=f"Part {number + 1} is told.")
    return book.put(REVIEW, f"{book.review.rstrip()}\n\n<!-- INK: let him wait longer -->\n")


_SHORT_CHAPTERS = """\
target_length: 1500
chapter_count: 3
chapter_structure: linear
words_per_session: 200
words_per_chapter: 400
language: English
"""


def _holding(files: Mapping[str, str]) -> PaperBook:
    book = PaperBook().drop(*PaperBook().files)
    for path, text in files.items():
        book.put(path, text)
    return book


SESSIONS: Mapping[str, Callable[[], PaperBook]] = {
    "fresh": fresh,
    "imported": imported,
    "last-of-a-chapter": last_of_a_chapter,
}


def prompt_of(book: PaperBook) -> str:
    """The next session's whole prompt."""
    told = {
        "intent": select_for(book.view(), REVIEW).context,
        "voice": voice_of(book.files[FULL_BOOK], book.view().config.language),
        "earlier_prose": earlier_prose(book.files[FULL_BOOK], book.view()),
    }
    prompt = briefing.render(book.open().payload.model_copy(update=told))
    return f"{prompt.system}\n\n--- the task ---\n\n{prompt.text}\n"


def record() -> None:
    """Write them down as they are now."""
    for name, book in SESSIONS.items():
        (FOLDER / f"{name}.md").write_text(prompt_of(book()), encoding="utf-8")


if __name__ == "__main__":
    record()
