"""Parse text into blocks, the unit in which changes are recorded.

A block is a heading line or the lines between blank lines; code, and comments over several paragraphs,
stay whole. Comments alone are not a block.
"""

import hashlib
import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from penwright.domain.text.ink_comments import Span, parse_marked
from penwright.domain.text.paragraphs import holds_marks, spans_between
from penwright.domain.text.words import split_words
from schemas.trace import BlockKind

Headings = tuple[tuple[int, str], ...]
"""Level and title of the headings above a place, outermost first."""

_HEADING = re.compile(r" {0,3}(#{1,6})(?![^ \t])")
_FENCE = re.compile(r" {0,3}(?:`{3}[^`\n]*|~{3}[^`\n]*)\n")
_RULE = re.compile(r"[\W_]*")
_KINDS: tuple[tuple[BlockKind, re.Pattern[str]], ...] = (
    ("code", re.compile(r" {0,3}(?:`{3}|~{3})")),
    ("quote", re.compile(r" {0,3}>")),
    ("list", re.compile(r" {0,3}(?:[-+*]|\d{1,9}[.)])[ \t]")),
    ("table", re.compile(r" {0,3}\|")),
    ("footnote", re.compile(r" {0,3}\[\^[^\]]+\]:")),
)
_FRONT_MATTER = re.compile(
    r"---[ \t]*\r?\n(?=[\w\"'-]+[\w \"'-]*:).{0,32768}?\n---[ \t]*(?=\r?\n|\Z)", re.DOTALL
)
"""Between two rules at the very beginning, with a key on its first line; a scene break is none."""
FRONT_MATTER_BYTES = 160 * 1024
"""Within these front matter has ended, if there is any."""


@dataclass(frozen=True, slots=True)
class Block:
    """One block and its location."""

    kind: BlockKind
    text: str
    """Its lines as they are, without lines of nothing but comments at its ends."""
    start_line: int
    """From 1; both ends included."""
    end_line: int
    headings: Headings = field(compare=False)
    """Level and title of the headings above it, its own included, outermost first."""
    ordinal: int = field(compare=False)
    """Its number among the blocks under its heading, from 1; 0 for a heading, and if unknown."""
    hash: str
    """``prose1:`` and 32 hexadecimal digits."""

    @property
    def heading(self) -> tuple[str, ...]:
        """Titles of the headings above it."""
        return tuple(title for _, title in self.headings)

    @property
    def content_hash(self) -> str:
        """``sha256:`` of the exact text."""
        return content_hash(self.text)


def block_hash(text: str) -> str:
    """Identity of a block: comments, line ends and re-wrapping do not count; empty if nothing is left."""
    return _read(_bare(text))[1]


def content_hash(text: str) -> str:
    """Digest of the exact lines: CRLF as LF, no line end after the last."""
    plain = text.replace("\r\n", "\n").rstrip("\n")
    return f"sha256:{hashlib.sha256(plain.encode('utf-8', 'surrogatepass')).hexdigest()}"


def short_hash(hashed: str) -> str:
    """The first eight digits of a block hash, for context."""
    return hashed.partition(":")[2][:8]


def neighbours_of(blocks: Sequence[Block]) -> Sequence[tuple[str, str]]:
    """Of each block, the short hashes of those before and after it; empty at an end."""
    shorts = ["", *(short_hash(block.hash) for block in blocks), ""]
    return list(zip(shorts, shorts[2:], strict=False))


def plain_text(text: str) -> str:
    """The displayed text: no comments, whitespace collapsed, NFC."""
    return _read(_bare(text))[0]


def _read(bare: str) -> tuple[str, str]:
    """The displayed form of a text without comments, and its hash."""
    plain = _collapsed(bare)
    return plain, _hash_of(plain)


def _collapsed(bare: str) -> str:
    # Without any blank but single spaces there is nothing to collapse; that is known sooner than done.
    plain = bare.strip() if "  " not in bare and bare.isprintable() else " ".join(bare.split())
    return plain if plain.isascii() else unicodedata.normalize("NFC", plain)


def _hash_of(plain: str) -> str:
    if not plain:
        return ""
    return f"prose1:{hashlib.sha256(plain.encode('utf-8', 'surrogatepass')).hexdigest()[:32]}"


