"""Passages of a source: whole sentences, about 150 words, each with its page and section."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from markdown_it import MarkdownIt
from markdown_it.token import Token

from penwright.domain.citations.sentences import is_reference_heading, sentences_of
from penwright.domain.library.running_text import Section, joined, plain_line, words_in
from penwright.domain.text.blocks import front_matter_end
from penwright.domain.text.words import count_words, split_words
from schemas.library import LibraryPage, LibraryPassage, ReadSource

RULES: Final = 3
"""Version of the rules by which a file becomes passages; what was read by others is read again."""
_WORDS = 150
_LEAST = 50
"""Words of a last passage; a shorter rest goes with the one before it."""
_LONGEST = 300
"""Words of one sentence; what is longer, such as the cells of a table, is divided between words."""
_FEWEST = 25
_SENTENCE_END = re.compile(r"[.!?…؟۔።。！？｡।॥][\"'”’»)\]]*$")
_YEAR = re.compile(r"(?<!\d)(?:1[89]\d\d|20\d\d)[a-z]?(?!\d)")
_INITIAL = re.compile(r"\b[A-Z]\.")
_PLACE = re.compile(r"\bdoi\b|\bpp\.|\bvol\.|\d+\(\d+\)|\d+[–-]\d+", re.IGNORECASE)
_OF_ENTRIES = 3.5
"""Years in 100 words from which a text may be a list of references; prose that cites much has fewer."""

_EDGE = 3
"""Lines at the top and at the bottom of a page that may be a running header or footer."""
_REPEATED = 3
"""Pages, each the next or the one after it, that have a running line at the same place."""
_Place = tuple[int, str]
"""A line without its digits, and its number from the edge: from 1 at the top, from -1 at the bottom."""
_PAGE_NUMBER = re.compile(
    r"(?:page\s*)?[-–—|\s]*(?:\d{1,4}|[ivxlc]{1,7})[-–—|\s]*(?:(?:of|/)\s*\d{1,4})?", re.IGNORECASE
)
_DIGITS = re.compile(r"\d+")
_NUMBERED = re.compile(r"(?:\d{1,2}(?:\.\d{1,2}){0,3}\.?|[IVX]{1,5}\.)\s+(?P<title>[^\W\d_]\S.{0,80})")
_NAMED = re.compile(
    r"(?:(?:\d{1,2}(?:\.\d{1,2}){0,3}|[IVX]{1,5})\.?\s+)?(?:abstract|summary|introduction|background"
    r"|related work|(?:materials? and )?methods?|methodology|data|results?(?: and discussion)?|findings"
    r"|(?:general )?discussion|limitations|conclusions?|acknowledge?ments?|funding|appendix(?: [A-Z0-9])?"
    r"|supplementary materials?|notes|zusammenfassung|einleitung|methoden|ergebnisse|diskussion|fazit"
    r"|anhang|résumé|méthodes|résultats|discussion et conclusion)",
    re.IGNORECASE,
)
_APPENDIX = re.compile(r"(?:appendix|anhang|annexe?|supplement)\b.{0,60}", re.IGNORECASE)
_CHAPTER = re.compile(r"(?:chapter|kapitel|chapitre|part)\s+[\divxlc]+\b.{0,60}", re.IGNORECASE)
_LONGEST_HEADING = 80
_MOST_WORDS = 12
_ENDS_SENTENCE = (".", "?", "!", ":", "”", '"', ")")

_PARAGRAPH = "\n\n"


@dataclass(frozen=True, slots=True)
class _Piece:
    """A sentence of a section."""

    text: str
    page: int | None
    words: int


def passages_of(read: ReadSource, name: str) -> tuple[LibraryPassage, ...]:
    """Return the passages of a source in its order, without title pages and captions, which say nothing.

    Args:
        name: that of its file.
    """
    grouped = ((section, pieces) for section in _sections_of(read) for pieces in _grouped(section))
    found = (each for each in grouped if not _is_front(each[1]))
    return tuple(_passage(name, number, section, pieces) for number, (section, pieces) in enumerate(found, 1))


def _passage(name: str, number: int, section: Section, pieces: Sequence[_Piece]) -> LibraryPassage:
    text = " ".join(piece.text for piece in pieces)
    return LibraryPassage(
        source=name,
        number=number,
        page=pieces[0].page,
        section=section.title,
        text=text,
        is_reference_list=is_reference_heading(section.title) or _looks_like_entries(text),
    )


def _is_front(pieces: Sequence[_Piece]) -> bool:
    """Whether it is a few words without a sentence, such as a title with its authors."""
    words = sum(piece.words for piece in pieces)
    return words < _FEWEST and not any(_SENTENCE_END.search(piece.text) for piece in pieces)


def _grouped(section: Section) -> Iterator[tuple[_Piece, ...]]:
    groups, group, words = list[list[_Piece]](), list[_Piece](), 0
    for piece in _pieces(section):
        # A passage stands on one page, so that a quote from it does.
        if group and (words + piece.words > _WORDS + _LEAST or piece.page != group[0].page):
            groups.append(group)
            group, words = [], 0
        group.append(piece)
        words += piece.words
        if words >= _WORDS:
            groups.append(group)
            group, words = [], 0
    if group and groups and words < _LEAST and group[0].page == groups[-1][0].page:
        groups[-1] += group
    elif group:
        groups.append(group)
    yield from map(tuple, groups)


def _pieces(section: Section) -> Iterator[_Piece]:
    for sentence in sentences_of(section.text):
        text = " ".join(sentence.text.split())
        for part in _parts(text):
            yield _Piece(part, section.page_at(sentence.start), count_words(part))


def _parts(text: str) -> Iterator[str]:
    if count_words(text) <= _LONGEST or len(text.split()) <= _LONGEST:
        yield text
        return
    words = text.split()
    for start in range(0, len(words), _WORDS):
        yield " ".join(words[start : start + _WORDS])


def _looks_like_entries(text: str) -> bool:
    """Whether a text without a heading that says so is a list of references."""
    words = len(split_words(text))
    if words < 30:
        return False
    years, initials, places = (len(each.findall(text)) for each in (_YEAR, _INITIAL, _PLACE))
    return 100 * years / words >= _OF_ENTRIES and initials >= 2 * years / 1.5 and places >= years / 2


def _sections_of_pages(pages: Sequence[LibraryPage], headings: Sequence[str]) -> tuple[Section, ...]:
    """Return the sections of pages; ``headings``: titles that the source's table of contents names."""
    lines = list(_without_running_lines(pages))
    named = frozenset(_key(each) for each in headings)
    known = words_in([line for _, line in lines])
    made, title, open_lines = list[Section](), "", list[tuple[int, str]]()
    for at, (page, line) in enumerate(lines):
        before = lines[at - 1][1] if at else ""
        after = lines[at + 1][1] if at + 1 < len(lines) else ""
        if not _is_heading(line, before, after, named, is_reference_heading(title)):
            open_lines.append((page, line))
            continue
        if open_lines:
            made.append(joined(title, open_lines, known))
        title, open_lines = line, []
    made.append(joined(title, open_lines, known))
    return tuple(made)


