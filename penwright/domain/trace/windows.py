"""The part of a file that a change touches, in whole blocks with their neighbours."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from penwright.domain.trace.blocks import Block, Headings, blocks_of, heading_of

_FENCES = re.compile(rb"^ {0,3}(?:`{3}|~{3})", re.MULTILINE)
_NEIGHBOURS = 3
"""Blank lines beyond the change that are taken in on either side."""
_PIECE = 256 * 1024
_FRONT = 64 * 1024
"""Bytes within which front matter may end."""
_SHORT = 4 * 1024
"""Bytes of a file that is taken whole: cheaper than to look for its middle."""


@dataclass(frozen=True, slots=True)
class Window:
    """Blocks of the same stretch of a file, before and after."""

    before: tuple[Block, ...]
    after: tuple[Block, ...]


def window_of(before: bytes | None, after: bytes | None) -> Window | None:
    """The blocks around what differs; None if nothing does, or if either side is no text."""
    if before == after:
        return None
    old, new = before or b"", after or b""
    try:
        if max(len(old), len(new)) <= _SHORT or not old or not new:
            return _whole(old, new)
        return _middle(old, new) or _whole(old, new)
    except UnicodeDecodeError:
        return None


def _whole(old: bytes, new: bytes) -> Window | None:
    if b"\0" in old or b"\0" in new:
        return None
    return Window(blocks_of(old.decode()), blocks_of(new.decode()))


def _middle(old: bytes, new: bytes) -> Window | None:
    """The window; None where only the whole file tells what is a block."""
    start = _start(old, common_prefix(old, new))
    kept = min(_common_suffix(old, new), len(old) - start, len(new) - start)
    end = _end(old, len(old) - kept)
    inner = old[start : len(old) - end], new[start : len(new) - end]
    if not _is_outside(old, start) or not all(map(_is_closed, inner)):
        return None
    headings, ordinal = _place(old, start)
    line = old.count(b"\n", 0, start) + 1
    blocks: Sequence[tuple[Block, ...]] = [
        blocks_of(part.decode(), first_line=line, headings=headings, ordinal=ordinal) for part in inner
    ]
    return Window(*blocks) if b"\0" not in inner[0] + inner[1] else None


def common_prefix(old: bytes, new: bytes) -> int:
    """How many bytes are the same at the start."""
    if new.startswith(old):
        return len(old)
    return _common(min(len(old), len(new)), lambda low, high: old[low:high] == new[low:high])


def _common_suffix(old: bytes, new: bytes) -> int:
    """How many bytes are the same at the end."""
    return _common(
        min(len(old), len(new)),
        lambda low, high: old[len(old) - high : len(old) - low] == new[len(new) - high : len(new) - low],
    )


def _common(most: int, same: Callable[[int, int], bool]) -> int:
    """Bytes from the start on for which ``same`` holds; compared in pieces, then halves of a piece."""
    low = 0
    while low < most and same(low, min(low + _PIECE, most)):
        low = min(low + _PIECE, most)
    high = min(low + _PIECE, most)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if same(low, middle) else (low, middle - 1)
    return low


def _start(content: bytes, at: int) -> int:
    """Where the block begins that stands some blocks in front of ``at``."""
    for _ in range(_NEIGHBOURS + 1):
        at = content.rfind(b"\n\n", 0, at)
        if at <= 0:
            return 0
    return at + 2


def _end(content: bytes, at: int) -> int:
    """How many bytes at the end are left out, some blocks behind ``at``."""
    for _ in range(_NEIGHBOURS + 1):
        found = content.find(b"\n\n", at)
        if found < 0:
            return 0
        at = found + 2
    return len(content) - at


def _is_outside(content: bytes, at: int) -> bool:
    """Whether no code and no comment reaches over ``at``, as far as can be told without parsing."""
    # One byte is looked for ten times faster than three, and most books have no code.
    if (content.find(b"`", 0, at) >= 0 or content.find(b"~", 0, at) >= 0) and _odd_fences(content[:at]):
        return False
    if at < _FRONT and content.startswith(b"---"):
        return False
    opened = content.rfind(b"<!--", max(0, at - 65536), at)
    return opened < 0 or content.find(b"-->", opened, at) >= 0


def _odd_fences(part: bytes) -> bool:
    return len(_FENCES.findall(part)) % 2 == 1


def _is_closed(part: bytes) -> bool:
    """Whether code and comments that begin in it end in it."""
    opened = part.rfind(b"<!--")
    if opened >= 0 and part.find(b"-->", opened) < 0:
        return False
    return not _odd_fences(part)


def _place(content: bytes, at: int) -> tuple[Headings, int]:
    """The headings above ``at``, and how many blocks stand between the nearest and it."""
    found: list[tuple[int, str]] = []
    behind = 0
    nearest = _last_heading(content, at)
    while nearest is not None:
        line_start, level, title = nearest
        found.insert(0, (level, title))
        behind = line_start if len(found) == 1 else behind
        nearest = _parent_heading(content, line_start, level)
    if not found:
        return (), content.count(b"\n\n", 0, at)
    # The blank line behind a heading parts nothing under it.
    return tuple(found), max(content.count(b"\n\n", behind, at) - 1, 0)


def _last_heading(content: bytes, at: int) -> tuple[int, int, str] | None:
    look = content.rfind(b"#", 0, at)
    while look >= 0:
        line_start = content.rfind(b"\n", 0, look) + 1
        if heading := _heading_at(content, line_start):
            return line_start, *heading
        look = content.rfind(b"#", 0, line_start)
    return None


def _parent_heading(content: bytes, at: int, level: int) -> tuple[int, int, str] | None:
    """The nearest heading in front of ``at`` that is above ``level``."""
    marks = (b"\n" + b"#" * each + b" " for each in range(1, level))
    at = max((content.rfind(mark, 0, at) for mark in marks), default=-1) + 1
    if not at and not content.startswith(b"#"):
        return None
    heading = _heading_at(content, at)
    return (at, *heading) if heading and heading[0] < level else None


def _heading_at(content: bytes, start: int) -> tuple[int, str] | None:
    stop = content.find(b"\n", start)
    return heading_of(content[start : stop if stop >= 0 else len(content)].decode("utf-8", "replace"))