@dataclass(slots=True)
class BlockCursor:
    """The headings above the next block, and how many blocks precede it there."""

    headings: Headings = ()
    ordinal: int | None = 0
    """Blocks since the nearest heading; None if unknown."""
    seen: dict[tuple[str, ...], int] = field(default_factory=dict)
    """Number of times each path of titles has come."""

    def enter(self, level: int, title: str) -> None:
        """Go below a heading; a second one of the same name under the same headings gets a number."""
        depth = len(self.headings)
        while depth and self.headings[depth - 1][0] >= level:
            depth -= 1
        above = self.headings[:depth]
        path = (*(each for _, each in above), title)
        self.seen[path] = count = self.seen.get(path, 0) + 1
        self.headings = (*above, (level, title if count == 1 else f"{title} ({count})"))
        self.ordinal = 0

    def count(self) -> None:
        """Pass a block that is not a heading."""
        self.ordinal = None if self.ordinal is None else self.ordinal + 1

    def copy(self) -> "BlockCursor":
        """A place to go on from without leaving this one."""
        return BlockCursor(self.headings, self.ordinal, dict(self.seen))


def blocks_of(
    text: str, *, first_line: int = 1, heading: Sequence[tuple[int, str]] = (), ordinal: int = 0
) -> tuple[Block, ...]:
    """Every block of ``text``; for a part of a file, pass the line and headings before it."""
    return blocks_from(text, BlockCursor(tuple(heading), ordinal), first_line)


def blocks_in(content: bytes | None) -> tuple[Block, ...]:
    """Every block of a file; none of what is not UTF-8 text."""
    try:
        return () if content is None or b"\0" in content else blocks_of(content.decode())
    except UnicodeDecodeError:
        return ()


def blocks_from(text: str, place: BlockCursor, first_line: int) -> tuple[Block, ...]:
    """Every block of ``text``; ``place`` moves to after the last."""
    blocks: list[Block] = []
    line, counted = first_line, 0
    for start, end in _pieces(text, first_line):
        chunk = text[start:end]
        comments = _comments_in(chunk)
        bare = _without(chunk, comments)
        hashed = _read(bare)[1]
        if not hashed:
            continue
        kind = _advance(place, bare)
        if comments:
            low, high = _visible(chunk, comments)
            start, chunk = start + low, chunk[low:high]
        line += text.count("\n", counted, start)
        counted = start
        last = line + chunk.count("\n")
        ordinal = 0 if kind == "heading" else place.ordinal or 0
        blocks.append(Block(kind, chunk, line, last, place.headings, ordinal, hashed))
    return tuple(blocks)


def pass_over(text: str, place: BlockCursor, first_line: int) -> None:
    """Move ``place`` to after ``text``, as ``blocks_from`` would."""
    for start, end in _pieces(text, first_line):
        chunk = text[start:end]
        bare = _bare(chunk)
        if bare.strip():
            _advance(place, bare)


def _advance(place: BlockCursor, bare: str) -> BlockKind:
    """Move ``place`` over a block; what kind it is."""
    found = heading_of(bare)
    if found is not None:
        place.enter(*found)
        return "heading"
    place.count()
    return _kind(bare)


def heading_of(line: str) -> tuple[int, str] | None:
    """Level and title of a heading line without comments; None for everything else."""
    line = line.rstrip()
    found = _HEADING.match(line)
    if found is None or "\n" in line:
        return None
    title = line[found.end() :].strip()
    open_title = title.rstrip("#")
    closed = not open_title or open_title[-1] in " \t"
    return len(found[1]), open_title.rstrip() if closed else title


def front_matter_end(text: str) -> int:
    """Offset after the front matter of a file; 0 if it has none."""
    found = _FRONT_MATTER.match(text, 1 if text.startswith("\ufeff") else 0)
    return found.end() if found else 0


def may_have_front_matter(content: bytes) -> bool:
    """Whether a file begins as one with front matter does."""
    return content.startswith((b"---", b"\xef\xbb\xbf---"))


def front_matter_bytes(content: bytes) -> int:
    """Length in bytes of a file's front matter; bytes that are not UTF-8 are skipped."""
    if not may_have_front_matter(content):
        return 0
    text = content[:FRONT_MATTER_BYTES].decode("utf-8", "ignore")
    return len(text[: front_matter_end(text)].encode())


def is_settled(text: str) -> bool:
    """Whether all code and comments that begin in ``text`` end in it, whatever follows."""
    if not holds_marks(text):
        return True
    marked = parse_marked(text)
    open_comments = (
        each
        for each in marked.comments
        if each.kind == "malformed" and text[each.end - 3 : each.end] != "-->"
    )
    return not marked.loose_fences and next(open_comments, None) is None


