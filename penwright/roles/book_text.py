"""Text of a book in a prompt, fenced so that a model cannot take it for an instruction."""

from dataclasses import dataclass

from penwright.domain.text.fences import BOOK
from penwright.domain.text.words import unit_of

TAG = BOOK.tag


@dataclass(frozen=True, slots=True)
class BookText:
    """One text of a book, such as the outline, the waiting prose or an author's instruction."""

    kind: str
    name: str
    text: str

    @property
    def fenced(self) -> str:
        """The text in its fence, for a prompt."""
        return BOOK.fenced(self.kind, self.name, self.text)


def language_line(language: str) -> str:
    """The language of a book on one line of a prompt, and in what its lengths are counted if not in words."""
    line, unit = " ".join(language.split()), unit_of(language)
    return line if unit == "words" else f"{line}; of its text every one of the {unit} counts as one word"


def escaped(text: str) -> str:
    """``text`` as it stands inside a fence: it can neither end the fence nor begin another one."""
    return BOOK.escaped(text)


def read_book_texts(prompt: str) -> tuple[BookText, ...]:
    """Every fenced text of ``prompt``, in order; the inverse of ``fenced``."""
    return tuple(BookText(each.kind, each.name, each.text) for each in BOOK.read(prompt))
