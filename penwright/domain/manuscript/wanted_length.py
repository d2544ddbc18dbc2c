"""The length that instructions ask of a text, as people write it, such as ``800 to 1,000 words``."""

import re
from typing import Final

from schemas.manuscript import WantedLength

_NUMBER: Final = r"\d{1,3}(?:[,. \u00a0\u202f]\d{3})+|\d{2,6}"
_LENGTH: Final = re.compile(
    r"(?:(?P<least>at least|no fewer than|no less than|minimum of|more than|over|mindestens|au moins"
    r"|al menos)"
    r"|(?P<most>at most|no more than|not more than|up to|maximum of|max\.?|less than|fewer than|under"
    r"|höchstens|maximal|au plus|como máximo))?\s*"
    rf"(?<![\w.,])(?:(?P<low>{_NUMBER})\s*(?:[-–—]|to|and|bis|à|a)\s*)?(?P<high>{_NUMBER})"
    r"[\s\u00a0-]?(?:words?|Wörter[n]?|Worte[n]?|mots|palabras)\b(?P<part>\s*(?:each|apiece|per\b|a\s+section))?",
    re.IGNORECASE,
)
_LEAST, _MOST = 0.6, 2.0
"""Parts of a length between which a text is about as long."""
_NEARLY, _HARDLY = 0.9, 1.1
"""The same of a length that is a limit: at least, at most."""


def wanted_length(instructions: str) -> WantedLength | None:
    """The length that the whole text must about have; None if the instructions name none.

    What each section shall have is no length of the text. Of several lengths the largest counts, and a text
    may be longer than it: the others may be of parts.
    """
    found = [each for each in _LENGTH.finditer(instructions) if not each["part"]]
    if not found:
        return None
    largest = max(found, key=lambda each: _number(each["high"]))
    wanted = _length(largest)
    several = len({_number(each["high"]) for each in found}) > 1
    return wanted.model_copy(update={"most": None}) if several else wanted


def is_off(words: int, wanted: WantedLength) -> bool:
    """Whether a text is far shorter or longer than it was wanted."""
    return words < wanted.least or (wanted.most is not None and words > wanted.most)


def _length(found: re.Match[str]) -> WantedLength:
    high = _number(found["high"])
    low = min(_number(found["low"]), high) if found["low"] else high
    said = " ".join(found[0].split())
    if found["least"]:
        return WantedLength(said=said, least=round(_NEARLY * low))
    if found["most"]:
        return WantedLength(said=said, most=round(_HARDLY * high))
    return WantedLength(said=said, least=round(_LEAST * low), most=round(_MOST * high))


def _number(written: str) -> int:
    return int(re.sub(r"\D", "", written))
