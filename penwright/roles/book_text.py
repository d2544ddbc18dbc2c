"""Text of a book inside a prompt: fenced, so that it can never pass for an instruction."""

import re
from dataclasses import dataclass

TAG = "book-text"
_TAG_IN_TEXT = re.compile(rf"<(?=\s*/?\s*{TAG})", re.IGNORECASE)
_ESCAPED = re.compile(rf"&lt;(?=\s*/?\s*{TAG})", re.IGNORECASE)
_FENCE = re.compile(rf'<{TAG} kind="([^"]*)" name="([^"]*)">\n(.*?)\n</{TAG}>', re.DOTALL)


@dataclass(frozen=True, slots=True)
class BookText:
    """One piece of a book, such as the outline, the waiting prose or an author's instruction."""

    kind: str
    name: str
    text: str

    @property
    def fenced(self) -> str:
        """The piece as it stands in a prompt."""
        return (
            f'<{TAG} kind="{_attribute(self.kind)}" name="{_attribute(self.name)}">\n'
            f"{_TAG_IN_TEXT.sub('&lt;', self.text)}\n</{TAG}>"
        )


def read_book_texts(prompt: str) -> tuple[BookText, ...]:
    """Every fenced piece of ``prompt``, in order; the inverse of ``fenced``."""
    return tuple(BookText(kind, name, _ESCAPED.sub("<", text)) for kind, name, text in _FENCE.findall(prompt))


def _attribute(value: str) -> str:
    return re.sub(r'[\s"<>&]+', " ", value)
