"""Headings of a plain text: a paragraph of its own that says `CHAPTER 12. The Boat`, `Prologue` or `XII`."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from penwright.domain.book.importing.values import Candidate

_WORD_FIRST = """
chapitre capítulo capitulo capitolo capítol hoofdstuk kapitel kapittel kapitola rozdział bölüm luku fejezet
capitolul kapitull chương bab poglavlje skyrius nodaļa peatükk kafli caibidil pennod
глава розділ раздел частка поглавље поглавје κεφάλαιο ενότητα
الفصل فصل הפרק פרק अध्याय অধ্যায় அத்தியாயம் บทที่ ตอนที่ ບົດທີ ជំពូកទី თავი գլուխ
"""
_WORD_LAST = """
kapitel kapitlet kapittel kapitola rozdział bölüm luku fejezet poglavlje poglavje skyrius nodaļa peatükk kafli
глава розділ раздел поглавље
"""
_PARTS = """
teil partie parte part tom tomo tome deel del díl część kısım rész osa dio livre libro book volume band
том часть частина част μέρος الجزء חלק phần bagian
"""
_SECTIONS = """
prologo epilogo prólogo epílogo épilogue prologi epilogi prolog epilog önsöz sonsöz előszó utószó förord
efterord voorwoord nawoord wstęp posłowie předmluva doslov introducción introduction introdução
prefácio préface
avant-propos пролог эпилог предисловие послесловие епілог
передмова πρόλογος επίλογος مقدمة خاتمة פרולוג אפילוג
"""
_EASTERN_SECTION = re.compile(
    r"(?:序[章言文幕]?|楔子|引子|前言|自序|后记|後記|尾声|尾聲|终章|終章|跋|はじめに|おわりに|あとがき|まえがき"
    r"|プロローグ|エピローグ|幕間|프롤로그|에필로그|머리말|맺음말)(?:[\s:：].{0,40})?"
)
_VALUES = ("〇零", "一壹", "二贰貳两兩", "三叁參", "四肆", "五伍", "六陆陸", "七柒", "八捌", "九玖")
_DIGITS = {sign: value for value, signs in enumerate(_VALUES) for sign in signs}
_TENS = {"十": 10, "拾": 10, "百": 100, "佰": 100, "千": 1000, "仟": 1000}
_SIGNS = "".join([*_DIGITS, *_TENS, "廿卅"])
_EASTERN = (
    rf"(?:[第제][ \t\u3000]*(?P<eastern>\d{{1,4}}|[{_SIGNS}]{{1,9}})[ \t\u3000]*"
    rf"(?P<of>[章回節节話话幕集장화회]|[部卷編编篇부권])|(?:番外|外传|外伝)(?P<extra>[{_SIGNS}\d]{{0,4}}))"
)
_EASTERN_HEADING = re.compile(
    rf"[【《〈\[(（]?{_EASTERN}[】》〉\])）]?(?P<title>[\s\u3000:：、．.·—–-]*[^。！？；!?;\n]{{0,40}})(?<!\.)"
)
"""A whole line."""
_PART_SIGNS = frozenset("部卷編编篇부권편")

_UNITS = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
_TEENS = [
    *("ten", "eleven", "twelve", "thirteen", "fourteen"),
    *("fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
]
_DECADES = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_WORDS = {
    **{word: number for number, word in enumerate([*_UNITS, *_TEENS], start=1)},
    **{word: 10 * number for number, word in enumerate(_DECADES, start=2)},
}
_ROMAN = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}

NUMBER = (
    r"(?:\d{1,4}|(?i:[ivxlcdm]{1,9})"
    rf"|(?i:(?:{'|'.join(_DECADES)})(?:[- ](?:{'|'.join(_UNITS)}))?"
    rf"|{'|'.join([*_TEENS, *_UNITS])}))(?![\w'’])"
)
"""A pattern for a number, in figures, Roman figures or English words."""

_ROMAN_FORM = re.compile(r"M{0,3}(CM|CD|D?C{0,3})(XC|XL|L?X{0,3})(IX|IV|V?I{0,3})")


def _any_of(listed: str) -> str:
    """A pattern for one of the words, as they are written or in capitals."""
    each = sorted(set(listed.split()), key=len, reverse=True)
    return f"(?i:{'|'.join(each)})"


_CHAPTER_FIRST, _CHAPTER_LAST, PART = _any_of(_WORD_FIRST), _any_of(_WORD_LAST), _any_of(_PARTS)
_SECTION = _any_of(_SECTIONS)


def _is_part(heading: "re.Match[str]") -> bool:
    """Whether a match of ``_EASTERN_HEADING`` heads a part of several chapters."""
    return heading["of"] in _PART_SIGNS


def eastern_number(signs: str) -> int:
    """The value of Chinese numerals such as 十二, 两百一十八, 二〇二四 or 壹; 0 if there is none."""
    if signs.isdecimal():
        return int(signs)
    plain = signs.replace("廿", "二十").replace("卅", "三十")
    if not set(plain) & _TENS.keys():
        return int("".join(str(_DIGITS[each]) for each in plain)) if plain else 0
    total = digit = 0
    for each in plain:
        if each in _TENS:
            total, digit = total + (digit or 1) * _TENS[each], 0
        else:
            digit = _DIGITS[each]
    return total + digit


Block = tuple[int, int]
"""Lines between blank ones: index of the first, index after the last."""

_CHAPTER = r"CHAPTER|Chapter"
_NAMES = (
    "prologue|epilogue|preface|foreword|introduction|afterword|interlude|appendix|postscript|conclusion"
    "|acknowledge?ments|dedication|vorwort|nachwort|einleitung"
)
CONTENTS_TITLE = re.compile(
    r"\W*(?:table of )?contents\W*|\W*inhalt(?:sverzeichnis)?\W*|\W*table des mati[èe]res\W*"
    r"|\W*[íi]ndice\W*|\W*sommaire\W*|\W*inhoud\W*",
    re.IGNORECASE,
)
NUMBERED_CHAPTER = re.compile(
    rf"(?:(?:{_CHAPTER}|{_CHAPTER_FIRST})[ \t]+(?P<after>{NUMBER})"
    rf"|(?:{_CHAPTER_FIRST})[ \t]+(?P<word>[^\W\d_]\w*(?:[ \t]\w+)?)(?=[.:]?$)"
    rf"|(?P<before>\d{{1,3}})[.)]?[ \t]+{_CHAPTER_LAST}"
    rf"|(?P<ordinal>[^\W\d_a-zà-ÿ]\w+)[ \t]+{_CHAPTER_LAST}(?=\W*$))"
)
_NUMBERED_PART = re.compile(rf"{PART}[ \t]+(?P<after>{NUMBER})")
_NAMED = re.compile(rf"(?:(?i:{_NAMES})|{_SECTION})\b")
_BARE = re.compile(r"(?P<number>\d{1,3}|[IVXLC]{1,7})\.?")
_COUNTED = re.compile(r"(?P<number>\d{1,3}|[IVXLC]{1,7})\.[ \t]+(?=[^\W\d_])\S.{0,77}")
_WRAPS_AT = 50
"""A title that is continued on the next line fills its own line at least so far."""
_LONGEST = 240
_MOST_LINES = 3
_KEY = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class _Named:
    """Beginning of a line that may be a heading."""

    kind: Literal["part", "chapter", "section"]
    key: str
    number: int
    bare: bool
    """It says nothing after its number or name."""


def blocks(lines: Sequence[str]) -> Iterator[Block]:
    """Yield the paragraphs of a text."""
    first = None
    for index, line in enumerate(lines):
        if line.strip():
            first = index if first is None else first
        elif first is not None:
            yield first, index
            first = None
    if first is not None:
        yield first, len(lines)


def key_of(title: str) -> str:
    """Return what two spellings of one title have in common: its words, in small letters."""
    return " ".join(_KEY.findall(title.casefold()))


def plain_headings(lines: Sequence[str]) -> list[Candidate]:
    """Return the paragraphs that look like headings, those of a list of contents too, in text order."""
    found = []
    for first, end in blocks(lines):
        eastern = list(_eastern_headings(lines, first, end))
        if eastern and eastern[0].first == first:
            found += eastern
            continue
        if heading := _heading(lines, first, end):
            found.append(heading)
        found += eastern
    return found


def counted_headings(lines: Sequence[str]) -> list[Candidate]:
    """Return paragraphs that count from 1 on, such as ``I`` or ``2. The Boat``; at least two, or none."""
    for form in (_BARE, _COUNTED):
        found = _rising(lines, form)
        if len(found) > 1:
            return found
    return []


def heading_like(title: str) -> Literal["part", "chapter", "section"] | None:
    """Return what a heading in Markdown calls itself; None if it is a title only."""
    named = _named(title)
    if named is None and _BARE.fullmatch(title):
        return "chapter"
    return named.kind if named else None


def _rising(lines: Sequence[str], form: re.Pattern[str]) -> list[Candidate]:
    found: list[Candidate] = []
    for first, end in blocks(lines):
        title = bared(lines[first])
        match = form.fullmatch(title) if end == first + 1 else None
        if match and _number_of(match["number"]) == len(found) + 1:
            number = len(found) + 1
            found.append(Candidate(first, end, title, "chapter", f"chapter {number}", number=number))
    return found


def _heading(lines: Sequence[str], first: int, end: int) -> Candidate | None:
    named = _named(bared(lines[first]))
    if named is None:
        return None
    count = _heading_lines(lines[first:end], named)
    if not count:
        return None
    title = " ".join(bared(line) for line in lines[first : first + count])
    wraps = count > 1 and not named.bare
    return Candidate(first, first + count, title, named.kind, named.key, number=named.number, wraps=wraps)


def _heading_lines(block: Sequence[str], named: _Named) -> int:
    """Return how many lines of a paragraph that begins like a heading belong to it; 0 if it is prose."""
    if any(_named(bared(line)) for line in block[1:_MOST_LINES]):
        return 0  # a list of contents without blank lines
    if len(block) == 1 or named.kind == "section":
        return 1 if len(block[0].strip()) <= _LONGEST / 2 and (len(block) == 1 or named.bare) else 0
    if named.bare:
        return 2 if len(block) == 2 and _is_title(block[1]) else 1
    full = all(len(line.rstrip()) >= _WRAPS_AT for line in block[:-1])
    if full:
        short = len(block) <= _MOST_LINES and sum(map(len, block)) <= _LONGEST
        return len(block) if short else 0
    return 1


def _is_title(line: str) -> bool:
    text = line.strip()
    plain = text.strip("\"'“”‘’*_")
    return len(text) <= 80 and not plain[:1].islower() and (text.isupper() or text[-1] not in '.!?,;:”"’')


def _named(text: str) -> _Named | None:
    """Return how ``text`` begins, if like a heading: a capital, a number or name, no sentence after it."""
    if eastern := _eastern(text):
        return eastern
    patterns: tuple[tuple[Literal["part", "chapter"], re.Pattern[str]], ...] = (
        ("chapter", NUMBERED_CHAPTER),
        ("part", _NUMBERED_PART),
    )
    for kind, pattern in patterns:
        match = pattern.match(text)
        if match and _is_rest(text[match.end() :]):
            figures = next((value for value in match.groupdict().values() if value), "")
            number = _number_of(figures)
            key = f"{kind} {number}" if number else key_of(match[0])
            return _Named(kind, key, number, not text[match.end() :].strip(" .:\t"))
    match = _NAMED.match(text)
    if match and not text[0].islower() and _is_rest(text[match.end() :]):
        rest = text[match.end() :].strip(" .:\t")
        if not rest or len(text) <= 80:
            return _Named("section", key_of(match[0]), 0, not rest)
    return None


def _eastern(text: str) -> _Named | None:
    """The beginning of a heading in Chinese, Japanese or Korean; there its whole line tells."""
    if match := _EASTERN_HEADING.fullmatch(text):
        kind: Literal["part", "chapter"] = "part" if _is_part(match) else "chapter"
        number = eastern_number(match["eastern"] or "")
        key = f"{kind} {number}" if number else key_of(text)
        return _Named(kind, key, number, not match["title"].strip(" \u3000.:：、"))
    if _EASTERN_SECTION.fullmatch(text):
        return _Named("section", key_of(text), 0, bare=True)
    return None


def _eastern_headings(lines: Sequence[str], first: int, end: int) -> Iterator[Candidate]:
    """Chapters and parts in a paragraph: many texts in Chinese have no blank lines."""
    for index in range(first, end):
        title = bared(lines[index])
        if (named := _eastern(title)) and named.kind != "section":
            yield Candidate(index, index + 1, title, named.kind, named.key, number=named.number)


def _is_rest(rest: str) -> bool:
    """Whether a title can go on like this; in a sentence a comma or a small letter follows."""
    if not rest.strip():
        return True
    if not rest[0].isspace():
        return rest[0] in ".:)]—–-*_" and rest[1:2] != "’"
    return not rest.strip()[0].islower() and rest.strip()[0] not in ",;’'"


def bared(line: str) -> str:
    """Return a line without surrounding blanks and marks of emphasis."""
    text = line.strip()
    signs = len(text) - len(text.lstrip("*_"))
    return text[signs:-signs].strip() if signs and text.endswith(text[:signs]) else text


def _number_of(text: str) -> int:
    """Return the value of a numeral; 0 if it is none."""
    if text.isdecimal():
        return int(text)
    if text and _ROMAN_FORM.fullmatch(text.upper()):
        return _roman(text.upper())
    return sum(_WORDS.get(word, 0) for word in re.split(r"[- ]", text.lower()))


def _roman(text: str) -> int:
    values = [_ROMAN[letter] for letter in text]
    following = [*values[1:], 0]
    return sum(-value if value < after else value for value, after in zip(values, following, strict=True))
