"""Changes of a text as the editor sends them: lists of kept, dropped and inserted stretches.

Browsers count a text in UTF-16 code units, Python in code points. Both meet here and nowhere else: a text
is encoded once, cut at units, and decoded again.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from penwright.domain.text.merging.three_way import changed_words
from penwright.errors import UsageMistake
from schemas.drafts import ChangeSet

MOST_UNITS: Final = 8_000_000
"""The longest text that can be edited, in UTF-16 units."""
_UTF16: Final = "utf-16-le"


def units(text: str) -> int:
    """The length of ``text`` as a browser counts it."""
    return len(text.encode(_UTF16)) // 2


def unit_places(text: str, places: Sequence[int]) -> tuple[int, ...]:
    """Places of ``text``, counted in its characters and rising, as a browser counts them."""
    told, at, reached = [], 0, 0
    for place in places:
        reached += units(text[at:place])
        at = place
        told.append(reached)
    return tuple(told)


def apply(text: str, changes: ChangeSet) -> str:
    """The text after ``changes``.

    Raises:
        UsageMistake: ``bad-changes`` if they are malformed, made to a text of another length, cut a character
            in two, or bring a NUL byte; ``text-too-long``.
    """
    old = text.encode(_UTF16)
    pieces: list[bytes] = []
    at = 0
    for kept, dropped, inserted in parts_of(changes):
        end = at + 2 * kept
        pieces += [old[at:end], _encoded(inserted)]
        at = end + 2 * dropped
        _check_cut(old, end)
        _check_cut(old, at)
    if at != len(old):
        raise _bad(f"they are made to a text of {at // 2} units, and this one has {len(old) // 2}")
    new = b"".join(pieces)
    if len(new) > 2 * MOST_UNITS:
        raise UsageMistake("text-too-long", f"a text may have {MOST_UNITS:,} characters; split it into files")
    return new.decode(_UTF16)


def between(old: str, new: str) -> ChangeSet:
    """The changes by words that make ``new`` of ``old``; both with LF."""
    parts: list[int | tuple[int | str, ...]] = []
    at = 0
    for change in changed_words(old, new):
        _keep(parts, units(old[at : change.start]))
        dropped = units(old[change.start : change.end])
        parts.append((dropped, *change.text.split("\n")) if change.text else (dropped,))
        at = change.end
    _keep(parts, units(old[at:]))
    return tuple(parts)


def _keep(parts: list[int | tuple[int | str, ...]], count: int) -> None:
    if count:
        parts.append(count)


def parts_of(changes: ChangeSet) -> Iterator[tuple[int, int, str]]:
    """Units kept, units dropped, and the text inserted there, for each part; raises as ``apply``."""
    for part in changes:
        if isinstance(part, int):
            yield _count(part), 0, ""
        else:
            yield _replaced(part)


def _replaced(part: Sequence[int | str]) -> tuple[int, int, str]:
    dropped, lines = part[0] if part else None, part[1:]
    texts = [line for line in lines if isinstance(line, str)]
    if not isinstance(dropped, int) or len(texts) != len(lines):
        raise _bad("a replacement is a number and the lines that are inserted")
    if any("\n" in line or "\0" in line for line in texts):
        raise _bad("an inserted line has a line end or a NUL byte inside")
    return 0, _count(dropped), "\n".join(texts)


def _count(value: int) -> int:
    if isinstance(value, bool) or not 0 <= value <= MOST_UNITS:
        raise _bad(f"{value!r} is no number of characters")
    return value


def _encoded(inserted: str) -> bytes:
    try:
        return inserted.encode(_UTF16)
    except UnicodeEncodeError:
        raise _bad("half a character is inserted") from None


def _check_cut(text: bytes, at: int) -> None:
    """The second half of a pair begins with the bits 110111."""
    if at < len(text) and text[at + 1] & 0xFC == 0xDC:
        raise _bad("a character is cut in two")


def _bad(why: str) -> UsageMistake:
    return UsageMistake("bad-changes", f"these changes cannot be made: {why}; load the page again")
