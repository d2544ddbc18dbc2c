"""Parse only the blocks around a change; parse the whole file if code or a comment may cross the edge."""

from collections.abc import Iterator
from dataclasses import dataclass

from penwright.domain.text.alignment import common_ends
from penwright.domain.text.blocks import (
    FRONT_MATTER_BYTES,
    Block,
    BlockCursor,
    blocks_from,
    blocks_of,
    front_matter_bytes,
    heading_of,
    is_settled,
    may_have_front_matter,
    pass_over,
)

_NEIGHBOURS = (2, 16)
"""Paragraphs parsed on either side of the change: at first, and if those are all comments."""
_PIECE = 256 * 1024
_SHORT = 512
"""Bytes of a file that is always parsed whole."""
_MIDDLING = 8
"""Files up to this many times ``_SHORT`` are parsed whole if half of them differs."""
_COUNTED = 48 * 1024
"""Bytes of a section up to which its blocks are numbered."""


@dataclass(frozen=True, slots=True)
class Window:
    """Blocks of the same part of a file, before and after the change."""

    before: tuple[Block, ...]
    after: tuple[Block, ...]
    from_start: bool = True
    """Whether it begins where the file does."""
    to_end: bool = True

    @property
    def framed(self) -> bool:
        """Whether it begins and ends with a block that is the same on both sides, or where the file does."""
        head, tail = common_ends(*([block.hash for block in side] for side in (self.before, self.after)))
        return bool((self.from_start or head) and (self.to_end or tail))


def window_of(before: bytes | None, after: bytes | None) -> Window | None:
    """The blocks around the difference; None if there is none, or if it is not UTF-8 text."""
    if before == after:
        return None
    old, new = before or b"", after or b""
    try:
        return windowed(old, new) or whole(old, new)
    except UnicodeDecodeError:
        return None


def whole(old: bytes, new: bytes) -> Window | None:
    """Every block of both sides."""
    if b"\0" in old or b"\0" in new:
        return None
    return Window(blocks_of(old.decode()), blocks_of(new.decode()))


def windowed(old: bytes, new: bytes, *, short: int = _SHORT) -> Window | None:
    """The blocks around the difference; None if the whole file must be parsed, or costs no more."""
    if min(len(old), len(new)) <= short:
        return None
    least = min(len(old), len(new))
    prefix = _common_start(old, new)
    suffix = min(_common_end(old, new), least - prefix) if prefix < least else 0
    if least <= _MIDDLING * short and 2 * (prefix + suffix) < least:
        return None
    for neighbours in _NEIGHBOURS:
        start, kept = _start(old, prefix, neighbours), _kept(old, len(old) - suffix, neighbours)
        window = _part(old, new, start, kept) if start or kept else whole(old, new)
        if window is None or window.framed:
            return window
    return None


def _part(old: bytes, new: bytes, start: int, kept: int) -> Window | None:
    """Blocks from ``start`` on, without the last ``kept`` bytes."""
    inner = [each[start : len(each) - kept] for each in (old, new)]
    if any(b"\0" in each for each in inner):
        return None
    texts = [each.decode() for each in inner]
    if kept and not all(map(is_settled, texts)):
        return None
    context = _context_at(old, start)
    if context is None:
        return None
    place, line = context
    before, after = (blocks_from(each, place.copy(), line) for each in texts)
    return Window(before, after, from_start=not start, to_end=not kept)


def _common_start(old: bytes, new: bytes) -> int:
    """How many bytes are the same at the start."""
    seen = memoryview(old)
    low, most = 0, min(len(old), len(new))
    # A slice is no copy here, and `startswith` compares as fast as the memory is read.
    while low < most and new.startswith(seen[low : min(low + _PIECE, most)], low):
        low = min(low + _PIECE, most)
    high = min(low + _PIECE, most)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if new.startswith(seen[low:middle], low) else (low, middle - 1)
    return low


def _common_end(old: bytes, new: bytes) -> int:
    """How many bytes are the same at the end."""
    seen, last, end = memoryview(old), len(old), len(new)
    low, most = 0, min(len(old), len(new))
    while low < most and new.endswith(seen[last - min(low + _PIECE, most) : last - low], 0, end - low):
        low = min(low + _PIECE, most)
    high = min(low + _PIECE, most)
    while low < high:
        middle = (low + high + 1) // 2
        same = new.endswith(seen[last - middle : last - low], 0, end - low)
        low, high = (middle, high) if same else (low, middle - 1)
    return low


