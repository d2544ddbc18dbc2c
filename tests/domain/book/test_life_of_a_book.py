"""A book from its first session to its seal, with an author who never leaves it alone.

Every word is one of a kind. The reader here knows only what the review's documents say, not the code.
"""

import re
from dataclasses import dataclass, field
from datetime import timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from penwright.domain.book.advancing import advance_chapter
from penwright.domain.book.closing import Closing
from penwright.domain.book.completing import complete_book
from penwright.domain.book.files.layout import CONFIG, FULL_BOOK, REVIEW, STATE, chapter_path
from penwright.domain.book.files.yaml_files import read_state
from schemas.book import BookState, Instruction, SessionPayload
from tests.support.books.memory_book import CONFIG_TEXT, OWNER, PaperBook
from tests.support.sweeps import LONG

LIVES = 2_000 if LONG else 6
WORDS_PER_PAGE = 7
SMALL = {"1000": "120", "words_per_session: 100": "words_per_session: 12", "300": "20", "50": "7"}

_OLD = re.compile(
    r"<!-- INK:ORIGINAL:START -->((?:(?!<!-- INK:[A-Z]).)*)<!-- INK:(?:ORIGINAL|REWORKED):END -->", re.DOTALL
)
_ANNOTATION = re.compile(r"(?<=<!-- INK:REWORKED:START -->\n)> [^\n]*")
_UNCLOSED = re.compile(r"<!-- INK:(?! do | -->|[A-Z])")
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_WORD = re.compile(r"(?:c\d+n|a|r)\d+")


def words_in(text: str) -> list[str]:
    """The words of the story that a reader of ``text`` sees."""
    plain = text.replace("\r\n", "\n")
    seen = _COMMENT.sub(" ", _UNCLOSED.sub(" ", _ANNOTATION.sub("", _OLD.sub("", plain))))
    return [word for word in seen.split() if _WORD.fullmatch(word)]


