"""Blocks of prose: what one change of text is told by.

A block is a heading line or what stands between blank lines; code, and comments over several paragraphs,
stay whole. What holds nothing but comments is no block.
"""

import hashlib
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from penwright.domain.paragraphs import paragraph_spans
from penwright.domain.words import without_comments
from schemas.trace import BlockKind

Headings = tuple[tuple[int, str], ...]
"""Level and title of the headings above a place, outermost first."""

_HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*\r?")
_FENCE = re.compile(r" {0,3}(?:`{3}|~{3})")
_BREAK = re.compile(r"[\W_]*")
_KINDS: tuple[tuple[BlockKind, re.Pattern[str]], ...] = (
    ("code", _FENCE),
    ("quote", re.compile(r" {0,3}>")),
    ("list", re.compile(r" {0,3}(?:[-+*]|\d{1,9}[.)])[ \t]")),
    ("table", re.compile(r" {0,3}\|")),
    ("footnote", re.compile(r" {0,3}\[\^[^\]]+\]:")),
)
_FRONT_MATTER = re.compile(
    r"---[ \t]*\r?\n(?=[\w\"'-]+[\w \"'-]*:).{0,32768}?\n---[ \t]*(?=\r?\n|\Z)", re.DOTALL
)
"""Between two rules at the very beginning, with a key on its first line; a scene break is none."""
_COMMENT_LINES = re.compile(r"(?:[ \t]*(?:<!--[^\n]*?-->[ \t]*)+\r?\n)+")
_COMMENT_LINES_BEHIND = re.compile(r"(?:\r?\n[ \t]*(?:<!--[^\n]*?-->[ \t]*)+)+\Z")


@dataclass(frozen=True)
class Block:
    """One block and where it stands."""

    text: str
    start_line: int
    """From 1; both ends included."""
    headings: Headings = field(compare=False)
    """Level and title of the headings above, outermost first."""
    ordinal: int = field(compare=False)
    """Its place among what blank lines separate under its heading, from 1."""
    hash: str
    """``prose1:`` and 32 hexadecimal digits."""

    @property
    def end_line(self) -> int:
        """The last line."""
        return self.start_line + self.text.count("\n")

    @property
    def heading(self) -> tuple[str, ...]:
        """Titles of the headings above it."""
        return tuple(title for _, title in self.headings)

    @cached_property
    def kind(self) -> BlockKind:
        """What Markdown takes it for."""
        return _kind(self.text)

    @cached_property
    def content_hash(self) -> str:
        """``sha256:`` of the exact text."""
        return content_hash(self.text)


def block_hash(text: str) -> str:
    """Identity of a block: comments, line ends and re-wrapping do not count; empty if nothing is left."""
    bare = text if _FENCE.match(text) or "<!--" not in text else without_comments(text)
    plain = " ".join(bare.split())
    if not plain:
        return ""
    if not plain.isascii():
        plain = unicodedata.normalize("NFC", plain)
    return f"prose1:{hashlib.sha256(plain.encode('utf-8', 'surrogatepass')).hexdigest()[:32]}"


def content_hash(text: str) -> str:
    """Evidence of the exact lines: CRLF as LF, no line end behind the last."""
    plain = text.replace("\r\n", "\n").rstrip("\n")
    return f"sha256:{hashlib.sha256(plain.encode('utf-8', 'surrogatepass')).hexdigest()}"


def short_hash(hashed: str) -> str:
    """The first eight digits of a block hash, for context."""
    return hashed.partition(":")[2][:8]


def blocks_of(
    text: str, *, first_line: int = 1, headings: Headings = (), ordinal: int = 0
) -> tuple[Block, ...]:
    """Every block of ``text``; of a part of a file, with what stands in front of the part."""
    place = _Place(list(headings), ordinal)
    blocks: list[Block] = []
    line, counted = first_line, 0
    for start, end in _pieces(text, whole=first_line == 1 and not headings):
        chunk = text[start:end]
        place.enter(chunk)
        hashed = block_hash(chunk)
        if not hashed:
            continue
        if "<!--" in chunk:
            start, end = _without_comment_lines(text, start, end)
        line += text.count("\n", counted, start)
        counted = start
        blocks.append(Block(text[start:end], line, place.headings, place.ordinal, hashed))
    return tuple(blocks)


@dataclass(slots=True)
class _Place:
    """Under which headings the next block stands."""

    stack: list[tuple[int, str]]
    ordinal: int
    headings: Headings = ()

    def __post_init__(self) -> None:
        self.headings = tuple(self.stack)

    def enter(self, chunk: str) -> None:
        found = heading_of(chunk)
        if found is None:
            self.ordinal += 1
            return
        level, title = found
        self.stack = [each for each in self.stack if each[0] < level]
        self.stack.append((level, title))
        self.headings = tuple(self.stack)
        self.ordinal = 0


def heading_of(chunk: str) -> tuple[int, str] | None:
    """Level and title of a heading line; None for everything else."""
    if not chunk.lstrip(" ").startswith("#"):
        return None
    found = _HEADING.fullmatch(chunk)
    return (len(found[1]), (found[2] or "").strip()) if found else None


def _pieces(text: str, *, whole: bool) -> Iterator[tuple[int, int]]:
    """Spans between blank lines, headings on their own."""
    front = _FRONT_MATTER.match(text) if whole else None
    behind = front.end() if front else 0
    if front:
        yield 0, behind
    for start, end in paragraph_spans(text):
        if end <= behind:
            continue
        start = max(start, behind)
        if "#" in text[start:end] and not _FENCE.match(text, start):
            yield from _parted(text, start, end)
        else:
            yield start, end


def _parted(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """A heading needs no blank line around it."""
    begin = at = start
    while at < end:
        stop = text.find("\n", at, end)
        stop = end if stop < 0 else stop
        if heading_of(text[at:stop]) is not None:
            if text[begin:at].strip():
                yield begin, begin + len(text[begin:at].rstrip())
            yield at, at + len(text[at:stop].rstrip())
            begin = stop + 1
        at = stop + 1
    if text[begin:end].strip():
        yield begin, end


def _without_comment_lines(text: str, start: int, end: int) -> tuple[int, int]:
    """The span without lines of nothing but comments at its ends."""
    ahead = _COMMENT_LINES.match(text, start, end)
    if ahead and ahead.end() < end:
        start = ahead.end()
    behind = _COMMENT_LINES_BEHIND.search(text[start:end])
    return (start, start + behind.start()) if behind and behind.start() else (start, end)


def _kind(text: str) -> BlockKind:
    bare = without_comments(text).lstrip("\r\n")
    if heading_of(bare.rstrip()) is not None:
        return "heading"
    if _FRONT_MATTER.fullmatch(bare.rstrip()):
        return "front-matter"
    for kind, pattern in _KINDS:
        if pattern.match(bare):
            return kind
    return "break" if _BREAK.fullmatch(bare) else "paragraph"


def words_in(blocks: Sequence[Block]) -> int:
    """Words of some blocks, comments left out."""
    return sum(len(without_comments(block.text).split()) for block in blocks)