def _start(content: bytes, at: int, neighbours: int) -> int:
    """Start of the paragraph that is ``neighbours`` paragraphs before ``at``; 0 if there are fewer."""
    end = at
    for _ in range(neighbours + 1):
        found = _paragraph_before(content, end)
        if found is None:
            return 0
        end = found - 1
    return end + 1


def _paragraph_before(content: bytes, end: int) -> int | None:
    """Start of the last paragraph that begins before ``end``."""
    line = content.rfind(b"\n", 0, end) + 1
    while line > 0:
        above = content.rfind(b"\n", 0, line - 1) + 1
        if above > 0 and _is_blank(content[above : line - 1]) and _has_text(content[line:end]):
            return line
        line, end = above, line - 1
    return None


def _kept(content: bytes, at: int, neighbours: int) -> int:
    """How many bytes at the end are left out, from the beginning of a paragraph on."""
    begins = 0
    blank = False
    line = content.find(b"\n", at) + 1
    while line > 0:
        below = content.find(b"\n", line) + 1
        row = content[line : below - 1 if below else len(content)]
        if blank and _has_text(row):
            begins += 1
            if begins > neighbours:
                return len(content) - line
        blank = _is_blank(row) and below > 0
        line = below
    return 0


def _is_blank(row: bytes) -> bool:
    return not row.strip(b" \t\r")


def _has_text(row: bytes) -> bool:
    return bool(row.decode("utf-8", "replace").strip())


def _context_at(content: bytes, at: int) -> tuple[BlockCursor, int] | None:
    """Headings and line number at ``at``, where a paragraph begins.

    None if code, a comment or front matter may span ``at`` or a heading before it.
    """
    opening = _opening(content, at)
    if opening is None or not is_settled(text := content[:opening].decode()):
        return None
    place = BlockCursor()
    pass_over(text, place, 1)
    checked = section = opening
    for line, row in _heading_lines(content, opening, at):
        if b"<!--" in row or not _is_outside(content, checked, line):
            return None
        checked = line
        if (heading := heading_of(row.decode())) is not None:
            place.enter(*heading)
            section = line + len(row)
    if not _is_outside(content, checked, at):
        return None
    _count_blocks(content, place, section, at)
    return place, content.count(b"\n", 0, at) + 1


def _count_blocks(content: bytes, place: BlockCursor, section: int, at: int) -> None:
    """Move ``place`` from ``section``, the end of the last heading, to ``at``."""
    if at - section > _COUNTED:
        place.ordinal = None
    else:
        pass_over(content[section:at].decode(), place, 2 if section else 1)


def _opening(content: bytes, at: int) -> int | None:
    """Where front matter and the last code block before ``at`` end; None if they may not end."""
    front = _front_matter(content, at)
    return None if front is None else max(front, _code(content, at))


def _front_matter(content: bytes, at: int) -> int | None:
    if not may_have_front_matter(content):
        return 0
    end = front_matter_bytes(content[: min(at, FRONT_MATTER_BYTES)])
    return None if not end and at < FRONT_MATTER_BYTES else end


def _code(content: bytes, at: int) -> int:
    """Where the paragraph after the last fence before ``at`` begins; 0 if there is no fence."""
    last = max(content.rfind(sign * 3, 0, at) for sign in (b"`", b"~"))
    return 0 if last < 0 else at - _kept(content[:at], last, 0)


def _heading_lines(content: bytes, begin: int, at: int) -> Iterator[tuple[int, bytes]]:
    """Lines that may be headings, and where they begin."""
    first = 3 if content.startswith(b"\xef\xbb\xbf") else 0
    found = content.find(b"#", begin, at)
    while found >= 0:
        line = content.rfind(b"\n", 0, found) + 1 or first
        stop = content.find(b"\n", found, at)
        stop = at if stop < 0 else stop
        if line == found or not content[line:found].strip(b" "):
            yield line, content[line:stop]
        found = content.find(b"#", stop, at)


def _is_outside(content: bytes, begin: int, at: int) -> bool:
    """Whether no comment that opens from ``begin`` on reaches over ``at``."""
    opened = content.rfind(b"<", begin, at)
    while opened >= 0 and not content.startswith(b"<!--", opened):
        opened = content.rfind(b"<", begin, opened)
    return opened < 0 or content.find(b"-->", opened + 2, at) >= 0