@dataclass
class Life:
    """A book, the people who work on it, and its invariants."""

    data: st.DataObject
    book: PaperBook = field(default_factory=PaperBook)
    count: int = 0
    edited: bool = False
    """The author was there since the session opened."""

    def __post_init__(self) -> None:
        config = CONFIG_TEXT
        for old, new in SMALL.items():
            config = config.replace(old, new)
        self.book.put(CONFIG, config).put(chapter_path(3), "# The End\n")

    def draw(self, *choices: str) -> str:
        return self.data.draw(st.sampled_from(choices))

    def number(self, least: int, most: int) -> int:
        return self.data.draw(st.integers(least, most))

    def new_words(self, kind: str, most: int = 9) -> str:
        first, many = self.count, self.number(1, most)
        self.count += many
        return " ".join(f"{kind}{number}" for number in range(first, first + many))

    def paragraphs(self, kind: str) -> str:
        return "\n\n".join(self.new_words(kind) for _ in range(self.number(1, 3)))

    @property
    def story(self) -> list[str]:
        return words_in(self.book.book) + words_in(self.book.review)

    # The author.

    def author(self) -> None:
        """One change to the review, or a correction in the book."""
        self.edited = True
        lines = self.book.review.replace("\r\n", "\n").split("\n")
        texts = [at for at, line in enumerate(lines) if words_in(line) and "<!--" not in line]
        at = self.data.draw(st.sampled_from(texts)) if texts else None
        match self.draw("insert", "delete", "replace", "instruct", "instruct", "spoil", "correct"):
            case "insert":
                text = self.book.review
                managed = text[: text.find("-->")].count("\n") + 1 if text.startswith("<!-- Penwright") else 0
                lines.insert(self.number(managed, len(lines)), f"\n{self.new_words('a')}\n")
            case "delete" if at is not None:
                del lines[at]
            case "replace" if at is not None:
                old = self.data.draw(st.sampled_from(words_in(lines[at])))
                lines[at] = re.sub(rf"\b{old}\b", self.new_words("a"), lines[at])
            case "instruct" if at is not None:
                self.count += 1
                lines[at] = self._commented(lines[at], f"<!-- INK: do i{self.count} -->")
            case "spoil" if at is not None:
                wrong = self.draw(
                    "<!-- INK: -->", "<!-- INK shorten it -->", f"<!-- INK: {self.new_words('a')}"
                )
                lines[at] = self._commented(lines[at], wrong)
            case "correct" if words_in(self.book.book):
                old = self.data.draw(st.sampled_from(words_in(self.book.book)))
                new = self.new_words(re.sub(r"\d+$", "", old), 1)
                self.book.put(FULL_BOOK, re.sub(rf"\b{old}\b", new, self.book.book))
        self.book.put(REVIEW, self.draw("\n", "\n", "\r\n").join("\n".join(lines).split("\n")))

    def _commented(self, line: str, comment: str) -> str:
        """A comment inside, after or below a line."""
        words = line.split()
        inside = " ".join([*words[: len(words) // 2], comment, *words[len(words) // 2 :]])
        return self.draw(f"{line} {comment}", f"{line}\n{comment}", f"{line}\n\n{comment}\n", inside)

    def tidy_up(self) -> None:
        """The author takes every comment back that is not the engine's."""
        review = _UNCLOSED.sub("", self.book.review)
        self.book.put(REVIEW, re.sub(r"<!-- INK(?::)? [^>]*-->|<!-- INK: -->", "", review))

    # The sessions.

    def session(self) -> None:
        """Open, perhaps move on, write, close; or open and die."""
        before = self.story
        payload = self.book.open().payload
        self.edited = False
        assert self.story == before
        assert payload.word_count.total == len(words_in(self.book.book))
        for _ in range(self.number(0, 1)):
            self.author()
        if self.draw("write", "write", "write", "die") == "die":
            self.book.now += timedelta(hours=3)
            return
        self.advance()
        self.close(payload)

    def advance(self) -> None:
        before, book = self.story, self.book.book
        advancing = advance_chapter(self.book.view())
        self.book.publish(advancing.operations)
        assert (self.story, self.book.book) == (before, book)
        if advancing.report.status == "advanced":
            assert self.state.current_chapter_word_count == 0

    def close(self, payload: SessionPayload) -> None:
        """Deliver, and compare the book with everything that was written."""
        before, book = self.story, self.book.book
        answered = [
            each for each in payload.current_review.instructions if self.draw("answer", "leave") == "answer"
        ]
        reworks = [(each, self.paragraphs("r")) for each in answered]
        new = self.paragraphs(f"c{self.state.current_chapter}n") if self.number(0, 4) or not reworks else ""
        marked = f"<!-- INK:NEW:START -->\n{new}\n<!-- INK:NEW:END -->" if self.number(0, 2) and new else new
        blocks = [self._rework(each, text) for each, text in reworks]
        closing = self.book.close("\n\n".join([*blocks, marked]))
        self.check(closing, book)
        old = {word for text in _OLD.findall(self.book.review) for word in text.split()}
        written = {*new.split(), *(word for _, text in reworks for word in text.split())}
        waited = [word for word in self.story if word not in written]
        assert waited == [word for word in before if word not in old or word in waited]
        assert len(self.story) == len(set(self.story))
        assert written <= set(self.story)
        assert self.story[len(self.story) - len(new.split()) :] == new.split()
        if not self.edited and all(each.passage for each in answered):
            assert self.story == expected(before, reworks, new)

    def _rework(self, asked: Instruction, text: str) -> str:
        original = f"<!-- INK:ORIGINAL:START -->\n{asked.passage}\n<!-- INK:ORIGINAL:END -->\n"
        return (
            f"<!-- INK:REWORKED:START -->\n> **[Rework]** {asked.instruction}\n\n{text}\n"
            f"{self.draw('', original)}<!-- INK:REWORKED:END -->"
        )

    @property
    def state(self) -> BookState:
        return read_state(self.book.files[STATE])

    def check(self, closing: Closing, book: str) -> None:
        """Invariants after every close."""
        entered = words_in(self.book.book)
        assert self.book.book.startswith(book)
        assert closing.report.total_word_count == len(entered)
        state = self.state
        chapter = sum(word.startswith(f"c{state.current_chapter}n") for word in entered)
        others = sum(word[0] in "ar" for word in entered)
        assert chapter <= state.current_chapter_word_count <= chapter + others
        assert state.current_chapter_word_count <= closing.report.current_chapter_word_count
        self.check_pages()

    def check_pages(self) -> None:
        assert "INK" not in self.book.book
        assert "[Rework]" not in self.book.book
        pages = re.split(r"<!-- PAGE (\d+) -->", self.book.book)
        assert [int(number) for number in pages[1::2]] == list(range(1, len(pages) // 2 + 1))
        assert not words_in(pages[0])
        assert all(len(words_in(page)) >= WORDS_PER_PAGE for page in pages[2:-2:2])

    def seal(self) -> None:
        self.tidy_up()
        before = self.story
        self.book.now += timedelta(hours=3)
        completing = complete_book(self.book.view(), session="", owner=OWNER, now=self.book.now, early=True)
        self.book.publish(completing.operations)
        assert completing.report.status == "complete"
        assert completing.report.total_word_count == len(before)
        assert words_in(self.book.book) == before
        assert words_in(self.book.review) == []
        self.check_pages()


def expected(before: list[str], reworks: list[tuple[Instruction, str]], new: str) -> list[str]:
    """The story with each passage replaced where it stood; a second answer to a passage goes to the end."""
    story, beside = list(before), list[str]()
    for asked, text in reworks:
        passage = asked.passage.split()
        if passage[0] in story and set(passage) <= set(story):
            at = story.index(passage[0])
            story[at : at + len(passage)] = text.split()
        else:
            beside += text.split()
    return [*story, *beside, *new.split()]


@settings(max_examples=LIVES)
@given(st.data())
def test_over_many_sessions_every_word_is_kept_exactly_once_and_in_order(
    data: st.DataObject,
) -> None:
    life = Life(data)
    for _ in range(life.number(1, 7)):
        for _ in range(life.number(0, 2)):
            life.author()
        life.session()
    life.seal()
