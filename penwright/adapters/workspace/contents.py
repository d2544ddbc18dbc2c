"""File contents: merging two versions, and appending."""

from dataclasses import dataclass
from pathlib import PurePosixPath

from penwright.domain.text.conflict_notes import is_noted
from penwright.domain.text.merging.saving import Carried, brought_together, with_both_kept
from penwright.domain.trace.intent_map import mapping
from penwright.domain.trace.layout import MAP, is_ledger
from penwright.domain.trace.segments import merged_lines
from schemas.workspace import Conflict

_PROSE = frozenset({".md", ".markdown", ".txt", ".text", ".tex", ".rst", ".adoc"})
"""Files made of paragraphs; all others, YAML and JSON among them, merge as a whole or not at all."""
_EXCERPT = 2000


@dataclass(frozen=True, slots=True)
class MergedContent:
    """Merged content, and the conflicts in it."""

    content: bytes
    conflicts: tuple[Conflict, ...] = ()
    carried: tuple[Carried, ...] = ()
    """Our words for passages that they moved ``elsewhere``."""


def text_of(content: bytes) -> str | None:
    """The text, or None when it is not UTF-8 or holds NUL."""
    if b"\0" in content:
        return None
    try:
        return content.decode()
    except UnicodeDecodeError:
        return None


def is_prose(path: str) -> bool:
    """Whether a file is made of paragraphs."""
    return PurePosixPath(path).suffix.lower() in _PROSE


def merge_contents(
    path: str, base: bytes, ours: bytes, theirs: bytes, *, again: bool = False, elsewhere: str = ""
) -> MergedContent:
    """Merge prose word by word, BibTeX entry by entry. Of other files the changed side wins; if both, theirs.

    Args:
        again: ours is merged into the result later on, which for now has their words where both changed some.
        elsewhere: texts to which they may have moved passages.
    """
    if ours in (theirs, base):
        return MergedContent(theirs)
    if theirs == base:
        return MergedContent(ours)
    if is_ledger(path):
        return MergedContent(merged_lines(base, ours, theirs))
    if path == MAP:
        return MergedContent(mapping.merged(base, ours, theirs))
    old, mine, other = (text_of(content) for content in (base, ours, theirs))
    if PurePosixPath(path).suffix.lower() == ".bib" and not (old is None or mine is None or other is None):
        from penwright.domain.citations import bibtex_pieces  # loads slowly, and few merges need it

        bibtex, is_both = bibtex_pieces.merged(old, mine, other, theirs_win=again)
        found = (conflict_of(path, base, ours, theirs),) if is_both and not again else ()
        return MergedContent(bibtex.encode(), found)
    if not is_prose(path) or old is None or mine is None or other is None:
        return MergedContent(theirs, (conflict_of(path, base, ours, theirs),))
    if again:
        return MergedContent(brought_together(old, mine, other, wins="theirs").text.encode())
    merged = with_both_kept(old, mine, other, elsewhere, noted=is_noted(path))
    conflicts = tuple(
        Conflict(path=path, base=place.base, ours=place.mine, theirs=place.theirs) for place in merged.places
    )
    return MergedContent(merged.text.encode(), conflicts, merged.carried)


def conflict_of(path: str, base: bytes | None, ours: bytes | None, theirs: bytes | None) -> Conflict:
    """A conflict over a whole file; long or unreadable contents are cut."""
    shown = (
        "" if content is None else _cut(content.decode("utf-8", "replace"))
        for content in (base, ours, theirs)
    )
    old, mine, other = shown
    return Conflict(path=path, base=old, ours=mine, theirs=other)


def _cut(text: str) -> str:
    return text if len(text) <= _EXCERPT else text[:_EXCERPT] + " […]"


def appended(content: bytes, tail: str, *, moved: bool) -> bytes:
    """``content`` followed by ``tail``, with the line ends of ``content``.

    ``moved``: the tail was written for other content, so an unfinished last paragraph is closed first.
    """
    addition = tail.encode()
    head = content[:65536]
    if head.count(b"\r\n") * 2 > head.count(b"\n"):
        addition = addition.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")
    if moved and content.strip() and not addition.startswith((b"\n", b"\r\n")):
        line_end = b"\r\n" if b"\r\n" in head else b"\n"
        missing = 2 - _trailing_line_ends(content)
        addition = line_end * max(missing, 0) + addition
    return content + addition


def _trailing_line_ends(content: bytes) -> int:
    tail = content[-16:]
    return (tail[len(tail.rstrip()) :]).count(b"\n")
