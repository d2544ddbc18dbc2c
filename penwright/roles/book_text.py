"""Text of a book in a prompt, fenced so that a model cannot take it for an instruction."""

import re
from dataclasses import dataclass

TAG = "book-text"
_TAG_IN_TEXT = re.compile(rf"(?:<|&((?:amp;)*lt;))(?=\s*/?\s*{TAG})", re.IGNORECASE)
_ESCAPED = re.compile(rf"&(?:lt;|amp;((?:amp;)*lt;))(?=\s*/?\s*{TAG})", re.IGNORECASE)
_FENCE = re.compile(rf'<{TAG} kind="([^"]*)" name="([^"]*)">\n(.*?)\n</{TAG}>', re.DOTALL)


@dataclass(frozen=True, slots=True)
class BookText:
    """One text of a book, such as the outline, the waiting prose or an author's instruction."""

    kind: str
    name: str
    text: str

    @property
    def fenced(self) -> str:
        """The text in its fence, for a prompt."""
        return (
            f'<{TAG} kind="{_attribute(self.kind)}" name="{_attribute(self.name)}">\n'
            f"{escaped(self.text)}\n</{TAG}>"
        )


def escaped(text: str) -> str:
    """``text`` as it stands inside a fence: it can neither end the fence nor begin another one."""
    return _TAG_IN_TEXT.sub(_escaped, text)


def read_book_texts(prompt: str) -> tuple[BookText, ...]:
    """Every fenced text of ``prompt``, in order; the inverse of ``fenced``."""
    return tuple(
        BookText(kind, name, _ESCAPED.sub(_plain, text)) for kind, name, text in _FENCE.findall(prompt)
    )


def _escaped(found: re.Match[str]) -> str:
    """Text that is already escaped is escaped once more, so that unescaping is exact."""
    return f"&amp;{found[1]}" if found[1] else "&lt;"


def _plain(found: re.Match[str]) -> str:
    return f"&{found[1]}" if found[1] else "<"


def _attribute(value: str) -> str:
    return re.sub(r'[\s"<>&]+', " ", value)
