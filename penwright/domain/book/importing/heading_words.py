"""Headings of chapters by language: their words, before or after a number, and numerals of Chinese."""

import re

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
EASTERN_SECTION = re.compile(
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
EASTERN_HEADING = re.compile(
    rf"[【《〈\[(（]?{_EASTERN}[】》〉\])）]?(?P<title>[\s\u3000:：、．.·—–-]*[^。！？；!?;\n]{{0,40}})(?<!\.)"
)
"""A whole line."""
_PART_SIGNS = frozenset("部卷編编篇부권편")


def _any_of(listed: str) -> str:
    """A pattern for one of the words, as they are written or in capitals."""
    each = sorted(set(listed.split()), key=len, reverse=True)
    return f"(?i:{'|'.join(each)})"


CHAPTER_FIRST, CHAPTER_LAST, PART = _any_of(_WORD_FIRST), _any_of(_WORD_LAST), _any_of(_PARTS)
SECTION = _any_of(_SECTIONS)


def is_part(heading: "re.Match[str]") -> bool:
    """Whether a match of ``EASTERN_HEADING`` heads a part of several chapters."""
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
