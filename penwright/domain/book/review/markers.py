"""Remove and write engine markers in text."""

import re
from collections.abc import Sequence

from penwright.domain.text.ink_comments import Comment, Span

_ANNOTATION = r"[ \t]*+>?[ \t]*+\*\*\[Rework\]\*\*[ \t]*:?"
_ANNOTATION_START = re.compile(rf"(?:\s*\n)?{_ANNOTATION}", re.IGNORECASE)
_ANNOTATION_LINE = re.compile(rf"^{_ANNOTATION}.*$", re.IGNORECASE | re.MULTILINE)
_AROUND = r"[ \t>*_`~#\u00a0\u200b-\u200d\ufeff]*+"
_BETWEEN = r"[ \t\u00a0\u200b-\u200d\ufeff]*+"
_LOOSE_MARKER = re.compile(
    rf"^{_AROUND}(?:<!?[-\u2013\u2014]{{0,3}}|&lt;!--|\[+|\{{+)?{_BETWEEN}INK{_BETWEEN}[:\uff1a]{_BETWEEN}"
    rf"(NEW|REWORKED|ORIGINAL){_BETWEEN}[:\uff1a_ ]{_BETWEEN}(START|END){_BETWEEN}"
    rf"(?:/?[-\u2013\u2014]{{0,3}}>|--&gt;|\]+|\}}+)?{_AROUND}$",
    re.IGNORECASE | re.MULTILINE,
)
"""A marker alone on its line, in bold, as code, in a quotation, or with other signs around its name."""
_CUT_MARKER = re.compile(r"(?:\A|\n)[ \t]*<(?:!-{0,2})?[ \t]*(?:I|IN|INK[ \t]*:?[A-Z: \t]*-{0,2})?\Z")
"""The beginning of a marker in which a text stops."""


def with_plain_markers(text: str) -> str:
    """Return the text with its markers as the engine writes them, and without one that is cut off."""
    plain = _LOOSE_MARKER.sub(lambda found: f"<!-- INK:{found[1].upper()}:{found[2].upper()} -->", text)
    return _CUT_MARKER.sub("", plain)


def own_line(text: str, start: int, end: int) -> Span:
    """Return the whole line with its end if the span is alone on it; else the span."""
    line_start = text.rfind("\n", 0, start) + 1
    line_end = text.find("\n", end)
    line_end = len(text) if line_end < 0 else line_end
    if text[line_start:start].strip() or text[end:line_end].strip():
        return start, end
    return line_start, min(line_end + 1, len(text))


def original_end(markers: Sequence[Comment], index: int) -> Comment | None:
    """Return the marker that closes the old version opened by ``markers[index]``; a rework's end does too."""
    following = markers[index + 1] if index + 1 < len(markers) else None
    return following if following and following.text in {"ORIGINAL:END", "REWORKED:END"} else None


def annotation_readings(body: str) -> tuple[tuple[str, str], ...]:
    """Return every way to read a rework's annotation: (the quoted instruction, the text after it).

    The instruction may span several lines, so its end is uncertain: each further line gives one reading.
    """
    found = _ANNOTATION_START.match(body)
    if found is None:
        return ()
    lines = body[found.end() :].split("\n")
    readings = []
    for count in range(1, min(len(lines), 40) + 1):
        quoted = [line.strip().removeprefix(">").strip() for line in lines[:count]]
        readings.append((" ".join(quoted), "\n".join(lines[count:])))
    return tuple(readings)


def annotation_length(body: str) -> int:
    """Return the length of the annotation: quote lines at the beginning of ``body`` and blank lines after."""
    found = _ANNOTATION_START.match(body)
    if found is None:
        return 0
    end = body.find("\n", found.end())
    while end >= 0 and body[end + 1 :].startswith(">"):
        end = body.find("\n", end + 1)
    return len(body) - len(body[end:].lstrip("\n")) if end >= 0 else len(body)


def annotation_span(body: str) -> Span:
    """Return the span of the annotation anywhere in ``body``; empty if there is none."""
    found = _ANNOTATION_LINE.search(body)
    if found is None:
        return 0, 0
    return found.start(), found.start() + annotation_length(body[found.start() :])


def without_annotations(text: str) -> str:
    """Remove the lines that name the instruction of a rework."""
    return _ANNOTATION_LINE.sub("", text)


def rework_block(instruction: str, text: str, original: str) -> str:
    """Write a rework for the author's review, with the text it replaces."""
    lines = ["<!-- INK:REWORKED:START -->"]
    if instruction:
        lines += [f"> **[Rework]** {' '.join(instruction.split())}", ""]
    lines.append(text)
    if original:
        lines += ["<!-- INK:ORIGINAL:START -->", original, "<!-- INK:ORIGINAL:END -->"]
    lines.append("<!-- INK:REWORKED:END -->")
    return "\n".join(lines)


def new_block(prose: str) -> str:
    """Put new prose between its markers."""
    return f"<!-- INK:NEW:START -->\n{prose}\n<!-- INK:NEW:END -->"


def chapter_marker(number: int) -> str:
    """Write the marker before prose of another chapter than the prose that precedes it."""
    return f"<!-- INK:CHAPTER:{number} -->"
