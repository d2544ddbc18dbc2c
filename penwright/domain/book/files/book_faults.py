"""Faults in the text of the validated book after people or other programs have changed it."""

import re
from itertools import islice

from penwright.domain.book.files.layout import FULL_BOOK
from penwright.domain.text.conflict_notes import conflict_lines, standing_warning
from penwright.domain.text.ink_comments import Comment, parse_comments
from penwright.domain.text.merging.reconcile import split
from penwright.domain.text.words import count_words

_TAIL = 65_536
"""Characters at the end of the book in which its last passages are looked for."""
_MOST_NOTES = 5
_LEAST_WORDS = 5
"""Fewer words may be a refrain or a scene break."""
_SHOWN_WORDS = 8
_BLOCK_END = re.compile(r"[ \t]*(?:\n[ \t]*\n|\n?\s*\Z)")


def book_faults(text: str, before: str | None) -> tuple[str, ...]:
    """Return a warning for each fault of the book.

    Args:
        before: the text as the engine knew it last; None if that is unknown.
    """
    plain = text.replace("\r\n", "\n")
    blocks = _last_blocks(plain)
    conflicts = (standing_warning(FULL_BOOK, line) for line in conflict_lines(plain))
    ends = (_cut_end(plain, blocks, before.replace("\r\n", "\n")) if before else "", _repeated_end(blocks))
    return (*conflicts, *_notes(plain), *filter(None, ends))


def _notes(text: str) -> tuple[str, ...]:
    """Notes that the author wrote here: no session answers them."""
    asked = (comment for comment in parse_comments(text) if comment.kind in ("instruction", "malformed"))
    return tuple(_said(comment) for comment in islice(asked, _MOST_NOTES))


def _said(comment: Comment) -> str:
    if comment.kind == "malformed":
        return f"{FULL_BOOK} line {comment.line}: {comment.text}."
    return (
        f"{FULL_BOOK} line {comment.line}: no session answers an INK note here; `penwright book rewrite "
        "BOOK` does, or change the passage yourself, and delete the note."
    )


def _last_blocks(text: str) -> list[str]:
    """The last paragraphs, without page markers and other comments."""
    start = text.find("\n\n", len(text) - _TAIL) if len(text) > _TAIL else 0
    found = (block.text.strip() for block in split(text[max(start, 0) :]))
    return [block for block in found if block and not (block.startswith("<!--") and block.endswith("-->"))]


def _cut_end(text: str, blocks: list[str], before: str) -> str:
    """Whether the last paragraph went on before: it stood there behind the same paragraph, and was longer."""
    if not blocks or count_words(blocks[-1]) == 0:
        return ""
    end = len(text.rstrip())
    start = text.rfind(blocks[-2], 0, end - len(blocks[-1])) if len(blocks) > 1 else end - len(blocks[-1])
    known = text[max(start, 0) : end]
    at = before.find(known)
    if at < 0 or _BLOCK_END.match(before, at + len(known)):
        return ""
    shown = _shown(blocks[-1][-80:])
    return (
        f"{FULL_BOOK} ends in the middle of a passage that went on before ({shown}). If that was not you, "
        f"`git log -p -- '{FULL_BOOK}'` shows the rest."
    )


def _repeated_end(blocks: list[str]) -> str:
    """Whether the book ends with the same paragraphs twice."""
    earlier = [at for at, block in enumerate(blocks[:-1]) if block == blocks[-1]]
    length = len(blocks) - 1 - earlier[-1] if earlier else 0
    again = blocks[-length:] if length else []
    if not again or blocks[-2 * length : -length] != again or count_words("\n\n".join(again)) < _LEAST_WORDS:
        return ""
    what = "paragraph" if length == 1 else f"{length} paragraphs"
    return f"{FULL_BOOK} ends with the same {what} twice ({_shown(again[0])}); delete one of them."


def _shown(text: str) -> str:
    words = text.split()
    return f"“{' '.join(words[:_SHOWN_WORDS])}{' …' if len(words) > _SHOWN_WORDS else ''}”"