def _without_running_lines(pages: Sequence[LibraryPage]) -> Iterator[tuple[int, str]]:
    """The lines of all pages, each with the number of its page, without what stands at the edge of many."""
    found = [
        (page.number, [line for line in map(plain_line, page.text.split("\n")) if line]) for page in pages
    ]
    running = frozenset(_running(found))
    for number, lines in found:
        kept = _inside(lines, running, 1)
        yield from ((number, line) for line in reversed(_inside(kept[::-1], running, -1)))


def _running(pages: Sequence[tuple[int, Sequence[str]]]) -> Iterator[_Place]:
    """The places and lines of running headers and footers."""
    seen: Mapping[_Place, list[int]] = defaultdict(list)
    for number, lines in pages:
        for at in range(min(_EDGE, len(lines))):
            seen[at + 1, _running_key(lines[at])].append(number)
            seen[-1 - at, _running_key(lines[-1 - at])].append(number)
    for place, numbers in seen.items():
        apart = zip(numbers, numbers[_REPEATED - 1 :], strict=False)
        if any(last - first <= 2 * (_REPEATED - 1) for first, last in apart):
            yield place


def _inside(lines: Sequence[str], running: frozenset[_Place], step: int) -> Sequence[str]:
    """The lines from the first one on that is neither a running line nor the number of the page."""
    at = 0
    while at < min(_EDGE, len(lines)):
        is_running = (step * (at + 1), _running_key(lines[at])) in running
        if not is_running and not (at == 0 and _PAGE_NUMBER.fullmatch(lines[0])):
            break
        at += 1
    return lines[at:]


def _running_key(line: str) -> str:
    return _DIGITS.sub("#", line.casefold())


def _key(title: str) -> str:
    return re.sub(r"[\W\d_]+", " ", title.casefold()).strip()


def _is_heading(line: str, before: str, after: str, named: frozenset[str], in_references: bool) -> bool:
    """Whether a line is a heading; among references only what ends them, for their entries look like some."""
    if len(line) > _LONGEST_HEADING or len(line.split()) > _MOST_WORDS:
        return False
    if is_reference_heading(line) or _APPENDIX.fullmatch(line):
        return True
    if named and _key(line) in named:
        return True
    if in_references:
        return bool(_NAMED.fullmatch(line))
    if _NAMED.fullmatch(line) or _CHAPTER.fullmatch(line):
        return line[0].isupper() or line[0].isdigit()
    stands_alone = (not before or before.endswith(_ENDS_SENTENCE)) and not line.endswith((".", ",", ";"))
    begins = not after or after[0].isupper() or after[0].isdigit()
    return stands_alone and begins and (_is_numbered(line) or _is_in_capitals(line))


def _is_numbered(line: str) -> bool:
    found = _NUMBERED.fullmatch(line)
    return found is not None and found["title"][0].isupper()


def _is_in_capitals(line: str) -> bool:
    letters = [sign for sign in line if sign.isalpha()]
    return len(letters) >= 6 and line.isupper() and 2 * len(letters) > len(line)


def _sections_of(read: ReadSource) -> tuple[Section, ...]:
    """Return the sections in the order of the source; what stands above the first heading has no title."""
    if read.paged:
        return _sections_of_pages(read.pages, read.headings)
    return tuple(_of_markdown("\n".join(page.text for page in read.pages)))


def _of_markdown(text: str) -> Iterator[Section]:
    title, paragraphs = "", list[str]()
    for is_heading, words in _blocks(text[front_matter_end(text) :]):
        if not is_heading:
            paragraphs.append(words)
            continue
        yield Section(title, _PARAGRAPH.join(paragraphs))
        title, paragraphs = words, []
    yield Section(title, _PARAGRAPH.join(paragraphs))


def _blocks(text: str) -> Iterator[tuple[bool, str]]:
    """Whether each block is a heading, and its words without marks."""
    is_heading = False
    for token in MarkdownIt("commonmark").enable("table").parse(text):
        if token.type == "heading_open":
            is_heading = True
        elif token.type == "inline":
            if words := _words(token.children or ()):
                yield is_heading, words
            is_heading = False


def _words(children: Sequence[Token]) -> str:
    said = (" " if each.type in ("softbreak", "hardbreak") else each.content for each in children)
    return " ".join("".join(said).split())
