"""A draft as the rules see it, and the places that they find."""

from dataclasses import dataclass

from penwright.domain.prose.languages import Language, language_of
from penwright.domain.prose.reading import Paragraph, Word, read
from schemas.prose import BookIndex, Draft


@dataclass(frozen=True, slots=True)
class Place:
    """A place of the draft's prose, in code points, and the other side of the fault."""

    start: int
    end: int
    other: str = ""


@dataclass(frozen=True, slots=True)
class Checked:
    """A draft, read once for all rules, beside the index of its book."""

    draft: Draft
    index: BookIndex
    language: Language
    paragraphs: tuple[Paragraph, ...]
    words: tuple[Word, ...]
    """All of them."""

    @property
    def prose(self) -> str:
        """The draft's prose."""
        return self.draft.prose


def checked(draft: Draft, index: BookIndex) -> Checked:
    """Read a draft."""
    paragraphs = read(draft.prose)
    words = tuple(word for each in paragraphs for word in each.words)
    return Checked(draft, index, language_of(draft.language), paragraphs, words)
