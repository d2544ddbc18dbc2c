"""The beats of a chapter's outline, and which of them no session has told.

Beats are the list items of the section *Beats* (or *Scenes*), or the rows of its table, else all list items
but those of notes, of the chapter's ends, and of what stays hidden; in an outline without a list each
sentence is a beat.
"""

import re
from collections.abc import Iterator, Sequence

from penwright.domain.book.files.unfilled import filled_in
from penwright.domain.prose.languages import Language, language_of
from penwright.domain.prose.reading import read, sentences

MOST_OPEN = 12
_MOST_READ = 500
"""Beats of an outline that are looked at."""
LONGEST_BEAT = 230
"""Characters of a beat that are shown."""
_ALIKE = 0.8
"""Share of the words of one line that stand in another, where both name the same beat."""
_LEAST_WORDS = 3
"""Words of a line that may name a longer beat by a part of it."""

_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_CODE = re.compile(r"^[ \t]*(```+|~~~+).*?(?:^[ \t]*\1.*?$|\Z)", re.DOTALL | re.MULTILINE)
_TABLE_RULE = re.compile(r"[ \t]*\|?[ \t]*:?-{3,}[-:| \t]*")
_HEADING = re.compile(r" {0,3}#{1,6}(?:[ \t]+(.*))?$")
_ITEM = re.compile(
    r"[ \t]*(?:[-*+\u2022][ \t]+|\d{1,3}(?:[.)][ \t]+|、[ \t]*)|[（(]\d{1,3}[)）][ \t]*"
    r"|[一二三四五六七八九十]{1,3}、[ \t]*)(?:\[([ xX])\][ \t]+)?(.*\w.*)"
)
_BEATS = re.compile(r"\W*(?:beat|scene|szene|scène|escena|场景|節拍|节拍)", re.IGNORECASE)
_ASIDE = re.compile(
    r"\W*(?:opens|ends|note|notiz|notas|hidden|secret|verborgen|geheim|caché|oculto|备注|笔记|隐藏)",
    re.IGNORECASE,
)
_NO_BEATS = ("|", "Written already:")
"""Beginnings of tables, and of what an import says of a chapter."""


def open_beats(outline: str, told: Sequence[str], language: str) -> tuple[str, ...]:
    """Return the beats of an outline that no line of ``told`` names, in order.

    A line names the beat that it shares most words with: nearly all of the beat's, or three and nearly all of
    its own.
    """
    beats, data = outline_beats(outline), language_of(language)
    words = [_words(each, data) for each in beats]
    named: set[int] = set()
    for said in (_words(line, data) for line in told):
        alike = [_likeness(each, said) for each in words]
        if max(alike, default=0) >= _ALIKE:
            named.add(alike.index(max(alike)))
    return tuple(each for at, each in enumerate(beats) if at not in named)[:MOST_OPEN]


def outline_beats(outline: str) -> tuple[str, ...]:
    """Return the beats of an outline, each on one line, without those whose box its author ticked."""
    text = _CODE.sub("", _COMMENT.sub("", filled_in(outline)))
    sections = [(title, lines) for title, lines in _sections(text) if not _ASIDE.match(title)]
    listed = [list(_items(lines)) for title, lines in sections if _BEATS.match(title)]
    if not any(listed):
        listed = [list(_rows(lines)) for title, lines in sections if _BEATS.match(title)]
    if not any(listed):
        listed = [list(_items(lines)) for _, lines in sections]
    if any(listed):
        found = [beat for items in listed for ticked, beat in items if not ticked]
    else:
        found = [beat for _, lines in sections for beat in _sentences("\n".join(lines))]
    shown = (" ".join(each.replace("**", "").split())[:LONGEST_BEAT] for each in found[:_MOST_READ])
    return tuple(dict.fromkeys(shown))


def _sections(text: str) -> Iterator[tuple[str, list[str]]]:
    """The headings, and the lines under each; those before the first stand under an empty one."""
    title, lines = "", list[str]()
    for line in text.splitlines():
        if heading := _HEADING.match(line):
            yield title, lines
            title, lines = heading[1] or "", []
        else:
            lines.append(line)
    yield title, lines


def _items(lines: Sequence[str]) -> Iterator[tuple[bool, str]]:
    """The list items, with the lines that go on with them, and whether each is ticked."""
    item: tuple[bool, str] | None = None
    for line in lines:
        found = _ITEM.match(line)
        if item and not found and line.strip():
            item = (item[0], f"{item[1]} {line.strip()}")
            continue
        if item:
            yield item
        item = (found[1] in ("x", "X"), found[2]) if found else None
    if item:
        yield item


def _rows(lines: Sequence[str]) -> Iterator[tuple[bool, str]]:
    """The rows of tables, without their heads."""
    in_table = False
    for line in lines:
        if _TABLE_RULE.fullmatch(line):
            in_table = True
        elif in_table and line.strip().startswith("|"):
            yield False, ", ".join(filter(None, (cell.strip() for cell in line.split("|"))))
        else:
            in_table = False


def _sentences(text: str) -> Iterator[str]:
    """The sentences of paragraphs that tell something."""
    for paragraph in read(text):
        if not paragraph.text.lstrip().startswith(_NO_BEATS):
            for words in sentences(paragraph):
                yield text[words[0].start : words[-1].end]


def _words(line: str, language: Language) -> frozenset[str]:
    """Its words, without those that carry only grammar if others are left."""
    every = frozenset(word.folded for paragraph in read(line) for word in paragraph.words)
    return every - language.common or every


def _likeness(beat: frozenset[str], said: frozenset[str]) -> float:
    shared = len(beat & said)
    shorter = min(len(beat), len(said)) if shared >= _LEAST_WORDS else len(beat)
    return shared / shorter if shared else 0.0
