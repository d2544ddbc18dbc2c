"""Sentences through a conversion: marks at their ends in the Markdown, and elements around them in the HTML.

A mark is a number in figures that no text has, between two blanks that hardly any has. Only ends are marked,
so that emphasis, headings and footnotes are read as without it; whatever lies between two marks of one block
is one sentence.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from html.parser import HTMLParser

import nh3

from penwright.domain.citations.sentences import Sentence

_SPACE = "\u205f"
_FIGURES = "".join(chr(0xFDD0 + figure) for figure in range(10))
"""Noncharacters: neither letters nor marks, so that a heading's id is made without them."""
_AS_FIGURES = str.maketrans("0123456789", _FIGURES)
_FROM_FIGURES = str.maketrans(_FIGURES, "0123456789")
_MARK = re.compile(f"{_SPACE}([{_FIGURES}]+){_SPACE}?")
_OWN_SIGNS = str.maketrans({_SPACE: " ", **dict.fromkeys(_FIGURES)})
_BODY = re.compile(r"<body[^>]*>(.*)</body>", re.DOTALL)
_WORD = re.compile(r"\w")
_BLANKS = re.compile(r"[ \t\r\n\f]+")
_INLINE = frozenset(
    {"a", "b", "br", "code", "del", "em", "i", "s", "span", "strong", "sub", "sup", "u", "button"}
)
_BLOCKS = frozenset(
    {"p", "blockquote", "ul", "ol", "li", "pre", "hr", "div", "section", "header", "nav", "figure"}
    | {"dl", "dt", "dd", "table", "caption", "thead", "tbody", "tfoot", "tr", "th", "td"}
    | {f"h{level}" for level in range(1, 7)}
)
_LONELY = frozenset({"br", "hr"})
_CLASSES = frozenset(
    {"title", "author", "abstract", "abstract-title", "citation", "references", "csl-entry", "csl-bib-body"}
    | {"hanging-indent", "math", "footnotes", "line-block", "csl-left-margin", "csl-right-inline"}
)
_LINK = re.compile(r"#|https?://|mailto:", re.IGNORECASE)
_IDS = "t-"
"""Begins every id of the text, so that none is one of the page's own."""


@dataclass(frozen=True, slots=True)
class Part:
    """Some lines of a page, under the name that a check tells."""

    name: str
    content: str
    """Without a line end at its end."""


@dataclass(slots=True)
class _Piece:
    """A tag or a stretch of text, and the sentence that it belongs to."""

    html: str
    tag: str = ""
    """Empty for text."""
    closes: bool = False
    sentence: int = 0


def unmarked(text: str) -> str:
    """A text without the signs of marks."""
    return text.translate(_OWN_SIGNS)


def with_marks(text: str, sentences: Sequence[Sentence]) -> str:
    """Mark the end of each sentence with its number; of a table's row the last cell, where it is text."""
    parts, behind = [], 0
    for each in sentences:
        row = each.text.removesuffix("|") if each.text.startswith("|") else each.text
        end = each.start + len(row.rstrip())
        if _WORD.search(each.text):
            parts += [text[behind:end], f"{_SPACE}{str(each.number).translate(_AS_FIGURES)}{_SPACE}"]
            behind = end
    return "".join([*parts, text[behind:]])


def body_of(page: str) -> str:
    """The body of a converted page with nothing in it that runs, loads or names a thing of another page."""
    found = _BODY.search(page)
    return nh3.clean(
        found[1] if found else "",
        tags=set(_INLINE | _BLOCKS) - {"button"},
        clean_content_tags={"script", "style"},
        attributes={"*": {"id", "class"}, "a": {"id", "class", "href"}, "ol": {"start"}},
        attribute_filter=_kept,
        link_rel="noopener noreferrer nofollow",
    )


def _kept(tag: str, name: str, value: str) -> str | None:
    if name == "id":
        return f"{_IDS}{value}"
    if name == "class":
        return " ".join(each for each in value.split() if each in _CLASSES) or None
    if name == "href":
        if value.startswith("#"):
            return f"#{_IDS}{value[1:]}"
        return value if _LINK.match(value) else None
    return value


