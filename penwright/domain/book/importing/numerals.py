"""Numbers as headings write them: 12, XII, Twelve."""

import re

_UNITS = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
_TEENS = [
    *("ten", "eleven", "twelve", "thirteen", "fourteen"),
    *("fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
]
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_WORDS = {
    **{word: number for number, word in enumerate([*_UNITS, *_TEENS], start=1)},
    **{word: 10 * number for number, word in enumerate(_TENS, start=2)},
}
_ROMAN = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}

NUMBER = (
    r"(?:\d{1,4}|(?i:[ivxlcdm]{1,9})"
    rf"|(?i:(?:{'|'.join(_TENS)})(?:[- ](?:{'|'.join(_UNITS)}))?|{'|'.join([*_TEENS, *_UNITS])}))(?![\w'’])"
)
"""A pattern for a number, in figures, Roman figures or English words."""

_ROMAN_FORM = re.compile(r"M{0,3}(CM|CD|D?C{0,3})(XC|XL|L?X{0,3})(IX|IV|V?I{0,3})")


def number_of(text: str) -> int:
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