def _pieces(text: str, first_line: int) -> Iterator[Span]:
    """Spans between blank lines, headings on their own; front matter only where a file begins."""
    begin = 1 if first_line == 1 and text.startswith("\ufeff") else 0
    front = front_matter_end(text) if first_line == 1 else 0
    if front:
        yield begin, front
        begin = front
    whole = whole_spans(text)
    ends = [end for _, end in whole]
    for start, end in spans_between(text, whole):
        if start < begin:
            start = begin + len(text[begin:end]) - len(text[begin:end].lstrip("\r\n"))
        if start < end and "#" in text[start:end]:
            near = whole[bisect_right(ends, start) :]
            yield from _parted(text, start, end, near)
        elif start < end:
            yield start, end


def whole_spans(text: str) -> tuple[Span, ...]:
    """Spans that blank lines and headings do not divide: comments and fenced code."""
    if not holds_marks(text):
        return ()
    marked = parse_marked(text)
    asked = ((each.start, each.end) for each in marked.comments)
    others = ((start, end) for start, end in marked.opaque if _stays_whole(text, start))
    return tuple(sorted((*asked, *others)))


def _stays_whole(text: str, start: int) -> bool:
    """Whether code or a comment of others is more than code inside a line."""
    if text.startswith("<!--", start):
        return True
    return _FENCE.match(text, text.rfind("\n", 0, start) + 1) is not None


def _parted(text: str, start: int, end: int, whole: Sequence[Span]) -> Iterator[Span]:
    """A heading needs no blank line around it."""
    starts = [each for each, _ in whole]
    begin = at = start
    while at < end:
        stop = _line_end(text, at, end)
        # A comment that begins in a line takes the line on to where it ends.
        while (inside := bisect_left(starts, stop) - 1) >= 0 and min(whole[inside][1], end) > stop:
            stop = _line_end(text, whole[inside][1], end)
        line = text[at:stop]
        if "#" in line and heading_of(_bare(line)) is not None:
            if text[begin:at].strip():
                yield begin, begin + len(text[begin:at].rstrip())
            yield at, at + len(line.rstrip())
            begin = stop + 1
        at = stop + 1
    if text[begin:end].strip():
        yield begin, end


def _line_end(text: str, at: int, end: int) -> int:
    stop = text.find("\n", at, end)
    return end if stop < 0 else stop


def _bare(text: str) -> str:
    return _without(text, _comments_in(text))


def _comments_in(text: str) -> tuple[Span, ...]:
    """Spans of comments outside code; one that never ends is text, unless it is an engine's marker."""
    if "<!--" not in text:
        return ()
    marked = parse_marked(text)
    ours = (
        (each.start, each.end)
        for each in marked.comments
        if each.kind == "marker" or text[each.end - 3 : each.end] == "-->"
    )
    others = (span for span in marked.opaque if text.startswith("<!--", span[0]))
    return tuple(sorted((*ours, *others)))


def _without(text: str, spans: Sequence[Span]) -> str:
    if not spans:
        return text
    kept: list[str] = []
    behind = 0
    for start, end in spans:
        kept.append(text[behind:start])
        behind = end
    return "".join([*kept, text[behind:]])


def _visible(text: str, comments: Sequence[Span]) -> Span:
    """The part without lines of nothing but comments at its ends."""
    shown = list(_shown(text, comments))
    low = text.rfind("\n", 0, shown[0][0]) + 1
    for start, end in reversed(comments):
        if start < low < end:
            low = text.rfind("\n", 0, start) + 1
    high = _line_end(text, shown[-1][1], len(text))
    for start, end in comments:
        if start < high < end:
            high = _line_end(text, end, len(text))
    return low, low + len(text[low:high].rstrip())


def _shown(text: str, comments: Sequence[Span]) -> Iterator[Span]:
    """Spans between the comments, without surrounding whitespace."""
    behind = 0
    for start, end in (*comments, (len(text), len(text))):
        between = text[behind:start]
        if between.strip():
            yield behind + len(between) - len(between.lstrip()), behind + len(between.rstrip())
        behind = end


def _kind(bare: str) -> BlockKind:
    shown = bare.lstrip("\r\n")
    if shown[0].isalpha():
        return "paragraph"
    if _FRONT_MATTER.fullmatch(shown.rstrip()):
        return "front-matter"
    for kind, pattern in _KINDS:
        if pattern.match(shown):
            return kind
    return "break" if _RULE.fullmatch(shown) else "paragraph"


def words_in(blocks: Sequence[Block]) -> int:
    """Words of some blocks, comments left out."""
    return sum(len(split_words(plain_text(block.text))) for block in blocks)
