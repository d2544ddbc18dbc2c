"""The sections of a scene: headings in Markdown, LaTeX or with a number, and where each ends."""

import re
from collections.abc import Iterator
from typing import Final

from penwright.domain.text.words import count_words
from schemas.manuscript_text import SceneSection

_FENCE: Final = re.compile(r" {0,3}(`{3,}|~{3,})")
_ATX: Final = re.compile(r" {0,3}(#{1,6})[ \t]+(\S.*)")
_UNDERLINE: Final = re.compile(r" {0,3}(=+|-+)[ \t]*")
_LATEX: Final = re.compile(
    r"\s*\\(part|chapter|section|subsection|subsubsection|paragraph)\*?(?:\[[^\]]*\])?\{(.+?)\}"
    r"\s*(?:\\label\{[^{}]*\}\s*)?(?:%.*)?"
)
_LATEX_LEVEL: Final = {
    "part": 1,
    "chapter": 1,
    "section": 1,
    "subsection": 2,
    "subsubsection": 3,
    "paragraph": 4,
}
_ATTRIBUTES: Final = re.compile(r"\{(?:[#.][^{}]*|-)\}$")
"""Of a heading in Pandoc's Markdown: ``{#sec:method .unnumbered}``."""
_VISIBLE: Final = re.compile(r"[^\r\n]")
_NUMBERED: Final = re.compile(r"(\d{1,2}(?:\.\d{1,2}){0,3})\.?[ \t]+(\S.{0,78})")
_NUMBER: Final = re.compile(r"^(?:\d{1,2}(?:\.\d{1,2})*[.)]?|[IVXLC]+\.)[ \t]+(?=\S)")
_ENDS_A_SENTENCE: Final = (".", "!", "?", ":", ";", ",", "。", "！", "？")


def sections_of(text: str) -> tuple[SceneSection, ...]:
    """Return the sections of ``text`` in order; text before the first heading belongs to none."""
    heads = list(_headings(text))
    ends = [*(start for start, *_ in heads[1:]), len(text)][: len(heads)]
    return tuple(
        SceneSection(title=title, level=level, start=start, end=end, words=count_words(text[after:end]))
        for (start, after, level, title), end in zip(heads, ends, strict=True)
    )


def bare_title(title: str) -> str:
    """A title as it is compared: without number, marks, case and doubled blanks."""
    plain = _NUMBER.sub("", _without_attributes(title).strip().strip("*_").strip())
    return " ".join(plain.casefold().split())


def _without_attributes(title: str) -> str:
    return _ATTRIBUTES.sub("", title.rstrip()).rstrip()


def _without_closing(title: str) -> str:
    """A title without the number signs that may follow it."""
    bare = title.rstrip().rstrip("#")
    return bare.rstrip() if bare and bare[-1].isspace() else title.rstrip()


def _headings(text: str) -> Iterator[tuple[int, int, int, str]]:
    """Start, end of the heading's lines, level and title of each heading outside fences and comments."""
    lines = _comments_blanked(text).splitlines(keepends=True)
    at, fence = 0, ""
    for number, line in enumerate(lines):
        start, at = at, at + len(line)
        mark = _FENCE.match(line)
        if mark and (not fence or mark[1].startswith(fence)):
            fence = "" if fence else mark[1]
            continue
        if fence:
            continue
        before, after = _neighbour(lines, number - 1), _neighbour(lines, number + 1)
        if (found := _heading(line.rstrip("\r\n"), before, after)) is not None:
            level, title, underlined = found
            end = at + (len(lines[number + 1]) if underlined else 0)
            yield start, end, level, _NUMBER.sub("", _without_attributes(title)) or title


def _comments_blanked(text: str) -> str:
    """The text with blanks in place of its comments, as long and with the same lines."""
    kept, at = list[str](), 0
    while (start := text.find("<!--", at)) >= 0 and (end := text.find("-->", start + 2)) >= 0:
        kept += [text[at:start], _VISIBLE.sub(" ", text[start : end + 3])]
        at = end + 3
    return "".join([*kept, text[at:]])


def _neighbour(lines: list[str], number: int) -> str:
    return lines[number].rstrip("\r\n") if 0 <= number < len(lines) else ""


def _heading(line: str, before: str, after: str) -> tuple[int, str, bool] | None:
    """Level and title of a line that is a heading, and whether the next line underlines it."""
    if marked := _ATX.fullmatch(line):
        return len(marked[1]), _without_closing(marked[2]), False
    if written := _LATEX.fullmatch(line):
        return _LATEX_LEVEL[written[1]], written[2], False
    if not line.strip() or before.strip():
        return None
    if (below := _UNDERLINE.fullmatch(after)) and not _UNDERLINE.fullmatch(line):
        return (1 if "=" in below[1] else 2), line.strip(), True
    numbered = _NUMBERED.fullmatch(line)
    if numbered and not after.strip() and not line.rstrip().endswith(_ENDS_A_SENTENCE):
        return numbered[1].count(".") + 1, line, False
    return None
