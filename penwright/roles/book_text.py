"""Text of a book inside a prompt: fenced, so that it can never pass for an instruction."""

import re
from dataclasses import dataclass

TAG = "book-text"
_TAG_IN_TEXT = re.compile(rf"(?:<|&((?:amp;)*lt;))(?=\s*/?\s*{TAG})", re.IGNORECASE)
_ESCAPED = re.compile(rf"&(?:lt;|amp;((?:amp;)*lt;))(?=\s*/?\s*{TAG})", re.IGNORECASE)
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
            f"{_TAG_IN_TEXT.sub(_escaped, self.text)}\n</{TAG}>"
        )


def read_book_texts(prompt: str) -> tuple[BookText, ...]:
    """Every fenced piece of ``prompt``, in order; the inverse of ``fenced``."""
    return tuple(
        BookText(kind, name, _ESCAPED.sub(_plain, text)) for kind, name, text in _FENCE.findall(prompt)
    )


def _escaped(found: re.Match[str]) -> str:
    """What looks escaped already is escaped once more, so that nothing is mistaken on the way back."""
    return f"&amp;{found[1]}" if found[1] else "&lt;"


def _plain(found: re.Match[str]) -> str:
    return f"&{found[1]}" if found[1] else "<"


def _attribute(value: str) -> str:
    return re.sub(r'[\s"<>&]+', " ", value)
