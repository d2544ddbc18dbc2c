"""Prose that stops in the middle of a sentence, and its continuation."""

import re

from penwright.domain.text.paragraphs import paragraph_spans, paragraphs

LONGEST_QUOTE = 200
"""Characters of an unfinished sentence that are shown to the writer."""

_END = re.compile(
    r"[.!?\u2026\u3002\uff01\uff1f\u061f\u06d4\u0964\u104b\u17d4\u0e00-\u0eff:;\u2014\u2013-][\"'\u201d\u2019\u00bb\u300d\u300f)\]*_~>]*\Z"
)
"""A sign that ends a sentence; Thai and Lao have none, so that any of their letters may."""
_QUOTE_END = re.compile(r"[\"\u201d\u00bb\u300d\u300f)\]*_]\Z")
_SENTENCE = re.compile(
    r"(?<=[.!?\u2026\u3002\uff01\uff1f])[\"'\u201d\u2019\u00bb\u300d\u300f)*_]*(?:\s+|(?<=[\u3002\uff01\uff1f]))"
)
_OPENING = '"\u201c\u201e\u00ab\u300c'
_SHORT_LINE = 6
"""Words of a last line that needs no full stop: a signature, a line of verse, a heading."""
_SHORT_SIGNS = 50
"""Characters of such a line, for scripts without spaces."""
_FIRST_WORDS = 3
_REPEATED = 5
"""Words of a paragraph that can be a repetition; shorter ones may stand twice."""


def ends_whole(prose: str, *, lines_may_end: bool = False) -> bool:
    """Whether prose ends where a sentence does.

    Args:
        lines_may_end: whether a short last line may be a signature, a heading or verse.
    """
    last = prose.rstrip()
    line = last.rpartition("\n")[2]
    if not any(map(str.isalnum, line)) or _END.search(last) or _QUOTE_END.search(last):
        return True
    return lines_may_end and _may_stand_alone(line, (paragraphs(last) or ("",))[-1])


def _may_stand_alone(line: str, paragraph: str) -> bool:
    """Whether a line without a full stop is a heading, a signature, or one of several lines of verse."""
    words = line.split()
    if len(words) > _SHORT_LINE or len(line) > _SHORT_SIGNS or line[-1] == "," or line[0] in _OPENING:
        return False
    lines = paragraph.strip().splitlines()
    verse = len(lines) > 1 and max(map(len, lines)) <= _SHORT_SIGNS
    return verse or line.startswith("#") or not words[-1].strip("*_ ")[:1].islower()


def unfinished(prose: str) -> str:
    """The sentence in which prose stops, without what precedes it."""
    paragraph = (paragraphs(prose) or ("",))[-1]
    ends = [found.end() for found in _SENTENCE.finditer(paragraph) if found.end() < len(paragraph)]
    return paragraph[ends[-1] :] if ends else paragraph


def joined(prose: str, more: str, *, whole: bool) -> str:
    """Prose that was cut off, with what was written when the writer was asked to go on.

    Paragraphs with which it repeats the prose are left out. A continuation that begins an unfinished sentence
    anew replaces its beginning; another one follows in the same word if there is no blank between the two.

    Args:
        prose: with the blanks and line ends at its end.
        more: with those before it.
        whole: whether ``prose`` ends where a sentence does; without a blank a new paragraph follows.
    """
    more = _without_repeats(more, prose)
    before, after = prose.rstrip(), more.strip()
    if not after:
        return before
    fragment = "" if whole else unfinished(before)
    anew = " ".join(fragment.split()[:_FIRST_WORDS])
    if anew and " ".join(after.split()).startswith(anew):
        return before.removesuffix(fragment) + after
    between = prose[len(before) :] + more[: len(more) - len(more.lstrip())]
    if not between and not whole and before[-1:].isalpha() and after[0].isupper():
        between = " "  # a capital letter never goes on a word
    return before + _gap(between, whole=whole) + after


def _without_repeats(more: str, prose: str) -> str:
    """``more`` without its first paragraphs that stand in ``prose``."""
    known = {" ".join(each.split()) for each in paragraphs(prose)}
    start = 0
    for first, end in paragraph_spans(more):
        words = more[first:end].split()
        if len(words) < _REPEATED or " ".join(words) not in known:
            break
        start = end
    return more[start:]


def _gap(between: str, *, whole: bool) -> str:
    lines = between.count("\n")
    if lines:
        return "\n" * min(lines, 2)
    return " " if between else "\n\n" if whole else ""