def parts_of(body: str) -> Iterator[Part]:
    """The parts of a body that ``body_of`` returned: each sentence is one, and what stands between them.

    Together, with one line end between two, they are the body with an element around each sentence.
    """
    pieces = _pieces(body)
    _assign(pieces)
    _with_buttons(pieces)
    at, text, first = 0, "", set[int]()
    while at < len(pieces):
        number = pieces[at].sentence
        if not number:
            text += pieces[at].html
            # The line ends within a tag: between two elements it would be a blank in the text.
            at += 1
            continue
        end = at
        while end < len(pieces) and pieces[end].sentence == number:
            end += 1
        if not pieces[at].tag and (own := pieces[at].html.lstrip(" ")) != pieces[at].html:
            text, pieces[at].html = f"{text} ", own
        for run in _balanced(pieces[at:end]):
            if not isinstance(run, str):
                yield Part("text", f"{text}<span")
                here = f' id="s{number}"' if number not in first else ""
                first.add(number)
                inner = "".join(each.html for each in run)
                text = ""
                yield Part(f"sentence {number}", f'{here} class="s" data-s="{number}">{inner}</span')
                text = ">"
            else:
                text += run
        at = end
    if text:
        yield Part("text", text)


def _balanced(run: Sequence[_Piece]) -> Iterator[Sequence[_Piece] | str]:
    """A sentence as one run; as several, where an element begins or ends within it and goes on beyond it."""
    lone, opened = set[int](), list[int]()
    for at, each in enumerate(run):
        if each.closes:
            lone.add(at) if not opened else opened.pop()
        elif each.tag and each.tag not in _LONELY:
            opened.append(at)
    behind = 0
    for at in sorted({*lone, *opened, len(run)}):
        if any(each.html.strip() for each in run[behind:at]):
            yield run[behind:at]
        else:
            yield "".join(each.html for each in run[behind:at])
        if at < len(run):
            yield run[at].html
        behind = at + 1


def _pieces(body: str) -> list[_Piece]:
    reader = _Reader()
    reader.feed(body)
    reader.close()
    return reader.pieces


class _Reader(HTMLParser):
    """Reads cleaned HTML into tags and stretches of text; marks become pieces without text."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.pieces: list[_Piece] = []
        self.fixed = 0
        """Depth of elements whose blanks count."""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        shown = "".join(f' {name}="{escape(value or "")}"' for name, value in attrs)
        self.fixed += tag == "pre"
        self.pieces.append(_Piece(f"<{tag}{shown}>", tag))

    def handle_endtag(self, tag: str) -> None:
        self.fixed -= tag == "pre"
        self.pieces.append(_Piece(f"</{tag}>", tag, closes=True))

    def handle_data(self, data: str) -> None:
        # Of a text in three parts and a mark's number, every second one is a number.
        for place, each in enumerate(_MARK.split(data)):
            if place % 2:
                self.pieces.append(_Piece("", sentence=int(each.translate(_FROM_FIGURES))))
            elif each:
                shown = escape(each if self.fixed else _BLANKS.sub(" ", each), quote=False)
                self.pieces.append(_Piece(shown))


def _assign(pieces: Sequence[_Piece]) -> None:
    """Give each piece the sentence whose mark follows it within its block."""
    number = 0
    for each in reversed(pieces):
        if each.tag in _BLOCKS:
            number = 0
        elif not each.tag and not each.html:
            number = each.sentence
        each.sentence = number


def _with_buttons(pieces: Sequence[_Piece]) -> None:
    """Make citations reachable by keyboard; one that has a link in it is so already."""
    opened: list[int] = []
    for at, each in enumerate(pieces):
        if each.tag not in ("span", "a"):
            continue
        if each.tag == "a":
            opened = [-1 for _ in opened]
        elif not each.closes:
            opened.append(at if 'class="citation"' in each.html else -1)
        elif opened and (begin := opened.pop()) >= 0 and pieces[begin].sentence:
            pieces[begin].html, pieces[begin].tag = '<button type="button" class="cite">', "button"
            each.html, each.tag = "</button>", "button"
