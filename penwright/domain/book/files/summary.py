"""Shorten the Summary and the waiting prose to what a session's model can take; write Summary entries."""

from collections.abc import Sequence
from itertools import islice

from penwright.domain.text.paragraphs import holds_marks, paragraph_spans, paragraphs
from penwright.domain.text.words import count_words, without_comments

SUBSTANTIVE_WORDS = 15
"""A Summary paragraph with fewer words is a placeholder, not a summary."""

_RESERVED_TOKENS = 60_000
_TOKENS_PER_100_WORDS = 135
_LEAST_WORDS = 2_000
_TAIL = 32_768


def summary_window(text: str, entries: int) -> str:
    """Return the last ``entries`` substantive paragraphs; if none is substantive, the last of all."""
    plain = text.replace("\r\n", "\n")
    kept = _substantive(paragraphs(_tail(plain)), entries)
    if len(kept) < entries:
        every = paragraphs(plain)
        kept = _substantive(every, entries) or every[max(0, len(every) - entries) :]
    return "\n\n".join(paragraph.strip() for paragraph in kept)


def _tail(text: str) -> str:
    """Return whole paragraphs from the end, to save time; all of them if code or comments may span some."""
    if len(text) <= _TAIL or holds_marks(text):
        return text
    return text[max(0, text.find("\n\n", len(text) - _TAIL)) :]


def _substantive(every: Sequence[str], entries: int) -> tuple[str, ...]:
    found = (paragraph for paragraph in reversed(every) if count_words(paragraph) >= SUBSTANTIVE_WORDS)
    return tuple(islice(found, entries))[::-1]


def review_words(context_window_tokens: int) -> int:
    """Return the most words of waiting prose in a payload, for a model's context window."""
    if context_window_tokens <= _RESERVED_TOKENS:
        return _LEAST_WORDS
    return (context_window_tokens - _RESERVED_TOKENS) * 100 // _TOKENS_PER_100_WORDS


def review_window(content: str, most_words: int) -> str:
    """Return the end of the waiting prose: whole paragraphs, at least one, at most ``most_words`` words."""
    spans = paragraph_spans(content)
    words = 0
    first = len(spans)
    for index in range(len(spans) - 1, -1, -1):
        words += count_words(content[spans[index][0] : spans[index][1]])
        if words > most_words and index < len(spans) - 1:
            break
        first = index
    return content if first == 0 else content[spans[first][0] :] if spans else content


def summary_entry(summary: str, *, minute: str, length: str) -> str:
    """Return the session's Summary entry: its own summary, or a placeholder line."""
    return uncommented(summary) or f"{minute} UTC: {length} written."


def uncommented(text: str) -> str:
    """Remove comments, NUL characters and anything that would open a comment."""
    plain = text.replace("\r\n", "\n").replace("\x00", "")
    return without_comments(plain).replace("<!--", " ").strip()
