"""Parse only the stretch of a file that changed; all of it if code or a comment may cross its edges."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from penwright.domain.text.blocks import (
    Block,
    BlockCursor,
    blocks_from,
    blocks_of,
    front_matter_bytes,
    heading_of,
    is_settled,
    pass_over,
)
from penwright.domain.text.comparing.alignment import common_ends

_NEIGHBOURS = (2, 16)
"""Paragraphs parsed on either side of the change: at first, and if those are all comments."""
_SHORT = 4096
"""Bytes of a file that is always parsed whole."""
_COUNTED = 48 * 1024
"""Bytes of a section up to which its blocks are numbered."""
_COMMENT = re.compile(rb"<!--(?!-?>)[^<\n]*?-->")
"""A comment on one line, as nearly all are."""
_MAYBE_HEADING = re.compile(rb"#[^\n]*")


@dataclass(frozen=True, slots=True)
class Stretch:
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


def changed_stretch(before: bytes | None, after: bytes | None) -> Stretch | None:
    """The blocks around the difference; None if there is none, or if it is not UTF-8 text."""
    if before == after:
        return None
    old, new = before or b"", after or b""
    try:
        return part(old, new) or whole(old, new)
    except UnicodeDecodeError:
        return None


def whole(old: bytes, new: bytes) -> Stretch | None:
    """Every block of both sides."""
    if b"\0" in old or b"\0" in new:
        return None
    return Stretch(blocks_of(old.decode()), blocks_of(new.decode()))


def part(old: bytes, new: bytes, *, short: int = _SHORT) -> Stretch | None:
    """The blocks around the difference; None if the whole file must be parsed, or costs no more."""
    if min(len(old), len(new)) <= short or b"\0" in old or b"\0" in new:
        return None
    blank = b"\n\n" if b"\n\n" in old else b"\r\n\r\n"
    paragraphs = old.split(blank)
    head, tail = common_ends(paragraphs, new.split(blank))
    for neighbours in _NEIGHBOURS:
        ahead = paragraphs[: max(0, head - neighbours)]
        behind = paragraphs[len(paragraphs) - max(0, tail - neighbours) :]
        start = sum(map(len, ahead)) + len(blank) * len(ahead)
        found = _between(old, new, start, len(blank.join(behind)))
        if found is None or found.framed:
            return found
    return None


def _between(old: bytes, new: bytes, start: int, kept: int) -> Stretch | None:
    """Blocks from ``start`` on, without the last ``kept`` bytes."""
    if not (start or kept) or max(map(front_matter_bytes, (old, new))) > start:
        return None
    texts = [each[start : len(each) - kept].decode() for each in (old, new)]
    if kept and not all(map(_is_closed, texts)):
        return None
    context = _context_at(old[:start])
    if context is None:
        return None
    line = 1 + old.count(b"\n", 0, start)
    before, after = (blocks_from(each, context.copy(), line) for each in texts)
    return Stretch(before, after, from_start=not start, to_end=not kept)


def _context_at(ahead: bytes) -> BlockCursor | None:
    """The headings above the end of a text; None if code or a comment may go on behind it."""
    place = BlockCursor()
    masked, comments = _COMMENT.subn(lambda found: b"\0" * len(found[0]), ahead)
    if comments < ahead.count(b"<!--") or any(sign in masked for sign in (b"-->", b"`", b"~~~")):
        text = ahead.decode()
        if not _is_closed(text):
            return None
        pass_over(text, place, 1)
        return place
    section = front_matter_bytes(ahead)
    pass_over(ahead[:section].decode(), place, 1)
    for end, line in _headings(masked, section):
        if (heading := heading_of(line.decode())) is not None:
            place.enter(*heading)
            section = end
    if len(ahead) - section > _COUNTED:
        place.ordinal = None
    else:
        pass_over(ahead[section:].decode(), place, 2 if section else 1)
    return place


def _is_closed(text: str) -> bool:
    """Whether whatever may follow cannot be in code or a comment that begins in ``text``."""
    return is_settled(text) and text.rfind("<!--") <= text.rfind("-->")


def _headings(masked: bytes, begin: int) -> Iterator[tuple[int, bytes]]:
    """Lines that may be headings, without their comments, and where they end."""
    for found in _MAYBE_HEADING.finditer(masked, begin):
        line = masked.rfind(b"\n", 0, found.start()) + 1
        indent = masked[line : found.start()].replace(b"\0", b"")
        indent = indent if line else indent.removeprefix(b"\xef\xbb\xbf")
        if not indent.strip(b" "):
            yield found.end(), indent + found[0].replace(b"\0", b"")
