"""Structured answers that run on: the same text again and again, until the limit of the answer."""

import re
from typing import Final

_LEAST: Final = 1_000
"""Characters of repetition; a list of equal values, such as a score for each of many, is shorter."""
_BLANK: Final = 200
"""White space, which a grammar lets a model write without end."""
_LONGEST_UNIT: Final = 400
_AGAIN = re.compile(rf"(.{{1,{_LONGEST_UNIT}}}?)\1{{3,}}", re.DOTALL)


def runs_on(text: str) -> bool:
    """Whether the end of an unfinished answer in JSON is white space, or one text four times or more."""
    if len(text) - len(text.rstrip()) >= _BLANK:
        return True
    tail = text[-4 * _LONGEST_UNIT :][::-1]
    again = _AGAIN.match(tail)
    return again is not None and len(again[0]) >= _LEAST
