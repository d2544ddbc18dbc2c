"""A text file that becomes a book: in each export every line reads as it stands in the file."""

import io
import random
import re
import zipfile
from html import unescape
from typing import Literal

import pytest

from penwright.adapters.documents import PandocDocuments
from penwright.domain.book.exporting.forms import as_plain_text
from penwright.domain.book.exporting.reading_text import headings, reading_text, top_level, with_verse
from penwright.domain.book.files.cover import Cover
from penwright.domain.book.importing.laying import first_missing_line, lay_out
from penwright.domain.book.importing.plain_lines import as_plain_lines
from penwright.domain.book.importing.reading import read_source
from penwright.domain.text.markdown_escapes import escaped_line
from schemas.documents import BookDocument

_LINES = (
    *(
        "[Tessa]: Yes.",
        "- No, he said.",
        "1984. It rained.",
        "1984.",
        "~~~",
        "%% a remark %%",
        "---",
        "=====",
    ),
    *(
        "title: Low Tide",
        "* starred",
        "+ and so on",
        "> quoted",
        "# loud",
        "#",
        "* * *",
        "***",
        "a *b* _c_ **d**",
    ),
    *(
        "snake_case_name",
        "2 * 3 * 4",
        "<b>bold</b> & &amp; <3",
        "<!-- aside -->",
        "`code` and ``more``",
        "~~gone~~",
    ),
    *(
        "[a](b) ![c](d) [e][f]",
        "[^1]: a note",
        "see [^1]",
        "| a | b |",
        "|---|---|",
        "--- | ---",
        "C:\\dir\\*.txt",
    ),
    *(
        "ends with \\",
        "two blanks  ",
        "```",
        "    indented verse",
        "\ta tab",
        "He waits.",
        "She goes on and on.",
        "\u2014 Yes.",
    ),
    *(
        "$x$ @key ^up^ {#id}",
        "<http://tide.example>",
        "12) twelve",
        "- [ ] box",
        ": defined",
        "![x]",
        "\\[x\\]",
        "%YAML",
    ),
)
_SEEDS = range(3)
Target = Literal["epub", "docx"]


def _text(seed: int) -> str:
    chance = random.Random(seed)
    lines = ["Chapter 1", ""]
    for _ in range(120):
        lines += [chance.choice(_LINES) for _ in range(chance.choice((1, 1, 1, 2, 3)))] + [""]
    return "\n".join([*lines, "Chapter 2", "", "The end."])


def _book(text: str) -> str:
    source = as_plain_lines(read_source(text))
    laid = lay_out(source, words_per_page=0)
    assert first_missing_line(source, laid.book, laid.waiting) is None
    return reading_text(laid.book, laid.waiting)


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text)


def _shown(xhtml: str) -> str:
    return unescape(re.sub(r"<[^>]*>", "", re.sub(r"</(?:p|h\d)>|<br />", "\n", xhtml)))


def _exported(text: str, to: Target) -> str:
    book = BookDocument(
        markdown=with_verse(text), title="", contents=False, top_level=top_level(headings(text))
    )
    content = PandocDocuments().write(book, to).content
    if to == "docx":
        return _of_docx(content)
    with zipfile.ZipFile(io.BytesIO(content)) as packed:
        chapters = sorted(name for name in packed.namelist() if re.search(r"/ch\d+\.xhtml$", name))
        bodies = (packed.read(name).decode().partition("<body")[2].partition(">")[2] for name in chapters)
        return _shown("\n".join(bodies))


def _of_docx(content: bytes) -> str:
    with zipfile.ZipFile(io.BytesIO(content)) as packed:
        document = packed.read("word/document.xml").decode()
    return unescape(re.sub(r"<[^>]*>", "", re.sub(r"</w:p>|<w:br ?/>", "\n", document)))


@pytest.mark.parametrize("seed", _SEEDS)
def test_a_book_has_the_words_of_its_text_file_in_every_form(seed: int) -> None:
    text = _text(seed)
    book, wanted = _book(text), _words(text)

    assert _words(_exported(book, "epub")) == wanted
    assert _words(_exported(book, "docx")) == wanted


@pytest.mark.parametrize("seed", _SEEDS)
def test_its_plain_text_has_the_same_lines_and_its_scene_breaks(seed: int) -> None:
    # What would make headings of lines is for another test.
    text = _text(seed).replace("# loud", "loud").replace("\n=====", "\n= =")

    plain = as_plain_text(_book(text), Cover("", "", "", contents=False))

    assert _lines(plain) == _lines(text)


def _lines(text: str) -> list[str]:
    """The lines with words or signs; those of scene breaks alike."""
    lines = (re.sub(r"^(?:#|\* \* \*|---)$", "***", line.strip()) for line in text.split("\n"))
    return [line for line in lines if line]


@pytest.mark.parametrize(
    ("line", "escaped"),
    [
        ("[Tessa]: Yes.", "\\[Tessa]: Yes."),
        ("- No.", "\\- No."),
        ("1984. It rained.", "1984\\. It rained."),
        ("~~~", "\\~\\~\\~"),
        ("<!-- aside -->", "<\\!-- aside -->"),
        ("2 * 3, snake_case, AT&T, a < b", "2 * 3, snake_case, AT&T, a < b"),
    ],
)
def test_only_what_would_mean_something_is_escaped(line: str, escaped: str) -> None:
    assert escaped_line(line) == escaped
