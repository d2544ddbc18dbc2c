"""The locator's promise, computed the slow way: every passage of a text is compared with the needle."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil


@dataclass(frozen=True, slots=True)
class Expected:
    """What must be found; start and end only if ``kind`` is ``unique``."""

    kind: str
    start: int = -1
    end: int = -1
    distance: int = -1


def expected(needle: str, text: str) -> Expected:
    """For texts that are in normal form, without numbers, negations or commands."""
    exact = [at for at in range(len(text) - len(needle) + 1) if text.startswith(needle, at)]
    if exact:
        return Expected("ambiguous") if exact[1:] else Expected("unique", exact[0], exact[0] + len(needle), 0)
    limit = len(needle) // 20
    row = distances(needle, text)
    least = min(row)
    if least > limit:
        return Expected("not_found")
    start, end = min(passages(needle, text, row, least), key=lambda span: rank(needle, text, *span))
    margin = least + max(3, ceil(len(needle) * 0.02))
    beside = min(distances(needle, text[:start])), min(distances(needle, text[end:]))
    apart = [other for other, far in enumerate(row) if far == least and abs(other - end) > 2 * least]
    if apart or min(beside) <= margin:
        return Expected("ambiguous")
    if cut(text, start) or cut(text, end):
        return Expected("token_mismatch")
    return Expected("unique", start, end, least)


def distances(needle: str, text: str) -> list[int]:
    """Sellers' algorithm: the distance of the best passage that ends at each place of the text."""
    above = [0] * (len(text) + 1)
    for down, sign in enumerate(needle, 1):
        here = [down]
        for at, other in enumerate(text):
            here.append(min(above[at] + (sign != other), above[at + 1] + 1, here[at] + 1))
        above = here
    return above


def passages(needle: str, text: str, row: Sequence[int], least: int) -> list[tuple[int, int]]:
    """All passages at exactly this distance."""
    found = []
    for end in (end for end, far in enumerate(row) if far == least):
        window = text[max(0, end - len(needle) - least) : end]
        back = anchored(needle[::-1], window[::-1])
        found += [(end - size, end) for size, far in enumerate(back) if far == least]
    return found


def anchored(needle: str, text: str) -> list[int]:
    """The distance between the needle and each beginning of the text."""
    above = list(range(len(text) + 1))
    for down, sign in enumerate(needle, 1):
        here = [down]
        for at, other in enumerate(text):
            here.append(min(above[at] + (sign != other), above[at + 1] + 1, here[at] + 1))
        above = here
    return above


def rank(needle: str, text: str, start: int, end: int) -> tuple[int, int, int, int]:
    """Fewest cut words, then the needle's kind of ends, then its size, then the first."""
    other = (kind(text[start]) != kind(needle[0])) + (kind(text[end - 1]) != kind(needle[-1]))
    return cut(text, start) + cut(text, end), other, abs(end - start - len(needle)), start


def cut(text: str, place: int) -> bool:
    """Whether letters stand on both sides."""
    return 0 < place < len(text) and text[place - 1].isalpha() and text[place].isalpha()


def kind(sign: str) -> str:
    """Letter, space or another sign."""
    return "space" if sign == " " else "letter" if sign.isalpha() else "sign"
